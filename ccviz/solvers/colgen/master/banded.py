"""Normal equations that are a band with one more row and column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


class Bordered(NamedTuple):
    """A factored band with one more row and column: lower factor, border, its solution, corner."""

    lower: FloatArray
    border: FloatArray
    tip: FloatArray
    corner: float

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve for a right-hand side of the band's rows and one more."""
        inner = cho_solve_banded((self.lower, True), right[:-1], check_finite=False)
        last = (right[-1] - float(self.border @ inner)) / self.corner
        return np.append(inner - last * self.tip, last)


def factored(band: FloatArray, border: FloatArray, corner: float, lift: float) -> Bordered:
    """Factor a lower band, which is overwritten, with its border; the diagonal lifted."""
    band[0] *= 1.0 + lift
    lower = cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)
    tip = cho_solve_banded((lower, True), border, check_finite=False)
    corner = corner * (1.0 + lift) - float(border @ tip)
    if not corner > 0.0:
        raise LinAlgError("The border is lost in rounding.")
    return Bordered(lower, border, tip, corner)


@njit(cache=True)
def band_of(start: IntArray, index: IntArray) -> int:
    """Return the largest difference between two rows of one column; indices are sorted."""
    widest = 0
    for j in range(len(start) - 1):
        if start[j + 1] > start[j]:
            widest = max(widest, index[start[j + 1] - 1] - index[start[j]])
    return widest


@njit(cache=True)
def add_outer(
    start: IntArray, index: IntArray, entry: FloatArray, weight: FloatArray, band: FloatArray
) -> None:
    """Add weight times the outer product of each sparse column with itself, lower band."""
    for j in range(len(weight)):
        for b in range(start[j], start[j + 1]):
            first = index[b]
            column = band[:, first]
            scaled = weight[j] * entry[b]
            for a in range(b, start[j + 1]):
                column[index[a] - first] += scaled * entry[a]
