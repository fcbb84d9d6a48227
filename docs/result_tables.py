"""Tables of measurements, read, and numbers, written as a page shows them."""

import csv
import math
from functools import cache
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"

Rows = list[dict[str, str]]


# --- Reading tables ------------------------------------------------------------------------------


@cache
def table(name: str) -> Rows:
    """Return the rows of a table of measurements."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text(name: str) -> str:
    """Return a table that is kept in Markdown only."""
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def cells(name: str) -> dict[str, list[str]]:
    """Return the cells of each line of a Markdown table, by its first cell."""
    lines = [line.strip("|").split("|") for line in text(name).splitlines() if line[:1] == "|"]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in lines}


def row(rows: Rows, **wanted: str) -> dict[str, str]:
    """Return the only row whose columns have these values."""
    (found,) = chosen(rows, **wanted)
    return found


def chosen(rows: Rows, **wanted: str) -> Rows:
    """Return the rows whose columns have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def total(rows: Rows, column: str) -> float:
    """Return the sum of a column."""
    return sum(float(row[column]) for row in rows)


# --- Writing numbers -----------------------------------------------------------------------------


def whole(value: float) -> str:
    """Return a number without decimals."""
    return f"{value:,.0f}"


def percent(share: float, decimals: int = 3) -> str:
    """Return a share as per cent."""
    return f"{100 * share:.{decimals}f} %"


def at_most(value: float, decimals: int = 0) -> str:
    """Return a number rounded up, as what it never exceeds."""
    return f"{math.ceil(value * 10**decimals) / 10**decimals:.{decimals}f}"


def at_least(value: float, digits: int) -> str:
    """Return a number rounded down to some digits, as what it never falls below."""
    unit = 10 ** (math.floor(math.log10(value)) + 1 - digits)
    return f"{math.floor(value / unit) * unit:,}"
