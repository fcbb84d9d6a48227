"""The four data sets that come with scikit-learn, read from its files without loading it.

Loading scikit-learn takes a second, or two with pandas: longer than a whole command on such data.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError

_WINE = (
    "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids "
    "nonflavanoid_phenols proanthocyanins color_intensity hue od280/od315_of_diluted_wines proline"
)
_CELL = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
    "concave points", "symmetry", "fractal dimension",
)  # fmt: skip
_IRIS = ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)")

FEATURES: dict[str, tuple[str, ...]] = {
    "iris": _IRIS,
    "wine": tuple(_WINE.split()),
    "breast_cancer": (
        *(f"mean {each}" for each in _CELL),
        *(f"{each} error" for each in _CELL),
        *(f"worst {each}" for each in _CELL),
    ),
    "digits": tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
}
"""Names of the columns, by the name of the data set."""

_FILES = {
    "iris": "iris.csv",
    "wine": "wine_data.csv",
    "breast_cancer": "breast_cancer.csv",
    "digits": "digits.csv.gz",
}


@dataclass(frozen=True, eq=False)
class Table:
    """A data set as its file has it.

    Attributes
    ----------
    X : (n, d) float64
    features : tuple of str
    truth : (n,) int64
    classes : tuple of str
    """

    X: FloatArray
    features: tuple[str, ...]
    truth: IntArray
    classes: tuple[str, ...]


def read_bundled(name: str) -> Table:
    """Read a data set.

    Parameters
    ----------
    name : str
        One of `FEATURES`.

    Returns
    -------
    Table

    Raises
    ------
    CcvizError
        If scikit-learn is not installed, or no longer has the file.
    """
    lines = _text(name).splitlines()
    classes: tuple[str, ...] = tuple(map(str, range(10)))
    if name != "digits":  # the others begin with their size and the names of their classes
        _, _, *names = lines.pop(0).split(",")
        classes = tuple(names)
    cells = np.loadtxt(lines, delimiter=",", ndmin=2)
    X, truth = np.ascontiguousarray(cells[:, :-1]), cells[:, -1].astype(np.int64)
    return Table(X, FEATURES[name], truth, classes)


def _text(name: str) -> str:
    package = find_spec("sklearn")
    if package is None or package.origin is None:
        raise CcvizError(f"{name} is a data set of scikit-learn, which is not installed.")
    path = Path(package.origin).parent / "datasets" / "data" / _FILES[name]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CcvizError(f"this scikit-learn has no data set {name}: {error}.") from None
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
