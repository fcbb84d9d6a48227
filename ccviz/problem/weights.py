"""Weights of points: their check, and the grid on which their sums are exact.

A point of weight w counts like w points at its place: squares, means and penalties of a clustering
are weighted by it. Sizes count points, not weight. Weights are rounded to multiples of 2^-52 times
a power of two just above their sum, so every sum of them is exact in doubles, in any order. A bound
needs no margin for such sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, freeze
from ccviz.errors import ProblemError
from ccviz.problem.points import rows

_LARGEST = 1e12
"""Largest weight of a point: squares of points times weights stay finite."""

_SMALLEST = 1e-12
"""Smallest weight above 0 of a point."""

_FEWEST = 4096.0
"""Least number of units of the grid in a weight above 0, so that rounding changes it little."""

_BITS = 52
"""Bits that a sum of all weights takes on their grid."""


def checked_weights(given: Any, n: int) -> FloatArray | None:
    """Return a problem's weights, checked and on their grid.

    `given` (n,): Not negative and finite; at least one above 0. Raises `ProblemError` if they are
    no such numbers; the sentence names the rows at fault.
    """
    if given is None:
        return None
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError("the weights are not numbers, one a point.") from None
    if weights.shape != (n,):
        raise ProblemError(f"there are {n} points but weights of shape {weights.shape}.")
    _refuse("the weights are", "missing or infinite", ~np.isfinite(weights))
    _refuse("the weights are", "below 0", weights < 0.0)
    _refuse("the weights are", f"over {_LARGEST:g}", weights > _LARGEST)
    if not weights.any():
        raise ProblemError("every weight is 0, but at least one point must count.")
    shift, on_grid = exact_grid(weights)
    units = np.ldexp(weights, shift)
    light = np.flatnonzero((weights > 0.0) & ((weights < _SMALLEST) | (units < _FEWEST)))
    if len(light):
        raise ProblemError(
            f"the weights are above 0 in {rows(light)}, but too small beside the others to be "
            "added up. Give such points the weight 0."
        )
    weights = on_grid
    return None if (weights == 1.0).all() else freeze(weights)


def checked_values(given: Any, called: str, is_signed: bool = False) -> FloatArray:
    """Return the values of a column, checked.

    `called`: Words for the column, for the sentence of an error. `is_signed`: Whether values may be
    below 0. Raises `ProblemError` if they are no such finite numbers; the sentence names the rows
    at fault.
    """
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{called} holds no numbers, one a point.") from None
    if values.ndim != 1 or not len(values):
        raise ProblemError(f"{called} holds no numbers, one a point.")
    _refuse(f"{called} is", "missing or infinite", ~np.isfinite(values))
    if not is_signed:
        _refuse(f"{called} is", "below 0", values < 0.0)
    if not np.isfinite(np.abs(values).sum()):
        raise ProblemError(f"the sum of {called} is beyond all numbers.")
    return values


def _refuse(these_are: str, words: str, wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        raise ProblemError(f"{these_are} {words} in {rows(np.flatnonzero(wrong))}.")


def exact_grid(values: FloatArray) -> tuple[int, FloatArray]:
    """Return a grid on which sums of values are exact, and the values on it.

    `values` (n,): Their absolute values have a finite sum. Returns `shift`: The grid's unit is 2 to
    minus that power.
    """
    shift = min(_shift(values), _shift(_on_grid(values, _shift(values))))
    return shift, _on_grid(values, shift)


def _shift(weights: FloatArray) -> int:
    """Return the power of two that turns weights into numbers of units of their grid."""
    return _BITS - int(np.frexp(np.abs(weights).sum())[1])


def _on_grid(weights: FloatArray, shift: int) -> FloatArray:
    """Return the nearest multiples of a unit; a second call changes nothing."""
    rounded: FloatArray = np.ldexp(np.rint(np.ldexp(weights, shift)), -shift)
    return rounded + 0.0  # -0.0 is 0.0
