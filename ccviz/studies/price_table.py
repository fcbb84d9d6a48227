"""What is known of the prices of links, as a table and as bytes of the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.studies.near_problem import packed, unpacked

Kind = Literal["must", "cannot"]

PROVED_WIDTH = 5e-4
"""Distance of two limits, as a share of the objective, up to which a price or margin is proved.

The proof of a price ends at the gap that this allows.
"""


@dataclass(frozen=True)
class LinkPrice:
    """The price of a link.

    Attributes
    ----------
    i, j : int
        The points, the smaller first.
    lower, upper : float
        Limits of the price, in units of the objective.
    is_implied : bool
        Whether the other links imply it, so that it costs exactly 0.
    is_proved : bool
        Whether both limits agree within the tolerance of the proofs.
    """

    kind: Kind
    i: int
    j: int
    lower: float
    upper: float
    is_implied: bool = False
    is_proved: bool = False

    @property
    def words(self) -> str:
        """What is known of the price, in a few words."""
        if self.is_implied:
            return "0: implied by others"
        return f"{self.lower:.6g} {'proved' if self.is_proved else 'at least'}"


@dataclass(frozen=True, eq=False)
class Prices:
    """What is known of the prices of all links of a problem.

    Attributes
    ----------
    labels : (n,) int64
        The best clustering known.
    lower_bound : float
        Of the problem.
    is_must : (m,) bool
        The kind of each link, must-links first.
    pairs : (m, 2) int64
    implied : (m,) bool
    above, below : (m,) float64
        Cost of a clustering of the problem without each link, and a lower bound of that problem.
    todo : tuple of tuple of int
        Groups of links that still wait for a proof.
    """

    problem: Problem
    labels: IntArray
    lower_bound: float
    is_must: NDArray[np.bool_]
    pairs: IntArray
    implied: NDArray[np.bool_]
    above: FloatArray
    below: FloatArray
    todo: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def objective(self) -> float:
        """Cost of the best clustering known."""
        return Partition(self.problem, self.labels).objective

    @cached_property
    def rows(self) -> tuple[LinkPrice, ...]:
        """The prices, the highest first."""
        lower, upper = self.limits()
        proved = self.is_proved()
        order = np.lexsort((np.arange(len(lower)), -upper, -lower))
        return tuple(
            LinkPrice(
                "must" if self.is_must[row] else "cannot",
                int(self.pairs[row, 0]),
                int(self.pairs[row, 1]),
                float(lower[row]),
                float(upper[row]),
                bool(self.implied[row]),
                bool(proved[row]),
            )
            for row in order.tolist()
        )

    @cached_property
    def weights(self) -> FloatArray:
        """(m,) float64: the weight of each link, ``inf`` for hard ones."""
        links = (self.problem.must_link, self.problem.cannot_link)
        return np.concatenate([each.weights for each in links])

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Return two (m,) float64: the lower and the upper limit of each price."""
        lower = np.maximum(0.0, self.lower_bound - self.above)
        # Without a soft link a clustering is cheaper by its weight at most.
        upper = np.maximum(lower, np.minimum(self.weights, self.objective - self.below))
        return np.where(self.implied, 0.0, lower), np.where(self.implied, 0.0, upper)

    def is_proved(self) -> NDArray[np.bool_]:
        """Return (m,) bool: whether both limits agree within the tolerance of the proofs."""
        lower, upper = self.limits()
        close: NDArray[np.bool_] = upper - lower <= PROVED_WIDTH * self.objective
        return close | self.implied

    def without(self, group: Sequence[int]) -> Problem:
        """Return the problem without a group of its links, which are rows of `pairs`."""
        keep = np.ones(len(self.pairs), dtype=bool)
        keep[list(group)] = False
        problem = self.problem
        must, cannot = (
            Links(freeze(self.pairs[which]), freeze(self.weights[which]))
            for which in (keep & self.is_must, keep & ~self.is_must)
        )
        return replace(problem, must_link=must, cannot_link=cannot, asked=None)


def unpriced(run: Run) -> Prices:
    """Return the links of a run with a clustering, with nothing known of their prices."""
    assert run.incumbent is not None
    problem = run.problem
    must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
    m = len(must) + len(cannot)
    return Prices(
        problem=problem,
        labels=run.incumbent.labels,
        lower_bound=run.lower_bound,
        is_must=np.arange(m) < len(must),
        pairs=np.concatenate([must, cannot]),
        implied=np.zeros(m, dtype=bool),
        above=np.full(m, run.objective),
        below=np.zeros(m),
    )


class _Stored(msgspec.Struct, array_like=True):
    """The fields of `Prices` that its problem does not give."""

    labels: list[int]
    lower_bound: float
    implied: list[bool]
    above: list[float]
    below: list[float]
    todo: tuple[tuple[int, ...], ...]


def encode_prices(prices: Prices) -> bytes:
    """Return prices as bytes, without their problem."""
    return packed(prices, _Stored)


def decode_prices(data: bytes, run: Run) -> Prices:
    """Return prices stored with a run; `ArchiveError` if the bytes are none of its links."""
    blank = unpriced(run)

    def fits(stored: _Stored) -> bool:
        return all(0 <= row < len(blank.pairs) for group in stored.todo for row in group)

    return unpacked(data, _Stored, blank, "prices", fits)
