"""What is known of how sure the place of each point is, as a table and as bytes of the archive."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.studies.near_problem import packed, unpacked
from ccviz.studies.price_table import PROVED_WIDTH


@dataclass(frozen=True)
class Margin:
    """The margin of a decision about two points: what the opposite one costs.

    Attributes
    ----------
    i, j : int
        The points.
    together : bool
        Whether the clustering has them in one cluster.
    lower, upper : float
        Limits of the optimum with the opposite decision less the optimum, in units of the
        objective; infinite where no clustering has the opposite.
    objective : float
        Cost of the clustering.
    """

    i: int
    j: int
    together: bool
    lower: float
    upper: float
    objective: float

    @property
    def is_proved(self) -> bool:
        """Whether both limits agree within the tolerance of the proofs."""
        return self.lower == self.upper or self.upper - self.lower <= PROVED_WIDTH * self.objective

    @property
    def shares(self) -> tuple[float, float]:
        """Both limits as shares of the objective."""
        if self.objective <= 0.0:
            return (0.0 if self.lower <= 0.0 else np.inf, np.inf if self.upper > 0.0 else 0.0)
        return self.lower / self.objective, self.upper / self.objective


@dataclass(frozen=True, eq=False)
class Margins:
    """What is known of the margin of each point.

    The margin of a point is the optimum of the problem with the point and the most central block
    of its cluster apart, less the optimum. The points of that block are compared with the second
    most central one. A cluster of one block has nothing that its points could be apart from, so
    nothing is said of them: their limits are 0 and infinity.

    Attributes
    ----------
    labels : (n,) int64
        The best clustering known.
    lower_bound : float
        Of the problem.
    other : (n,) int64
        The point with which each is compared: the first of a block, or -1 if there is none.
    above, below : (n,) float64
        Cost of a clustering with both apart, and a lower bound of that problem; infinite where
        there is no such clustering.
    todo : tuple of int
        First points of the blocks that wait for a bound.
    joined : (k, k) float64
        Lower bound of the problem with the most central blocks of two clusters together.
    """

    problem: Problem
    labels: IntArray
    lower_bound: float
    other: IntArray
    above: FloatArray
    below: FloatArray
    todo: tuple[int, ...] = ()
    joined: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @cached_property
    def center(self) -> IntArray:
        """(k,) the first point of each cluster's most central block, -1 of an empty cluster."""
        return _central(contract(self.problem), self.labels, self.problem.k)[0]

    def least_of_pair(self, i: int, j: int) -> float:
        """Return a lower limit of the margin of two points, from those of the points.

        Two points that are apart are not both with the centre of the cluster that they share; and
        two that are together are with one centre, unless one has left its own or two centres meet.
        """
        a, b = (int(self.labels[point]) for point in (i, j))
        below = [self._parted(i), self._parted(j)]
        if a != b:
            below.append(float(self.joined[a, b]))
        return max(0.0, min(below) - self.objective)

    def _parted(self, point: int) -> float:
        """Return a lower bound of the problem with a point apart from its cluster's centre."""
        block_of = contract(self.problem).block_of
        center = self.center[self.labels[point]]
        in_center = block_of[point] == block_of[center] and not self.is_light[point]
        return np.inf if in_center else float(self.below[point])

    @cached_property
    def is_light(self) -> NDArray[np.bool_]:
        """(n,) which points have weight 0: one is in a block because it is near, not by a link."""
        weights = self.problem.weights
        return np.zeros(self.problem.n, dtype=bool) if weights is None else weights == 0.0

    @cached_property
    def objective(self) -> float:
        """Cost of the clustering."""
        return Partition(self.problem, self.labels).objective

    @cached_property
    def lower(self) -> FloatArray:
        """(n,) the lower limit of each margin, in units of the objective."""
        return np.maximum(0.0, self.below - self.objective)

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) the upper limit of each margin."""
        return np.maximum(self.lower, self.above - self.lower_bound)

    @cached_property
    def rows(self) -> tuple[Margin, ...]:
        """The margins, the smallest first."""
        order = np.lexsort((np.arange(len(self.lower)), self.upper, self.lower))
        return tuple(map(self.of, order.tolist()))

    def of(self, point: int) -> Margin:
        """Return the margin of a point."""
        lower, upper = float(self.lower[point]), float(self.upper[point])
        return Margin(point, int(self.other[point]), True, lower, upper, self.objective)

    def is_proved(self) -> NDArray[np.bool_]:
        """Return (n,) bool: whether both limits agree within the tolerance of the proofs."""
        return np.array([self.of(point).is_proved for point in range(self.problem.n)])

    def surely_there(self, rise: float) -> NDArray[np.bool_]:
        """Return (n,) bool: whether a point surely stays until the cost rises by a share of it."""
        surely: NDArray[np.bool_] = self.lower > rise * self.objective
        return surely


def unsure(run: Run) -> Margins:
    """Return the points of a run with a clustering, with nothing known of their margins."""
    assert run.incumbent is not None
    problem, labels = run.problem, run.incumbent.labels
    n = problem.n
    return Margins(
        problem=problem,
        labels=labels,
        lower_bound=run.lower_bound,
        other=_compared(contract(problem), labels, problem.k),
        above=np.full(n, np.inf),
        below=np.full(n, run.lower_bound),
        joined=np.full((problem.k, problem.k), run.lower_bound),
    )


def _compared(blocks: Blocks, labels: IntArray, k: int) -> IntArray:
    """Return for each point the first point of the block that it is compared with."""
    first, second = _central(blocks, labels, k)
    in_center = blocks.block_of[first[labels]] == blocks.block_of
    return np.where(second[labels] < 0, -1, np.where(in_center, second[labels], first[labels]))


def _central(blocks: Blocks, labels: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Return (k,) the first points of each cluster's most and second most central block, or -1."""
    first_point = np.unique(blocks.block_of, return_index=True)[1]
    cluster = labels[first_point]
    found = np.full((2, k), -1, dtype=np.int64)
    for c in range(k):
        inside = np.flatnonzero(cluster == c)
        if not len(inside):
            continue
        mass = blocks.mass[inside] if blocks.mass[inside].any() else None
        center = np.average(blocks.centroid[inside], axis=0, weights=mass)
        far = ((blocks.centroid[inside] - center) ** 2).sum(axis=1)
        nearest = first_point[inside[np.argsort(far, kind="stable")[:2]]]
        found[: len(nearest), c] = nearest
    return found[0], found[1]


class _Stored(msgspec.Struct, array_like=True):
    """The fields of `Margins` that its problem does not give."""

    labels: list[int]
    lower_bound: float
    other: list[int]
    above: list[float]
    below: list[float]
    todo: tuple[int, ...]
    joined: list[float]


def encode_margins(margins: Margins) -> bytes:
    """Return margins as bytes, without their problem."""
    return packed(margins, _Stored)


def decode_margins(data: bytes, run: Run) -> Margins:
    """Return margins stored with a run; `ArchiveError` if the bytes are none of its points."""
    n, k = run.problem.n, run.problem.k

    def fits(stored: _Stored) -> bool:
        places = [*stored.todo, *(each for each in stored.other if each != -1)]
        return all(0 <= point < n for point in places) and all(0 <= c < k for c in stored.labels)

    return unpacked(data, _Stored, unsure(run), "margins", fits)
