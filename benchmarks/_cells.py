"""What the tables of "The papers, table by table" share: reading ours, cells and their reasons."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from _runner import Row, Rows

NO_TIME, NOT_HAD, NO_ANSWER = "*t*", "*h*", "*n*"
SAME = 1e-5
"""Relative distance to a published optimum, which has six digits, that counts as reaching it."""


def owing(text: str, script: str, runs: int, seconds: float) -> str:
    """Return a table with what its cells without a figure would take, where it has any.

    ``runs`` of up to ``seconds`` CPU seconds are missing, which ``script`` makes.
    """
    if not runs:
        return text
    return (
        f"{text}\nWhat is {NO_TIME} or rests on fewer runs: `{script}` goes on with {runs} runs, "
        f"of up to {seconds:.0f} CPU s each.\n"
    )


def beside(first: str, names: Iterable[str]) -> list[str]:
    """Return a header in which each name is followed by ours."""
    return [*first.split(" | "), *(cell for name in names for cell in (name, "ours"))]


def alternating(printed: Iterable[object], ours: Iterable[object]) -> list[object]:
    """Return printed cells, each followed by ours."""
    return [cell for pair in zip(printed, ours, strict=True) for cell in pair]


def chosen(rows: Rows, **wanted: str) -> Rows:
    """Return the rows whose columns have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def kind_of(row: Row) -> str:
    return "ML" if row["cl"] == "0" else "CL" if row["ml"] == "0" else "both"


def of_kind(rows: Rows, kind: str, dataset: str, links: int | None = None) -> Rows:
    return [
        row
        for row in rows
        if (row["dataset"], kind_of(row)) == (dataset, kind)
        and links in (None, int(row["ml"]) + int(row["cl"]))
    ]


def mean(rows: Rows, name: str, digits: int = 3) -> str:
    values = column(rows, name)
    return f"{statistics.mean(values):.{digits}f}" if values else NO_TIME


def spread(values: Sequence[float], digits: int = 3) -> str:
    """Return a mean, and the standard deviation of a value where there are several."""
    if not values:
        return NO_TIME
    middle = f"{statistics.mean(values):.{digits}f}"
    return f"{middle} ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else middle


def column(rows: Rows, name: str) -> list[float]:
    """Return the figures of a column, without the cells that have none."""
    return [float(row[name]) for row in rows if row[name]]


def found(row: Row | None) -> str:
    """Return an objective, a dash where no run has one."""
    if row is None:
        return NO_TIME
    return "-" if row["objective"] == "inf" else f"{float(row['objective']):.7g}"
