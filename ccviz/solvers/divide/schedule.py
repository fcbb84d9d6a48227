"""What to do next with the parts: go on with, merge or branch some, as gains most for its work.

All is counted in rounds and blocks, not in seconds, so that a run is the same on any machine. What
a part has lost is what the whole's clustering costs in it less its bound: the cut has lost some of
that, the relaxation the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from ccviz.solvers.divide.bounding import PartBound, work_of

_AHEAD = (3, 12)  # rounds to go on with a part: as many as it had, but within these

_MERGING_GAINS = 0.5  # of what the parts have lost, before anything is known of it
_GOOD = 0.5  # what gains so much of the best for its work is done with it
_LEAST = 200.0  # rounds like the last that would close a part at least; else leave it
_BRANCHING_GAINS = 0.01  # of what the relaxation has lost, before anything is known of it
_BRANCHING_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Standing:
    """A part and how far it is.

    Attributes
    ----------
    group : tuple of int
        The parts of the cut that it is made of.
    own, shared : int
        Blocks of its own, and those that all parts have.
    cost : float
        Of the whole's clustering, in it.
    bound : PartBound
    """

    group: tuple[int, ...]
    own: int
    shared: int
    cost: float
    bound: PartBound

    @property
    def loss(self) -> float:
        """What its bound lacks, whatever took it."""
        return max(0.0, self.cost - self.bound.lower_bound)


@dataclass(frozen=True)
class Choice:
    """Parts to be merged, or one to go on with or to branch.

    Attributes
    ----------
    group : tuple of int
    what : {"go on", "merge", "branch"}
    worth : float
        Expected gain for its work.
    rounds : int
        To go on with.
    """

    group: tuple[int, ...]
    what: str
    worth: float
    rounds: int = 0


def next_choices(
    standings: list[Standing],
    *,
    allowed: float,
    largest: int,
    in_vain: Collection[tuple[int, ...]],
    gains: dict[str, float],
    branching: bool = True,
) -> list[Choice]:
    """Return what to do next, the best first; nothing if nothing is worth it.

    Parameters
    ----------
    standings : list of Standing
    allowed : float
        Relative gap of a part at which it is done.
    largest : int
        Most blocks of merged parts, without the shared ones.
    in_vain : collection of tuple of int
        Not to be merged again.
    gains : dict of str to float
        Which share of the loss "merge" and "branch" have won back so far, once that is known.
    branching : bool
        Whether parts may be branched.
    """
    share = gains.get("branch", _BRANCHING_GAINS) if branching else None
    choices = _alone(standings, allowed, share)
    choices += _merging(standings, largest, in_vain, gains.get("merge", _MERGING_GAINS))
    choices.sort(key=lambda choice: (-choice.worth, choice.group))
    chosen: list[Choice] = []
    taken: set[int] = set()
    for choice in choices:
        if choice.worth < _GOOD * choices[0].worth:
            break
        if not taken & set(choice.group):
            chosen.append(choice)
            taken |= set(choice.group)
    return chosen


def _alone(standings: list[Standing], allowed: float, share: float | None) -> list[Choice]:
    """Go on with the open parts that still gain; branch those that do not, or are branched.

    Without a share that branching wins back, none is branched.
    """
    choices = []
    for each in standings:
        bound, blocks = each.bound, each.own + each.shared
        open_by = bound.slack - allowed * bound.upper_bound
        if open_by <= 0.0 or not (bound.certificate or bound.leaves):
            continue
        if bound.gain * _LEAST > open_by and not bound.leaves:
            rounds = min(max(bound.rounds, _AHEAD[0]), _AHEAD[1])
            gain = min(bound.slack, rounds * bound.gain)
            choices.append(Choice(each.group, "go on", gain / work_of(rounds, blocks), rounds))
        elif share is not None and not bound.is_exhausted:
            gain = share * bound.slack
            choices.append(Choice(each.group, "branch", gain / work_of(_BRANCHING_ROUNDS, blocks)))
    return choices


def _merging(
    standings: list[Standing], largest: int, in_vain: Collection[tuple[int, ...]], share: float
) -> list[Choice]:
    """Pair off those with the largest losses, of about the same size."""
    order = sorted(standings, key=lambda each: (len(each.group), -each.loss, each.group))
    choices = []
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
            choices.append(Choice(group, "merge", gain / work_of(rounds, own + one.shared)))
            free = False
    return choices
