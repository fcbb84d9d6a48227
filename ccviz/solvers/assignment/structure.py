"""The part of an assignment step that is known before the costs: links, masses and sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray, ShortArray, freeze
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import Links
from ccviz.problem.sums import MaxSum, SumLimit


class SumRow(NamedTuple):
    """A limit on the sum of a column in each cluster.

    Attributes
    ----------
    values : (s,) float64
        The sum of each block.
    lower, upper : float
        Limits of a cluster's sum.
    """

    values: FloatArray
    lower: float
    upper: float

    def keep(self, labels: IntArray, k: int) -> bool:
        """Whether each of k clusters keeps the limits; labels of -1 are in none."""
        inside = labels >= 0
        sums = np.bincount(labels[inside], self.values[inside], k)
        return bool(((sums >= self.lower) & (sums <= self.upper)).all())


@dataclass(frozen=True, eq=False)
class Structure:
    """The part of an assignment problem that stays while the centres move.

    Attributes
    ----------
    s, k : int
        Blocks and clusters.
    pairs : (m, 2) int32
        Linked pairs of blocks, smaller first, sorted, each once.
    price : (m,) float64
        Price of a pair in one cluster, see `Graph`.
    constant : float
        Sum of the soft must-links' weights, which the prices below zero are taken from.
    linked : (l,) int64
        The blocks with any link.
    graph : Graph
        The same links between positions in ``linked``.
    mass : (s,) float64
        Points in each block.
    lower, upper : (k,) float64 or None
        Points that each cluster may hold.
    sums : tuple of SumRow
        Limits on the sums of columns.
    """

    s: int
    k: int
    pairs: ShortArray
    price: FloatArray
    constant: float
    linked: IntArray
    graph: Graph
    mass: FloatArray
    lower: FloatArray | None
    upper: FloatArray | None
    sums: tuple[SumRow, ...] = ()

    @property
    def is_sized(self) -> bool:
        """Whether clusters have sizes to keep."""
        return self.lower is not None

    @property
    def offset(self) -> float:
        """Cost of every assignment when rewards for sharing count as charges for being apart."""
        return self.constant + float(np.minimum(self.price, 0.0).sum())

    @classmethod
    def from_edges(
        cls,
        s: int,
        k: int,
        conflicts: IntArray,
        *,
        soft_must: Links | None = None,
        soft_cannot: Links | None = None,
        mass: FloatArray | None = None,
        lower: IntArray | None = None,
        upper: IntArray | None = None,
    ) -> Structure:
        """Build a structure from arrays.

        Parameters
        ----------
        s, k : int
            Blocks and clusters.
        conflicts : (c, 2) int
            Pairs of blocks that must be apart.
        soft_must, soft_cannot : Links, optional
            Soft links between blocks with finite weights.
        mass : (s,) float, optional
            Points in each block; 1 by default.
        lower, upper : (k,) int, optional
            Points that each cluster may hold; both or neither.
        """
        pairs, price, constant = _prices(s, conflicts, soft_must, soft_cannot)
        return cls.from_prices(
            s, k, pairs, price, constant=constant, mass=mass, lower=lower, upper=upper
        )

    @classmethod
    def from_prices(
        cls,
        s: int,
        k: int,
        pairs: IntArray | ShortArray,
        price: FloatArray,
        *,
        constant: float = 0.0,
        mass: FloatArray | None = None,
        lower: IntArray | None = None,
        upper: IntArray | None = None,
    ) -> Structure:
        """Build a structure from the attributes that the others follow from."""
        short = freeze(pairs.astype(np.int32, copy=False))
        linked, graph = _graph_of(s, short, price)
        return cls(
            s=s,
            k=k,
            pairs=short,
            price=freeze(price),
            constant=constant,
            linked=linked,
            graph=graph,
            mass=freeze(np.ones(s) if mass is None else np.array(mass, dtype=np.float64)),
            lower=None if lower is None else np.asarray(lower, dtype=np.float64),
            upper=None if upper is None else np.asarray(upper, dtype=np.float64),
        )


def structure_of(blocks: Blocks) -> Structure:
    """Return the structure of a contracted problem."""
    structure = _links_and_sizes(blocks)
    limits = [rule for rule in blocks.rules if isinstance(rule, SumLimit)]
    return replace(structure, sums=tuple(_row(blocks, rule) for rule in limits))


def _row(blocks: Blocks, rule: SumLimit) -> SumRow:
    values = np.bincount(blocks.block_of, rule.values, blocks.s).astype(np.float64)
    if isinstance(rule, MaxSum):
        return SumRow(values, 0.0, rule.limit)
    return SumRow(values, rule.limit, np.inf)


def _links_and_sizes(blocks: Blocks) -> Structure:
    lower = None if blocks.sizes is None else blocks.sizes.lower
    upper = None if blocks.sizes is None else blocks.sizes.upper
    if not (len(blocks.soft_must) or len(blocks.soft_cannot)):
        price = np.full(len(blocks.conflicts), np.inf)
        return Structure.from_prices(
            blocks.s, blocks.k, blocks.conflicts, price, mass=blocks.count, lower=lower, upper=upper
        )
    return Structure.from_edges(
        blocks.s,
        blocks.k,
        blocks.conflicts,
        soft_must=blocks.soft_must,
        soft_cannot=blocks.soft_cannot,
        mass=blocks.count,
        lower=lower,
        upper=upper,
    )


def _prices(
    s: int, conflicts: IntArray, soft_must: Links | None, soft_cannot: Links | None
) -> tuple[ShortArray, FloatArray, float]:
    """Merge all links to one price a pair, and the constant that belongs to them."""
    none = Links(np.empty((0, 2), dtype=np.int64), np.empty(0))
    must, cannot = soft_must or none, soft_cannot or none
    hard = np.asarray(conflicts, dtype=np.int64).reshape(-1, 2)
    key = np.concatenate([_keys(each, s) for each in (hard, cannot.pairs, must.pairs)])
    price = np.concatenate([np.full(len(hard), np.inf), cannot.weights, -must.weights])
    order = np.argsort(key, kind="stable")
    key, price = key[order], price[order]
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    if len(first) < len(key):
        key, price = key[first], np.add.reduceat(price, first)
    ends = np.empty((len(key), 2), dtype=np.int32)
    np.floor_divide(key, s, out=ends[:, 0], casting="unsafe")
    np.remainder(key, s, out=ends[:, 1], casting="unsafe")
    return ends, price, float(must.weights.sum())


def _keys(pairs: IntArray, s: int) -> IntArray:
    """Return one number for each pair, by its smaller block first."""
    return pairs.min(axis=1, initial=s) * s + pairs.max(axis=1, initial=-1)


def _graph_of(s: int, pairs: ShortArray, price: FloatArray) -> tuple[IntArray, Graph]:
    is_linked = np.zeros(s, dtype=bool)
    is_linked[pairs] = True
    linked = np.flatnonzero(is_linked)
    if len(linked) < s:
        pairs = (np.cumsum(is_linked, dtype=np.int32) - np.int32(1))[pairs]
    return freeze(linked), rows_of(freeze(pairs), price, len(linked))


@njit(cache=True)
def rows_of(pairs: ShortArray, price: FloatArray, size: int) -> Graph:
    """Return the rows of a graph from sorted pairs, neighbours in order.

    Parameters
    ----------
    pairs : (m, 2) int32
        Smaller first, sorted, each once: so each row gets its smaller neighbours in order, and
        then its larger ones.
    price : (m,) float64
    size : int
        Number of blocks.
    """
    start = np.zeros(size + 1, np.int64)
    for e in range(len(pairs)):
        start[pairs[e, 0] + 1] += 1
        start[pairs[e, 1] + 1] += 1
    for v in range(size):
        start[v + 1] += start[v]
    neighbour, paid = np.empty(start[size], np.int32), np.empty(start[size])
    end = start[:size].copy()
    for side in range(2):
        for e in range(len(pairs)):
            v, u = pairs[e, 1 - side], pairs[e, side]
            neighbour[end[v]], paid[end[v]] = u, price[e]
            end[v] += 1
    return Graph(start, neighbour, paid)
