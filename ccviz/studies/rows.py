"""The rows of a table with what a clustering says about each: cluster, distance, silhouette."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.table import Cells, own_names
from ccviz.problem.partition import Partition

MOST_COMPARED = 10_000
"""Points up to which every pair is compared; beyond, points are compared with centres."""


@dataclass(frozen=True, eq=False)
class Standing:
    """Distance and silhouette of each point in its cluster.

    Attributes
    ----------
    distance : (n_points,) float64
        Euclidean distance to the cluster's mean, in the units that were clustered.
    silhouette : (n_points,) float64
        From -1 to 1: how much nearer the point is to its own cluster than to the next (Rousseeuw
        1987); 0 where it is alone in its cluster.
    simplified : bool
        Whether silhouettes compare with the means of clusters, for there are too many pairs.
    """

    distance: FloatArray
    silhouette: FloatArray
    simplified: bool


def standing(partition: Partition, most_compared: int | None = None) -> Standing:
    """Return the distance and silhouette of each point in its cluster.

    Parameters
    ----------
    partition : Partition
    most_compared : int, optional
        Points up to which silhouettes compare every pair; `MOST_COMPARED` by default.

    Returns
    -------
    Standing
    """
    X, labels = _clustered(partition)
    simplified = len(X) > (MOST_COMPARED if most_compared is None else most_compared)
    distance = np.sqrt(((X - partition.centers[labels]) ** 2).sum(axis=1))
    filled = len(np.unique(labels))
    if not 2 <= filled < len(X):
        silhouette = np.zeros(len(X))
    elif simplified:
        silhouette = _to_means(partition, distance)
    else:
        # Imported here: scikit-learn takes most of a second.
        from sklearn.metrics import silhouette_samples

        silhouette = silhouette_samples(X.astype(np.float64, copy=False), labels)
    return Standing(distance, silhouette, simplified)


def _to_means(partition: Partition, own: FloatArray) -> FloatArray:
    """Return simplified silhouettes: distances to means stand in for mean distances."""
    X, labels = _clustered(partition)
    other, sizes = np.full(len(X), np.inf), np.bincount(labels)
    for j in np.flatnonzero(sizes).tolist():
        away = np.sqrt(((X - partition.centers[j]) ** 2).sum(axis=1))
        other = np.where(labels == j, other, np.minimum(other, away))
    largest = np.maximum(own, other)
    alone = sizes[labels] == 1
    return np.where(alone, 0.0, (other - own) / np.where(largest > 0, largest, 1.0))


def _clustered(partition: Partition) -> tuple[FloatArray, IntArray]:
    """Return the points and their labels, without given centres."""
    n = partition.problem.n_points
    return partition.problem.X[:n], partition.labels[:n]


def rows_csv(data: Dataset, partition: Partition, names: Mapping[int, str] | None = None) -> str:
    """Return the rows of a table with three columns more: cluster, distance and silhouette.

    Parameters
    ----------
    data : Dataset
        If it came from a file, all its columns are there, ids and words too.
    partition : Partition
        Of its points, scaled or not.
    names : mapping of int to str, optional
        Of clusters; they are a column more.

    Returns
    -------
    str
        CSV with the separator and decimal sign of that file, its numbers as short as they go and
        blanks empty; where rows were left out a first column has the number of each row, from 1.
    """
    found = standing(partition)
    silhouette = "silhouette (simplified)" if found.simplified else "silhouette"
    columns = [
        *_columns(data),
        ("cluster", partition.shown),
        *_named(partition.shown, names or {}),
        ("distance", [*map(data.style.measure, found.distance.tolist())]),
        (silhouette, [*map(data.style.measure, found.silhouette.tolist())]),
    ]
    head = own_names([name for name, _ in columns])
    plain = (each.tolist() if isinstance(each, np.ndarray) else each for _, each in columns)
    return data.style.table(chain([head], zip(*plain, strict=True)))


def _named(labels: IntArray, names: Mapping[int, str]) -> Iterator[tuple[str, Cells]]:
    if names:
        yield "cluster name", [names.get(j, "") for j in labels.tolist()]


def _columns(data: Dataset) -> Iterator[tuple[str, Cells]]:
    if data.origin is None:
        yield from zip(data.features, data.X.T, strict=True)
        if data.weights is not None:
            yield "weight", data.weights
        if data.truth is not None:
            yield "class", [data.classes[j] if data.classes else j for j in data.truth.tolist()]
        return
    rows = data.origin.rows
    if len(rows) and int(rows[-1]) >= len(rows):
        yield "row", rows + 1
    decisions = data.origin.decisions
    yield from zip((each.column for each in decisions), data.origin.columns, strict=True)
