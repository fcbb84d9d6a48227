"""The table of points as users give it: a list, an array, or a data frame of any library."""

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
