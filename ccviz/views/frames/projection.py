"""The two axes that are drawn, from the features."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

from ccviz.arrays import FloatArray, IntArray, freeze, row_strips
from ccviz.data.datasets import Dataset
from ccviz.data.names import place_columns
from ccviz.errors import CcvizError

# --- A map that keeps neighbours together ---------------------------------------------------------
#
# Laplacian eigenmaps (Belkin and Niyogi 2003) are the sketch that is shown at once; t-SNE (van der
# Maaten and Hinton 2008) begins from it and takes seconds. Of many points t-SNE places a sample,
# and each other point lies between those of the sample that are nearest to it; the sketch is then
# the plane of the principal components.


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
    """Where points lie."""

    X: FloatArray  # (n, d): The points as they are scaled
    values: FloatArray
    method: str  # How the map was made, for titles of axes
    is_sketch: bool  # Whether `lay_out` would make another one

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.X)

    def place(self, points: FloatArray) -> FloatArray:
        """Return where the point next to each is drawn."""
        return self.values[self._tree.query(points)[1]] if len(points) else np.zeros((0, _AXES))


_KNOWN: WeakKeyDictionary[Dataset, dict[str, NeighbourMap]] = WeakKeyDictionary()
"""Maps by data set and scaling: every edit of a link draws the plane again."""


def map_of(data: Dataset, scaling: str, X: FloatArray) -> NeighbourMap:
    """Return the map of scaled points, a sketch if none is kept; the same object each time."""
    known = _KNOWN.get(data, {}).get(scaling)
    if known is not None:
        return known
    if len(X) <= SAMPLE:
        values, method = spectral_map(X), "a sketch by Laplacian eigenmaps"
    else:
        values, method = _components(X), "a sketch by principal components"
    return _keep(data, scaling, NeighbourMap(X, freeze(values), method, is_sketch=True))


def keep_layout(data: Dataset, scaling: str, X: FloatArray, values: FloatArray) -> None:
    """Put what `lay_out` returned in place of the sketch."""
    method = "t-SNE" if len(X) <= SAMPLE else f"t-SNE of {SAMPLE:,} points, the others beside them"
    _keep(data, scaling, NeighbourMap(X, freeze(values), method, is_sketch=False))


def _keep(data: Dataset, scaling: str, made: NeighbourMap) -> NeighbourMap:
    known = _KNOWN.setdefault(data, {})
    known[scaling] = made
    while len(known) > _MOST_SCALINGS:
        known.pop(next(iter(known)))
    return made


def _components(X: FloatArray) -> FloatArray:
    """Return the points on the principal components of a sample."""
    center = X.mean(axis=0, dtype=np.float64)
    directions = np.linalg.svd(X[_sample(len(X))] - center, full_matrices=False)[2]
    return np.asarray((X - center) @ directions[:_AXES].T, dtype=np.float64)


def _sample(n: int) -> IntArray:
    """Return the points that t-SNE places, in their order."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, SAMPLE), replace=False))


def lay_out(X: FloatArray) -> FloatArray:
    """Return the map by t-SNE, (n, 2); with fewer than five points the sketch."""
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

    Returns: Eigenvectors of the normalised Laplacian after the constant one, each with its largest
    entry positive; zeros where there are too few points.
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


_COMPONENTS = 3
_MOST_VALUES = 4_000_000
"""Most values of a table that its principal directions come from; of more, rows evenly apart."""

MAPS = ("Map 1", "Map 2")
"""Axes of the map that keeps neighbours together, made at the end of this file."""


def axis_names(features: Sequence[str]) -> list[str]:
    """Return what an axis may show: features, principal components, and of many features a map."""
    components = [f"PC {i + 1}" for i in range(min(_COMPONENTS, len(features)))]
    return [*features, *components, *(MAPS if len(features) > 2 else ())]


def offered_axes(data: Dataset) -> list[str]:
    """Return the axes that are offered: of few points the map; longitude and latitude always."""
    is_few = len(data.X) <= MOST_POINTS
    names = [name for name in axis_names(data.features) if is_few or name not in MAPS]
    return list(dict.fromkeys([*names, *(place_columns(data) or ())]))


def check_axes(data: Dataset, *axes: str) -> None:
    """Raise `CcvizError` if an axis that is named (an empty text names none) is not there."""
    known = offered_axes(data)
    for name in filter(None, axes):
        if name not in known:
            raise CcvizError(f"There is no axis {name!r}; there are {', '.join(known)}.")


def usual_axes(features: Sequence[str]) -> tuple[str, str]:
    """Return the two axes that are drawn at first."""
    if len(features) > 2:
        return "PC 1", "PC 2"
    return features[0], axis_names(features)[min(1, len(features) - 1)]


def first_axes(data: Dataset) -> tuple[str, str]:
    """Return the two axes of data that are drawn at first: longitude and latitude, if there are."""
    return place_columns(data) or usual_axes(data.features)


class Projection:
    """The axes of a table of points; what several of them need is computed once."""

    def __init__(self, X: FloatArray, features: Sequence[str]) -> None:
        self._X, self._features = X, list(features)

    def axis(self, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where the points are on an axis, and its affine map.

        A point or centre x is drawn at ``(x - origin) @ weights``, so centres need no second fit.
        """
        X, features = self._X, self._features
        if name in features:
            weights, column = np.zeros(X.shape[1]), features.index(name)
            weights[column] = 1.0
            return X[:, column].astype(np.float64), weights, np.zeros(X.shape[1])
        if name not in axis_names(features):
            raise CcvizError(
                f"there is no axis {name!r}; there are {', '.join(axis_names(features))}."
            )
        weights, values = self._components[int(name.removeprefix("PC ")) - 1], np.empty(len(X))
        for some in row_strips(*X.shape):
            values[some] = (X[some] - self._middle) @ weights
        return values, weights, self._middle

    def title(self, name: str, drawn: FloatArray) -> str:
        """Return an axis's title: its name, and a principal component's share of the variance."""
        if name in self._features or not self._variance > 0:
            return name
        return f"{name} ({float(drawn.var()) / self._variance:.0%} of the variance)"

    @cached_property
    def _middle(self) -> FloatArray:
        return self._X.mean(axis=0, dtype=np.float64)

    @cached_property
    def _variance(self) -> float:
        total = 0.0
        for some in row_strips(*self._X.shape):
            near = self._X[some] - self._middle
            total += float(np.vdot(near, near))
        return total / len(self._X)

    @cached_property
    def _components(self) -> FloatArray:
        """Principal directions as rows, signed so that the largest entry is positive."""
        some = self._X[:: max(1, -(-self._X.size // _MOST_VALUES))]
        d = some.shape[1]
        spread = np.atleast_2d(np.cov(some, rowvar=False, bias=True))
        _, vectors = eigh(spread, subset_by_index=[max(0, d - _COMPONENTS), d - 1])
        rows = vectors.T[::-1]
        largest = np.abs(rows).argmax(axis=1)
        return np.asarray(rows * np.sign(rows[np.arange(len(rows)), largest])[:, None])


# --- Points whose features are pixels, as pictures ------------------------------------------------


_SIDE_AT_LEAST = 4
_PIXEL = re.compile(r"(?:pixel|px)[ _]?(\d+)(?:_(\d+))?", re.IGNORECASE)


def pixels(features: tuple[str, ...]) -> tuple[int, int] | None:
    """Return rows and columns of the picture that features are the pixels of, None if of none.

    Such are called ``pixel_0_0``, row and column, or ``pixel0``, ``pixel1`` … of a square, row by
    row in both cases.
    """
    found = [_PIXEL.fullmatch(name) for name in features]
    if len(found) < _SIDE_AT_LEAST**2 or not all(found):
        return None
    at = [each.groups() for each in found if each is not None]
    if at[-1][1] is not None:
        shape = int(at[-1][0]) + 1, int(at[-1][1]) + 1
    else:
        shape = isqrt(len(features)), isqrt(len(features))
    return shape if shape[0] * shape[1] == len(features) else None


def pictures(data: Dataset, points: Sequence[int] | slice = slice(None)) -> FloatArray | None:
    """Return how dark each pixel of points is, from 0 to 1; None unless features are pixels."""
    shape = pixels(data.features)
    if shape is None:
        return None
    darkest = float(np.abs(data.X).max()) or 1.0
    return np.asarray(np.clip(data.X[points] / darkest, 0.0, 1.0)).reshape(-1, *shape)


def addresses(data: Dataset, points: Sequence[int] | slice = slice(None)) -> list[str]:
    """Return the picture of each point as the address of an image; empty if there are none.

    It contains no text from a file.
    """
    drawn = pictures(data, points)
    if drawn is None:
        return []
    grey = np.rint(255.0 * (1.0 - drawn)).astype(np.uint8)
    return [f"data:image/png;base64,{b64encode(_png(each)).decode()}" for each in grey]


def _png(grey: np.ndarray) -> bytes:
    """Return an image of 8 bits a pixel as the PNG specification has it."""
    height, width = grey.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
