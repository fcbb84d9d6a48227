"""The tree of one part, for parts that the relaxation alone leaves open.

Two blocks are put together in one child and kept apart in the other, as in the tree of `sdp`
(Piccialli et al. 2022, section 3.3); the part's bound is the least bound of its leaves.
`branch_part` is a pure function of picklable values; it continues with the leaves of an earlier
call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.common.clusters import cluster_means
from ccviz.solvers.divide.bounding import Effort, Leaf, PartBound, improve, initial_iterate
from ccviz.solvers.divide.parts import Part, filled
from ccviz.solvers.relaxation.admm import Iterate, inherit
from ccviz.solvers.relaxation.branching import branching_pair
from ccviz.solvers.relaxation.model import Relaxation, relax

_MOST_LEAVES = 64
"""Largest number of leaves of a part's tree."""
_SPLITS = 4
"""Splits in the first call; a later call makes one for each leaf."""
_LEAST_GAIN = 0.03
"""Share of the slack that a call has to gain; with less the part is not branched again."""
_ROUNDS = 20
"""Rounds at a leaf."""
_ROUNDS_BEFORE = 4
"""Rounds at a leaf before it is split, to find its relaxation's solution again."""
_PATIENCE = 30.0
"""Patience at a leaf, as in `ccviz.solvers.relaxation.rounds.RoundParams`."""


def branch_part(
    effort: Effort, part: Part, known: PartBound, stop: Callable[[], bool] = never
) -> PartBound:
    """Split some leaves of a part's tree, the worst first, and return the part's bound.

    Parameters
    ----------
    effort : Effort
    part : Part
    known : PartBound
        Result of an earlier call or of `ccviz.solvers.divide.bounding.bound_part`; the new bound
        is not worse.
    stop : callable

    Raises
    ------
    StoppedError
        If ``stop`` returns true.
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
    blocks: Blocks, decisions: tuple[tuple[int, int, bool], ...]
) -> tuple[IntArray, Blocks]:
    """Contract blocks under decisions.

    Parameters
    ----------
    blocks : Blocks
    decisions : tuple of (int, int, bool)
        Two blocks, and whether they are put together or kept apart.

    Returns
    -------
    group : (s,) int64
        The new block of each block.
    blocks : Blocks
        The new blocks.
    """
    together = _pairs(decisions, True)
    edges = coo_array((np.ones(len(together)), together.T), (blocks.s, blocks.s))
    component = connected_components(edges, directed=False)[1]
    first = np.unique(component, return_index=True)[1]
    group = np.argsort(np.argsort(first))[component].astype(np.int64)  # by their first blocks
    mass = np.bincount(group, blocks.mass).astype(np.float64)
    centroid = cluster_means(blocks.centroid, blocks.mass, group, len(mass))
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
