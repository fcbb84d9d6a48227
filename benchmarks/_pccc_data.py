"""The data and links of PCCC's authors' appendix, made by their published recipe.

Collections COL2 and COL3 are Gaussian blobs of scikit-learn; Banana, Letter and Shuttle of COL4 and
the sets of COL1 are in packages (`_keel.py`) and in the benchmark's folder. Links are pairs of
random points; as the recipe keeps the first of the sorted pairs, points far down are in few of
them. Draw 0 has the authors' own seed, so that its links are theirs where the order of rows is. Of
COL1 they publish the links of Iris and Wine only; for the others, as in the paper that theirs are
from, uniform pairs are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import ceil

import _runner as runner
import numpy as np
from _keel import keel
from papers_soft import SETS, dataset
from sklearn.datasets import make_blobs
from soft_published import draw_links

from ccviz import Problem
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset, standardise
from ccviz.data.read_table import read_table

SEED = 24
"""The authors' seed, of data and of links."""
SIZES, CLUSTERS = (500, 1000, 2000, 5000), (2, 5, 10, 20, 50, 100)
SPREADS, FEW_CLUSTERS = (1, 2, 3, 4, 5), (10, 20, 50)
NOISY_SETS, LOWER_BOUNDS = (
    ("Appendicitis", "Moons", "Zoo"),
    ("0.5", "0.6", "0.7", "0.8", "0.9", "1"),
)
BY_RECIPE = ("Iris", "Wine")  # of COL1
"""What the tables are about, as in the appendix."""
NAMES = {
    "COL1": tuple(SETS),
    "noisy": NOISY_SETS,
    "COL2": tuple(f"n300-k{k}-s{10 * s}" for k, s in product(FEW_CLUSTERS, SPREADS)),
    "COL3": tuple(f"n{n}-k{k}" for n, k in product(SIZES, CLUSTERS)),
    "COL4": ("Banana", "Letter", "Shuttle"),
}
PERCENTS = {
    "COL1": ("5", "10", "15", "20"),
    "noisy": ("5", "10", "15", "20"),
    "COL2": tuple(str(percent) for percent in range(5, 55, 5)),
    "COL3": ("0", "5", "10", "15", "20"),
    "COL4": ("0", "0.5", "1", "5"),
}


@dataclass(frozen=True)
class Cell:
    """A cell of a table: data set, share of the points, and the least confidence if noisy."""

    collection: str
    dataset: str
    percent: str
    lower_bound: str = ""


def cells_of(collection: str) -> list[Cell]:
    """Return all cells of a collection, the smaller numbers of links first."""
    bounds = LOWER_BOUNDS if collection == "noisy" else ("",)
    names, percents = NAMES[collection], PERCENTS[collection]
    return [Cell(collection, name, p, b) for p, name, b in product(percents, names, bounds)]


def points_of(name: str) -> Dataset:
    """Return a data set, not yet standardised."""
    if name.startswith("n300-"):
        k, spread = (int(part[1:]) for part in name.split("-")[1:])
        return _blobs(name, 300, k, cluster_std=spread / 10, center_box=(-20, 20))
    if name[0] == "n":
        n, k = (int(part[1:]) for part in name.split("-"))
        return _blobs(name, n, k)
    if name == "Shuttle":
        data = read_table(runner.BENCH / "classes" / "shuttle.parquet", label="class")
        return Dataset(name, data.X[1:], (), data.truth[1:])
    if name in ("Banana", "Letter", "Zoo", *BY_RECIPE):
        return keel(name)
    return dataset(name)


def _blobs(name: str, n: int, k: int, **options: object) -> Dataset:
    X, truth = make_blobs(n, 2, centers=k, random_state=SEED, **options)
    return Dataset(name, X, (), truth.astype(np.int64))


def problem_of(cell: Cell, data: Dataset, draw: int) -> Problem:
    """Return the standardised set with its links; noisy ones have their weights."""
    k = len(np.unique(data.truth))
    if cell.collection == "noisy":
        must, cannot = _noisy(data.truth, cell, draw)
    elif cell.collection == "COL1" and cell.dataset not in BY_RECIPE:
        drawn = draw_links(data.truth, int(cell.percent), "pairs", draw)
        must, cannot = drawn.must_link, drawn.cannot_link
    else:
        rng = np.random.RandomState(SEED + draw)
        pairs = _pairs(rng, len(data.X), _linked_points(cell, len(data.X)))
        same = data.truth[pairs[:, 0]] == data.truth[pairs[:, 1]]
        must, cannot = pairs[same], pairs[~same]
    return Problem(standardise(data.X), k, must, cannot, truth=data.truth)


def _linked_points(cell: Cell, n: int) -> int:
    """Return how many points have as many pairs as there are links.

    In COL2 the authors' shares are multiples of 0.05 as they are added up, a little above 15 and
    35 %.
    """
    if cell.collection == "COL2":
        return ceil(n * np.arange(0.05, 0.525, 0.05)[int(cell.percent) // 5 - 1])
    return ceil(n * (float(cell.percent) / 100))


def _pairs(rng: np.random.RandomState, n: int, points: int, *, selves: bool = False) -> IntArray:
    """Draw until there are enough different pairs, and keep the first ones."""
    many = points * (points - 1) // 2
    pairs = np.zeros((0, 2), dtype=np.int64)
    while len(pairs) < many:
        new = np.sort(np.stack([rng.randint(0, n, many), rng.randint(0, n, many)], axis=1), axis=1)
        pairs = np.unique(np.concatenate([pairs, new]), axis=0)
        if not selves:
            pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs[:many]


def _noisy(truth: IntArray, cell: Cell, draw: int) -> tuple[FloatArray, FloatArray]:
    """Return links of which some are wrong, each with twice its confidence above one half.

    The authors' recipe leaves pairs of a point with itself in; they say nothing, and go here.
    """
    rng = np.random.RandomState(SEED + draw)
    pairs = _pairs(rng, len(truth), _linked_points(cell, len(truth)), selves=True)
    lowest = float(cell.lower_bound)
    confidence = lowest + (1 - lowest) * rng.rand(len(pairs))
    right = confidence >= rng.rand(len(pairs))
    must = (truth[pairs[:, 0]] == truth[pairs[:, 1]]) == right
    links = np.column_stack([pairs, 2 * (confidence - 0.5)])
    links, must = (each[(pairs[:, 0] != pairs[:, 1])] for each in (links, must))
    return links[must], links[~must]
