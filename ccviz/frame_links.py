"""Links as users of tables hold them: by label of the index, or as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.errors import ProblemError


def index_of(X: Any) -> Any:
    """Return the row labels of a table that are not plain row numbers; None without such labels.

    Integer labels count as row numbers only by their place, as everywhere in ccviz.

    Parameters
    ----------
    X : table or array
        A pandas frame, or what has no index.
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
    n : int
        Number of rows.
    index : pandas.Index or None
        Labels of the rows, from `index_of`.
    kind : str
        Of the links, for the sentence of an error.

    Returns
    -------
    sequence of pairs, as `ccviz.Problem` takes them

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
    return [_by_label(link, index, kind) for link in links]


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


def _by_label(link: Any, index: Any, kind: str) -> tuple[Any, ...]:
    one, other, *weight = link
    return _row(one, index, kind), _row(other, index, kind), *weight


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
