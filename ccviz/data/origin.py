"""Roles of a table's columns, and the whole table that points come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ccviz.arrays import IntArray
from ccviz.data.csv_style import PLAIN_CSV, CsvStyle
from ccviz.data.table import Cells

Role = Literal["feature", "class", "name", "weight", "ignore"]
"""Role of a column: points are clustered by features, named and weighted by others."""

ROLES: tuple[Role, ...] = get_args(Role)

ROLE_WORDS: dict[Role, str] = {
    "feature": "feature",
    "class": "known class",
    "name": "name",
    "weight": "weight",
    "ignore": "leave out",
}
"""Labels of the roles."""

SINGLE: frozenset[str] = frozenset({"class", "name", "weight"})
"""Roles that one column has at most."""

Missing = Literal["drop", "median"]
"""Treatment of missing values: leave out their rows, or fill in the column's median."""

MISSING: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True)
class Decision:
    """The role of one column, and the reason.

    Attributes
    ----------
    column : str
    role : {"feature", "class", "name", "weight", "ignore"}
    why : str
        The reason in words; empty if the caller chose the role.
    """

    column: str
    role: Role
    why: str = ""


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that points come from.

    Attributes
    ----------
    columns : tuple of (n,) sequences
        Every column of the table, for the rows that are points: numbers, or texts.
    decisions : tuple of Decision
        One for each of these columns, in the order of the file.
    rows : (n,) int64
        The row of the table that each point is, counted from 0.
    missing : {"drop", "median"} or None
        Treatment of missing values; None if there were none.
    file : str
        Name of the source file.
    style : CsvStyle
        Separator and decimal sign of that file, by default those of CSV.
    """

    columns: tuple[Cells, ...]
    decisions: tuple[Decision, ...]
    rows: IntArray
    missing: Missing | None = None
    file: str = ""
    style: CsvStyle = PLAIN_CSV

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each column, as an argument for `ccviz.data.read_table`."""
        return {each.column: each.role for each in self.decisions}
