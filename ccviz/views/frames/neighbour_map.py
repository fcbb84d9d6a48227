"""A map that keeps neighbours together.

Laplacian eigenmaps (Belkin and Niyogi 2003) are the sketch that is shown at once; t-SNE (van der
Maaten and Hinton 2008) begins from it and takes seconds. Of many points t-SNE places a sample, and
each other point lies between those of the sample that are nearest to it; the sketch is then the
plane of the principal components.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.data.datasets import Dataset

MOST_POINTS = 50_000
"""Largest number of points that are mapped: some ten seconds of a process of its own."""
SAMPLE = 2_000
"""Points that t-SNE places: the sketch of so few takes the server half a second."""
_BESIDE = 3
"""Points of the sample between which another one lies."""

_NEIGHBOURS = 10
_AXES = 2

_PERPLEXITY = 30.0
_MOST_SCALINGS = 8
"""Maps that are kept for each data set; the oldest goes first."""


@dataclass(frozen=True, eq=False)
class NeighbourMap:
    """Where points lie.

    Attributes
    ----------
    X : (n, d) float
        The points as they are scaled.
    values : (n, 2) float64
    method : str
        How the map was made, for titles of axes.
    is_sketch : bool
        Whether `lay_out` would make another one.
    """

    X: FloatArray
    values: FloatArray
    method: str
    is_sketch: bool

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.X)

    def place(self, points: FloatArray) -> FloatArray:
        """Return where the point next to each is drawn.

        Parameters
        ----------
        points : (m, d) float

        Returns
        -------
        (m, 2) float64
        """
        return self.values[self._tree.query(points)[1]] if len(points) else np.zeros((0, _AXES))


_KNOWN: WeakKeyDictionary[Dataset, dict[str, NeighbourMap]] = WeakKeyDictionary()
"""Maps by data set and scaling: every edit of a link draws the plane again."""


def map_of(data: Dataset, scaling: str, X: FloatArray) -> NeighbourMap:
    """Return the map of scaled points, a sketch if none is kept; the same object each time.

    Parameters
    ----------
    data : Dataset
    scaling : str
    X : (n, d) float
        The points as they are scaled.
    """
    known = _KNOWN.get(data, {}).get(scaling)
    return known if known is not None else _keep(data, scaling, _sketch(X))


def keep_layout(data: Dataset, scaling: str, X: FloatArray, values: FloatArray) -> None:
    """Put what `lay_out` returned in place of the sketch.

    Parameters
    ----------
    data : Dataset
    scaling : str
    X : (n, d) float
    values : (n, 2) float64
    """
    method = "t-SNE" if len(X) <= SAMPLE else f"t-SNE of {SAMPLE:,} points, the others beside them"
    _keep(data, scaling, NeighbourMap(X, freeze(values), method, is_sketch=False))


def _keep(data: Dataset, scaling: str, made: NeighbourMap) -> NeighbourMap:
    known = _KNOWN.setdefault(data, {})
    known[scaling] = made
    while len(known) > _MOST_SCALINGS:
        known.pop(next(iter(known)))
    return made


def _sketch(X: FloatArray) -> NeighbourMap:
    if len(X) <= SAMPLE:
        values, method = spectral_map(X), "a sketch by Laplacian eigenmaps"
    else:
        values, method = _components(X), "a sketch by principal components"
    return NeighbourMap(X, freeze(values), method, is_sketch=True)


def _components(X: FloatArray) -> FloatArray:
    """Return the points on the principal components of a sample."""
    center = X.mean(axis=0, dtype=np.float64)
    directions = np.linalg.svd(X[_sample(len(X))] - center, full_matrices=False)[2]
    return np.asarray((X - center) @ directions[:_AXES].T, dtype=np.float64)


def _sample(n: int) -> IntArray:
    """Return the points that t-SNE places, in their order."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, SAMPLE), replace=False))


def lay_out(X: FloatArray) -> FloatArray:
    """Return the map by t-SNE, (n, 2); with fewer than five points the sketch.

    Parameters
    ----------
    X : (n, d) float
    """
    chosen = _sample(len(X))
    found = _embedded(X[chosen])
    if len(chosen) == len(X):
        return found
    from sklearn.neighbors import NearestNeighbors  # here, for it takes a second to load

    values = np.empty((len(X), _AXES))
    values[chosen] = found
    others = np.setdiff1d(np.arange(len(X)), chosen)
    near = NearestNeighbors(n_neighbors=_BESIDE, n_jobs=1).fit(X[chosen])
    distance, at = near.kneighbors(X[others])
    pull = 1.0 / np.maximum(distance, 1e-9 * distance.max() or 1.0) ** 2
    pull /= pull.sum(axis=1, keepdims=True)
    values[others] = np.einsum("ij,ijk->ik", pull, found[at])
    return values


def _embedded(X: FloatArray) -> FloatArray:
    """Return the map of a few points by t-SNE, which begins from the sketch."""
    first = spectral_map(X)
    spread = float(first.std())
    if len(X) < 5 or not spread > 0:
        return first
    from sklearn.manifold import TSNE  # here, for it takes a second to load

    return TSNE(
        init=1e-4 * first / spread, perplexity=min(_PERPLEXITY, (len(X) - 1) / 3), random_state=0,
        n_jobs=1,
    ).fit_transform(X).astype(np.float64)  # fmt: skip


def spectral_map(X: FloatArray) -> FloatArray:
    """Return two coordinates for each point, from the graph of its nearest neighbours.

    Parameters
    ----------
    X : (n, d) float

    Returns
    -------
    (n, 2) float64
        Eigenvectors of the normalised Laplacian after the constant one, each with its largest entry
        positive; zeros where there are too few points.
    """
    n = len(X)
    if n <= _AXES + 1:
        return np.zeros((n, _AXES))
    graph = _neighbours(X)
    root = 1.0 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel())
    scaled = diags_array(root) @ graph @ diags_array(root)
    first = np.random.default_rng(0).normal(size=n)  # the same map each time
    values, vectors = eigsh(scaled, k=_AXES + 1, which="LA", v0=first)
    found = (vectors * root[:, None])[:, np.argsort(values)[::-1][1:]]
    largest = np.abs(found).argmax(axis=0)
    return found * np.sign(found[largest, np.arange(_AXES)])


def _neighbours(X: FloatArray) -> csr_array:
    """Return the symmetric graph of nearest neighbours, made connected, with Gaussian weights."""
    n, many = len(X), min(_NEIGHBOURS + 1, len(X))
    distance, other = cKDTree(X).query(X, k=many)
    width = np.median(distance[:, 1:]) or 1.0
    rows = np.repeat(np.arange(n), many)
    weights = np.exp(-0.5 * (distance.ravel() / width) ** 2)
    graph = csr_array((weights, (rows, other.ravel())), shape=(n, n))
    graph = graph.maximum(graph.T)
    pieces, piece = connected_components(graph, directed=False)
    return graph if pieces == 1 else graph.maximum(_bridges(X, piece, float(weights.min())))


def _bridges(X: FloatArray, piece: np.ndarray, weight: float) -> csr_array:
    """Return an edge for each branch of the shortest tree that joins the pieces by their means."""
    means = np.array([X[piece == at].mean(axis=0) for at in range(piece.max() + 1)])
    apart = np.linalg.norm(means[:, None] - means, axis=2)
    tree = minimum_spanning_tree(apart).tocoo()
    ends = [
        (np.flatnonzero(piece == i)[cKDTree(X[piece == i]).query(means[j])[1]],
         np.flatnonzero(piece == j)[cKDTree(X[piece == j]).query(means[i])[1]])
        for i, j in zip(tree.row, tree.col, strict=True)
    ]  # fmt: skip
    i, j = np.array(ends).T
    n = len(X)
    bridges = csr_array((np.full(len(i), max(weight, 1e-3)), (i, j)), shape=(n, n))
    return bridges + bridges.T
