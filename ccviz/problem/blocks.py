"""Blocks: components of the hard must-links, as points with a mass.

Clustering the blocks is the same problem as clustering the points (design of Piccialli, Russo
Russo and Sudoso 2022, section 3): the objective differs by the constant `Blocks.scatter`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NewType, cast, overload
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.links import Links, closure, graph_of
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import AnyProblem, Bounded
from ccviz.problem.rule_base import Rule
from ccviz.problem.sizes import Sizes

_STRIP = 16
"""Columns whose means are computed together: few take little memory, one is slow to read."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A problem contracted to its s blocks.

    Attributes
    ----------
    block_of : (n,) int64
        The block of each point; blocks are numbered by their first point, those of weight 0 last.
    mass : (s,) float64
        Weight of each block: the number of its points if the problem has no weights.
    centroid : (s, d) float64, or float32 where the points are
        Weighted mean of each block's points.
    scatter : float
        Weighted sum of squared distances of the points to their block's centroid.
    conflicts : (c, 2) int64
        Pairs of blocks that may not share a cluster, smaller first, sorted, each once.
    soft_must, soft_cannot : Links
        Soft links between different blocks, weights of parallel ones added.
    penalty : float
        Sum of the weights of soft cannot-links inside a block, which every clustering breaks.
    k : int
        Number of clusters.
    sizes : Sizes or None
        Limits on the number of points (not blocks) in each cluster.
    rules : tuple
        Anti-monotone constraints, in terms of points.
    count : (s,) float64
        Points in each block (whole numbers), which sizes count. By default the masses.
    unweighted : (n,) bool or None
        Points of weight 0, if there are any.
    outliers : int
        Clusters, the last ones, whose point is left out.
    """

    block_of: IntArray
    mass: FloatArray
    centroid: FloatArray
    scatter: float
    conflicts: IntArray
    soft_must: Links
    soft_cannot: Links
    penalty: float
    k: int
    sizes: Sizes | None
    rules: tuple[Rule, ...] = ()
    count: FloatArray = field(default_factory=lambda: np.zeros(0))
    unweighted: NDArray[np.bool_] | None = None
    outliers: int = 0

    def __post_init__(self) -> None:
        if len(self.count) != len(self.mass):
            object.__setattr__(self, "count", self.mass)
        # Read-only in every process: a compiled kernel has one signature then, not one for each.
        for array in (self.block_of, self.mass, self.count, self.centroid, self.conflicts):
            freeze(array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        self.__post_init__()

    @property
    def s(self) -> int:
        """Number of blocks."""
        return len(self.mass)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.block_of)

    @property
    def heavy(self) -> int:
        """Number of blocks with weight, which are the first ones."""
        return int(np.count_nonzero(self.mass))

    @property
    def conflict_graph(self) -> csr_array:
        """(s, s) symmetric 0/1 matrix of the conflicts."""
        return graph_of(self.conflicts, self.s)

    def lift(self, block_labels: IntArray) -> IntArray:
        """Return (n,) labels of the points from (s,) labels of the blocks.

        Parameters
        ----------
        block_labels : (s,) int64

        Returns
        -------
        (n,) int64
        """
        return np.asarray(block_labels)[self.block_of]

    def project(self, labels: IntArray) -> IntArray:
        """Return (s,) labels of the blocks from (n,) labels that keep every must-link.

        Parameters
        ----------
        labels : (n,) int64

        Returns
        -------
        (s,) int64
        """
        block_labels = np.empty(self.s, dtype=np.int64)
        block_labels[self.block_of] = labels
        return block_labels

    def members(self, block: int) -> IntArray:
        """Return the points of one block.

        Returns
        -------
        (e,) int64
            In order; points of weight 0 come last.
        """
        points = np.flatnonzero(self.block_of == block)
        if self.unweighted is None:
            return points
        return points[np.argsort(self.unweighted[points], kind="stable")]

    def points_of(self, a: int, b: int) -> tuple[int, int]:
        """Return the first point of each of two blocks, the smaller one first."""
        first, second = int(self.members(a)[0]), int(self.members(b)[0])
        return min(first, second), max(first, second)


BoundedBlocks = NewType("BoundedBlocks", Blocks)
"""Blocks that a relaxation may be made of, see `ccviz.problem.relaxed.bounded`."""


@overload
def contract(problem: Bounded) -> BoundedBlocks: ...
@overload
def contract(problem: Problem) -> Blocks: ...
def contract(problem: Problem) -> Blocks:
    """Contract a problem's hard must-links to blocks.

    For k = 2 a cannot-link leaves no choice: two blocks with a common conflicting block belong
    together, so each bipartite component of the conflict graph becomes two blocks. A component
    with an odd cycle is left as it is, for `ccviz.feasibility.check` to name.

    Returns
    -------
    Blocks
        The same object each time for the same problem.
    """
    if problem in _CONTRACTED:
        return _CONTRACTED[problem]
    block_of = closure(problem.n, problem.must_link.hard.pairs)
    if problem.k == 2:
        block_of = _merge_forced(block_of, problem.cannot_link.hard.pairs)
    if problem.weights is not None and not problem.weights.all():
        block_of = _join_unweighted(problem, block_of)
    _CONTRACTED[problem] = _summarise(problem, block_of)
    return _CONTRACTED[problem]


# A run asks for the blocks several times, and with millions of links that takes seconds each.
_CONTRACTED: WeakKeyDictionary[Problem, Blocks] = WeakKeyDictionary()


def _join_unweighted(problem: Problem, block_of: IntArray) -> IntArray:
    """Join blocks of weight 0 without any constraint to the nearest block with weight.

    They add nothing to the objective wherever they are, so some best clustering has them there.
    Blocks are numbered by their first point that has weight or a constraint, those of weight 0
    last.
    """
    mass = np.bincount(block_of, problem.weights)
    is_free = mass == 0.0
    is_bound = problem.sizes is not None or problem.rules or problem.neighbors is not None
    if is_bound:
        is_free[:] = False
    for links in (problem.cannot_link, problem.must_link.soft):
        is_free[block_of[links.pairs]] = False
    joined = _to_nearest(problem.X, block_of, mass > 0.0, is_free)
    kept = np.flatnonzero(~is_free)
    kept = kept[np.argsort(mass[kept] == 0.0, kind="stable")]
    number = np.zeros(len(mass), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    return number[joined]


def _to_nearest(
    X: FloatArray, block_of: IntArray, stays: NDArray[np.bool_], leaves: NDArray[np.bool_]
) -> IntArray:
    """Return (n,) blocks with the points of some blocks in the nearest of those that stay."""
    among, points = (np.flatnonzero(each[block_of]) for each in (stays, leaves))
    if not len(points):
        return block_of
    # Imported here: only weights of 0 need it.
    from scipy.spatial import cKDTree

    joined = block_of.copy()
    joined[points] = block_of[among[cKDTree(X[among]).query(X[points])[1]]]
    return joined


def with_weight(blocks: Blocks) -> Blocks:
    """Return the blocks with weight alone: what costs and means count.

    Links to other blocks are left out. The points of a block of weight 0 are in the first of them.
    """
    s = blocks.heavy
    if s == blocks.s:
        return blocks
    among = blocks.conflicts[:, 1] < s
    soft = (
        links.where(links.pairs.max(axis=1, initial=0) < s)
        for links in (blocks.soft_must, blocks.soft_cannot)
    )
    soft_must, soft_cannot = soft
    return replace(
        blocks,
        block_of=np.where(blocks.block_of < s, blocks.block_of, 0),
        mass=blocks.mass[:s],
        centroid=blocks.centroid[:s],
        conflicts=blocks.conflicts[among],
        soft_must=soft_must,
        soft_cannot=soft_cannot,
        count=blocks.count[:s],
    )


def has_unweighted_blocks(problem: Problem) -> bool:
    """Return whether points of weight 0 have constraints of their own.

    Parameters
    ----------
    problem : Problem
        A point of weight 0 in a block with weight, or without any constraint, is no such point.
    """
    weights = problem.weights
    if weights is None or weights.all():
        return False
    return not contract(problem).mass.all()


def refine(problem: AnyProblem, must_link: IntArray, cannot_link: IntArray) -> AnyProblem:
    """Return the problem with more hard pairs, as a branch of a search tree has them.

    Parameters
    ----------
    must_link, cannot_link : (m, 2) int64
        The pairs to add; may be none.

    Returns
    -------
    Problem
        Of the same type: bounded if the problem is.

    Raises
    ------
    ContradictionError
        If the new pairs contradict each other or the old ones.
    """
    refined = Problem(
        problem.X,
        problem.k,
        must_link=_with_hard(problem.must_link, must_link),
        cannot_link=_with_hard(problem.cannot_link, cannot_link),
        sizes=problem.sizes,
        truth=problem.truth,
        rules=problem.rules,
        weights=problem.weights,
        outliers=problem.outliers,
        outliers_asked=problem.outliers_asked,
        fixed=problem.fixed,
        asked=problem.asked,
        neighbors=problem.neighbors,
    )
    return cast("AnyProblem", refined)


def _with_hard(links: Links, pairs: IntArray) -> Links:
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return Links(
        np.concatenate([links.pairs, pairs]),
        np.concatenate([links.weights, np.full(len(pairs), np.inf)]),
    )


def two_colouring(pairs: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return each vertex's component, and its side: 0 like the component's first vertex, or 1.

    In a component with an odd cycle all vertices are on side 0.

    Parameters
    ----------
    pairs : (m, 2) int64
    size : int
        Number of vertices.

    Returns
    -------
    component, side : (size,) int64 each
    """
    # In the double cover an edge joins each end to the other end's copy. A walk of odd length
    # leads from a vertex to a copy, so copies are apart exactly if no closed walk is odd.
    cover = graph_of(np.concatenate([pairs + [0, size], pairs + [size, 0]]), 2 * size)
    sheet = connected_components(cover, directed=False)[1]
    component = connected_components(graph_of(pairs, size), directed=False)[1].astype(np.int64)
    first = np.unique(component, return_index=True)[1]
    return component, (sheet[:size] != sheet[first[component]]).astype(np.int64)


def _merge_forced(block_of: IntArray, cannot_link: IntArray) -> IntArray:
    conflicts = _between(block_of, cannot_link)
    component, side = two_colouring(conflicts, int(block_of.max()) + 1)
    odd = component[conflicts[side[conflicts[:, 0]] == side[conflicts[:, 1]], 0]]
    touched = np.zeros(len(component), dtype=bool)
    touched[conflicts.ravel()] = True
    mergeable = touched & ~np.isin(component, odd)
    merged = np.where(mergeable, 2 * component + side, 2 * len(component) + np.arange(len(side)))
    _, first, inverse = np.unique(merged[block_of], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _between(block_of: IntArray, pairs: IntArray) -> IntArray:
    """Return the unique pairs of different blocks behind pairs of points."""
    key = _keys(block_of, pairs)
    key.sort()
    key = key[np.append(True, key[1:] != key[:-1])[: len(key)]]
    ends: IntArray = np.stack(np.divmod(key, int(block_of.max()) + 1), axis=1)
    return ends[ends[:, 0] != ends[:, 1]]


def _keys(block_of: IntArray, pairs: IntArray) -> IntArray:
    """Return one number for each pair's two blocks, by the smaller block first."""
    first, second = block_of[pairs[:, 0]], block_of[pairs[:, 1]]
    return np.minimum(first, second) * (int(block_of.max()) + 1) + np.maximum(first, second)


def _summarise(problem: Problem, block_of: IntArray) -> Blocks:
    s = int(block_of.max()) + 1
    count = np.bincount(block_of, minlength=s).astype(np.float64)
    weights = problem.weights
    mass = count if weights is None else np.bincount(block_of, weights, s).astype(np.float64)
    soft_must, _ = _soft_between(problem.must_link.soft, block_of)
    soft_cannot, broken = _soft_between(problem.cannot_link.soft, block_of)
    centroid, scatter = _means(problem.X, block_of, count, mass, weights)
    if problem.fixed:  # given centres are not counted
        count = np.bincount(block_of[: problem.n_points], minlength=s).astype(np.float64)
    return Blocks(
        block_of=freeze(block_of.astype(np.int64, copy=False)),
        mass=freeze(mass),
        centroid=freeze(centroid),
        scatter=scatter,
        conflicts=freeze(_between(block_of, problem.cannot_link.hard.pairs)),
        soft_must=soft_must,
        soft_cannot=soft_cannot,
        penalty=broken,
        k=problem.k,
        sizes=problem.sizes,
        rules=problem.rules,
        count=freeze(count),
        unweighted=None if weights is None or weights.all() else weights == 0.0,
        outliers=problem.outliers,
    )


def _means(
    X: FloatArray,
    block_of: IntArray,
    count: FloatArray,
    mass: FloatArray,
    weights: FloatArray | None,
) -> tuple[FloatArray, float]:
    """Return the (s, d) centroids and the scatter; a point without must-links is its own block."""
    if _is_each_alone(block_of):
        return X, 0.0
    alone = count[block_of] == 1
    together, point_of = np.flatnonzero(~alone), block_of[alone]
    joined, which = np.unique(block_of[together], return_inverse=True)
    share = np.ones(len(together)) if weights is None else weights[together]
    size = np.where(mass[joined] > 0.0, mass[joined], 1.0)
    member = csr_array((share, which, np.arange(len(together) + 1)), (len(together), len(joined)))
    centroid, scatter = np.empty((len(count), X.shape[1]), X.dtype), 0.0
    for at in range(0, X.shape[1], _STRIP):  # a few columns at a time take little memory
        strip = X[:, at : at + _STRIP]
        centroid[point_of, at : at + _STRIP] = strip[alone]
        near = strip[together].astype(np.float64)
        mean = (member.T @ near) / size[:, None]
        centroid[joined, at : at + _STRIP] = mean
        near -= mean[which]
        scatter += float(share @ np.einsum("ij,ij->i", near, near))
    return centroid, scatter


def _is_each_alone(block_of: IntArray) -> bool:
    """Return whether every point is a block of the same number."""
    return bool((block_of == np.arange(len(block_of))).all())


def _soft_between(links: Links, block_of: IntArray) -> tuple[Links, float]:
    """Return soft links between blocks, parallel ones added, and the weight inside blocks."""
    if _is_each_alone(block_of):
        return links, 0.0  # the links are not held twice
    apart = block_of[links.pairs[:, 0]] != block_of[links.pairs[:, 1]]
    key, which = np.unique(_keys(block_of, links.pairs[apart]), return_inverse=True)
    weights = np.bincount(which, weights=links.weights[apart], minlength=len(key))
    pairs: IntArray = np.stack(np.divmod(key, int(block_of.max()) + 1), axis=1)
    inside = float(links.weights[~apart].sum())
    return Links(freeze(pairs), freeze(weights.astype(np.float64))), inside
