"""The values of a data set's column by its name, whatever its role."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.errors import ProblemError, quote


def column_names(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the columns that hold numbers, those that are no features included.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    tuple of str
    """
    return tuple(_columns(dataset))


def column_values(dataset: Dataset, name: str) -> FloatArray:
    """Return a column as it is in the table, not scaled and with nothing filled in.

    Parameters
    ----------
    dataset : Dataset
    name : str

    Returns
    -------
    (n,) float64

    Raises
    ------
    ProblemError
        If there is no such column, or it holds no numbers; the sentence lists those that do.
    """
    columns = _columns(dataset)
    if name not in columns:
        known = ", ".join(columns) or "none"
        raise ProblemError(f"there is no column {quote(name)} of numbers; there are {known}.")
    return columns[name]


def _columns(dataset: Dataset) -> dict[str, FloatArray]:
    origin = dataset.origin
    if origin is None:
        return {name: dataset.X[:, j] for j, name in enumerate(dataset.features)}
    named = zip((each.column for each in origin.decisions), origin.columns, strict=True)
    return {
        name: cells.astype(np.float64)
        for name, cells in named
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf"
    }
