"""Links by the rows or the index of a table, as the estimator and the notebook take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.problem.links import Links, read_links

# --- Links indexed like rows, for the folds of a cross-validation and for pipelines ---------------


class RowLinks:
    """Must-links and cannot-links of n rows, indexed like the rows themselves.

    Where scikit-learn takes some of the rows, it takes the same of whatever has one entry a row:
    what is left are the links between these rows, under their new numbers.

    Parameters
    ----------
    n : int
        Number of rows.
    must_link, cannot_link : pairs
        As in `ccviz.Problem`, by row number.

    Raises
    ------
    ProblemError
        If a pair is malformed or names a row that does not exist.

    Examples
    --------
    >>> from ccviz.row_links import RowLinks
    >>> links = RowLinks(5, must_link=[(0, 4)], cannot_link=[(1, 2)])
    >>> links[[4, 0, 1]].must_link.pairs.tolist()
    [[0, 1]]
    """

    def __init__(self, n: int, must_link: Any = (), cannot_link: Any = ()) -> None:
        self.shape = (n,)
        self.must_link = read_links(must_link, n, "must-link")[0]
        self.cannot_link = read_links(cannot_link, n, "cannot-link")[0]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return (
            f"RowLinks({len(self)} rows, {len(self.must_link)} must-links, "
            f"{len(self.cannot_link)} cannot-links)"
        )

    def __getitem__(self, rows: Any) -> RowLinks:
        """Return the links between some of the rows, given as an index of an array."""
        chosen = np.arange(len(self))[rows[0] if isinstance(rows, tuple) else rows]
        chosen = np.atleast_1d(chosen)
        place = np.full(len(self), -1, dtype=np.int64)
        place[chosen[::-1]] = np.arange(len(chosen))[::-1]  # the first of rows taken twice
        both = (self.must_link, self.cannot_link)
        return RowLinks(len(chosen), *(_moved(each, place) for each in both))


def _moved(links: Links, place: IntArray) -> ArrayLike:
    """Return (i, j, weight) of the links whose rows both have a place."""
    pairs = place[links.pairs]
    kept = (pairs >= 0).all(axis=1)
    return np.column_stack([pairs[kept], links.weights[kept]])


# --- Links as users of tables hold them: by label of the index, or as a matrix --------------------


def index_of(X: Any) -> Any:
    """Return the row labels of a table that are not plain row numbers; None without such labels.

    Integer labels count as row numbers only by their place, as everywhere in ccviz.
    """
    index = getattr(X, "index", None)
    if index is None or callable(index):
        return None
    return None if getattr(index, "inferred_type", "integer") == "integer" else index


def pairs_of(links: Any, n: int, index: Any, kind: str) -> Any:
    """Return links as pairs of row numbers.

    Parameters
    ----------
    links : sequence of pairs, (n, n) array of bool, or sparse (n, n) matrix
        Pairs are of row numbers or of labels of the index, each with or without a weight. A matrix
        has an entry for each linked pair, above or below its diagonal; entries of a sparse matrix
        of float are weights of soft links.
    index : pandas.Index or None
        Labels of the n rows, from `index_of`.
    kind : str
        Of the links, for the sentence of an error.

    Raises
    ------
    ProblemError
        If a matrix has another shape, or a label is not in the index, or is there twice.
    """
    if hasattr(links, "tocoo"):
        return _of_sparse(links.tocoo(), n, kind)
    if isinstance(links, np.ndarray) and links.dtype == bool and links.ndim == 2:
        _check_shape(links.shape, n, kind)
        return np.argwhere(np.triu(links | links.T, 1))
    if index is None or not len(links):
        return links
    return [
        (_row(one, index, kind), _row(other, index, kind), *weight) for one, other, *weight in links
    ]


def _of_sparse(matrix: Any, n: int, kind: str) -> Any:
    _check_shape(matrix.shape, n, kind)
    row, column = (np.asarray(each, dtype=np.int64) for each in (matrix.row, matrix.col))
    ends = np.sort(np.column_stack([row, column]), axis=1)
    kept = (matrix.data != 0) & (row != column)
    if matrix.data.dtype.kind != "f":
        return np.unique(ends[kept], axis=0)
    # A symmetric matrix says everything twice.
    pairs, first = np.unique(ends[kept], axis=0, return_index=True)
    return np.column_stack([pairs, matrix.data[kept][first]])


def _check_shape(shape: tuple[int, ...], n: int, kind: str) -> None:
    if shape != (n, n):
        raise ProblemError(f"the {kind} matrix has the shape {shape}, but there are {n} rows.")


def _row(label: Any, index: Any, kind: str) -> int:
    if isinstance(label, int | np.integer):
        return int(label)
    try:
        row = index.get_loc(label)
    except KeyError:
        raise ProblemError(f"{kind}: no row has the label {label!r}.") from None
    if not isinstance(row, int):
        raise ProblemError(f"{kind}: more than one row has the label {label!r}.")
    return row
