"""The parts of an earlier run of `divide`, for a run that goes on with them after an edit.

The cut stays: a block that a link joins to another one goes to that one's part. Each part is a
problem of its own, over its blocks and the shared ones. So the bound of a part, or of merged parts,
holds as it did unless its blocks have changed or a cannot-link among them was taken away. Sizes and
limits on sums are in no bound. The other parts are bounded again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import Event, Noted, PartBounded, PartsCut
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import keys
from ccviz.runs.kept_tree import Earlier, summary
from ccviz.solvers.base import Solver

Events = tuple[Event, ...]

_SHARED = -1
_LEAST = 0.5
"""Least share of the bounds that must hold; with less a new cut is worth its time."""


def kept_parts(problem: Problem, solver: Solver, earlier: Earlier, bound: float) -> Events:
    """Return the events that a run begins with if the parts of an earlier one go on in it.

    Parameters
    ----------
    problem : Problem
        With the points and k of the earlier one.
    solver : Solver
        Of the new run.
    earlier : Earlier
    bound : float
        What the earlier run proved, if that holds for the new problem, otherwise -inf.

    Returns
    -------
    tuple of Event
        The cut, the bounds that still hold, and a sentence; none if too few hold.
    """
    run = earlier.run
    is_same = run.started is not None and run.started.solver == solver.name == "divide"
    cut, bounds = _newest(earlier.events)
    if not is_same or cut is None or run.tree or not problem.masses.all():
        return ()
    if problem.is_soft or run.problem.is_soft:
        return ()
    old, new = contract(run.problem), contract(problem)
    part_of = _moved(cut.part_of, new.block_of)
    edit = _Edit(old, new, cut.part_of, part_of)
    held = [event for event in bounds if edit.holds(event)]
    if sum(map(_bound_of, held)) < _LEAST * sum(map(_bound_of, bounds)) or not held:
        return ()
    text = f"The parts go on: {len(held):,} of {len(bounds):,} bounds hold."
    parts = PartsCut(parts=cut.parts, part_of=part_of, dropped=_dropped(new, part_of))
    open_ones = [event for event in bounds if event.merged and not edit.holds(event)]
    events = (parts, *held, *map(_void, open_ones), Noted(text=text))
    again = len(bounds) - len(held)
    return summary(earlier, bound, len(bounds), again, len(events)), *events


def _void(event: PartBounded) -> PartBounded:
    """Return that parts stay merged, with no bound."""
    return PartBounded(
        part=event.part,
        lower_bound=0.0,
        upper_bound=event.upper_bound,
        rounds=0,
        merged=event.merged,
    )


def _bound_of(event: PartBounded) -> float:
    return event.lower_bound


def _dropped(blocks: Blocks, part_of: IntArray) -> int:
    """Return the number of conflicts between two parts, which count for no bound."""
    first = np.unique(blocks.block_of, return_index=True)[1]
    ends = part_of[first][blocks.conflicts]
    return int(((ends != _SHARED).all(axis=1) & (ends[:, 0] != ends[:, 1])).sum())


def _newest(events: Iterable[Event]) -> tuple[PartsCut | None, list[PartBounded]]:
    """Return the last cut, and the last bound of each of its parts or merged parts."""
    cut: PartsCut | None = None
    bounds: list[PartBounded] = []
    for event in events:
        match event:
            case PartsCut():
                cut, bounds = event, []
            case PartBounded():
                taken = set(event.group)
                bounds = [each for each in bounds if not taken & set(each.group)] + [event]
    return cut, bounds


def _moved(part_of: IntArray, block_of: IntArray) -> IntArray:
    """Return the part of each point (n,): all points of a block go to that of its first one.

    A block with a shared point is shared.
    """
    first = np.unique(block_of, return_index=True)[1]
    of_block = part_of[first].astype(np.int64)
    of_block[block_of[part_of == _SHARED]] = _SHARED
    return of_block[block_of]


@dataclass(frozen=True, eq=False)
class _Edit:
    """Two problems' blocks and parts.

    Attributes
    ----------
    old, new : Blocks
    before, after : (n,) int64
        The part of each point.
    """

    old: Blocks
    new: Blocks
    before: IntArray
    after: IntArray

    def holds(self, event: PartBounded) -> bool:
        """Whether a bound holds as it did."""
        group = [*event.group, _SHARED]
        inside = np.isin(self.before, group)
        if not np.array_equal(inside, np.isin(self.after, group)):
            return False
        if not np.array_equal(self._numbered(self.old, inside), self._numbered(self.new, inside)):
            return False
        if not np.array_equal(self.before[inside] == _SHARED, self.after[inside] == _SHARED):
            return False
        old, new = (self._conflicts(blocks, inside) for blocks in (self.old, self.new))
        # The leaves of a part that was branched may contradict a link that was added.
        return np.array_equal(old, new) if event.leaves else bool(np.isin(old, new).all())

    def _numbered(self, blocks: Blocks, inside: np.ndarray) -> IntArray:
        """Return the number of each point's block among those of the part, in their order."""
        return np.unique(blocks.block_of[inside], return_inverse=True)[1]

    def _conflicts(self, blocks: Blocks, inside: np.ndarray) -> IntArray:
        """Return the conflicts between blocks of the part, a number for each."""
        place = np.full(blocks.s, -1)
        used = np.unique(blocks.block_of[inside])
        place[used] = np.arange(len(used))
        pairs = np.sort(place[blocks.conflicts].reshape(-1, 2), axis=1)
        return np.unique(keys(pairs[(pairs >= 0).all(axis=1)], len(self.before)))
