"""The part of an assignment step that is known before the costs: links, masses and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import FloatArray, IntArray, ShortArray, freeze
from ccviz.compiled import njit
from ccviz.feasibility.repair import Graph
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import Links
from ccviz.problem.sums import SumLimit
from ccviz.solvers.common.hard_links import NO_LINKS


class SumRow(NamedTuple):
    """A limit on the sum of a column in each cluster."""

    values: FloatArray  # (s,): The sum of each block
    lower: float
    upper: float

    def keep(self, labels: IntArray, k: int) -> bool:
        """Whether each of k clusters keeps the limits; labels of -1 are in none."""
        inside = labels >= 0
        sums = np.bincount(labels[inside], self.values[inside], k)
        return bool(((sums >= self.lower) & (sums <= self.upper)).all())


@dataclass(frozen=True, eq=False)
class Structure:
    """The part of an assignment problem that stays while the centres move."""

    s: int
    k: int
    pairs: ShortArray  # (m, 2): Linked pairs of blocks, smaller first, sorted, each once
    price: FloatArray  # (m,): Price of a pair in one cluster, see `Graph`
    # Sum of the soft must-links' weights, which the prices below zero are taken from.
    constant: float
    linked: IntArray  # (l,): The blocks with any link
    graph: Graph  # The same links between positions in ``linked``
    mass: FloatArray  # (s,): Points in each block
    lower: FloatArray | None  # lower, upper, (k,): Points that each cluster may hold
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

    @cached_property
    def cliques(self) -> list[IntArray] | None:
        """The linked blocks, by place in ``linked``, in groups that all exclude each other.

        None if the links are not such groups alone.
        """
        if np.isfinite(self.price).any():
            return None
        degree = np.diff(self.graph.start)
        size = len(degree)
        graph = csr_array((np.ones(len(self.graph.neighbour), bool), self.graph.neighbour,
                           self.graph.start), shape=(size, size))  # fmt: skip
        count, group = connected_components(graph, directed=False)
        if (degree + 1 != np.bincount(group, minlength=count)[group]).any():
            return None
        return np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])

    @classmethod
    def from_edges(
        cls,
        s: int,
        k: int,
        conflicts: IntArray,
        soft_must: Links = NO_LINKS,
        soft_cannot: Links = NO_LINKS,
        **more: Any,
    ) -> Structure:
        """Build a structure from links between blocks, soft ones with finite weights.

        `conflicts` (c, 2): Pairs of blocks that must be apart. `more`: As for `from_prices`.
        """
        return cls.from_prices(s, k, *_prices(s, conflicts, soft_must, soft_cannot), **more)

    @classmethod
    def from_prices(
        cls,
        s: int,
        k: int,
        pairs: IntArray | ShortArray,
        price: FloatArray,
        constant: float = 0.0,
        *,
        mass: FloatArray | None = None,
        lower: IntArray | None = None,
        upper: IntArray | None = None,
        sums: tuple[SumRow, ...] = (),
    ) -> Structure:
        """Build a structure from the attributes that the others follow from.

        `mass` (s,): 1 by default. `lower`, `upper` (k,): Both or neither.
        """
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
            sums=sums,
        )


def structure_of(blocks: Blocks) -> Structure:
    """Return the structure of a contracted problem."""
    given: tuple[IntArray | ShortArray, FloatArray, float]
    given = blocks.conflicts, np.full(len(blocks.conflicts), np.inf), 0.0
    if len(blocks.soft_must) or len(blocks.soft_cannot):
        given = _prices(blocks.s, blocks.conflicts, blocks.soft_must, blocks.soft_cannot)
    sizes = blocks.sizes
    lower, upper = (None, None) if sizes is None else (sizes.lower, sizes.upper)
    sums = tuple(_row(blocks, rule) for rule in blocks.rules if isinstance(rule, SumLimit))
    return Structure.from_prices(
        blocks.s, blocks.k, *given, mass=blocks.count, lower=lower, upper=upper, sums=sums
    )


def linked_blocks(blocks: Blocks, soft: bool = False) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the linked blocks as compressed rows, and the price of sharing a cluster with each.

    `soft`: Without hard links, whose price is infinite.
    """
    structure = structure_of(blocks)
    chosen = np.isfinite(structure.price) if soft else slice(None)
    pairs, prices = structure.pairs[chosen].astype(np.int64), structure.price[chosen]
    row, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    order = np.argsort(row, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(row, minlength=blocks.s)))
    price = np.concatenate([prices, prices])
    return start, other[order], price[order]


def _row(blocks: Blocks, rule: SumLimit) -> SumRow:
    values = np.bincount(blocks.block_of, rule.values, blocks.s).astype(np.float64)
    return SumRow(values, *rule.between)


def _prices(
    s: int, conflicts: IntArray, must: Links, cannot: Links
) -> tuple[ShortArray, FloatArray, float]:
    """Merge all links to one price a pair, and the constant that belongs to them."""
    hard = np.asarray(conflicts, dtype=np.int64).reshape(-1, 2)
    pairs = np.sort(np.concatenate([hard, cannot.pairs, must.pairs]), axis=1)
    key = pairs[:, 0] * s + pairs[:, 1]
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

    `pairs` (m, 2): Smaller first, sorted, each once: so each row gets its smaller neighbours in
    order, and then its larger ones.
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
