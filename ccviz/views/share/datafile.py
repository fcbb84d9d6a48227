"""Data as a CSV file that `ccviz.data.files.read_data` reads back."""

from __future__ import annotations

import csv
from io import StringIO

from ccviz.data.datasets import Dataset


def csv_text(data: Dataset) -> str:
    """Return the points, a line each, with the known class in the last column."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    truth = data.truth
    writer.writerow([*data.features, *(["class"] if truth is not None else [])])
    for row, point in enumerate(data.X.tolist()):
        known = [] if truth is None else [_class(data, int(truth[row]))]
        writer.writerow([*point, *known])
    return file.getvalue()


def _class(data: Dataset, label: int) -> str:
    return data.classes[label] if data.classes else str(label)
