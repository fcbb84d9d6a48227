"""A map that keeps neighbours together.

Laplacian eigenmaps (Belkin and Niyogi 2003) are the sketch that is shown at once; t-SNE (van der
Maaten and Hinton 2008) begins from it and takes seconds.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

from ccviz.arrays import FloatArray, freeze
from ccviz.data.datasets import Dataset

MOST_POINTS = 2000
"""Largest number of points that are mapped: the sketch takes the server half a second."""

_NEIGHBOURS = 10
_AXES = 2

_PERPLEXITY = 30.0
_KNOWN: WeakKeyDictionary[Dataset, dict[str, FloatArray]] = WeakKeyDictionary()
"""Maps by data set and scaling: every edit of a link draws the plane again."""
_LAID_OUT: WeakKeyDictionary[Dataset, set[str]] = WeakKeyDictionary()
"""Scalings of data sets whose map is no sketch any more."""


def is_laid_out(data: Dataset, scaling: str) -> bool:
    """Return whether the map of these points is no sketch any more."""
    return scaling in _LAID_OUT.get(data, ())


def keep_map(data: Dataset, scaling: str, values: FloatArray) -> None:
    """Put a map in place of the sketch.

    Parameters
    ----------
    data : Dataset
    scaling : str
    values : (n, 2) float64
    """
    _KNOWN.setdefault(data, {})[scaling] = freeze(values)
    _LAID_OUT.setdefault(data, set()).add(scaling)


def lay_out(X: FloatArray, first: FloatArray) -> FloatArray:
    """Return the map by t-SNE, (n, 2); with fewer than five points the sketch.

    Parameters
    ----------
    X : (n, d) float
    first : (n, 2) float64
        The sketch.
    """
    spread = float(first.std())
    if len(X) < 5 or not spread > 0:
        return first
    from sklearn.manifold import TSNE  # here, for it takes a second to load

    return TSNE(
        init=1e-4 * first / spread, perplexity=min(_PERPLEXITY, (len(X) - 1) / 3), random_state=0,
        n_jobs=1,
    ).fit_transform(X).astype(np.float64)  # fmt: skip


def map_of(data: Dataset, scaling: str, X: FloatArray) -> FloatArray:
    """Return the map of scaled points, (n, 2); the same object each time.

    Parameters
    ----------
    data : Dataset
    scaling : str
    X : (n, d) float
        The points as they are scaled.
    """
    known = _KNOWN.setdefault(data, {})
    if scaling not in known:
        known[scaling] = freeze(spectral_map(X))
    return known[scaling]


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
