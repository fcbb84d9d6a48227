"""What was decided about the columns of a table, and the columns that are no features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ccviz.arrays import IntArray
from ccviz.data.csv_style import PLAIN_CSV, CsvStyle
from ccviz.data.table import Cells

Role = Literal["feature", "class", "name", "ignore"]
"""What a column is taken as: points are clustered by their features and called by their name."""

ROLES: tuple[Role, ...] = get_args(Role)

ROLE_WORDS: dict[Role, str] = {
    "feature": "feature",
    "class": "known class",
    "name": "name",
    "ignore": "leave out",
}
"""The roles in words for people."""

Missing = Literal["drop", "median"]
"""What is done about missing values: their rows are left out, or the column's median stands in."""

MISSING: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True)
class Decision:
    """What one column is taken as, and why.

    Attributes
    ----------
    column : str
    role : {"feature", "class", "name", "ignore"}
    why : str
        The reason in words; empty where somebody asked for it.
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
        What was done about missing values; None if there were none.
    file : str
        The name of the file that it was read from.
    style : CsvStyle
        How that file, or else CSV, separates cells and writes decimals.
    """

    columns: tuple[Cells, ...]
    decisions: tuple[Decision, ...]
    rows: IntArray
    missing: Missing | None = None
    file: str = ""
    style: CsvStyle = PLAIN_CSV

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each column, as `ccviz.data.read_table` takes them."""
        return {each.column: each.role for each in self.decisions}
