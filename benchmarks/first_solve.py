"""The first solve after an installation: a wheel, an empty environment, home and kernel cache.

Installs the wheel without extras (without ``--wheel`` one is built from the checkout, with the
kernels of ``make kernels`` if there are any) and runs ``ccviz solve iris -k 3`` with each solver:
first with an empty home and an empty kernel cache, then again, of which the fastest of seven
counts. Seconds are those of the processor, of all processes, and those of the clock. the label says
whether the wheel has kernels unless another is given.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zipfile
from argparse import Namespace
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import _runner as runner
from install import built, children_s, variables

SOLVERS = ("blp-kmeans", "sdp", "colgen")


def has_kernels(wheel: Path) -> bool:
    """Say whether `make kernels` ran before the wheel was built."""
    with zipfile.ZipFile(wheel) as content:
        return any(name.startswith("ccviz/packs/") for name in content.namelist())


def install(wheel: Path, home: Path, own: dict[str, str]) -> Path:
    """Return the command of a new environment with the wheel."""
    bin_ = home / "env" / "bin"
    subprocess.run([sys.executable, "-m", "venv", str(home / "env")], env=own, check=True)
    asked = [str(bin_ / "python"), "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(asked, env=own, check=True)
    return bin_ / "ccviz"


def cases(options: Namespace) -> Iterator[tuple[str, str, Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        home, wheel = Path(folder), options.wheel or built()
        label = options.label or ("with kernels" if has_kernels(wheel) else "without kernels")
        own = variables(home, options.keep_cache)
        environment = cache(lambda: install(wheel.resolve(), home, own))
        yield from ((label, solver, environment, own) for solver in options.solver)


def measure(_: Namespace, *case: Any) -> dict[str, str]:
    """Return the seconds of the first solve, and of the fastest of those that follow."""
    _label, solver, environment, own = case
    asked = ["solve", "iris", "-k", "3", "--solver", solver, "--no-archive"]
    command = [str(environment()), *asked]
    with tempfile.TemporaryDirectory() as empty:
        alone = own | {"HOME": empty, "CCVIZ_HOME": empty, "NUMBA_CACHE_DIR": f"{empty}/kernels"}
        first, *again = (seconds_of(command, alone) for _ in range(1 + AGAIN))
    warm_cpu, warm_clock = (min(values) for values in zip(*again, strict=True))
    row = {"first_cpu_s": f"{first[0]:.1f}", "first_clock_s": f"{first[1]:.1f}"}
    return row | {"warm_cpu_s": f"{warm_cpu:.2f}", "warm_clock_s": f"{warm_clock:.2f}"}


AGAIN = 7


def seconds_of(command: list[str], own: dict[str, str]) -> tuple[float, float]:
    """Return the seconds of the processor and of the clock that a command takes."""
    began, cpu_before = time.monotonic(), children_s()
    subprocess.run(command, env=own, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return children_s() - cpu_before, time.monotonic() - began


def page(rows: runner.Rows) -> str:
    about = (
        "`python benchmarks/first_solve.py`: `ccviz solve iris -k 3` from a wheel without extras, "
        "with an empty home and an empty kernel cache, and again (the fastest of seven).\n\n"
    )
    header = "Wheel | Solver | First: CPU, s | Clock, s | Again: CPU, s | Clock, s"
    return about + runner.markdown(header, (row.values() for row in rows))


if __name__ == "__main__":
    runner.run(
        __doc__, "first_solve", ("label", "solver"), cases, measure, page,
        wheel=Path, label=str, solver=list(SOLVERS), keep_cache=False,
    )  # fmt: skip
