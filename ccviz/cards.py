"""Small tables in HTML, as notebooks show problems, runs and results."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from ccviz.numbers import number, percent

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
