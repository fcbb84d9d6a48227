"""Data sets that come with ccviz: four of scikit-learn's, files, generators, example problems.

`load` takes any name of `NAMES`; links for them are drawn by `ccviz.data.random_links`.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.cells import PLAIN_CSV, CsvStyle
from ccviz.data.random_links import random_pairs
from ccviz.data.table import Origin
from ccviz.errors import CcvizError
from ccviz.problem.points import is_missing

__all__ = [
    "BUNDLED",
    "FILES",
    "GENERATORS",
    "NAMES",
    "Dataset",
    "anisotropic",
    "blobs",
    "circles",
    "encode_classes",
    "load",
    "load_like",
    "moons",
    "spirals",
    "standardise",
]

# --- The four data sets that come with scikit-learn, read from its files without loading it -------
#
# Loading scikit-learn takes a second, or two with pandas: longer than a whole command on such data.


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


def read_bundled(name: str) -> Dataset:
    """Read a data set; `CcvizError` if scikit-learn is not installed, or no longer has the file."""
    lines = _text(name).splitlines()
    classes: tuple[str, ...] = tuple(map(str, range(10)))
    if name != "digits":  # the others begin with their size and the names of their classes
        _, _, *names = lines.pop(0).split(",")
        classes = tuple(names)
    cells = np.loadtxt(lines, delimiter=",", ndmin=2)
    X, truth = np.ascontiguousarray(cells[:, :-1]), cells[:, -1].astype(np.int64)
    return Dataset(name, X, FEATURES[name], truth, classes, len(classes))


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


@dataclass(frozen=True, eq=False)
class Setup:
    """What comes with the points of an example problem.

    Attributes
    ----------
    story : str
        What makes the problem hard, in one or two sentences.
    must_link, cannot_link : (m, 2) int64
    settings : mapping
        Of the solver.
    """

    story: str
    must_link: IntArray
    cannot_link: IntArray
    solver: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points with their names and, where known, classes.

    Attributes
    ----------
    X : (n, d) float64
    features : tuple of str
        Names of the d columns.
    truth : (n,) int64 or None
        Known classes, numbered; -1 where a point's class is not known.
    classes : tuple of str
        Their names.
    k : int or None
        Suggested number of clusters: from the file, else the number of classes.
    notices : tuple of str
        A sentence for each decision that the reader made by itself.
    names : tuple of str
        Names of the n points; empty where they have none.
    origin : Origin or None
        The table that the points come from, with the roles of its columns.
    setup : Setup or None
        Links, and settings of a solver, that come with the points of an example problem.
    weights : (n,) float64 or None
        Weights of the points, from the column of the table that has them; 1 if None.
    """

    name: str
    X: FloatArray
    features: tuple[str, ...]
    truth: IntArray | None = None
    classes: tuple[str, ...] = ()
    k: int | None = None
    notices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    origin: Origin | None = None
    setup: Setup | None = None
    weights: FloatArray | None = None

    @property
    def style(self) -> CsvStyle:
        """CSV style of tables about these points: that of the file they came from."""
        return self.origin.style if self.origin else PLAIN_CSV

    @property
    def called(self) -> list[str | int]:
        """The known class of each point by its name, or its number; empty where not known."""
        numbers = [] if self.truth is None else self.truth.tolist()
        return ["" if j < 0 else self.classes[j] if self.classes else j for j in numbers]

    @cached_property
    def is_named(self) -> bool:
        """Whether `load` returns these same points for the name; a file may also be called iris."""
        known = load_like(self.name, len(self.X))
        return known is not None and np.array_equal(known.X, self.X)


def standardise(X: ArrayLike) -> FloatArray:
    """Return (n, d) columns with mean 0 and standard deviation 1; constant ones become 0.

    Parameters
    ----------
    X : (n, d) array of float
    """
    X = np.asarray(X, dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def encode_classes(labels: Sequence[Any] | np.ndarray) -> tuple[IntArray, tuple[str, ...]]:
    """Return classes as numbers, and their names in order.

    Parameters
    ----------
    labels : (n,) sequence

    Returns
    -------
    numbers : (n,) int64
        -1 where a label is missing or empty.
    names : tuple of str
        Number j is the class ``names[j]``.
    """
    texts = np.array(["" if is_missing(each) else str(each).strip() for each in labels], dtype=str)
    numbers = np.full(len(texts), -1)
    names, numbers[texts != ""] = np.unique(texts[texts != ""], return_inverse=True)
    return numbers, tuple(names.tolist())


# --- Files ----------------------------------------------------------------------------------

FILES: tuple[str, ...] = ()
"""Data sets that ship as ``ccviz/data/shipped/NAME.csv``: a header, then a line a point.

A last column called ``class`` is the known class. ``docs/how-to-add.md`` shows how.
"""

_SHIPPED = Path(__file__).parent / "shipped"


def _from_file(name: str) -> Dataset:
    with (_SHIPPED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    d = len(header) - (header[-1] == "class")
    X = np.array([row[:d] for row in rows], dtype=np.float64)
    if d == len(header):
        return Dataset(name, X, tuple(header))
    truth, classes = encode_classes([row[d] for row in rows])
    return Dataset(name, X, tuple(header[:d]), truth, classes, len(classes))


# --- Generators -----------------------------------------------------------------------------


def blobs(n: int = 300, k: int = 4, noise: float = 1.0, seed: int = 0) -> Dataset:
    """Return n points in k round clouds in the plane, whose standard deviation is ``noise``."""
    from sklearn.datasets import make_blobs

    X, truth = make_blobs(n, centers=k, cluster_std=noise, random_state=seed)
    return _plane("blobs", X, truth)


def anisotropic(n: int = 300, k: int = 3, noise: float = 1.0, seed: int = 0) -> Dataset:
    """Return k clouds that are stretched aslant, where k-means cuts across.

    Before the stretch ``noise`` is their standard deviation.
    """
    from sklearn.datasets import make_blobs

    X, truth = make_blobs(n, centers=k, cluster_std=noise, random_state=seed)
    return _plane("anisotropic", X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), truth)


def moons(n: int = 300, noise: float = 0.06, seed: int = 0) -> Dataset:
    """Return n points on two interleaved half circles, off by a deviation of ``noise``."""
    from sklearn.datasets import make_moons

    return _plane("moons", *make_moons(n, noise=noise, random_state=seed))


def circles(n: int = 300, noise: float = 0.04, seed: int = 0) -> Dataset:
    """Return n points on a circle within a circle, off by a deviation of ``noise``."""
    from sklearn.datasets import make_circles

    return _plane("circles", *make_circles(n, noise=noise, factor=0.5, random_state=seed))


def spirals(n: int = 300, k: int = 3, noise: float = 0.04, seed: int = 0) -> Dataset:
    """Return n points on k arms that wind around the origin, off by a deviation of ``noise``."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    turn = rng.uniform(0.15, 1.0, n)
    angle = 2 * np.pi * (1.25 * turn + truth / k)
    X = turn[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _plane("spirals", X + noise * rng.standard_normal((n, 2)), truth)


def _plane(name: str, X: FloatArray, truth: ArrayLike) -> Dataset:
    numbers, classes = encode_classes(np.asarray(truth))
    return Dataset(name, X, ("x0", "x1"), numbers, classes, len(classes))


GENERATORS: dict[str, Callable[..., Dataset]] = {
    "blobs": blobs,
    "moons": moons,
    "circles": circles,
    "spirals": spirals,
    "anisotropic": anisotropic,
}
"""Generators by name; each takes ``n``, ``noise`` and ``seed``, some ``k``."""

# --- Example problems whose search tree grows while one watches ---------------------------------
#
# Under its solver's settings the tree of each has 50 to 500 nodes (`benchmarks/results/living.md`).


@dataclass(frozen=True)
class Recipe:
    """How an example problem is made.

    Attributes
    ----------
    points : str
        Name of a data set.
    options : mapping
        Of the data set's generator.
    links : int
        Random pairs that are linked by the known classes.
    wrong : float
        Share of the links that are of the wrong kind.
    seed : int
        Of the links.
    cuts : {"all", "paper", "none"}
        Of `sdp`.
    """

    points: str
    k: int
    story: str
    options: Mapping[str, Any] = field(default_factory=dict)
    links: int = 0
    wrong: float = 0.0
    seed: int = 0
    cuts: str = "none"

    def setup(self, truth: IntArray) -> Setup:
        """Return what comes with points of known classes, (n,) int64."""
        drawn = random_pairs(truth, self.links, self.wrong, self.seed)
        settings = {"cuts": self.cuts}
        return Setup(self.story, drawn.must_link, drawn.cannot_link, "sdp", settings)


EXAMPLES: dict[str, Recipe] = {
    "ring_around_ring": Recipe(
        "circles",
        3,
        "Two rings, three clusters and twelve links along the rings: compact clusters cut both "
        "rings, and the links pull them round.",
        {"n": 50},
        links=12,
    ),
    "tangled_moons": Recipe(
        "moons",
        4,
        "Two interleaved moons and four clusters: links along each moon fight the geometry, which "
        "would cut straight across.",
        {"n": 60},
        links=20,
        seed=1,
    ),
    "overlapping_classes": Recipe(
        "blobs",
        3,
        "Three classes that overlap, and twelve links by class: points of one class lie among "
        "those of another.",
        {"n": 40, "k": 3, "noise": 4.0},
        links=12,
    ),
    "six_crowded_classes": Recipe(
        "blobs",
        6,
        "Six classes in one crowd and fifty links by class. The cuts of the paper leave a gap that "
        "only the tree closes; with all cuts the proof is far shorter.",
        {"n": 100, "k": 6, "noise": 4.0},
        links=50,
        cuts="paper",
    ),
    "wrong_answers": Recipe(
        "blobs",
        5,
        "Three wide classes in five clusters, and seventy links of which a fifth are wrong: no "
        "clustering that keeps them is compact.",
        {"n": 120, "k": 3, "noise": 6.0},
        links=70,
        wrong=0.2,
        cuts="paper",
    ),
}
"""Example problems by name. The first is behind the opening page's *Try it*."""

BUNDLED = ("iris", "wine", "breast_cancer", "digits")

NAMES = (*BUNDLED, *FILES, *GENERATORS, *EXAMPLES)


def _example(name: str) -> Dataset:
    recipe = EXAMPLES[name]
    points = load(recipe.points, **recipe.options)
    assert points.truth is not None
    setup = recipe.setup(points.truth)
    return replace(points, name=name, k=recipe.k, setup=setup, notices=(recipe.story,))


def load(name: str, **options: Any) -> Dataset:
    """Return a data set by name; the options go to its generator.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    **options
        ``n``, ``noise``, ``seed`` and, for some, ``k``, if it is a generator.

    Raises
    ------
    CcvizError
        If there is no such data set or option; the sentence lists the existing ones.
    """
    if name in NAMES:
        known = signature(GENERATORS[name]).parameters if name in GENERATORS else {}
        if unknown := ", ".join(options.keys() - known):
            raise CcvizError(
                f"{name} has no option {unknown}; it has {', '.join(known) or 'none'}."
            )
        if name in GENERATORS:
            return GENERATORS[name](**options)
        return _MAKERS[name](name)
    raise CcvizError(f"there is no data set {name!r}; there are {', '.join(NAMES)}.")


_MAKERS: dict[str, Callable[[str], Dataset]] = {
    **dict.fromkeys(BUNDLED, read_bundled),
    **dict.fromkeys(FILES, _from_file),
    **dict.fromkeys(EXAMPLES, _example),
}


def load_like(name: str, n: int) -> Dataset | None:
    """Return the data set of a name with n points, or None if there is none."""
    if name not in NAMES:
        return None
    data = load(name, n=n) if name in GENERATORS else load(name)
    return data if len(data.X) == n else None
