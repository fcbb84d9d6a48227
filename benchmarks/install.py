"""From the wheel, an empty environment and an empty home to a page that answers, in one line.

- ``core``: ``python -m venv``, ``pip install WHEEL``, ``ccviz --version``;
- ``pip``: ``python -m venv``, ``pip install WHEEL[app]``, ``ccviz app``;
- ``uvx``: ``uvx --from WHEEL[app] ccviz app``;
- ``pipx``: ``pipx run --spec WHEEL[app] ccviz app``, pipx itself by uvx.

Without ``--wheel`` it is built from the checkout. ``--keep-cache`` takes the user's caches of uv
and pip, else every package is downloaded. Seconds are those of the processor, of all processes
until the page answers, and those of the clock, which say how fast the index and how busy the
machine was.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from argparse import Namespace
from contextlib import suppress
from functools import cache
from pathlib import Path

import _runner as runner

LIMIT_S = 1200


def serve(command: list[str], home: Path, own: dict[str, str], port: int) -> float:
    """Return when the page answers; its server is stopped then."""
    server = subprocess.Popen(command, cwd=home, env=own, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/main", server)
        return time.monotonic()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGINT)
        server.wait(60)


def steps(way: str, wheel: Path, home: Path, port: int) -> list[list[str]]:
    """Return the commands, the last of which serves the page."""
    asked = f"ccviz-lab{'' if way == 'core' else '[app]'} @ {wheel.as_uri()}"
    serve = ["ccviz", "app", "--port", str(port)]
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--python", sys.executable]
    if way == "uvx":
        return [[*uvx, "--from", asked, *serve]]
    if way == "pipx":
        return [[*uvx, "pipx", "run", "--python", sys.executable, "--spec", asked, *serve]]
    bin_ = home / "env" / "bin"
    pip = [str(bin_ / "python"), "-m", "pip", "install", "--quiet", asked]
    last = ["--version"] if way == "core" else serve[1:]
    return [[sys.executable, "-m", "venv", str(home / "env")], pip, [str(bin_ / "ccviz"), *last]]


def variables(home: Path, keep_cache: bool) -> dict[str, str]:
    """Return the variables of a user whose home is empty; settings of the index stay."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own |= {"HOME": str(home), "CCVIZ_HOME": str(home / "runs")}
    if keep_cache:
        for tool in ("uv", "pip"):
            asked = [sys.executable, "-m", tool, "cache", "dir"]
            folder = subprocess.check_output(asked, text=True).strip()
            own[f"{tool.upper()}_CACHE_DIR"] = folder
    return own


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    """Ask until the page answers."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=30) as answer:
            if b"<title>ccviz</title>" in answer.read():
                return
        time.sleep(0.2)
    raise SystemExit(f"{url} does not answer.")


def children_s() -> float:
    """Return the processor seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def installed(home: Path) -> dict[str, str]:
    """Return how many packages the environment has, and their megabytes without byte code."""
    places = [each for each in home.rglob("site-packages") if (each / "ccviz").is_dir()]
    if not places:  # with the cache of the user the environment is there
        return {"packages": "", "megabytes": ""}
    names = {each.name for each in places[0].glob("*.dist-info")}
    count = len([name for name in names if not name.startswith(("pip-", "setuptools-"))])
    files = (each for each in places[0].rglob("*") if each.is_file() and each.suffix != ".pyc")
    megabytes = sum(each.stat().st_size for each in files) / 1e6
    return {"packages": str(count), "megabytes": f"{megabytes:.0f}"}


def measure(options: Namespace, way: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        home, port = Path(folder), runner.free_port()
        wheel = (options.wheel or built()).resolve()
        *before, last = steps(way, wheel, home, port)
        began, cpu_before = time.monotonic(), children_s()
        own = variables(home, options.keep_cache)
        for step in before:
            subprocess.run(step, cwd=home, env=own, check=True)
        if way == "core":
            subprocess.run(last, cwd=home, env=own, check=True)
            seconds = time.monotonic() - began
        else:
            seconds = serve(last, home, own, port) - began
        spent = {"cpu_s": f"{children_s() - cpu_before:.0f}", "clock_s": f"{seconds:.0f}"}
        return spent | installed(home)


@cache
def built() -> Path:
    """Build the wheel from the checkout and return its file."""
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=runner.ROOT, check=True, capture_output=True)
    return next(Path(folder).glob("*.whl"))


def page(rows: runner.Rows) -> str:
    about = "`python benchmarks/install.py`, from the wheel without kernels, empty home and cache."
    header = "Way | CPU s to the page (core: to `--version`) | Clock, s | Packages | MB"
    return f"{about}\n\n{runner.markdown(header, (row.values() for row in rows))}"


if __name__ == "__main__":
    runner.run(
        __doc__, "install", ("way",), lambda options: zip(options.way), measure, page,
        way=("core", "pip", "uvx", "pipx"), wheel=Path, keep_cache=False,
    )  # fmt: skip
