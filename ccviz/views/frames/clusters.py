"""The features that distinguish each cluster of an answer, and how well its points fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition
from ccviz.studies.profile import Profile, profile
from ccviz.studies.rows import standing

MOST_FEATURES = 60
MOST_COMPARED = 3000
"""Number of points up to which silhouettes compare all pairs, to keep the page fast."""


@dataclass(frozen=True)
class Head:
    """A cluster.

    Attributes
    ----------
    number : int
        On the page; its colour too.
    size : int
    share : float
        Of all points.
    silhouette : float
        Mean over its points.
    name : str
        That a person gave it; empty without.
    """

    number: int
    size: int
    share: float
    silhouette: float
    name: str = ""


@dataclass(frozen=True)
class Cell:
    """A feature in a cluster.

    Attributes
    ----------
    mean, spread : float
        In the feature's own units.
    apart : float
        How many standard deviations of all points its mean is above that of all points.
    """

    mean: float
    spread: float
    apart: float


@dataclass(frozen=True)
class FeatureRow:
    """A feature in all clusters.

    Attributes
    ----------
    name : str
    separation : float
        Share of its variance between the clusters.
    whole : Cell
        In all points.
    cells : tuple of Cell
        One a cluster.
    """

    name: str
    separation: float
    whole: Cell
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Clusters:
    """How the clusters differ, the features that separate them most first.

    Attributes
    ----------
    heads : tuple of Head
    rows : tuple of FeatureRow
        At most `MOST_FEATURES`.
    features : int
        All there are.
    silhouette : float
        Mean over all points.
    simplified : bool
        Whether silhouettes compare with means of clusters.
    """

    heads: tuple[Head, ...]
    rows: tuple[FeatureRow, ...]
    features: int
    silhouette: float
    simplified: bool


def clusters(
    data: Dataset, partition: Partition, names: Mapping[int, str] | None = None
) -> Clusters:
    """Return how the clusters of a clustering differ.

    Parameters
    ----------
    data : Dataset
        The points in the units that people read.
    partition : Partition
        Its numbers are those on the page.
    names : mapping of int to str, optional
        Of clusters, by these numbers.
    """
    k, called = partition.problem.n_clusters, names or {}
    found = profile(data.X, partition.shown, k, data.features)
    fit = standing(partition, MOST_COMPARED)
    return Clusters(
        heads=tuple(_head(j, partition, fit.silhouette, called.get(j, "")) for j in range(k)),
        rows=tuple(_row(found, j) for j in range(min(len(found.features), MOST_FEATURES))),
        features=len(found.features),
        silhouette=float(fit.silhouette.mean()),
        simplified=fit.simplified,
    )


def _head(number: int, partition: Partition, silhouette: FloatArray, name: str) -> Head:
    own = partition.shown == number
    size = int(own.sum())
    mean = float(silhouette[own].mean()) if size else float("nan")
    return Head(number, size, size / len(own), mean, name)


def _row(found: Profile, j: int) -> FeatureRow:
    spread = float(found.spread[j])
    apart = (found.means[:, j] - found.mean[j]) / (spread if spread > 0 else 1.0)
    cells = np.column_stack([found.means[:, j], found.spreads[:, j], apart]).tolist()
    whole = Cell(float(found.mean[j]), spread, 0.0)
    return FeatureRow(
        found.features[j], float(found.separation[j]), whole, tuple(Cell(*each) for each in cells)
    )
