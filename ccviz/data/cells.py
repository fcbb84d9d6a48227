"""The grammar of a table's cells: missing values, numbers as people write them, dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ccviz.arrays import FloatArray

MISSING_MARKS = {"", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--"}
"""Texts of a missing cell, in lower case; upper and lower case are equal."""

_SAMPLE = 2000
_BLANKS = " '\u00a0\u202f\u2019"  # separators between thousands

_COMMA = re.compile(rf"[+-]?(\d+|\d{{1,3}}([.{_BLANKS}]\d{{3}})+)(,\d*)?([eE][+-]?\d+)?")
_POINT = re.compile(rf"[+-]?(\d+|\d{{1,3}}([,{_BLANKS}]\d{{3}})+)?(\.\d*)?([eE][+-]?\d+)?")
_SURELY_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+|[\d.]+\.\d{3},\d+)")
_SURELY_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+\.\d+|[+-]?\d{1,3}(,\d{3}){2,}")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+|[+-]?\d{1,3}")

_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m)?"
_DATE = re.compile(
    rf"(\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3(\d{{4}}|\d{{2}}))"
    rf"([ T]+{_TIME}(Z|[+-]\d{{2}}:?\d{{2}})?)?|{_TIME}",
    re.IGNORECASE,
)


def is_missing_text(cell: str) -> bool:
    """Whether a text cell is missing.

    Parameters
    ----------
    cell : str

    Returns
    -------
    bool
    """
    return cell.strip().lower() in MISSING_MARKS


def is_date(cell: str) -> bool:
    """Whether a text is a date, a time or both: 2024-01-31, 31.1.2024 12:00, 1/31/24.

    Parameters
    ----------
    cell : str

    Returns
    -------
    bool
    """
    return _DATE.fullmatch(cell.strip()) is not None


@dataclass(frozen=True)
class NumberStyle:
    """Decimal and thousands separators of a file.

    Attributes
    ----------
    comma : bool
        Whether decimals follow a comma; points then separate thousands. Otherwise the reverse.
    guessed : str
        An ambiguous cell, if no cell of the file decides between the two styles.
    """

    comma: bool = False
    guessed: str = ""

    def number(self, cell: str) -> float:
        """Return a cell's number, NaN if it is missing or not a number.

        Parameters
        ----------
        cell : str

        Returns
        -------
        float
        """
        text = cell.strip()
        grammar, group, decimal = (_COMMA, ".", ",") if self.comma else (_POINT, ",", ".")
        if grammar.fullmatch(text):
            for mark in group + _BLANKS:
                text = text.replace(mark, "")
            text = text.replace(decimal, ".")
        try:
            return float(text)
        except ValueError:
            return np.nan


def number_style(columns: Iterable[Sequence[str]], delimiter: str = "") -> NumberStyle:
    """Infer a file's number style from the cells that are valid in one style only.

    Parameters
    ----------
    columns : iterable of sequences of str
        The text columns; only the first cells of each are used.
    delimiter : str
        Separator of the cells: a file separated by commas seldom has decimal commas.

    Returns
    -------
    NumberStyle
    """
    comma = thousands = points = 0
    either = ""
    for column in columns:
        for cell in dict.fromkeys(cell.strip() for cell in islice(column, _SAMPLE)):
            if "," not in cell:
                points += "." in cell and _POINT.fullmatch(cell) is not None
                continue
            comma += _SURELY_COMMA.fullmatch(cell) is not None
            thousands += _SURELY_THOUSANDS.fullmatch(cell) is not None
            either = cell if not either and _EITHER.fullmatch(cell) else either
    if comma or thousands:
        return NumberStyle(comma > thousands)
    return NumberStyle(bool(either) and delimiter != "," and not points, either)


def read_numbers(cells: Sequence[str], style: NumberStyle) -> FloatArray:
    """Return the numbers of a text column.

    Parameters
    ----------
    cells : (n,) sequence of str
    style : NumberStyle

    Returns
    -------
    (n,) float64
        NaN for a cell that is missing or not a number.
    """
    plain: Sequence[str] = cells
    if style.comma:
        if any("." in cell for cell in cells):
            return _one_by_one(cells, _column_style(cells, style))
        plain = "\n".join(cells).replace(",", ".").split("\n")
        if len(plain) != len(cells):  # a quoted cell of several lines
            return _one_by_one(cells, style)
    values = _at_once(plain)
    return _one_by_one(cells, style) if values is None else values


def plain_numbers(cells: Sequence[str], style: NumberStyle) -> FloatArray | None:
    """Return the numbers of a text column in which every cell is one; None for any other column.

    Parameters
    ----------
    cells : (n,) sequence of str
    style : NumberStyle

    Returns
    -------
    (n,) float64 or None
        Finite.
    """
    if style.comma or not len(cells):
        return None
    values = _at_once(cells)
    return values if values is not None and np.isfinite(values).all() else None


def _at_once(cells: Sequence[str]) -> FloatArray | None:
    """Return the cells as numbers in one call, None if one of them is none."""
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        return None


def _column_style(cells: Sequence[str], style: NumberStyle) -> NumberStyle:
    """Return the style of a column with points in it: thousands, or decimals after all."""
    grouped = any("," in cell for cell in cells) or all(
        _POINT_GROUPS.fullmatch(cell.strip()) for cell in cells if not is_missing_text(cell)
    )
    return style if grouped else NumberStyle()


def _one_by_one(cells: Sequence[str], style: NumberStyle) -> FloatArray:
    return np.array([style.number(cell) for cell in cells], dtype=np.float64)
