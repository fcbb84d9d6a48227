"""The features that distinguish each cluster of an answer, and how well its points fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition, cluster_means
from ccviz.studies.profile import Profile, profile
from ccviz.studies.rows import standing

MOST_FEATURES, _FEW_FEATURES, _MOST_CELLS = 60, 6, 6000
"""Features of the table at most, and of one whose cells are more than that."""
MOST_COMPARED = 3000
"""Number of points up to which silhouettes compare all pairs, to keep the page fast."""
_MOST_COSTS = 5 * 10**9
"""Products of coordinates up to which every point is compared with every mean: half a second."""


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
        At most `MOST_FEATURES`, and fewer of many clusters.
    features : int
        All there are.
    silhouette : float
        Mean over all points.
    simplified : bool
        Whether silhouettes compare with means of clusters.
    sampled : bool
        Whether silhouettes are means over some of the points.
    """

    heads: tuple[Head, ...]
    rows: tuple[FeatureRow, ...]
    features: int
    silhouette: float
    simplified: bool
    sampled: bool = False


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
    k, called, n = partition.problem.n_clusters, names or {}, partition.problem.n_points
    found = profile(data.X, partition.shown, k, data.features)
    labels = partition.labels[:n]
    some = _some(labels, partition.problem.d)
    fit = standing(partition, MOST_COMPARED, some)
    sizes = np.bincount(labels, minlength=partition.problem.k)
    most = min(MOST_FEATURES, max(_FEW_FEATURES, _MOST_CELLS // k))
    compared = labels[some] if fit.simplified else labels
    means = cluster_means(fit.silhouette[:, None], compared, len(sizes))[:, 0]
    return Clusters(
        heads=tuple(
            Head(j, int(sizes[j]), float(sizes[j] / n), float(means[j]), called.get(j, ""))
            for j in range(k)
        ),
        rows=tuple(_row(found, j) for j in range(min(len(found.features), most))),
        features=len(found.features),
        silhouette=float(sizes @ np.nan_to_num(means) / n),
        simplified=fit.simplified,
        sampled=fit.simplified and len(some) < n,
    )


def _some(labels: IntArray, d: int) -> IntArray:
    """Return the points whose silhouettes are computed: the same number, at most, a cluster."""
    sizes = np.bincount(labels)
    k = np.count_nonzero(sizes)
    if len(labels) * k * d <= _MOST_COSTS:
        return np.arange(len(labels))
    most = max(1, _MOST_COSTS // (k * k * d))
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    picked = [
        order[end - size : end][np.linspace(0, size - 1, min(size, most)).astype(np.int64)]
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(picked))


def _row(found: Profile, j: int) -> FeatureRow:
    spread = float(found.spread[j])
    apart = (found.means[:, j] - found.mean[j]) / (spread if spread > 0 else 1.0)
    cells = np.column_stack([found.means[:, j], found.spreads[:, j], apart]).tolist()
    whole = Cell(float(found.mean[j]), spread, 0.0)
    return FeatureRow(
        found.features[j], float(found.separation[j]), whole, tuple(Cell(*each) for each in cells)
    )
