"""Compile the kernels of whole solvers ahead of their runs.

``python -m ccviz.runs.warm`` compiles for all solvers, two processes side by side. Numba keeps what
it compiled beside the sources. A run that comes earlier compiles the kernels that it needs itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike
from platformdirs import user_cache_path

from ccviz.arrays import IntArray
from ccviz.compiled import COMPILES
from ccviz.errors import UnsupportedError
from ccviz.kernel_pack import find_pack
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.runs.phases import phases
from ccviz.runs.stepper import start
from ccviz.solvers import SOLVERS, Solver
from ccviz.system import WARMING, locked, lower_priority

# --- Which solvers' compiled loops are there already, and who compiles those that are not ---------
#
# Numba keeps what it compiled, but to ask it means to load it. So a solver whose kernels are there
# leaves a mark beside them, named by the sources and versions that they were compiled from. While
# one process compiles for a solver, the others wait for it instead of doing the same.


_PACKAGE = Path(__file__).parents[1]


def compiled(solver: str) -> bool:
    """Return whether the kernels of a solver are there: compiled before, packed, or plain."""
    return not COMPILES or _mark(solver).exists() or find_pack() is not None


@contextmanager
def turn_to_compile(solver: str) -> Iterator[bool]:
    """Wait until no other process compiles for a solver; then compile inside if that is left to do.

    Yields: Whether there is something to compile. If so, the kernels count as there afterwards,
    unless the block raises.
    """
    mark = _mark(solver)
    mark.parent.mkdir(parents=True, exist_ok=True)
    with locked(mark.with_suffix(".lock")):
        needed = not mark.exists()
        yield needed
        if needed:
            mark.touch()


def _mark(solver: str) -> Path:
    return _folder() / f"{solver}-{_sources()}.compiled"


def _folder() -> Path:
    """Return where numba keeps its cache, or one such place: both should vanish together."""
    if asked := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(asked)
    beside = _PACKAGE / "__pycache__"
    if os.access(beside if beside.exists() else _PACKAGE, os.W_OK):
        return beside
    return user_cache_path("ccviz")


@cache
def _sources() -> str:
    """Return a digest of what numba compares before it trusts its cache."""
    digest = sha256(f"{sys.version} {version('numba')} {version('numpy')}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        if b"import njit" in path.read_bytes():
            stat = path.stat()
            digest.update(f"{path} {stat.st_mtime_ns} {stat.st_size}".encode())
    return digest.hexdigest()[:16]


_TIME_LIMIT = 600.0  # time limit of a run, compilation on a busy machine included
_FEW = 12
"""Points of an example whose proof would take minutes with more."""

_SLOW_UNDER_SIZES = ("rbba",)
"""Solvers whose proof under sizes takes minutes on more than these few points."""

# The solvers of most first runs. Most solvers share the assignment step, which is compiled with the
# first of them; the second one here needs none of it, so both are compiled side by side.
_FIRST = ("blp-kmeans", "sdp")
_BESIDE = ("hg-means", "dils", "blp-kmeans", "colgen")


def examples(n: int = 40, kind: DTypeLike = np.float64) -> list[Problem]:
    """Return small problems that reach the kernels: hard links, soft ones, and sizes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)).astype(kind)
    labels = rng.permutation(n) % 4
    pairs = rng.choice(n, size=(3 * n // 4, 2), replace=True)
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    must, cannot = _weighted(pairs[same], np.inf), _weighted(pairs[~same], np.inf)
    soft_must, soft_cannot = _weighted(pairs[same], 2.0), _weighted(pairs[~same], 2.0)
    quarter = np.full(4, n // 4)
    return [
        Problem(X, 4, must, cannot),
        Problem(X, 4, soft_must, soft_cannot),
        Problem(X, 4, cannot_link=cannot, sizes=Sizes(quarter, quarter)),
    ]


def _weighted(pairs: IntArray, weight: float) -> Links:
    return Links(pairs, np.full(len(pairs), weight))


def lanes() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which solvers' kernels two processes compile, each in its order."""
    others = (solver.name for solver in SOLVERS if solver.name not in _FIRST + _BESIDE)
    return (*_FIRST, *others), _BESIDE


def start_compiling() -> list[subprocess.Popen[bytes]]:
    """Start the processes that compile what is missing; none if nothing is.

    They give way to whatever else the machine has to do.
    """
    if all(compiled(solver.name) for solver in SOLVERS):
        return []
    command = [sys.executable, "-P", "-m", "ccviz.runs.warm"]
    return [
        subprocess.Popen([*command, *lane], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for lane in lanes()
    ]


def compile_for(names: list[str]) -> None:
    """Compile the kernels of these solvers that are not compiled yet, one solver at a time."""
    solvers = {solver.name: solver for solver in SOLVERS}
    for name in names:
        with turn_to_compile(name) as needed:
            if needed:
                compile_solver(solvers[name])


def compile_solver(solver: type[Solver]) -> None:
    """Compile the kernels of all phases of a solver."""
    problems = examples()
    if solver.keeps_float32:
        problems += examples(kind=np.float32)
    _run(solver, problems)
    for phase in phases(solver):
        phase()


def load_solver(name: str) -> bool:
    """Bring what a solver needs into this process, before there is a run; return whether it is in.

    What is not compiled yet stays so: compiling it would delay the next run.
    """
    solver = {each.name: each for each in SOLVERS}.get(name)
    if solver is None or not compiled(name):
        return False
    _run(solver, examples(12))
    return True


def main() -> None:
    """Compile for the solvers named, or for all: then in processes side by side."""
    if names := sys.argv[1:]:
        lower_priority(WARMING)
        with suppress(KeyboardInterrupt):  # of the server's terminal, which ends us too
            compile_for(names)
    else:
        lanes_ended = [process.wait() for process in start_compiling()]
        sys.exit(any(lanes_ended))


def _run(solver: type[Solver], problems: list[Problem]) -> None:
    for problem in problems:
        with suppress(UnsupportedError):
            start(_provable(solver, problem), solver(), time_limit=_TIME_LIMIT).result()


def _provable(solver: type[Solver], problem: Problem) -> Problem:
    """Return a smaller example where the solver's proof would take minutes."""
    if problem.n <= _FEW:
        return problem
    _, soft, sized = examples(_FEW, problem.X.dtype)
    if problem.is_soft and solver.supports.bounds:
        return soft
    return sized if problem.sizes is not None and solver.name in _SLOW_UNDER_SIZES else problem


if __name__ == "__main__":
    main()
