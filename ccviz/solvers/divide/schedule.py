"""Schedule of the parts: continue, merge or branch those with the largest gain per work.

Work is measured in rounds and blocks, not in seconds, so that a run is the same on any machine. The
loss of a part is the cost of the whole's clustering in it, less its bound: the anticlustering lost
some of it, the relaxation the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import IntArray
from ccviz.problem.blocks import BoundedBlocks
from ccviz.problem.partition import cluster_means
from ccviz.solvers.base import never
from ccviz.solvers.divide.bounding import Effort, Leaf, PartBound, improve, initial_iterate, work_of
from ccviz.solvers.divide.partition import Part, filled
from ccviz.solvers.relaxation.admm import Iterate, inherit
from ccviz.solvers.relaxation.model import Relaxation, branching_pair, relax

_MORE_ROUNDS = (3, 6)
"""Least and largest number of rounds to continue a part; between them, as many as it had."""
_MERGING_GAIN = 0.5
"""Share of the parts' loss that merging is assumed to gain before any were merged."""
_NEAR_BEST = 0.5
"""Share of the best gain per work above which steps are taken together with the best."""
_MOST_TO_CLOSE = 200.0  # Rounds at the current rate to close a part; with more, it is not continued
_BRANCHING_GAIN = 0.01
"""Share of the slack that branching is assumed to gain before any part was branched."""
_BRANCHING_ROUNDS = 100  # Rounds that branching a part is assumed to take


@dataclass(frozen=True, eq=False)
class PartState:
    """A part and its bounds."""

    group: tuple[int, ...]  # The parts of the anticlustering that it is made of
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
    """Parts to merge, or one part to continue or to branch."""

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

    `allowed`: Relative gap at which a part is closed. `largest`: Largest number of blocks of merged
    parts, without the shared ones. `in_vain`: Groups that were merged without a gain. `gains`:
    Share of the loss that "merge" and "branch" have gained so far, once known.
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


# --- The tree of one part, for parts that the relaxation alone leaves open ------------------------
#
# Two blocks are put together in one child and kept apart in the other, as in the tree of `sdp`
# (Piccialli et al. 2022, section 3.3); the part's bound is the least bound of its leaves.
# `branch_part` is a pure function of picklable values; it continues with the leaves of an earlier
# call.

_MOST_LEAVES = 64  # Largest number of leaves of a part's tree
_SPLITS = 4  # Splits in the first call; a later call makes one for each leaf
_LEAST_GAIN = 0.03
"""Share of the slack that a call has to gain; with less the part is not branched again."""
_ROUNDS = 20  # Rounds at a leaf
_ROUNDS_BEFORE = 4  # Rounds at a leaf before it is split, to find its relaxation's solution again
_PATIENCE = 30.0  # Patience at a leaf, as in `ccviz.solvers.relaxation.engine.RoundParams`


def branch_part(
    effort: Effort, part: Part, known: PartBound, stop: Callable[[], bool] = never
) -> PartBound:
    """Split some leaves of a part's tree, the worst first, and return the part's bound.

    `known`: Result of an earlier call or of `ccviz.solvers.divide.bounding.bound_part`; the new
    bound is not worse.
    """
    leaves = list(known.leaves) or [Leaf((), known.lower_bound * part.scale, known.certificate)]
    target = known.upper_bound * part.scale * (1.0 - effort.tolerance)
    effort = replace(effort, rounds=_ROUNDS, patience=_PATIENCE)
    rounds = 0
    for _ in range(max(_SPLITS, len(leaves))):
        worst = min(leaves, key=lambda leaf: leaf.lower_bound)
        if worst.lower_bound >= target or len(leaves) >= _MOST_LEAVES:
            break
        children, spent = _split(effort, part, worst, target, stop)
        rounds += spent
        if not children:
            break
        leaves.remove(worst)
        leaves += children
    least = max(0.0, min(leaf.lower_bound for leaf in leaves) / part.scale)
    is_exhausted = least - known.lower_bound < _LEAST_GAIN * known.slack
    if least <= known.lower_bound:
        return replace(known, rounds=known.rounds + rounds, gain=0.0, is_exhausted=is_exhausted)
    return replace(
        known,
        lower_bound=least,
        certificate={},
        leaves=tuple(leaves),
        rounds=known.rounds + rounds,
        gain=(least - known.lower_bound) / rounds,
        is_exhausted=is_exhausted,
        reached=None,
    )


def _split(
    effort: Effort, part: Part, leaf: Leaf, target: float, stop: Callable[[], bool]
) -> tuple[list[Leaf], int]:
    """Return the children of a leaf, none if it has no pair to branch on, and their rounds."""
    group, blocks = contracted(part.blocks, leaf.decisions)
    relaxation = relax(blocks)
    first = np.unique(group, return_index=True)[1]
    labels = filled(blocks, part.labels[first])
    at = initial_iterate(relaxation, labels, leaf.certificate, 0.0)
    at, _ = improve(replace(effort, rounds=_ROUNDS_BEFORE), relaxation, at, np.inf, stop)
    pair = branching_pair(relaxation, at.Y)
    if pair is None or blocks.s <= blocks.k + 1:
        return [], _ROUNDS_BEFORE
    i, j = (int(first[block]) for block in pair)
    children, rounds = [], _ROUNDS_BEFORE
    for together in (True, False):
        decisions = (*leaf.decisions, (i, j, together))
        child, spent = _child(effort, part, decisions, (group, relaxation, at), target, stop)
        children.append(child)
        rounds += spent
    return children, rounds


def _child(
    effort: Effort,
    part: Part,
    decisions: tuple[tuple[int, int, bool], ...],
    parent: tuple[IntArray, Relaxation, Iterate],
    target: float,
    stop: Callable[[], bool],
) -> tuple[Leaf, int]:
    above, parent_relaxation, parent_at = parent
    group, blocks = contracted(part.blocks, decisions)
    relaxation = relax(blocks)
    child_of = np.empty(parent_relaxation.s, dtype=np.int64)
    child_of[above] = group
    at = inherit(parent_at, child_of, parent_relaxation, relaxation)
    at, bounds = improve(effort, relaxation, at, target, stop)
    assert at.best is not None
    return Leaf(decisions, float(at.lower_bound), at.best.arrays()), len(bounds) - 1


def contracted(
    blocks: BoundedBlocks, decisions: tuple[tuple[int, int, bool], ...]
) -> tuple[IntArray, BoundedBlocks]:
    """Contract blocks under decisions.

    `decisions` (int, int, bool): Two blocks, and whether they are put together or kept apart.
    Returns `group` (s,): The new block of each block.
    """
    together = _pairs(decisions, True)
    edges = coo_array((np.ones(len(together)), together.T), (blocks.s, blocks.s))
    component = connected_components(edges, directed=False)[1]
    first = np.unique(component, return_index=True)[1]
    group = np.argsort(np.argsort(first))[component].astype(np.int64)  # by their first blocks
    mass = np.bincount(group, blocks.mass).astype(np.float64)
    centroid = cluster_means(blocks.centroid, group, len(mass), blocks.mass)
    away = ((blocks.centroid - centroid[group]) ** 2).sum(axis=1)
    conflicts = group[np.concatenate([blocks.conflicts, _pairs(decisions, False)])]
    return group, replace(
        blocks,
        block_of=np.arange(len(mass)),
        mass=mass,
        count=mass,
        centroid=centroid,
        scatter=float(blocks.mass @ away),
        conflicts=np.unique(np.sort(conflicts, axis=1), axis=0),
    )


def _pairs(decisions: tuple[tuple[int, int, bool], ...], together: bool) -> IntArray:
    pairs = [(i, j) for i, j, side in decisions if side is together]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
