"""Exact clustering by semidefinite branch-and-cut (Piccialli, Russo Russo and Sudoso 2022).

Read `ccviz.solvers.relaxation` first: `model`, `admm`, `cuts`, `certificate`, `engine`. Then `node`
(one node of the tree) and `rounding` (Algorithm 1); the tree (Algorithm 2) is
`ccviz.solvers.search.branch_and_bound`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ccviz.errors import UnsupportedError
from ccviz.events import Event
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.sdp.settings import NodeSettings
from ccviz.solvers.search.branch_and_bound import TreeSettings

# --- How much memory the machine has free, for methods that need much of it at once ---------------

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_ASSUMED = 2 << 30  # Bytes, where the system does not say


def free_memory() -> int:
    """Return how many bytes a run may take: what is available, or what a container leaves of it.

    Where the system does not say what is available it is the half of what is built in, and 2 GiB
    where it does not say that either.
    """
    return min(_available(), _left_by_container())


def _available() -> int:
    with suppress(OSError, ValueError):
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):  # macOS; Windows has no such call
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return _ASSUMED


def _left_by_container() -> int:
    most = 1 << 62
    with suppress(OSError, ValueError):  # "max" where there is no limit
        most = int((_CGROUP / "memory.max").read_text())
        most -= int((_CGROUP / "memory.current").read_text())
    return max(0, most)


_MATRICES = 24  # (s, s) matrices of doubles held at once while a node is solved
_SURELY_FITS = 1000  # Blocks up to which the free memory is not asked for


@dataclass(frozen=True)
class Sdp(TreeSettings, NodeSettings, Solver):
    """Semidefinite branch-and-cut with certified bounds."""

    name: ClassVar[str] = "sdp"
    title: ClassVar[str] = "SDP branch-and-cut"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, sums=True, weights=True, weighted_sizes=True, exact=True,
        bounds=True, resume=True, start=True, neighbors=True,
    )  # fmt: skip
    group: ClassVar[str] = "Exact, with proof"

    divide_from: int = setting(
        2000,
        "Number of blocks from which a clustering and a bound by `divide` precede the tree.",
        low=4,
        advanced=True,
        label="Use divide first from (blocks)",
    )

    def check(self, problem: Problem, who_can: Callable[[Problem], str] | None = None) -> None:
        """Raise `UnsupportedError` if a library is missing, or a node's matrices would not fit."""
        super().check(problem, who_can)
        self.check_backend()
        if problem.n <= _SURELY_FITS or _bytes_for(problem.n) <= (free := free_memory()):
            return
        s = contract(problem).s
        if s > _SURELY_FITS and (needed := _bytes_for(s)) > free:
            raise UnsupportedError(
                f"{self.name} works with matrices of a row and a column per block: the {s:,} "
                f"blocks of this problem take {needed / 1e9:.1f} GB of memory, and "
                f"{free / 1e9:.1f} GB are free here. divide certifies a gap with far less."
            )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.search.tree`."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.sdp.node import advance
        from ccviz.solvers.start.leaving_out import leaving_out

        # With several given sizes each class has a matrix, without rows for sums.
        sizes = problem.sizes if problem.weights is None else None
        has_classes = sizes is not None and sizes.is_exact and len({*sizes.lower.tolist()}) > 1
        search = leaving_out(problem, "none" if has_classes else "all")
        is_free = not problem.is_soft and problem.neighbors is None
        presolve = None
        if is_free and contract(problem).s >= self.divide_from:
            from ccviz.solvers.divide.division import presolved

            presolve = presolved(problem, context, self.tolerance)
        known = yield from search.opened(context, presolve)
        if known is not None:
            yield from search.searched(advance, (self,), self, self.tolerance, context, known)


def _bytes_for(blocks: int) -> int:
    return _MATRICES * 8 * blocks**2
