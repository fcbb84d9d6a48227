"""Which solvers' compiled loops are there already, and who compiles those that are not.

Numba keeps what it compiled, but to ask it means to load it. So a solver whose kernels are there
leaves a mark beside them, named by the sources and versions that they were compiled from. While
one process compiles for a solver, the others wait for it instead of doing the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

from ccviz.compiled import COMPILES
from ccviz.kernel_pack import find_pack
from ccviz.system import locked

_PACKAGE = Path(__file__).parents[1]


def compiled(solver: str) -> bool:
    """Return whether the kernels of a solver are there: compiled before, packed, or plain.

    Parameters
    ----------
    solver : str
        Its name.
    """
    return not COMPILES or _mark(solver).exists() or find_pack() is not None


@contextmanager
def turn_to_compile(solver: str) -> Iterator[bool]:
    """Wait until no other process compiles for a solver; then compile inside if that is left to do.

    Parameters
    ----------
    solver : str
        Its name.

    Yields
    ------
    bool
        Whether there is something to compile. If so, the kernels count as there afterwards,
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
