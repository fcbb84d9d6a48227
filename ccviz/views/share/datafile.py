"""Data as a CSV file that `ccviz.data.files.read_data` reads back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from ccviz.data.csv_style import PLAIN_CSV
from ccviz.data.datasets import Dataset


def csv_text(data: Dataset) -> str:
    """Return the points, a line each: features, weight and known class where there are any."""
    return PLAIN_CSV.table(_rows(data))


def _rows(data: Dataset) -> Iterator[list[Any]]:
    features, rows = list(data.features), data.X.tolist()
    if data.weights is not None:
        features.append("weight")
        rows = np.column_stack([data.X, data.weights]).tolist()
    if data.truth is None:
        yield from chain([features], rows)
        return
    yield [*features, "class"]
    for point, label in zip(rows, data.truth.tolist(), strict=True):
        yield [*point, data.classes[label] if data.classes else label]
