"""Data as a CSV file that `ccviz.data.files.read_data` reads back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from ccviz.data.csv_style import PLAIN_CSV
from ccviz.data.datasets import Dataset


def csv_text(data: Dataset) -> str:
    """Return the points, a line each, with the known class in the last column."""
    return PLAIN_CSV.table(_rows(data))


def _rows(data: Dataset) -> Iterator[list[Any]]:
    if data.truth is None:
        yield from chain([list(data.features)], data.X.tolist())
        return
    yield [*data.features, "class"]
    for point, label in zip(data.X.tolist(), data.truth.tolist(), strict=True):
        yield [*point, data.classes[label] if data.classes else label]
