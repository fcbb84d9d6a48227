"""Writing tables as CSV, with the separator and decimal sign of the source file.

Every CSV file of the package is written by `CsvStyle.table`, whose texts are guarded: a spreadsheet
does not evaluate them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from ccviz.data.formulas import guarded

Delimiter = Literal[",", ";", "\t", "|"]
"""Separators of cells that are written."""

DELIMITERS: tuple[Delimiter, ...] = get_args(Delimiter)

_BYTE_ORDER_MARK = "\ufeff"
_MOST_WHOLE = 1e15  # larger whole numbers are written as floats: their last digit is uncertain


@dataclass(frozen=True)
class CsvStyle:
    """A separator and a decimal sign.

    Attributes
    ----------
    delimiter : {",", ";", tab, "|"}
    comma : bool
        Whether decimals follow a comma.
    """

    delimiter: Delimiter = ","
    comma: bool = False

    @classmethod
    def of(cls, delimiter: str, comma: bool) -> Self:
        """Return the style of a file.

        Parameters
        ----------
        delimiter : str
            Separator of its cells; one that CSV does not allow, such as blanks, is replaced by
            the usual separator for this decimal sign.
        comma : bool
            Whether its decimals follow a comma.

        Returns
        -------
        CsvStyle
        """
        usual: Delimiter = ";" if comma else ","
        return cls(next((each for each in DELIMITERS if each == delimiter), usual), comma)

    def cell(self, value: Any) -> str:
        """Return a cell: a number in its shortest exact form, empty if missing, or a text.

        Parameters
        ----------
        value : float, int, str or None

        Returns
        -------
        str
            A text that a spreadsheet would evaluate has an apostrophe before it, see
            `ccviz.data.formulas`.
        """
        if value is None:
            return ""
        if not isinstance(value, float):
            return guarded(str(value))
        if not math.isfinite(value):
            return ""
        if value.is_integer() and abs(value) < _MOST_WHOLE:
            return str(int(value))
        text = repr(value)
        return text.replace(".", ",") if self.comma else text

    def measure(self, value: float) -> str:
        """Return a computed number with six significant digits.

        Parameters
        ----------
        value : float

        Returns
        -------
        str
        """
        return self.cell(float(f"{value:.6g}"))

    def table(self, rows: Iterable[Iterable[Any]]) -> str:
        """Return rows of cells as CSV.

        Parameters
        ----------
        rows : iterable of iterables of float, int, str or None

        Returns
        -------
        str
            With a byte order mark if the separator is a semicolon: spreadsheet programs that
            expect semicolons misread letters without the mark.
        """
        file = io.StringIO()
        writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
        writer.writerows(map(self.cell, row) for row in rows)
        return (_BYTE_ORDER_MARK if self.delimiter == ";" else "") + file.getvalue()


PLAIN_CSV = CsvStyle()
"""Default: cells separated by commas, decimal points."""
