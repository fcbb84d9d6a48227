"""The points as users give them, a list, an array or a data frame of any library; their weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError, quote

LARGEST = 1e70  # largest magnitude: fourth powers stay finite, which rounding bounds need
_SMALLEST = 1e-130  # smallest magnitude: squares of differences keep all their digits
_KEPT = (np.float64, np.float32)
_COARSE = 1e4  # steps of float32 that a column spans at least, for its differences to have digits
_TOO_LARGE = f"the data hold a whole number far over {LARGEST:g}: too large to add up squares."

NOT_SPARSE = (
    "give an array. Reduce many columns to 50 or 200 first, by scikit-learn's "
    "TruncatedSVD(100).fit_transform(X); X.toarray() fits few columns."
)
"""What to do with sparse data."""


def read_points(given: Any) -> FloatArray:
    """Return points as a read-only copy; an array that is one already is returned itself.

    Points of float32 stay float32, in half the memory; all others become float64.

    `given` (n, d): Of numbers. Raises `ProblemError` if it is not a table of finite numbers; the
    sentence names the cell, by its column's name if it has one, or the rows.
    """
    if issparse(given):
        raise ProblemError(f"the data are a sparse matrix; {NOT_SPARSE}")
    X = given if _is_frozen(given) else _as_floats(given)
    if X.ndim != 2 or X.size == 0:
        raise ProblemError(
            f"the data must be a table of n points by d features, not of shape {X.shape}."
        )
    least, most = float(X.min()), float(X.max())  # NaN if anything is
    if not (least >= -LARGEST and most <= LARGEST):
        raise ProblemError(_out_of_range(X))
    if 0.0 < max(-least, most) < _SMALLEST:
        raise ProblemError(
            f"the data are all below {_SMALLEST:g}: too small to add up squares. Multiply them by "
            "a constant; that changes no clustering."
        )
    return freeze(X)


def coarse(X: FloatArray) -> list[str]:
    """Return a notice if float32 is too coarse for the differences of some column, cheaply."""
    if X.dtype != np.float32:
        return []
    low, high = X.min(axis=0), X.max(axis=0)
    largest = np.maximum(np.abs(low), np.abs(high))
    step, spread = np.spacing(largest), high - low
    lost = (spread < _COARSE * step) & ((spread > 0.0) | bool((low == high).all()))
    if not lost.any():
        return []
    at = int(np.argmax(np.where(lost, step, 0.0)))
    return [
        f"float32 cannot hold values nearer than {step[at]:g} to each other at "
        f"{largest[at]:,.10g}: rows may have become equal. Give the data as float64, or subtract a "
        "constant before."
    ]


def like_distances(X: FloatArray) -> list[str]:
    """Return a notice if a table looks like a matrix of distances: its rows are taken as points."""
    n, d = X.shape
    if n != d or n < 3 or X.min() < 0.0 or np.diagonal(X).any() or not np.array_equal(X, X.T):
        return []
    return [
        "The table looks like a matrix of distances; its columns are taken as coordinates, which "
        "means of clusters need. sklearn.manifold.MDS makes coordinates of distances."
    ]


def repeated(X: FloatArray, k: int) -> list[str]:
    """Return a notice if fewer rows differ than there are clusters."""
    few = X[: 4 * k]
    if len(np.unique(few, axis=0)) >= k or (different := len(np.unique(X, axis=0))) >= k:
        return []
    if different == 1:  # as without any feature, where links alone decide
        return []
    return [f"The table has {different} different rows for {k} clusters, so equal rows are split."]


def _is_frozen(given: Any) -> bool:
    """Whether this is an array of floats that cannot be changed, such as a problem's points."""
    return (
        type(given) is np.ndarray
        and given.dtype in _KEPT
        and given.flags.c_contiguous
        and given.flags.owndata
        and not given.flags.writeable
    )


def _out_of_range(X: FloatArray) -> str:
    broken = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(broken):
        return f"the data are missing or infinite in {rows(broken)}."
    huge = np.flatnonzero((np.abs(X) > LARGEST).any(axis=1))
    return f"the data are over {LARGEST:g} in {rows(huge)}: too large to add up squares."


def _as_floats(given: Any) -> FloatArray:
    try:
        plain = np.ma.asarray(given) if np.ma.isMaskedArray(given) else np.asarray(given)
    except ValueError:
        raise ProblemError("the data are not a table: its rows differ in length.") from None
    except OverflowError:
        raise ProblemError(_TOO_LARGE) from None
    if plain.dtype.kind in "cmM":
        raise ProblemError(f"the data are of the type {plain.dtype}, not numbers.")
    kind = plain.dtype if plain.dtype in _KEPT else np.dtype(np.float64)
    try:
        if isinstance(plain, np.ma.MaskedArray):
            return np.ma.filled(plain.astype(kind), np.nan)
        return np.array(plain, dtype=kind, order="C")
    except (TypeError, ValueError):
        raise ProblemError(_first_word(plain, columns_of(given))) from None
    except OverflowError:
        raise ProblemError(_TOO_LARGE) from None


def columns_of(given: Any) -> list[Any]:
    """Return the labels of a table's columns, none for an array."""
    is_arrow = hasattr(type(given), "column_names")  # its columns are the cells
    return list(given.column_names if is_arrow else getattr(given, "columns", ()))


def column_of(given: Any, name: str) -> Any:
    """Return a column of a data frame by its label, written as text."""
    labels = {str(label): label for label in columns_of(given)}
    if name not in labels:
        raise ProblemError(f"X has no column {quote(name)}; it has {', '.join(labels) or 'none'}.")
    return given[labels[name]]


def _first_word(plain: np.ndarray, names: Sequence[Any]) -> str:
    """Return the sentence for the first cell that is not a number."""
    if plain.ndim == 2:
        for j, i in product(range(plain.shape[1]), range(plain.shape[0])):
            cell = plain[i, j : j + 1].tolist()[0]  # as Python's own
            if not is_number(cell):
                column = repr(names[j]) if names else str(j)
                reason = "is missing" if is_missing(cell) else f"is {quote(cell)}, not a number"
                return f"the data are not a table of numbers: row {i}, column {column} {reason}."
    return "the data are not a table of numbers."


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, or a text that reads as one."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    except OverflowError:
        return True  # a number, though too large for a float
    return True


def is_missing(cell: Any) -> bool:
    """Whether a cell is missing: None, NaN, or pandas' NA or NaT."""
    # pandas is not a requirement, so its two marks of what is missing are known by name.
    named = type(cell).__name__ in {"NAType", "NaTType"}
    return cell is None or named or (isinstance(cell, float) and cell != cell)


def unknown_classes(labels: Any) -> NDArray[np.bool_]:
    """Return which points have no class: their label is missing, empty, or -1."""
    given = np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)
    if given.dtype.kind in "biu":
        return np.asarray(given == -1)
    return np.array([is_missing(each) or each in ("", -1) for each in given.tolist()], dtype=bool)


def rows(indices: Sequence[int] | IntArray, most: int = 5) -> str:
    """Return row numbers for a sentence, the first few of many."""
    shown = ", ".join(str(i) for i in indices[:most])
    more = f" and {len(indices) - most} more" if len(indices) > most else ""
    return f"row{'s' if len(indices) > 1 else ''} {shown}{more}"


# --- Weights of points, and the grid on which their sums are exact --------------------------------
#
# A point of weight w counts like w points at its place: squares, means and penalties of a
# clustering are weighted by it. Sizes count points, not weight. Weights are rounded to multiples of
# 2^-52 times a power of two just above their sum, so every sum of them is exact in doubles, in any
# order. A bound needs no margin for such sums.


_HEAVIEST = 1e12
"""Largest weight of a point: squares of points times weights stay finite."""

_LIGHTEST = 1e-12
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
    _refuse("the weights are", f"over {_HEAVIEST:g}", weights > _HEAVIEST)
    if not weights.any():
        raise ProblemError("every weight is 0, but at least one point must count.")
    shift, on_grid = exact_grid(weights)
    units = np.ldexp(weights, shift)
    light = np.flatnonzero((weights > 0.0) & ((weights < _LIGHTEST) | (units < _FEWEST)))
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
