"""Numbers, lists and small HTML tables as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

# --- Formatting of numbers for people -------------------------------------------------------------


_MOST_DIGITS = 18  # most digits of a whole number that is read: it fits into 64 bits
_LEAST_SHARE = 1e-6
"""Smaller shares are not written in digits: a person reads no exponents."""


def number(value: float | None, digits: int = 6) -> str:
    """Return a number with ``digits`` significant digits, grouped; a dash if missing."""
    if value is None or not math.isfinite(value):
        return "–"
    if value != 0 and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.{digits - 1}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(text: str) -> int | None:
    """Parse a whole number of at least 0; None if the text is not one, or too long."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def percent(share: float) -> str:
    """Return a share as a percentage; a dash if missing."""
    if not math.isfinite(share):
        return "–"
    if 0 < share < _LEAST_SHARE:
        return "< 0.0001 %"
    return f"{100 * share:.2f} %" if abs(share) >= 1e-4 or share == 0 else f"{100 * share:.1g} %"


def seconds(time_s: float) -> str:
    """Return a duration in the unit that suits it."""
    if time_s < 1:
        return f"{1000 * time_s:.0f} ms"
    if time_s < 120:
        return f"{time_s:.1f} s"
    return f"{time_s // 60:.0f} min {time_s % 60:.0f} s"


def count(amount: int, noun: str) -> str:
    """Return an amount with its noun in the singular or plural."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def ordinal(place: int) -> str:
    """Return the number of a place, counted from 1: 1st, 2nd, 3rd, 11th."""
    ending = (
        "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    )
    return f"{place:,}{ending}"


# --- Small tables in HTML, as notebooks show problems, runs and results ---------------------------


Row = tuple[str, str]

_LEFT = "style='text-align:left'"


def card(title: str, rows: Iterable[Row], sentences: Iterable[str] = ()) -> str:
    """Return a title, a table of names and values, and sentences below it."""
    cells = "".join(
        f"<tr><th {_LEFT}>{escape(name)}</th><td {_LEFT}>{escape(value)}</td></tr>"
        for name, value in rows
    )
    notes = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table>{notes}</div>"


def bound_rows(objective: float, lower_bound: float, gap: float) -> list[Row]:
    """Return the state of knowledge on the optimum; a dash if there is none."""
    rows = [("objective", number(objective, 8)), ("lower bound", number(lower_bound, 8))]
    if math.isfinite(gap):
        rows.append(("gap", percent(gap)))
    return rows
