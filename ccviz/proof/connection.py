"""What neighbours say of blocks: found by plain searches of the graph, points as bits of a number.

A cluster that holds block b holds no block in conflict with b, so all of it is reached from b
without these. What is not reached is apart from b, and counts as a conflict from then on, until
nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.problem.sums import MinSum


@dataclass(frozen=True, eq=False)
class Paths:
    """A graph of points, and blocks of them."""

    near: list[int]  # The neighbours of each point, a bit each
    blocks: list[int]  # The points of each block
    conflict: np.ndarray  # (s, s): Blocks that no connected cluster holds; none on the diagonal
    is_torn: bool  # Whether no connected cluster holds all points of some block

    def separates(self, i: int, j: int, others: list[int]) -> bool:
        """Whether all paths between some two points of blocks i and j meet other blocks."""
        removed = np.flatnonzero(self.conflict[i] | self.conflict[j]).tolist()
        both = self.blocks[i] | self.blocks[j]
        if i in others or j in others:
            return False
        return bool(both & ~self._reached(both & -both, [*removed, *others]))

    def _reached(self, seed: int, removed: list[int]) -> int:
        return reached(self.near, seed, self.without(removed))

    def without(self, removed: list[int]) -> int:
        """Return all points but those of some blocks."""
        points = (1 << len(self.near)) - 1
        for block in removed:
            points &= ~self.blocks[block]
        return points


def reached(near: list[int], seed: int, among: int) -> int:
    """Return the points that paths among some points lead to from others."""
    found = front = seed & among
    while front:
        around = 0
        while front:
            lowest = front & -front
            around |= near[lowest.bit_length() - 1]
            front ^= lowest
        front = around & among & ~found
        found |= front
    return found


def paths_of(problem: Problem, block_of: np.ndarray, conflict: np.ndarray) -> Paths | None:
    """Return the graph over blocks with all their conflicts; None without neighbours."""
    if problem.neighbors is None:
        return None
    near = _near(problem)
    blocks = [_bits(np.flatnonzero(block_of == b)) for b in range(len(conflict))]
    found = Paths(near, blocks, conflict.copy(), False)
    apart, looked = found.conflict, [-1] * len(blocks)
    while True:
        waiting = [b for b in range(len(blocks)) if int(apart[b].sum()) != looked[b]]
        if not waiting:
            return found
        for b in waiting:
            looked[b] = int(apart[b].sum())
            its = found._reached(blocks[b] & -blocks[b], np.flatnonzero(apart[b]).tolist())
            if blocks[b] & ~its:
                return Paths(near, blocks, apart, True)
            for c, points in enumerate(blocks):
                if points & ~its:
                    apart[b, c] = apart[c, b] = True


def _near(problem: Problem) -> list[int]:
    near = [0] * problem.n
    for i, j in problem.neighbors.pairs.tolist() if problem.neighbors is not None else ():
        near[i] |= 1 << j
        near[j] |= 1 << i
    return near


def _bits(points: np.ndarray) -> int:
    return sum(1 << point for point in points.tolist())


def are_joined(problem: Problem, clusters: list[np.ndarray]) -> bool:
    """Whether every cluster, given by its points, is connected; all are without neighbours."""
    if problem.neighbors is None:
        return True
    near = _near(problem)
    bits = [_bits(points) for points in clusters]
    return all(reached(near, each & -each, each) == each for each in bits)


def leave_too_little(problem: Problem, paths: Paths) -> bool:
    """Whether islands or blocks show that no clustering into k clusters is connected.

    There are more islands than clusters, or they cannot be shared among k clusters; or a block can
    only be with others that make less than a cluster has to hold: weight, too.
    """
    left, islands = (1 << problem.n) - 1, []
    while left:
        islands.append(reached(paths.near, left & -left, left))
        left &= ~islands[-1]
    if len(islands) > problem.k:
        return True
    ones = np.ones(problem.n)
    counts = np.sign(problem.masses)
    limits: list[tuple[np.ndarray, float, int | None]] = [(counts, 1.0, None)]
    limits += [
        (np.array(rule.values), rule.limit, None)
        for rule in problem.rules
        if isinstance(rule, MinSum)
    ]
    if problem.sizes is not None:
        least, most = int(problem.sizes.lower.min()), int(problem.sizes.upper.max())
        limits.append((ones, least, most))
    for values, low, high in limits:
        amount = [_amount(values, points) for points in paths.blocks]
        can_hold = [
            sum((amount[b] for b in np.flatnonzero(~row).tolist()), Fraction(0))
            for row in paths.conflict
        ]
        if min(can_hold) < low or _cannot_share(
            [_amount(values, points) for points in islands], Fraction(low), high, problem.k
        ):
            return True
    return False


def _amount(values: np.ndarray, points: int) -> Fraction:
    chosen = [at for at in range(len(values)) if points >> at & 1]
    return sum((Fraction(each) for each in values[chosen].tolist()), Fraction(0))


def _cannot_share(amounts: list[Fraction], low: Fraction, high: int | None, k: int) -> bool:
    """Whether no numbers of clusters, one for each island, add up to k."""
    fewest = [1 if high is None else max(1, -(-each // high)) for each in amounts]
    if low <= 0:
        return sum(fewest) > k
    most = [each // low for each in amounts]
    too_few = any(a > b for a, b in zip(fewest, most, strict=True))
    return too_few or sum(fewest) > k or sum(most) < k
