"""Cluster sizes: the type, its check, sizes as text, and the sizes of points left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError, UnfillableError, quote
from ccviz.numbers import whole
from ccviz.problem.links import closure


@dataclass(frozen=True, eq=False)
class Sizes:
    """Limits on the number of points in each cluster.

    Attributes
    ----------
    lower, upper : (k,) int64
        Fewest and most points of each cluster. No cluster may be empty, so ``lower >= 1``, but one
        whose centre is given.
    """

    lower: IntArray
    upper: IntArray

    @property
    def is_exact(self) -> bool:
        """Whether every cluster's size is fixed."""
        return bool((self.lower == self.upper).all())

    def numbers_of(self, points: FloatArray | IntArray) -> IntArray | None:
        """Return the number of each cluster in a clustering, so that the limits hold.

        Parameters
        ----------
        points : (k,) array
            The number of points in each cluster.

        Returns
        -------
        (k,) int64 or None
            None if no numbering keeps the limits.
        """
        fits = (points[:, None] >= self.lower) & (points[:, None] <= self.upper)
        rows, numbers = scipy.optimize.linear_sum_assignment(~fits)
        return numbers if fits[rows, numbers].all() else None


def checked_sizes(given: Any, n: int, k: int, fixed: int = 0) -> Sizes | None:
    """Return a problem's sizes, checked.

    Parameters
    ----------
    given : None, Sizes, str, (k,) int, or pair of (k,) int
        A text as in `read_sizes`.
    n, k : int
        Points and clusters.
    fixed : int
        The first clusters that may be empty, since their centres are given.

    Raises
    ------
    ProblemError
        If they are not whole numbers, one a cluster.
    UnfillableError
        If no clustering of ``n`` points has such sizes.
    """
    if isinstance(given, str):
        given = read_sizes(given, n, k) if given.strip() else None
    if given is None:
        return None
    if isinstance(given, Sizes):
        given = (given.lower, given.upper)
    try:
        table = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError("the sizes are not whole numbers, one a cluster.") from None
    if table.shape == (k,):
        table = np.stack([table, table])
    if table.shape != (2, k):
        raise ProblemError(f"the sizes must be {k} numbers, or {k} lower and {k} upper ones.")
    if not (np.isfinite(table).all() and (table == np.round(table)).all()):
        raise ProblemError("the sizes are not whole numbers, one a cluster.")
    table = np.clip(table, 0, n + 1)  # more than all points are no more than that
    least = np.arange(k) >= fixed
    lower, upper = np.maximum(table[0], least).astype(np.int64), table[1].astype(np.int64)
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        j = int(crossed[0])
        raise UnfillableError(
            f"cluster {j} should hold at least {lower[j]} but at most {upper[j]}."
        )
    if not lower.sum() <= n <= upper.sum():
        raise UnfillableError(
            f"the sizes add up to {lower.sum()} at least and {upper.sum()} at most, "
            f"but there are {n} points."
        )
    return Sizes(freeze(lower), freeze(upper))


def read_sizes(text: str, n: int, k: int) -> tuple[list[int], list[int]]:
    """Return the fewest and the most points of each cluster; empty lists for an empty text.

    Parameters
    ----------
    text : str
        ``equal``, or ``50`` and ``40-60`` joined by commas, semicolons or blanks. A single item
        applies to all clusters.
    n, k : int
        Points and clusters.

    Raises
    ------
    ProblemError
        If a word is not a size, or the number of sizes is not the number of clusters.
    """
    if text.strip().lower() == "equal":
        return [n // k] * k, [-(-n // k)] * k
    words = re.split(r"[,;\s]+", text.strip(" \t,;"))
    if words == [""]:
        return [], []
    if len(words) == 1:
        words *= k
    if len(words) != k:
        raise ProblemError(f"there are {len(words)} sizes in {text!r}, but k is {k}.")
    ranges = [_range(word) for word in words]
    return [low for low, _ in ranges], [high for _, high in ranges]


def _range(word: str) -> tuple[int, int]:
    low, _, high = word.replace("–", "-").partition("-")
    least, most = whole(low), whole(high or low)
    if least is None or most is None:
        raise ProblemError(f"{word!r} is not a size: write 50, or 40-60, or equal.")
    return least, most


def sizes_text(lower: Sequence[int], upper: Sequence[int]) -> str:
    """Return sizes as text that `read_sizes` reads.

    Parameters
    ----------
    lower, upper : sequence of int
        Fewest and most points of each cluster.
    """
    both = zip(lower, upper, strict=True)
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in both)


# --- Outliers: points that may be left out, as clusters of one point each -------------------------
#
# To leave a point out is to give it a cluster of its own, which costs nothing. So up to m points
# left out of k clusters are k + m clusters, the last m of one point each. That they are exactly m
# loses nothing: wherever fewer are left out, another point can be, at no more cost; if its cluster
# is empty then, another cluster falls into two. Bounds and proofs under sizes hold for it as they
# are.
#
# A point left out shares a cluster with no other. So its cannot-links are kept, and a point with a
# must-link is never left out.

NO_SIZES = (
    "points cannot be left out beside cluster sizes; an upper limit alone can be the rule size<=."
)


def read_outliers(given: Any, n: int, k: int) -> int:
    """Return the largest number of points to leave out.

    Parameters
    ----------
    given : int
        As it was asked.
    n, k : int
        Points, and clusters without those of points left out.

    Raises
    ------
    ProblemError
        If it is no whole number of at least 0, or leaves fewer points than clusters.
    """
    try:
        outliers = int(given)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"outliers = {quote(given)} is not a number of points.") from None
    if outliers != given or outliers < 0:
        raise ProblemError(f"outliers = {quote(given)} is not a whole number of at least 0.")
    if outliers > n - k:
        raise ProblemError(
            f"outliers = {quote(outliers)} of {n} points leave fewer than {k} for the clusters."
        )
    return outliers


def spare_points(must_link: IntArray, n: int, k: int, outliers: int) -> int:
    """Return how many points can be left out: no linked ones, and k blocks stay.

    Parameters
    ----------
    must_link : (m, 2) int64
        Hard pairs.
    """
    count = np.bincount(closure(n, must_link))
    return max(0, min(outliers, int((count == 1).sum()), len(count) - k))


def sizes_with(outliers: int, n: int, k: int) -> Sizes:
    """Return the sizes of k clusters, the last ``outliers`` of them of one point."""
    lower = np.ones(k, dtype=np.int64)
    upper = np.append(np.full(k - outliers, n - k + 1), np.ones(outliers, dtype=np.int64))
    return Sizes(lower, upper)
