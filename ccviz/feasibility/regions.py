"""Whether connected clusters can hold blocks of points together: what a graph of neighbours says.

A cluster with block b holds no block that is in conflict with b. So it lies in the component of b
in the graph without those blocks, and what that does not hold is apart from b too. Each such pair
may part others: the search goes on until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.neighbors import Neighbors
from ccviz.problem.problem import Problem
from ccviz.problem.sums import MinSum, sum_limits

MOST_BLOCKS = 2500
"""Blocks up to which pairs of them are a matrix; of more only the islands of the graph count."""


@dataclass(frozen=True, eq=False)
class Connection:
    """What neighbours say of the blocks of a problem."""

    # (s, s): Pairs of blocks that no connected cluster holds, conflicts included; on the diagonal
    # blocks that none holds. None with too many blocks.
    apart: NDArray[np.bool_] | None
    reason: str = ""  # Why no clustering is connected, as a sentence
    points: tuple[int, ...] = ()  # The witness of that

    @property
    def pairs(self) -> IntArray:
        """(c, 2) int64: pairs of blocks that no connected cluster holds, smaller first."""
        if self.apart is None:
            return np.empty((0, 2), dtype=np.int64)
        return np.argwhere(np.triu(self.apart, 1))


_KNOWN: WeakKeyDictionary[Problem, Connection] = WeakKeyDictionary()


def connection_of(problem: Problem) -> Connection:
    """Return what a problem's neighbours say of its blocks; the same object each time."""
    if problem not in _KNOWN:
        assert problem.neighbors is not None
        blocks = contract(problem)
        is_small = blocks.s <= MOST_BLOCKS
        apart = freeze(_parted(blocks, problem.neighbors)) if is_small else None
        found = next(_obstacles(problem, blocks, problem.neighbors, apart), ("", ()))
        _KNOWN[problem] = Connection(apart, *found)
    return _KNOWN[problem]


def _parted(blocks: Blocks, neighbors: Neighbors) -> NDArray[np.bool_]:
    block_of, alone = blocks.block_of, np.arange(blocks.n)
    first = np.unique(block_of, return_index=True)[1]
    apart = np.zeros((blocks.s, blocks.s), dtype=bool)
    one, other = blocks.conflicts.T
    apart[one, other] = apart[other, one] = True
    seen = np.full(blocks.s, -1)  # how many blocks each was apart from when it was looked at
    islands = neighbors.islands()
    while True:
        count = apart.sum(axis=1)
        changed = np.flatnonzero(count != seen)
        if not len(changed) or apart.diagonal().any():
            return apart
        seen = count
        for b in changed.tolist():
            is_out = apart[b][block_of]
            near = neighbors.components(np.where(is_out, alone, -1)) if is_out.any() else islands
            apart[b, block_of[near != near[first[b]]]] = True
        apart |= apart.T


Found = tuple[str, tuple[int, ...]]


def _obstacles(
    problem: Problem, blocks: Blocks, neighbors: Neighbors, apart: NDArray[np.bool_] | None
) -> Iterator[Found]:
    """Yield why no clustering is connected, and points that show it."""
    islands = neighbors.islands()
    first = np.unique(islands, return_index=True)[1]
    if len(first) > problem.k:
        some = ", ".join(map(str, first[:_NAMED].tolist()))
        more = ", …" if len(first) > _NAMED else ""
        yield (
            f"no path of neighbours joins any two of the {len(first)} points {some}{more}, "
            f"but k is {problem.k}.",
            tuple(first.tolist()),
        )
    yield from _torn(blocks, islands, apart)
    for values, least, most, what in _limits(problem):
        yield from _too_little(blocks, islands, apart, values, least, what)
        yield from _not_shared(problem.k, islands, values, least, most, what)


_NAMED = 8
"""Points that a sentence names."""


def _torn(blocks: Blocks, islands: IntArray, apart: NDArray[np.bool_] | None) -> Iterator[Found]:
    """Yield blocks whose points no connected cluster holds together."""
    first = np.unique(blocks.block_of, return_index=True)[1][blocks.block_of]
    for i in np.flatnonzero(islands != islands[first]).tolist():
        pair = int(first[i]), i
        yield (
            f"points {pair[0]} and {i} must be together, but no path of neighbours joins them.",
            pair,
        )
    for b in [] if apart is None else np.flatnonzero(apart.diagonal()).tolist():
        points = blocks.members(b)
        yield (
            f"point {points[0]} and the points that must be with it are joined only through "
            "points that must be apart from them.",
            tuple(points.tolist()),
        )


def _limits(problem: Problem) -> Iterator[tuple[FloatArray, float, float, str]]:
    """Yield (n,) amounts, the least and the largest amount of a cluster, and its unit."""
    if problem.weights is not None and not problem.weights.all():
        yield (problem.weights > 0.0).astype(np.float64), 1.0, np.inf, "points that count"
    if problem.sizes is not None:
        sizes, ones = problem.sizes, np.ones(problem.n)
        yield ones, float(sizes.lower.min()), float(sizes.upper.max()), "points"
    for rule in sum_limits(problem):
        if isinstance(rule, MinSum):
            yield rule.weights(problem), rule.limit, np.inf, "in the sum of a rule"


def _too_little(
    blocks: Blocks,
    islands: IntArray,
    apart: NDArray[np.bool_] | None,
    values: FloatArray,
    least: float,
    what: str,
) -> Iterator[Found]:
    """Yield blocks that with all that they can be with have less than a cluster has to have."""
    if apart is None:
        reached = np.bincount(islands, values)[islands]
        first = np.unique(blocks.block_of, return_index=True)[1]
        reached = reached[first]
    else:
        reached = ~apart @ np.bincount(blocks.block_of, values, blocks.s)
    for b in np.flatnonzero(reached < least).tolist():
        point = int(blocks.members(b)[0])
        yield (
            f"point {point} can be together with {reached[b]:.6g} {what} at most, but a cluster "
            f"has at least {least:.6g}.",
            (point,),
        )


def _not_shared(
    k: int, islands: IntArray, values: FloatArray, least: float, most: float, what: str
) -> Iterator[Found]:
    """Yield that the islands cannot be shared among k clusters."""
    amount = np.bincount(islands, values)
    fewest = np.maximum(1.0, np.ceil(amount / most))
    highest = np.floor(amount / least) if least > 0.0 else np.full(len(amount), np.inf)
    for at in np.flatnonzero(fewest > highest).tolist():
        points = np.flatnonzero(islands == at)
        yield (
            f"no path of neighbours leads from the {len(points)} points about {points[0]} to "
            f"others, and clusters of {least:.6g} to {most:.6g} {what} cannot share them.",
            (int(points[0]),),
        )
    for word, count, is_off in (
        ("at least", fewest.sum(), fewest.sum() > k),
        ("at most", highest.sum(), highest.sum() < k),
    ):
        if is_off:
            first = np.unique(islands, return_index=True)[1]
            yield (
                f"the {len(amount)} parts of the graph of neighbours make {word} {count:.0f} "
                f"clusters of {least:.6g} to {most:.6g} {what}, but k is {k}.",
                tuple(first.tolist()),
            )
