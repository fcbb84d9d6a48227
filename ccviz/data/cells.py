"""Cells of a file: decimal signs, units, dates, and what separates them."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Literal, Self, get_args

import numpy as np

from ccviz.arrays import FloatArray

# --- The grammar of a table's cells: missing values, numbers as people write them, dates ----------


MISSING_MARKS = {"", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", "---"}
"""Texts of a missing cell, in lower case; upper and lower case are equal."""

_SAMPLE = 2000
_BLANKS = " '\u00a0\u202f\u2019"  # separators between thousands

_COMMA = re.compile(rf"[+-]?(\d+|\d{{1,3}}([.{_BLANKS}]\d{{3}})+)(,\d*)?([eE][+-]?\d+)?")
_POINT = re.compile(rf"[+-]?(\d+|\d{{1,3}}([,{_BLANKS}]\d{{3}})+)?(\.\d*)?([eE][+-]?\d+)?")
_SURELY_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+|[\d.]+\.\d{3},\d+)")
_SURELY_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+\.\d+|[+-]?\d{1,3}(,\d{3}){2,}")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_NEGATIVE = re.compile(r"\((.*\d.*)\)|(.*\d)-")  # as accountants and SAP write it
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+|[+-]?\d{1,3}")

_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m)?"
_DATE = re.compile(
    rf"(\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3(\d{{4}}|\d{{2}}))"
    rf"([ T]+{_TIME}(Z|[+-]\d{{2}}:?\d{{2}})?)?|{_TIME}",
    re.IGNORECASE,
)


def is_missing_text(cell: str) -> bool:
    """Whether a text cell is missing."""
    return cell.strip().lower() in MISSING_MARKS


def is_date(cell: str) -> bool:
    """Whether a text is a date, a time or both: 2024-01-31, 31.1.2024 12:00, 1/31/24."""
    return _DATE.fullmatch(cell.strip()) is not None


@dataclass(frozen=True)
class NumberStyle:
    """Decimal and thousands separators of a file."""

    # Whether decimals follow a comma; points then separate thousands. Otherwise the reverse.
    comma: bool = False
    guessed: str = ""  # An ambiguous cell, if no cell of the file decides between the two styles

    def number(self, cell: str) -> float:
        """Return a cell's number, NaN if it is missing or not a number."""
        text = cell.strip().replace("\u2212", "-")
        if found := _NEGATIVE.fullmatch(text):
            text = f"-{found[1] or found[2]}"
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

    `delimiter`: Separator of the cells: a file separated by commas seldom has decimal commas.
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

    Returns: NaN for a cell that is missing or not a number.
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
    """Return the numbers of a text column in which every cell is one; None for any other column."""
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


# --- Units that people write into the cells of a column: a percent sign, a currency, kg -----------


CURRENCIES = (
    "US$", "A$", "C$", "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "zł", "Kč",
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK",
    "AUD", "CAD", "BRL", "R$",
)  # fmt: skip
"""Signs and codes of currencies, before or behind the number."""

_UNITS = "|".join(re.escape(unit) for unit in ("%", *sorted(CURRENCIES, key=len, reverse=True)))
_BEFORE = re.compile(rf"([+-]?)\s*({_UNITS})\s*([+-]?[\d.,].*)")
_BEHIND = re.compile(
    rf"(.*\d[.,]?)\s*({_UNITS})|([+-]?[\d.,{_BLANKS}]*\d)\s*([^\W\d_]{{1,4}}[²³]?|°[CF])"
)


def unit_of(cells: Iterable[str]) -> str:
    """Return the unit of a column, empty if the cells have none or different ones.

    Returns: "%", a currency or a short word that all cells carry which are not missing.
    """
    unit = ""
    for cell in cells:
        if is_missing_text(cell):
            continue
        found = _split(cell)[0]
        if not found or (unit and found != unit):
            return ""
        unit = found
    return unit


_MEASURES = {
    "t", "kg", "g", "mg", "lb", "oz", "km", "m", "cm", "mm", "l", "ml", "min", "s", "°C", "°F",
}  # fmt: skip


def mixed_units(cells: Iterable[str]) -> str:
    """Return the units of a column whose cells are numbers in several; empty for any other one."""
    units = {_split(cell)[0] for cell in cells if not is_missing_text(cell)}
    return ", ".join(sorted(units)) if units <= _MEASURES.union(CURRENCIES) else ""


def without_unit(cell: str) -> str:
    """Return a cell without its unit."""
    return _split(cell)[1]


def _split(cell: str) -> tuple[str, str]:
    """Return the unit of a cell, empty if there is none, and the rest of the cell."""
    text = cell.strip()
    if before := _BEFORE.fullmatch(text):
        return before[2], before[1] + before[3]
    if behind := _BEHIND.fullmatch(text):
        return behind[2] or behind[4], (behind[1] or behind[3]).rstrip()
    return "", text


# --- Dates as numbers: days since the first one of their column -----------------------------------


_DATE_PARTS = re.compile(
    r"(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{4}|\d{1,2})"
    r"(?:[ T]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[ap])m)?(?:Z|(?P<zone>[+-]\d{2}:?\d{2}))?)?",
    re.IGNORECASE,
)
_DAY = np.timedelta64(1, "D")
_PIVOT = 70  # two-digit years from here on are of the 20th century


def days_of(dates: np.ndarray) -> FloatArray:
    """Return an array of dates as days since the first."""
    there = dates[~np.isnat(dates)]
    return (dates - there.min()) / _DAY if len(there) else np.full(len(dates), np.nan)


def read_days(cells: Sequence[str]) -> FloatArray:
    """Return texts as days since the first date.

    Dates with points have the day first. With other marks the day is the number that is above 12
    somewhere in the column; where no cell decides that, no cell is read.

    Returns: NaN for a cell that is no date, such as a time of day.
    """
    found = [_DATE_PARTS.fullmatch(cell.strip()) for cell in cells]
    day_first = _day_first([match for match in found if match])
    if day_first is None:
        return np.full(len(cells), np.nan)
    moments = [_moment(match, day_first) if match else None for match in found]
    return days_of(np.array(moments, dtype="datetime64[us]"))


def _day_first(matches: Sequence[re.Match[str]]) -> bool | None:
    """Return whether days are before months; None where that is undecided."""
    short = [match for match in matches if len(match["a"]) < 3]
    if all(match["mark"] == "." for match in short):
        return True
    first, second = (any(int(match[part]) > 12 for match in short) for part in "ab")
    return first if first != second else None


def _moment(match: re.Match[str], day_first: bool) -> datetime | None:
    year, month, day = (int(match[part]) for part in "abc")
    if len(match["a"]) < 3:
        day, month, year = (year, month, day) if day_first else (month, year, day)
        if len(match["c"]) < 3:
            year += 1900 if year >= _PIVOT else 2000
    try:
        return datetime(year, month, day) + _time(match) - _offset(match)
    except (ValueError, OverflowError):
        return None


def _time(match: re.Match[str]) -> timedelta:
    if match["hour"] is None:
        return timedelta()
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    second = float((match["second"] or "0").replace(",", "."))
    return timedelta(hours=hour, minutes=int(match["minute"]), seconds=second)


def _offset(match: re.Match[str]) -> timedelta:
    """Return how far the cell's clock is ahead of UTC."""
    zone = match["zone"]
    if zone is None:
        return timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return -size if zone[0] == "-" else size


# --------------------------------------------------------------------------------------------------
# Texts that a spreadsheet would evaluate as formulas, and their guard: a leading apostrophe.
#
# Spreadsheets evaluate a cell of a CSV file, of a table in HTML or of the clipboard that begins
# with ``=``, ``+``, ``-`` or ``@``, or with a tab or a line break before one of these. A
# spreadsheet that expects another separator splits a cell at it, so what follows a separator is
# guarded too. The guard follows OWASP's page *CSV Injection*; readers of ccviz remove it again.


_INNER = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)(?=[=+\-@＝＋－＠])")
_INNER_GUARD = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)'(?=[=+\-@＝＋－＠])")
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_VALUE = r"[+-]?(?:\d[\d.,]*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_VALUE}(?: ?%| ± {_VALUE})?", re.IGNORECASE | re.ASCII)


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet evaluates; numbers stay as they are.

    Returns: With an apostrophe before it, and after a separator in it, where what follows begins
    like a formula and the whole is no number.
    """
    if _NUMBER.fullmatch(text):
        return text
    leading = "'" if _FORMULA.match(text) else ""
    return leading + _INNER.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """Return the text that `guarded` was called with."""
    if "'" not in cell:
        return cell
    inner = _INNER_GUARD.sub(r"\1", cell)
    both = (cell.removeprefix("'"), inner)
    candidates = (_INNER_GUARD.sub(r"\1", both[0]), *both)
    return next((text for text in candidates if text != cell and guarded(text) == cell), cell)


# --- Tables in Markdown, whose cells are neither markup nor formulas ------------------------------


_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def markdown_table(rows: Iterable[Sequence[str]], *, numbers_from: int | None = None) -> str:
    """Return rows of cells as a table in Markdown.

    `rows`: The first has the names of the columns. `numbers_from`: First of the columns that are
    aligned to the right; none by default.
    """
    head, *body = ([_cell(text) for text in row] for row in rows)
    left = len(head) if numbers_from is None else numbers_from
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *body])


def _cell(text: str) -> str:
    """Return a text in one line, with a backslash before each letter that Markdown reads."""
    return _MARKUP.sub(r"\\\g<0>", _BREAKS.sub(" ", guarded(text)))


# --- Writing tables as CSV, with the separator and decimal sign of the source file ----------------
#
# Every CSV file of the package is written by `CsvStyle.table`, whose texts are guarded: a
# spreadsheet does not evaluate them.


Delimiter = Literal[",", ";", "\t", "|"]
"""Separators of cells that are written."""

DELIMITERS: tuple[Delimiter, ...] = get_args(Delimiter)

_BYTE_ORDER_MARK = "\ufeff"
_MOST_WHOLE = 1e15  # larger whole numbers are written as floats: their last digit is uncertain


@dataclass(frozen=True)
class CsvStyle:
    """A separator and a decimal sign."""

    delimiter: Delimiter = ","
    comma: bool = False

    @classmethod
    def of(cls, delimiter: str, comma: bool) -> Self:
        """Return the style of a file.

        `delimiter`: Separator of its cells; one that CSV does not allow, such as blanks, is
        replaced by the usual separator for this decimal sign.
        """
        usual: Delimiter = ";" if comma else ","
        return cls(next((each for each in DELIMITERS if each == delimiter), usual), comma)

    def cell(self, value: Any) -> str:
        """Return a cell: a number in its shortest exact form, empty if missing, or a text.

        Returns: A text that a spreadsheet would evaluate has an apostrophe before it, see
        `guarded`.
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
        """Return a computed number with six significant digits."""
        return self.cell(float(f"{value:.6g}"))

    def table(self, rows: Iterable[Iterable[Any]]) -> str:
        """Return rows of cells as CSV.

        Returns: With a byte order mark if the separator is a semicolon: spreadsheet programs that
        expect semicolons misread letters without the mark.
        """
        file = io.StringIO()
        writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
        writer.writerows(map(self.cell, row) for row in rows)
        return (_BYTE_ORDER_MARK if self.delimiter == ";" else "") + file.getvalue()


PLAIN_CSV = CsvStyle()
"""Default: cells separated by commas, decimal points."""
