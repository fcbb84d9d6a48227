"""Why a point is in its cluster: what the next best cluster costs, and what keeps the point out.

A point moves with the points that hard must-links tie to it. Such a block of mass m and mean b
moves from a cluster of mass M and mean c to another of mass N and mean e; the sum of squares rises
by ::

    m N / (N + m) |b - e|^2  -  m M / (M - m) |b - c|^2,

and broken soft links add their weights. All other points stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.numbers import count, number
from ccviz.problem.asked import rule_of
from ccviz.problem.links import closure
from ccviz.problem.partition import Partition, cluster_sums
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import Reduction, Rule

_SHARE = 0.1  # Least share of a move's cost for which a feature is named
_MOST_FEATURES = 2
_MOST_OBSTACLES = 3

MOST_EXPLAINED = 20_000
"""Points up to which tables have a sentence for each."""


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


class Moves:
    """The moves of the points of a clustering.

    Parameters
    ----------
    partition : Partition

    Attributes
    ----------
    block_of : (n_points,) int64
        The block of each point: hard must-links tie its points together.
    rise : (s, n_clusters) float64
        What the objective rises by if a block moves into a cluster; infinite into its own.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition, problem = partition, partition.problem
        n = problem.n_points
        self.block_of = closure(n, problem.given.must_link.hard.pairs)
        blocks = int(self.block_of.max()) + 1
        weights = problem.masses[:n]
        self._own = np.empty(blocks, dtype=np.int64)
        self._own[self.block_of] = partition.labels[:n]
        self._count = np.bincount(self.block_of, minlength=blocks)
        self._mass = np.bincount(self.block_of, weights, blocks)
        middle = problem.X[:n].mean(axis=0, dtype=np.float64)  # sums far from 0 lose digits
        sums = cluster_sums(problem.X[:n] - middle, self.block_of, blocks, weights)
        self._mean = sums / np.where(self._mass > 0.0, self._mass, 1.0)[:, None] + middle
        self._soft = self._soft_costs()
        self.rise = self._square_costs() + self._soft
        self.rise[np.arange(blocks), self._own] = np.inf
        self.rise = self.rise[:, : problem.n_clusters]
        self._parted: dict[int, bool] = {}  # whether a block's cluster falls apart without it

    def of(self, point: int) -> tuple[Move, ...]:
        """Return the cheapest move of a point and, if that is forbidden, the cheapest allowed one.

        Parameters
        ----------
        point : int

        Returns
        -------
        tuple of Move
            One, if it is allowed or none is; empty where there is no other cluster.

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

    def into(self, block: int, cluster: int) -> Move:
        """Return a block's move into a cluster.

        Parameters
        ----------
        block, cluster : int
        """
        rise, soft = float(self.rise[block, cluster]), float(self._soft[block, cluster])
        return Move(cluster, rise, soft, tuple(self.obstacles(block, cluster)))

    def shares(self, point: int, cluster: int) -> list[tuple[int, float]]:
        """Return the features that speak against a move, each with its share, the largest first.

        Parameters
        ----------
        point, cluster : int
        """
        block = int(self.block_of[point])
        own, centers = int(self._own[block]), self.partition.centers
        leave, enter = self._factors(np.array([block]))
        rise = enter[0, cluster] * (self._mean[block] - centers[cluster]) ** 2
        rise -= leave[0] * (self._mean[block] - centers[own]) ** 2
        against = np.maximum(rise, 0.0)
        order = np.argsort(-against, kind="stable")
        total = float(against.sum()) or 1.0
        return [(j, float(against[j]) / total) for j in order.tolist()]

    def obstacles(self, block: int, cluster: int) -> Iterator[Obstacle]:
        """Yield every constraint that a block's move would break.

        Parameters
        ----------
        block, cluster : int
        """
        problem, labels, own = self.partition.problem, self.partition.labels, int(self._own[block])
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
        problem, own = self.partition.problem, int(self._own[block])
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
            self._parted[block] = self._falls_apart(self._moved(block, rest), int(self._own[block]))
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
        own = int(self._own[block])
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
        own = weights[self._own[blocks]]
        left = own - mass
        leave = np.divide(mass * own, left, out=np.zeros(len(blocks)), where=left > 0.0)
        return leave, mass[:, None] * weights / (weights + mass[:, None])

    def _square_costs(self) -> FloatArray:
        """Return (s, k) rises of the sum of squares."""
        centers = self.partition.centers
        squares = scipy.spatial.distance.cdist(self._mean, centers, "sqeuclidean")
        every = np.arange(len(self._mean))
        leave, enter = self._factors(every)
        saved = leave * squares[every, self._own]
        own = self.partition.cluster_weights[self._own]
        # The centre is near to what has most of the weight: their distance has few right digits.
        for block in np.flatnonzero((leave > 0.0) & (2.0 * self._mass > own)).tolist():
            rest = (self._own == self._own[block]) & (every != block)
            gap = self._mean[block] - np.average(self._mean[rest], 0, self._mass[rest])
            left = self._mass[rest].sum()
            saved[block] = self._mass[block] * left / (self._mass[block] + left) * (gap @ gap)
        rises: FloatArray = enter * squares - saved[:, None]
        return rises

    def _soft_costs(self) -> FloatArray:
        """Return (s, k) rises of what broken soft links cost."""
        problem, labels = self.partition.problem, self.partition.labels
        rises = np.zeros((len(self._own), problem.k))
        for links, sign in ((problem.must_link.soft, 1.0), (problem.cannot_link.soft, -1.0)):
            for one, other in (links.pairs.T, links.pairs.T[::-1]):
                block, weight = self.block_of[one], sign * links.weights
                between = block != self.block_of[other]
                block, weight, place = block[between], weight[between], labels[other[between]]
                is_together = self._own[block] == place
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


# --- In words -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Why:
    """Sentences that say why points are in their clusters.

    Parameters
    ----------
    moves : Moves
    names : sequence of str, optional
        Of the points; numbers by default.
    features : sequence of str, optional
        Of the columns of the problem's points; without them none is named.
    called : mapping of int to str, optional
        Of clusters; one without is called by its number.
    """

    moves: Moves
    names: Sequence[str] = ()
    features: Sequence[str] = ()
    called: Mapping[int, str] = field(default_factory=dict)

    def of(self, point: int) -> str:
        """Return why a point is in its cluster.

        Parameters
        ----------
        point : int

        Raises
        ------
        CcvizError
            If there is no such point.
        """
        found = self.moves.of(point)
        if not found:
            return "There is no other cluster."
        words = [self._against(point, move) for move in found]
        if found[-1].obstacles:
            words.append("every other cluster is forbidden too")
        return self._sentence(point, "; ".join(words))

    def not_in(self, point: int, cluster: int, *, back: bool = False) -> str:
        """Return why a point is not in a cluster: the constraint that forbids it, or its cost.

        Parameters
        ----------
        point, cluster : int
            Another cluster than its own.
        back : bool
            Whether it was there before.
        """
        move = self.moves.into(int(self.moves.block_of[point]), cluster)
        said, where = self._against(point, move), self.cluster(cluster)
        if back and not move.obstacles:
            said = f"back in {where} it{said.removeprefix(where)}"
        return self._sentence(point, said)

    def _against(self, point: int, move: Move) -> str:
        if not move.obstacles:
            return f"{self._priced(move)}{self._reason(point, move)}"
        if move.rise < 0.0:
            return f"{self._obstacles(move)} out of {self._priced(move)}"
        return f"{self._priced(move)}, and {self._obstacles(move)} out"

    def _sentence(self, point: int, said: str) -> str:
        tied = int((self.moves.block_of == self.moves.block_of[point]).sum()) - 1
        tail = f" (with {count(tied, 'point')} tied to it by must-links)" if tied else ""
        return f"{said[0].upper()}{said[1:]}{tail}."

    def _priced(self, move: Move) -> str:
        more = "less" if move.rise < 0.0 else "more"
        soft = f", {number(move.soft, 3)} of it for soft links" if move.soft > 0.0 else ""
        where = self.cluster(move.cluster)
        if move.obstacles and move.rise < 0.0:
            return f"{where} ({number(abs(move.rise), 3)} {more}{soft})"
        return f"{where} would cost {number(abs(move.rise), 3)} {more}{soft}"

    def _reason(self, point: int, move: Move) -> str:
        if move.rise < 0.0:
            return ", and nothing forbids it"
        if not self.features:
            return ""
        shares = self.moves.shares(point, move.cluster)[:_MOST_FEATURES]
        named = [
            f"{self.features[j]} {100.0 * share:.0f} %" for j, share in shares if share >= _SHARE
        ]
        return f" ({', '.join(named)})" if named else ""

    def _obstacles(self, move: Move) -> str:
        words = [self._named(each, move) for each in move.obstacles[:_MOST_OBSTACLES]]
        more = len(move.obstacles) - len(words)
        words += [f"{more} more"] if more else []
        words = [*(each.removesuffix(",") for each in words[:-2]), *words[-2:]]
        listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
        return f"{listed} keep{'s' * (len(words) == 1)} it"

    def _named(self, obstacle: Obstacle, move: Move) -> str:
        given, at = self.moves.partition.problem.given, obstacle.at
        match obstacle.kind:
            case "cannot_link":
                return f"the cannot-link with {self.point(at)}"
            case "rule":
                return f"the rule {given.rules[at].text}"
            case "sizes":
                assert given.sizes is not None
                if at == move.cluster:
                    is_plain = move.rise >= 0.0 and len(move.obstacles) == 1
                    own = "its size" if is_plain else f"the size of {self.cluster(at)}"
                    return f"{own}, at most {given.sizes.upper[at]},"
                return f"the size of {self.cluster(at)}, at least {given.sizes.lower[at]},"
            case "neighbors":
                return f"{self.cluster(at)}, which would fall apart,"
            case _:
                return f"{self.cluster(at)}, which would be empty,"

    def point(self, at: int) -> str:
        """Return the name of a point, or its number."""
        return self.names[at] if self.names else str(at)

    def cluster(self, at: int) -> str:
        """Return the name of a cluster, or its number."""
        return self.called.get(at) or f"cluster {at}"


def sentences(
    partition: Partition,
    data: Dataset,
    shown: IntArray | None = None,
    names: Mapping[int, str] | None = None,
    some: Sequence[int] | None = None,
) -> list[str]:
    """Return why each point of a table is in its cluster; nothing of very many points.

    Parameters
    ----------
    partition : Partition
        As the solver numbers it: limits on sizes go by these numbers.
    data : Dataset
        With the names of points and features.
    shown : (n_points,) int, optional
        The same clusters by the numbers that people see.
    names : mapping of int to str, optional
        Of clusters, by these numbers.
    some : sequence of int, optional
        Points; all by default.

    Returns
    -------
    list of str
        Empty beyond `MOST_EXPLAINED` points.
    """
    asked = range(partition.problem.n_points) if some is None else some
    if len(asked) > MOST_EXPLAINED:
        return []
    return [*map(why_of(partition, data, shown, names).of, asked)]


def why_of(
    partition: Partition,
    data: Dataset,
    shown: IntArray | None = None,
    names: Mapping[int, str] | None = None,
) -> Why:
    """Return what says why, by the names of a table.

    Parameters
    ----------
    shown : (n,) int64, optional
        Numbers of the clusters as people see them; -1 for points left out.
    names : mapping of int to str, optional
        Names of clusters, by these numbers.
    """
    own = partition.labels[: partition.problem.n_points].tolist()
    number = own if shown is None else shown.tolist()
    called = {j: (names or {}).get(c, f"cluster {c}") for j, c in zip(own, number, strict=True)}
    features = data.features if len(data.features) == partition.problem.d else ()
    return Why(Moves(partition), data.names, features, called)
