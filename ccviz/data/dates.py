"""Dates as numbers: days since the first one of their column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from ccviz.arrays import FloatArray

_DATE = re.compile(
    r"(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{4}|\d{1,2})"
    r"(?:[ T]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[ap])m)?(?:Z|(?P<zone>[+-]\d{2}:?\d{2}))?)?",
    re.IGNORECASE,
)
_DAY = np.timedelta64(1, "D")
_PIVOT = 70  # two-digit years from here on are of the 20th century


def days_of(dates: np.ndarray) -> FloatArray:
    """Return an array of dates as days since the first.

    Parameters
    ----------
    dates : (n,) datetime64

    Returns
    -------
    (n,) float64
        NaN where there is no date.
    """
    there = dates[~np.isnat(dates)]
    return (dates - there.min()) / _DAY if len(there) else np.full(len(dates), np.nan)


def read_days(cells: Sequence[str]) -> FloatArray:
    """Return texts as days since the first date.

    Dates with points have the day first. With other marks the day is the number that is above 12
    somewhere in the column; where no cell decides that, no cell is read.

    Parameters
    ----------
    cells : (n,) sequence of str

    Returns
    -------
    (n,) float64
        NaN for a cell that is no date, such as a time of day.
    """
    found = [_DATE.fullmatch(cell.strip()) for cell in cells]
    day_first = _day_first([match for match in found if match])
    if day_first is None:
        return np.full(len(cells), np.nan)
    moments = [_moment(match, day_first) if match else None for match in found]
    return days_of(np.array(moments, dtype="datetime64[us]"))


def _day_first(matches: Sequence[re.Match[str]]) -> bool | None:
    """Return whether days stand before months; None where that is undecided."""
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
