"""The rows of a table with what a clustering says about each: cluster, distance, silhouette."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, row_strips
from ccviz.data.datasets import Dataset
from ccviz.data.table import Cells, own_names
from ccviz.problem.asked import AnyAsked, label_rules
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition

MOST_COMPARED = 10_000
"""Points up to which every pair is compared; beyond, points are compared with centres."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Distance and silhouette of each point in its cluster.

    Attributes
    ----------
    distance : (n_points,) float64, or (m,) of those asked for
        Euclidean distance to the cluster's mean, in the units that were clustered.
    silhouette : (n_points,) float64, or (m,)
        From -1 to 1: how much nearer the point is to its own cluster than to the next (Rousseeuw
        1987); 0 where it is alone in its cluster.
    simplified : bool
        Whether silhouettes compare with the means of clusters, for there are too many pairs.
    """

    distance: FloatArray
    silhouette: FloatArray
    simplified: bool


def scores_of(
    partition: Partition, most_compared: int | None = None, some: IntArray | None = None
) -> Scores:
    """Return the distance and silhouette of each point in its cluster.

    Parameters
    ----------
    most_compared : int, optional
        Points up to which silhouettes compare every pair; `MOST_COMPARED` by default.
    some : (m,) int, optional
        Points that the answer is for, where there are too many to compare every pair; all by
        default.
    """
    n = partition.problem.n_points  # given centres are behind these
    X, labels = partition.problem.X[:n], partition.labels[:n]
    simplified = len(X) > (MOST_COMPARED if most_compared is None else most_compared)
    asked = np.arange(len(X)) if some is None or not simplified else some
    filled = np.unique(labels)
    distance = _own_distances(X, labels, asked, partition.centers)
    if not 2 <= len(filled) < len(X):
        silhouette = np.zeros(len(asked))
    elif simplified:
        other = _next_distances(X, labels, asked, partition.centers, filled)
        # Distances to means replace mean distances; a point that is alone has 0.
        largest = np.maximum(distance, other)
        silhouette = (other - distance) / np.where(largest > 0, largest, 1.0)
        silhouette[np.bincount(labels)[labels[asked]] == 1] = 0.0
    else:
        # Imported here: scikit-learn takes most of a second.
        from sklearn.metrics import silhouette_samples

        silhouette = silhouette_samples(X.astype(np.float64, copy=False), labels)
    return Scores(distance, silhouette, simplified)


Standing, standing = Scores, scores_of  # names of 0.3


def _own_distances(
    X: FloatArray, labels: IntArray, asked: IntArray, centers: FloatArray
) -> FloatArray:
    """Return the distances of some points to the means of their clusters."""
    squared = np.empty(len(asked))
    for strip in row_strips(len(asked), X.shape[1]):
        near = X[asked[strip]] - centers[labels[asked[strip]]]
        squared[strip] = np.einsum("ij,ij->i", near, near)
    return np.sqrt(squared)


def _next_distances(
    X: FloatArray, labels: IntArray, asked: IntArray, centers: FloatArray, filled: IntArray
) -> FloatArray:
    """Return the distances of some points to the nearest mean of another cluster."""
    middle = centers[filled].mean(axis=0)  # squares are expanded from here
    means, place = centers[filled] - middle, np.searchsorted(filled, labels)
    lengths, squared = np.einsum("ij,ij->i", means, means), np.empty(len(asked))
    for strip in row_strips(len(asked), X.shape[1] + len(filled)):
        near = X[asked[strip]] - middle
        apart = lengths - 2.0 * (near @ means.T)
        apart[np.arange(len(near)), place[asked[strip]]] = np.inf
        squared[strip] = apart.min(axis=1) + np.einsum("ij,ij->i", near, near)
    return np.sqrt(np.maximum(squared, 0.0))


def rows_csv(
    data: Dataset,
    partition: Partition,
    names: Mapping[int, str] | None = None,
    why: Sequence[str] = (),
    earlier: IntArray | None = None,
) -> str:
    """Return the rows of a table with three columns more: cluster, distance and silhouette.

    With soft links there are two more: the links of each row that are kept, and that are broken.

    Parameters
    ----------
    data : Dataset
        If it came from a file, all its columns are there, ids and words too.
    partition : Partition
        Of its points, scaled or not.
    names : mapping of int to str, optional
        Of clusters; they are a column more.
    why : sequence of str, optional
        Of each point why it is in its cluster (`ccviz.studies.why`); the last column.
    earlier : (n_points,) int, optional
        Earlier clusters of the points, -1 for none, which is an empty cell; a column more.

    Returns
    -------
    str
        CSV with the separator and decimal sign of that file, its numbers as short as they go and
        blanks empty; where rows were left out a first column has the number of each row, from 1.
    """
    found = scores_of(partition)
    silhouette = "silhouette (simplified)" if found.simplified else "silhouette"
    before = [] if earlier is None else partition.problem.shown(earlier).tolist()
    named = [(names or {}).get(j, "") for j in partition.shown.tolist()]
    columns = [
        *_columns(data),
        ("cluster", partition.shown),
        *([("earlier", ["" if c < 0 else str(c) for c in before])] if before else []),
        *([("cluster name", named)] if names else []),
        ("distance", [*map(data.style.measure, found.distance.tolist())]),
        (silhouette, [*map(data.style.measure, found.silhouette.tolist())]),
        *(links_by_point(partition, data.names) or {}).items(),
        *([("why", why)] if why else []),
    ]
    head = own_names([name for name, _ in columns])
    plain = (each.tolist() if isinstance(each, np.ndarray) else each for _, each in columns)
    return data.style.table(chain([head], zip(*plain, strict=True)))


_MOST_LISTED = 20
"""Most links of a point that are listed by name."""


def names_by_label(
    data: Dataset, labels: IntArray, rules: Sequence[AnyAsked] = ()
) -> dict[int, str]:
    """Return the label of each cluster that is the only one with it, and has no other.

    A label names a cluster where only some points have one; where all have, it is the answer.

    Parameters
    ----------
    labels : (n,) int
        Clusters, -1 for none.
    rules : sequence of AskedRule or AskedEither
        The column of the first one as ``labels(type)`` has the labels, in place of the classes.
    """
    truth, classes = data.truth, data.classes
    asked = next((rule for rule in label_rules(rules) if rule.called), None)
    if asked is not None:
        truth, classes = np.array(asked.known, dtype=np.int64) - 1, asked.called
    if truth is None or not classes or (truth >= 0).all():
        return {}
    known = (truth >= 0) & (labels >= 0)
    pairs = np.unique(np.column_stack([labels[known], truth[known]]), axis=0)
    in_cluster, of_label = (np.bincount(each, minlength=1) for each in pairs.T)
    return {
        cluster: classes[label]
        for cluster, label in pairs.tolist()
        if in_cluster[cluster] == 1 and of_label[label] == 1
    }


def kept_links(partition: Partition) -> tuple[tuple[Links, NDArray[np.bool_]], ...]:
    """Return the must-links and the cannot-links as given, each pair once, and which are kept."""
    given = partition.problem.given
    ends = (partition.labels[links.pairs] for links in (given.must_link, given.cannot_link))
    must, cannot = (pairs[:, 0] == pairs[:, 1] for pairs in ends)
    return (given.must_link, must), (given.cannot_link, ~cannot)


def links_by_point(partition: Partition, names: Sequence[str] = ()) -> dict[str, list[str]] | None:
    """Return which links of each point, by names or numbers, are kept or broken, if any is soft.

    Returns
    -------
    dict of str to list of (n_points,) str, or None
        Under *links kept* and *links broken* the points at the other ends of a point's links, after
        *not* those of cannot-links.
    """
    problem = partition.problem
    given = problem.given
    if not (len(given.must_link.soft) or len(given.cannot_link.soft)):
        return None
    called = names or [*map(str, range(problem.n_points))]
    found: dict[str, list[list[str]]] = {
        title: [[] for _ in range(problem.n_points)] for title in ("links kept", "links broken")
    }
    for word, (links, kept) in zip(("", "not "), kept_links(partition), strict=True):
        for (i, j), is_kept in zip(links.pairs.tolist(), kept.tolist(), strict=True):
            lists = found["links kept" if is_kept else "links broken"]
            lists[i].append(word + called[j])
            lists[j].append(word + called[i])
    return {title: [*map(_listed, lists)] for title, lists in found.items()}


def _listed(words: list[str]) -> str:
    more = len(words) - _MOST_LISTED
    return ", ".join(words[:_MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _columns(data: Dataset) -> Iterator[tuple[str, Cells]]:
    if data.origin is None:
        yield from zip(data.features, data.X.T, strict=True)
        if data.weights is not None:
            yield "weight", data.weights
        if data.truth is not None:
            yield "class", data.called
        return
    rows = data.origin.rows
    if len(rows) and int(rows[-1]) >= len(rows):
        yield "row", rows + 1
    decisions = data.origin.decisions
    yield from zip((each.column for each in decisions), data.origin.columns, strict=True)
