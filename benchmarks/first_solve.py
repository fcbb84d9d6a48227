"""The first solve after an installation: a wheel, an empty environment, home and kernel cache.

    python benchmarks/first_solve.py [--wheel FILE] [--label NAME] [--solver blp-kmeans sdp colgen]

Installs the wheel without extras (without ``--wheel`` one is built from the checkout, with the
kernels of ``make kernels`` if there are any) and runs ``ccviz solve iris -k 3`` with each solver:
first with an empty home and an empty kernel cache, then again, of which the fastest of seven
counts. Seconds are those of the processor, of all processes, and those of the clock. A row is added
for each solver; the label says whether the wheel has kernels unless another is given. The summary
is ``results/first_solve.md``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from _cells import table
from _rows import append_row, done_keys, read_rows
from install import RESULTS, build, children_s, variables

SOLVERS = ("blp-kmeans", "sdp", "colgen")
AGAIN = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--label")
    parser.add_argument("--solver", nargs="*", default=SOLVERS)
    parser.add_argument("--keep-cache", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS / "first_solve.csv")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        wheel = options.wheel or build(home)
        label = options.label or ("with kernels" if has_kernels(wheel) else "without kernels")
        done = done_keys(options.out, ("label", "solver"))
        if left := [each for each in options.solver if (label, each) not in done]:
            own = variables(home, options.keep_cache)
            ccviz = install(wheel.resolve(), home, own)
        for solver in left:
            row = {"label": label, "solver": solver} | measure(ccviz, solver, own)
            append_row(options.out, row)
    write_table(options.out)


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


def measure(ccviz: Path, solver: str, own: dict[str, str]) -> dict[str, str]:
    """Return the seconds of the first solve, and of the fastest of those that follow."""
    command = [str(ccviz), "solve", "iris", "-k", "3", "--solver", solver, "--no-archive"]
    with tempfile.TemporaryDirectory() as empty:
        alone = own | {"HOME": empty, "CCVIZ_HOME": empty, "NUMBA_CACHE_DIR": f"{empty}/kernels"}
        first, *again = (timed(command, alone) for _ in range(1 + AGAIN))
    warm_cpu, warm_clock = (min(values) for values in zip(*again, strict=True))
    return {
        "first_cpu_s": f"{first[0]:.1f}",
        "first_clock_s": f"{first[1]:.1f}",
        "warm_cpu_s": f"{warm_cpu:.2f}",
        "warm_clock_s": f"{warm_clock:.2f}",
    }


def timed(command: list[str], own: dict[str, str]) -> tuple[float, float]:
    """Return the seconds of the processor and of the clock that a command takes."""
    began, cpu_before = time.monotonic(), children_s()
    subprocess.run(command, env=own, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return children_s() - cpu_before, time.monotonic() - began


def write_table(out: Path) -> None:
    """Write the summary."""
    about = (
        "`python benchmarks/first_solve.py`: `ccviz solve iris -k 3` from a wheel without extras, "
        "with an empty home and an empty kernel cache, and again (the fastest of seven).\n\n"
    )
    header = ("Wheel", "Solver", "First: CPU, s", "Clock, s", "Again: CPU, s", "Clock, s")
    text = about + table(header, [list(row.values()) for row in read_rows(out)])
    out.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
