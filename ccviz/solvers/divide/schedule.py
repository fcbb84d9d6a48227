"""Schedule of the parts: continue, merge or branch those with the largest gain per work.

Work is measured in rounds and blocks, not in seconds, so that a run is the same on any machine. The
loss of a part is the cost of the whole's clustering in it, less its bound: the anticlustering lost
some of it, the relaxation the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from ccviz.solvers.divide.bounding import PartBound, work_of

_MORE_ROUNDS = (3, 6)
"""Least and largest number of rounds to continue a part; between them, as many as it had."""
_MERGING_GAIN = 0.5
"""Share of the parts' loss that merging is assumed to gain before any were merged."""
_NEAR_BEST = 0.5
"""Share of the best gain per work above which steps are taken together with the best."""
_MOST_TO_CLOSE = 200.0
"""Rounds at the current rate to close a part; with more, it is not continued."""
_BRANCHING_GAIN = 0.01
"""Share of the slack that branching is assumed to gain before any part was branched."""
_BRANCHING_ROUNDS = 100
"""Rounds that branching a part is assumed to take."""


@dataclass(frozen=True, eq=False)
class PartState:
    """A part and its bounds.

    Attributes
    ----------
    group : tuple of int
        The parts of the anticlustering that it is made of.
    own, shared : int
        Numbers of its own and of the shared blocks.
    cost : float
        Cost of the whole's clustering in it.
    bound : PartBound
    """

    group: tuple[int, ...]
    own: int
    shared: int
    cost: float
    bound: PartBound

    @property
    def loss(self) -> float:
        """Cost of the whole's clustering in the part, less the part's bound."""
        return max(0.0, self.cost - self.bound.lower_bound)


@dataclass(frozen=True)
class Step:
    """Parts to merge, or one part to continue or to branch.

    Attributes
    ----------
    group : tuple of int
    what : {"go on", "merge", "branch"}
    gain_per_work : float
        Expected.
    rounds : int
        Rounds to continue for.
    """

    group: tuple[int, ...]
    what: str
    gain_per_work: float
    rounds: int = 0


def next_steps(
    standings: list[PartState],
    *,
    allowed: float,
    largest: int,
    in_vain: Collection[tuple[int, ...]],
    gains: dict[str, float],
    branching: bool = True,
) -> list[Step]:
    """Return the next steps, the best first; none if no step promises a gain.

    Parameters
    ----------
    standings : list of PartState
    allowed : float
        Relative gap at which a part is closed.
    largest : int
        Largest number of blocks of merged parts, without the shared ones.
    in_vain : collection of tuple of int
        Groups that were merged without a gain.
    gains : dict of str to float
        Share of the loss that "merge" and "branch" have gained so far, once known.
    branching : bool
        Whether parts may be branched.
    """
    share = gains.get("branch", _BRANCHING_GAIN) if branching else None
    steps = _alone(standings, allowed, share)
    steps += _merging(standings, largest, in_vain, gains.get("merge", _MERGING_GAIN))
    steps.sort(key=lambda step: (-step.gain_per_work, step.group))
    chosen: list[Step] = []
    taken: set[int] = set()
    for step in steps:
        if step.gain_per_work < _NEAR_BEST * steps[0].gain_per_work:
            break
        if not taken & set(step.group):
            chosen.append(step)
            taken |= set(step.group)
    return chosen


def _alone(standings: list[PartState], allowed: float, share: float | None) -> list[Step]:
    """Continue the open parts that still gain; branch the others.

    No part is branched if ``share``, the expected gain of branching, is None.
    """
    steps = []
    for each in standings:
        bound, blocks = each.bound, each.own + each.shared
        open_by = bound.slack - allowed * bound.upper_bound
        if open_by <= 0.0 or not (bound.certificate or bound.leaves):
            continue
        if bound.gain * _MOST_TO_CLOSE > open_by and not bound.leaves:
            rounds = min(max(bound.rounds, _MORE_ROUNDS[0]), _MORE_ROUNDS[1])
            gain = min(bound.slack, rounds * bound.gain)
            steps.append(Step(each.group, "go on", gain / work_of(rounds, blocks), rounds))
        elif share is not None and not bound.is_exhausted:
            gain = share * bound.slack
            steps.append(Step(each.group, "branch", gain / work_of(_BRANCHING_ROUNDS, blocks)))
    return steps


def _merging(
    standings: list[PartState], largest: int, in_vain: Collection[tuple[int, ...]], share: float
) -> list[Step]:
    """Merge pairs of parts with the largest losses, of about the same size."""
    order = sorted(standings, key=lambda each: (len(each.group), -each.loss, each.group))
    steps = []
    free = True
    for one, other in pairwise(order):
        group = tuple(sorted(one.group + other.group))
        own = one.own + other.own
        if not free or own > largest or group in in_vain:
            free = True
            continue
        gain = share * (one.loss + other.loss)
        if gain > 0.0:
            rounds = math.ceil(0.5 * (one.bound.rounds + other.bound.rounds)) or 1
            steps.append(Step(group, "merge", gain / work_of(rounds, own + one.shared)))
            free = False
    return steps
