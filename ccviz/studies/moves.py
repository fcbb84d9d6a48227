"""Moves of points of a clustering: what each costs, and the constraints that it would break.

A point moves with the points that hard must-links tie to it. Such a block of mass m and mean b
moves from a cluster of mass M and mean c to another of mass N and mean e; the sum of squares rises
by ::

    m N / (N + m) |b - e|^2  -  m M / (M - m) |b - c|^2,

and broken soft links add their weights. All other points stay where they are, unless two blocks
change places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError
from ccviz.problem.asked import rule_of
from ccviz.problem.links import closure
from ccviz.problem.partition import Partition, cluster_sums
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import Reduction, Rule

_TRIED = 20  # Moves and exchanges whose cost is computed, the cheapest by their parts first


@dataclass(frozen=True)
class Obstacle:
    """A constraint that a move would break.

    Attributes
    ----------
    kind : str
        ``"cannot_link"``, ``"sizes"``, ``"rule"``, ``"neighbors"``, or ``"empty"`` where no point
        that counts would be left in the cluster.
    at : int
        The point at the other end of the link, the rule's place in ``problem.given.rules``, or the
        cluster that has the wrong size, falls apart or is empty.
    """

    kind: str
    at: int


@dataclass(frozen=True)
class Move:
    """A move of a point, with those tied to it, into another cluster.

    Attributes
    ----------
    cluster : int
        Where it goes.
    rise : float
        What it adds to the objective; negative where it costs less.
    soft : float
        The part of it that is for soft links.
    obstacles : tuple of Obstacle
        Every constraint that it would break; without them the point may go.
    """

    cluster: int
    rise: float
    soft: float
    obstacles: tuple[Obstacle, ...]


@dataclass(frozen=True, eq=False)
class Opposite:
    """What the opposite of a decision about two points costs: together, or apart.

    Attributes
    ----------
    together : bool
        Whether they would be together.
    lower, upper : float
        Limits of what the cheapest such clustering costs more than the one known; both infinite
        where there is none.
    labels : (n,) int64 or None
        Of a clustering at the upper limit.
    moved : tuple of int
        A point of each block that moves there, if it is one move or one exchange.
    reason : str
        Why there is no such clustering.
    """

    together: bool
    lower: float = -inf
    upper: float = inf
    labels: IntArray | None = None
    moved: tuple[int, ...] = ()
    reason: str = ""


class Moves:
    """The moves of the points of a clustering.

    Attributes
    ----------
    block_of : (n_points,) int64
        The block of each point: hard must-links tie its points together.
    own : (s,) int64
        The cluster of each block.
    rise : (s, n_clusters) float64
        What the objective rises by if a block moves into a cluster; infinite into its own.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition, problem = partition, partition.problem
        n = problem.n_points
        self.block_of = closure(n, problem.given.must_link.hard.pairs)
        blocks = int(self.block_of.max()) + 1
        weights = problem.masses[:n]
        self.own = np.empty(blocks, dtype=np.int64)
        self.own[self.block_of] = partition.labels[:n]
        self._count = np.bincount(self.block_of, minlength=blocks)
        self._mass = np.bincount(self.block_of, weights, blocks)
        middle = problem.X[:n].mean(axis=0, dtype=np.float64)  # sums far from 0 lose digits
        sums = cluster_sums(problem.X[:n] - middle, self.block_of, blocks, weights)
        self._mean = sums / np.where(self._mass > 0.0, self._mass, 1.0)[:, None] + middle
        self._soft = self._soft_costs()
        self.rise = self._square_costs() + self._soft
        self.rise[np.arange(blocks), self.own] = np.inf
        self.rise = self.rise[:, : problem.n_clusters]
        self._parted: dict[int, bool] = {}  # whether a block's cluster falls apart without it

    def of(self, point: int) -> tuple[Move, ...]:
        """Return the cheapest move of a point and, if that is forbidden, the cheapest allowed one.

        It is one, if it is allowed or none is; and none where there is no other cluster.

        Raises
        ------
        CcvizError
            If there is no such point.
        """
        if not 0 <= point < len(self.block_of):
            raise CcvizError(f"{point} is none of the points 0 to {len(self.block_of) - 1}.")
        block = int(self.block_of[point])
        found: list[Move] = []
        order = np.argsort(self.rise[block], kind="stable")
        for cluster in order[np.isfinite(self.rise[block, order])].tolist():
            move = self.into(block, cluster)
            if not found or not move.obstacles:
                found.append(move)
            if not move.obstacles:
                break
        return tuple(found)

    def opposite(self, i: int, j: int) -> Opposite:
        """Return what the opposite decision about two points costs by one move or one exchange.

        Raises
        ------
        CcvizError
            If these are no two points.
        """
        n = len(self.block_of)
        if i == j or not (0 <= i < n and 0 <= j < n):
            raise CcvizError(f"{i} and {j} are no two of the points 0 to {n - 1}.")
        before = self.partition
        together = bool(before.labels[i] != before.labels[j])
        cheapest = Opposite(together)
        for _, *blocks, cluster in sorted(self._ways(i, j, together))[:_TRIED]:
            labels = self._moved(blocks[0], cluster)
            if blocks[1] >= 0:
                labels[:n][self.block_of == blocks[1]] = self.own[blocks[0]]
            found = Partition(before.problem, labels)
            is_full = (found.cluster_weights > 0.0).all() and found.cluster_sizes.all()
            more = found.objective - before.objective
            if is_full and more < cheapest.upper and found.violations.none_hard:
                moved = tuple(int(np.argmax(self.block_of == b)) for b in blocks if b >= 0)
                cheapest = Opposite(together, upper=more, labels=labels, moved=moved)
        return cheapest

    def nearest(self, i: int, j: int, together: bool) -> tuple[int, Move] | None:
        """Return the cheapest move of one of two points that brings them together or apart."""
        alone = [way for way in self._ways(i, j, together) if way[2] < 0]
        if not alone:
            return None
        _, block, _, cluster = min(alone)
        return (i if block == self.block_of[i] else j), self.into(block, cluster)

    def _ways(self, i: int, j: int, together: bool) -> list[tuple[float, int, int, int]]:
        """Return moves and exchanges: a cost, a block, the one it changes places with, a cluster.

        The second block is -1 for none. The cost of an exchange is that of both moves alone.
        """
        found: list[tuple[float, int, int, int]] = []
        one, other = self.block_of[[i, j]].tolist()
        for block, partner in ((one, other), (other, one)) if one != other else ():
            own, there = int(self.own[block]), int(self.own[partner])
            goals = [there] if together else [c for c in range(self.rise.shape[1]) if c != own]
            for cluster in (each for each in goals if each < self.rise.shape[1]):
                rise = float(self.rise[block, cluster])
                found.append((rise, block, -1, cluster))
                if own < self.rise.shape[1]:
                    thirds = np.flatnonzero(self.own == cluster)
                    thirds = thirds[thirds != partner]
                    both = (rise + self.rise[thirds, own]).tolist()
                    pairs = zip(both, thirds.tolist(), strict=True)
                    found += [(cost, block, third, cluster) for cost, third in pairs]
        return found

    def into(self, block: int, cluster: int) -> Move:
        """Return a block's move into a cluster."""
        rise, soft = float(self.rise[block, cluster]), float(self._soft[block, cluster])
        return Move(cluster, rise, soft, tuple(self.obstacles(block, cluster)))

    def shares(self, point: int, cluster: int) -> list[tuple[int, float]]:
        """Return the features that speak against a move, each with its share, the largest first."""
        block = int(self.block_of[point])
        own, centers = int(self.own[block]), self.partition.centers
        leave, enter = self._factors(np.array([block]))
        rise = enter[0, cluster] * (self._mean[block] - centers[cluster]) ** 2
        rise -= leave[0] * (self._mean[block] - centers[own]) ** 2
        against = np.maximum(rise, 0.0)
        order = np.argsort(-against, kind="stable")
        total = float(against.sum()) or 1.0
        return [(j, float(against[j]) / total) for j in order.tolist()]

    def obstacles(self, block: int, cluster: int) -> Iterator[Obstacle]:
        """Yield every constraint that a block's move would break."""
        problem, labels, own = self.partition.problem, self.partition.labels, int(self.own[block])
        is_left_out = own >= problem.n_clusters
        if not is_left_out and self._mass[block] >= self.partition.cluster_weights[own]:
            yield Obstacle("empty", own)
        linked = self._cannot.of(block)
        yield from (Obstacle("cannot_link", j) for j in linked[labels[linked] == cluster].tolist())
        yield from self._wrong_sizes(block, cluster)
        if problem.given.rules:
            moved = self._moved(block, cluster)
            for at, rule in enumerate(self._rules):
                if rule.is_broken(self, block, moved, own, cluster):
                    yield Obstacle("rule", at)
        if problem.neighbors is not None:
            if self._parts_own(block):
                yield Obstacle("neighbors", own)
            if self._is_apart(block, cluster):
                yield Obstacle("neighbors", cluster)

    def _wrong_sizes(self, block: int, cluster: int) -> Iterator[Obstacle]:
        problem, own = self.partition.problem, int(self.own[block])
        if problem.given.sizes is not None and not problem.outliers:
            left, joined = self.sizes_after(block, cluster)
            if left < problem.given.sizes.lower[own]:
                yield Obstacle("sizes", own)
            if joined > problem.given.sizes.upper[cluster]:
                yield Obstacle("sizes", cluster)

    def _moved(self, block: int, cluster: int) -> IntArray:
        """Return (n,) the labels after a block's move."""
        moved = self.partition.labels.copy()
        moved[: len(self.block_of)][self.block_of == block] = cluster
        return moved

    def _parts_own(self, block: int) -> bool:
        """Return whether a block's cluster falls apart without it."""
        if block not in self._parted:
            rest = self.partition.problem.k  # no cluster's number
            self._parted[block] = self._falls_apart(self._moved(block, rest), int(self.own[block]))
        return self._parted[block]

    def _is_apart(self, block: int, cluster: int) -> bool:
        """Return whether a block does not hang together with a cluster."""
        neighbors = self.partition.problem.neighbors
        assert neighbors is not None
        if self._count[block] > 1:
            return self._falls_apart(self._moved(block, cluster), cluster)
        point = int(np.argmax(self.block_of == block))
        near = neighbors.indices[neighbors.indptr[point] : neighbors.indptr[point + 1]]
        return not (self.partition.labels[near] == cluster).any()

    def _falls_apart(self, labels: IntArray, cluster: int) -> bool:
        neighbors = self.partition.problem.neighbors
        assert neighbors is not None
        pieces = neighbors.components(labels)[labels == cluster]
        return bool((pieces != pieces[:1]).any())

    def sizes_after(self, block: int, cluster: int) -> tuple[int, int]:
        """Return how many points a block leaves behind, and how many are where it goes.

        The place of a point that was left out may be empty then: it counts as one.
        """
        problem, count = self.partition.problem, int(self._count[block])
        size = np.bincount(self.partition.labels[: problem.n_points], minlength=problem.k)
        own = int(self.own[block])
        left = int(size[own]) - count if own < problem.n_clusters else 1
        return left, int(size[cluster]) + count

    @cached_property
    def _cannot(self) -> _Ends:
        return _Ends(self.partition.problem.given.cannot_link.hard.pairs, self.block_of)

    @cached_property
    def as_given(self) -> Problem:
        """The problem with its links as given: a rule may count soft ones that it has made hard."""
        given = self.partition.problem.given
        return replace(
            self.partition.problem, must_link=given.must_link, cannot_link=given.cannot_link
        )

    @cached_property
    def _rules(self) -> list[_Kept]:
        rules = map(rule_of, self.as_given.given.rules)
        return [_Kept.of(rule, self.as_given, self.block_of) for rule in rules]

    def _factors(self, blocks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return (m,) and (m, k) factors of the squared distances from which and to which."""
        mass, weights = self._mass[blocks], self.partition.cluster_weights
        own = weights[self.own[blocks]]
        left = own - mass
        leave = np.divide(mass * own, left, out=np.zeros(len(blocks)), where=left > 0.0)
        return leave, mass[:, None] * weights / (weights + mass[:, None])

    def _square_costs(self) -> FloatArray:
        """Return (s, k) rises of the sum of squares."""
        centers = self.partition.centers
        squares = scipy.spatial.distance.cdist(self._mean, centers, "sqeuclidean")
        every = np.arange(len(self._mean))
        leave, enter = self._factors(every)
        saved = leave * squares[every, self.own]
        own = self.partition.cluster_weights[self.own]
        # The centre is near to what has most of the weight: their distance has few right digits.
        for block in np.flatnonzero((leave > 0.0) & (2.0 * self._mass > own)).tolist():
            rest = (self.own == self.own[block]) & (every != block)
            gap = self._mean[block] - np.average(self._mean[rest], 0, self._mass[rest])
            left = self._mass[rest].sum()
            saved[block] = self._mass[block] * left / (self._mass[block] + left) * (gap @ gap)
        rises: FloatArray = enter * squares - saved[:, None]
        return rises

    def _soft_costs(self) -> FloatArray:
        """Return (s, k) rises of what broken soft links cost."""
        problem, labels = self.partition.problem, self.partition.labels
        rises = np.zeros((len(self.own), problem.k))
        for links, sign in ((problem.must_link.soft, 1.0), (problem.cannot_link.soft, -1.0)):
            for one, other in (links.pairs.T, links.pairs.T[::-1]):
                block, weight = self.block_of[one], sign * links.weights
                between = block != self.block_of[other]
                block, weight, place = block[between], weight[between], labels[other[between]]
                is_together = self.own[block] == place
                # Of a must-link: kept now, or broken now and kept there.
                np.add.at(rises, block[is_together], weight[is_together, None])
                np.add.at(rises, (block[~is_together], place[~is_together]), -weight[~is_together])
        return rises


class _Ends:
    """For each block the points at the other ends of its links."""

    def __init__(self, pairs: IntArray, block_of: IntArray) -> None:
        pairs = pairs[(pairs < len(block_of)).all(axis=1)]  # given centres have links too
        one, other = np.concatenate([pairs, pairs[:, ::-1]]).T
        block = block_of[one]
        order = np.argsort(block, kind="stable")
        order = order[(block != block_of[other])[order]]
        self._other = other[order]
        self._start = np.searchsorted(block[order], np.arange(int(block_of.max()) + 2))

    def of(self, block: int) -> IntArray:
        """Return (m,) points at the other ends."""
        ends: IntArray = self._other[self._start[block] : self._start[block + 1]]
        return ends


@dataclass(frozen=True, eq=False)
class _Kept:
    """A hard rule, by the links and sizes that it is, or by what it allows."""

    rule: Rule
    reduction: Reduction | None
    must: _Ends
    cannot: _Ends

    @classmethod
    def of(cls, rule: Rule, problem: Problem, block_of: IntArray) -> _Kept:
        reduction = rule.reduction(problem, False)
        links = Reduction() if reduction is None or np.isfinite(reduction.weight) else reduction
        ends = (_Ends(pairs, block_of) for pairs in (links.must_link, links.cannot_link))
        return cls(rule if reduction else rule.settled(problem), reduction, *ends)

    def is_broken(self, moves: Moves, block: int, moved: IntArray, own: int, cluster: int) -> bool:
        """Return whether a block's move breaks the rule."""
        if self.reduction is None:
            problem = moves.as_given
            members = (np.flatnonzero(moved[: problem.n_points] == j) for j in (own, cluster))
            return not all(self.rule.allows(problem, each) for each in members if len(each))
        left, joined = moves.sizes_after(block, cluster)
        return (
            bool((moved[self.must.of(block)] != cluster).any())
            or bool((moved[self.cannot.of(block)] == cluster).any())
            or left < self.reduction.smallest
            or joined > self.reduction.largest
        )
