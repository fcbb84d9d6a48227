"""From a table of columns, words or numbers, to points, features and known classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset, encode_classes
from ccviz.errors import FileFormatError
from ccviz.problem.points import is_number

_LABEL_NAMES = {"class", "label", "labels", "target", "truth"}


@dataclass(frozen=True, eq=False)
class Table:
    """A file's content by columns.

    Attributes
    ----------
    names : list of str
    columns : list of sequences
    places : list of str
        Where each row stands in the file, for the sentences.
    k : int or None
        The number of clusters, where the file says it.
    """

    names: list[str]
    columns: Sequence[Sequence[Any]]
    places: list[str]
    k: int | None = None


def to_dataset(table: Table, name: str, label: str | None) -> Dataset:
    """Return points and, where there is a label column, known classes.

    Raises
    ------
    FileFormatError
        If a cell of a feature is not a finite number, or nothing is left to cluster.
    """
    if not table.places:
        raise FileFormatError("there are no rows of numbers.")
    numbers = [_numbers(column) for column in table.columns]
    at = _label_column(table, numbers, label)
    features = [j for j in range(len(table.names)) if j != at]
    if not features:
        raise FileFormatError("there is no column of numbers.")
    X = np.column_stack([_checked(table, j, numbers[j]) for j in features])
    truth, classes = encode_classes(table.columns[at]) if at is not None else (None, ())
    named = label is not None
    return Dataset(
        name=name,
        X=X,
        features=tuple(table.names[j] for j in features),
        truth=truth,
        classes=classes,
        k=table.k if table.k is not None else (len(classes) or None),
        notices=(f"Column {table.names[at]!r} is taken as the known classes.",)
        if at is not None and not named
        else (),
    )


def _numbers(column: Sequence[Any]) -> FloatArray | None:
    """Return the column as floats, None if any cell is a word."""
    try:
        return np.array(column, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _label_column(table: Table, numbers: list[FloatArray | None], label: str | None) -> int | None:
    if label == "":
        return None
    if label is not None:
        return _named_column(table, label)
    if len(table.names) > 1 and table.names[-1].strip().lower() in _LABEL_NAMES:
        return len(table.names) - 1
    words = [j for j, values in enumerate(numbers) if values is None and _all_words(table, j)]
    return words[0] if len(words) == 1 and len(table.names) > 1 else None


def _all_words(table: Table, j: int) -> bool:
    # One bad number does not make a class label of a feature, nor do decimal commas.
    return not any(is_number(str(cell).replace(",", ".")) for cell in table.columns[j])


def _named_column(table: Table, label: str) -> int:
    if label in table.names:
        return table.names.index(label)
    if label.lstrip("-").isdecimal() and -len(table.names) <= int(label) < len(table.names):
        return int(label) % len(table.names)
    raise FileFormatError(f"there is no column {label!r}; there are {', '.join(table.names)}.")


def _checked(table: Table, j: int, values: FloatArray | None) -> FloatArray:
    if values is None:
        i = next(i for i, cell in enumerate(table.columns[j]) if not is_number(cell))
    elif not np.isfinite(values).all():
        i = int(np.flatnonzero(~np.isfinite(values))[0])
    else:
        return values
    cell = table.columns[j][i]
    missing = cell is None or not str(cell).strip()
    reason = "is empty" if missing else f"is {str(cell).strip()!r}, not a finite number"
    where = f"{table.places[i]}, column {table.names[j]!r}"
    raise FileFormatError(f"{where} {reason}.{'' if missing else _way_out(table, j)}")


def _way_out(table: Table, j: int) -> str:
    """Return what to do about a cell that is no number, as a sentence after another; or nothing."""
    cells = [str(cell).strip() for cell in table.columns[j]]
    if any("," in cell and is_number(cell.replace(",", ".")) for cell in cells):
        return " Write decimals with a point."
    if _all_words(table, j):
        return " Leave this column out; if it holds the known classes, put it last, named class."
    return ""
