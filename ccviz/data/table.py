"""A table as a file holds it: named columns of cells, before anybody says what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Cells = Sequence[Any] | np.ndarray
"""The cells of a column: texts, or an array where the file says their type."""


@dataclass(frozen=True, eq=False)
class Table:
    """A file's content by columns.

    Attributes
    ----------
    names : tuple of str
        Each once.
    columns : sequence of (n,) sequences
        Texts, or arrays where the file says their type.
    places : (n,) sequence of int
        The number of each row's line in a text file, else of the row.
    unit : str
        "line" or "row": what the places count.
    delimiter : str
        What stands between the cells of a text file; empty for blanks, and in other files.
    k : int or None
        The number of clusters, where the file says it.
    is_bare : bool
        Whether the format holds points and nothing else, so that every column is a feature.
    notices : tuple of str
        What the reader decided by itself, a sentence each.
    """

    names: tuple[str, ...]
    columns: Sequence[Cells]
    places: Sequence[int]
    unit: str = "row"
    delimiter: str = ""
    k: int | None = None
    is_bare: bool = False
    notices: tuple[str, ...] = ()

    def place(self, row: int) -> str:
        """Return where a row stands, for a sentence.

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
    """Return names of columns, each made its own: nameless ones are x and their number.

    Parameters
    ----------
    names : sequence
        As the file has them; missing ones are empty or None.

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
