"""A table as read from a file: named columns of cells, before they get roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Cells = Sequence[Any] | np.ndarray
"""The cells of a column: texts, or an array if the file has a type for them."""


@dataclass(frozen=True, eq=False)
class Table:
    """A file's content by columns.

    Attributes
    ----------
    names : tuple of str
        Distinct.
    columns : sequence of (n,) sequences
        Texts, or arrays if the file has a type for them.
    places : (n,) sequence of int
        Line number of each row in a text file, else its row number.
    unit : str
        "line" or "row": the unit of ``places``.
    delimiter : str
        Separator of a text file; empty for blanks, and for other files.
    k : int or None
        The number of clusters, if the file has one.
    is_bare : bool
        Whether the format holds points only, so that every column is a feature.
    notices : tuple of str
        A sentence for each decision that the reader made by itself.
    header : int or None
        Number of the line or row that names the columns, 0 if none does; None where the format
        says it.
    worksheets : tuple of str
        Names of the worksheets of a workbook that are not empty; the table is one of them.
    worksheet : str
        Name of the one that the table is.
    """

    names: tuple[str, ...]
    columns: Sequence[Cells]
    places: Sequence[int]
    unit: str = "row"
    delimiter: str = ""
    k: int | None = None
    is_bare: bool = False
    notices: tuple[str, ...] = ()
    header: int | None = None
    worksheets: tuple[str, ...] = ()
    worksheet: str = ""

    def place(self, row: int) -> str:
        """Return a row's line or row number as words for a sentence.

        Parameters
        ----------
        row : int
            Counted from 0.

        Returns
        -------
        str
        """
        return f"{self.unit} {self.places[row]}"


def own_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return distinct names of columns; missing names become x and the column's number.

    Parameters
    ----------
    names : sequence
        As in the file; missing ones are empty or None.

    Returns
    -------
    tuple of str
    """
    taken: set[str] = set()
    again: dict[str, int] = {}
    found = []
    for j, given in enumerate(names):
        name = base = str(given).strip() if given is not None and str(given).strip() else f"x{j}"
        while name in taken:
            again[base] = again.get(base, 1) + 1
            name = f"{base} ({again[base]})"
        taken.add(name)
        found.append(name)
    return tuple(found)
