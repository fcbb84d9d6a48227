"""Given centres: points so heavy that the means of their clusters are where they are.

A cluster whose centre c is given costs the sum of |x - c|^2 over its points. Each such centre
becomes a point of a weight W, 2^20 times the number of points, and no two of them share a cluster.
A cluster of m points whose mean is off c by r then costs m W / (m + W) r^2 beside its own scatter,
instead of m r^2: every clustering costs at most what it does about the given centres, and less by
no more than a millionth. So a bound on this problem is one on that with given centres.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError

HEAVY = 1 << 20
"""Weight of a given centre, in the weight of all points."""

MOST = 1 << 20
"""Largest number of points times given centres: the weights' sums are exact."""


def read_centers(given: Any, n: int, d: int, k: int) -> FloatArray:
    """Return given centres, checked.

    Raises `ProblemError` if they are no such numbers, or more than the clusters.
    """
    try:
        centers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError("the fixed centres are not rows of numbers.") from None
    if centers.ndim != 2 or not len(centers) or centers.shape[1] != d:
        raise ProblemError(
            f"the fixed centres have the shape {centers.shape}, not rows of {d} numbers."
        )
    if not np.isfinite(centers).all():
        raise ProblemError("the fixed centres have numbers that are missing or infinite.")
    if len(centers) > k:
        raise ProblemError(f"{len(centers)} fixed centres are more than the k = {k} clusters.")
    if n * len(centers) > MOST:
        raise ProblemError(f"{len(centers)} fixed centres are too many for {n:,} points.")
    return centers


def read_centers_text(text: str, features: Sequence[str] = ()) -> list[list[float]]:
    """Return the centres that a text gives: numbers with commas or blanks.

    `text`: A centre ends with its line, or with a semicolon. `features`: Their names, which the
    first line may have in any order.
    """
    rows = [re.split(r"[,\s]+", row.strip(" ,\t\r")) for row in re.split(r"[;\n]", text)]
    rows = [row for row in rows if row != [""]]
    if features and rows and sorted(rows[0]) == sorted(features):
        head, *rows = rows
        order = [head.index(name) for name in features]
        rows = [[row[at] for at in order] if len(row) == len(order) else row for row in rows]
    try:
        centers = [[float(word) for word in row] for row in rows]
    except ValueError as error:
        word = str(error).partition(": ")[2]
        raise ProblemError(f"a fixed centre is numbers with commas; {word} is none.") from None
    if len({len(row) for row in centers}) > 1:
        raise ProblemError("the fixed centres do not all have the same number of features.")
    return centers


def centers_text(centers: Iterable[Iterable[float]]) -> str:
    """Return centres as `read_centers_text` reads them."""
    return "; ".join(", ".join(f"{value:.15g}" for value in row) for row in centers)


def center_weights(n: int, q: int) -> FloatArray:
    """Return the weights of n points and q given centres after them."""
    return freeze(np.append(np.ones(n), np.full(q, float(HEAVY * n))))


def pairs_of_centers(n: int, q: int) -> IntArray:
    """Return the pairs of q given centres that come after n points."""
    return np.stack(np.triu_indices(q, 1), axis=1) + n


def order_of(labels: IntArray, k: int, fixed: int) -> IntArray:
    """Return the clusters in the order of the given centres, and then the others.

    `labels` (n + q,): Those of the given centres last.
    """
    first = list(dict.fromkeys(labels[len(labels) - fixed :].tolist()))
    return np.array([*first, *(j for j in range(k) if j not in first)])
