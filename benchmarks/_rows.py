"""Tables that grow a row at a time, so that a benchmark that was stopped goes on where it was."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, none if it does not exist yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def done_keys(path: Path, names: Sequence[str]) -> set[tuple[str, ...]]:
    """Return the keys of the rows that a table has: their values in the named columns."""
    return {tuple(row[name] for name in names) for row in read_rows(path)}


def append_row(path: Path, row: dict[str, Any], fields: Sequence[str] = ()) -> None:
    """Add a row to a table, and its header first; the columns are the row's unless named."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fields or list(row))
        if fresh:
            writer.writeheader()
        writer.writerow(row)
