"""Connected clusterings to begin with: trees that are cut, regions that grow, regions regrown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError
from ccviz.problem.blocks import Blocks, contract, refine
from ccviz.problem.links import graph_of
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import NO_PAIRS
from ccviz.problem.sums import sum_limits
from ccviz.solvers.assignment.structure import linked_blocks
from ccviz.solvers.common.scaling import reduce_dimensions
from ccviz.solvers.regions._areas import Areas
from ccviz.solvers.regions._moves import cut_tree, grown

_NOISE = 1.0  # Standard deviation of the logarithms of lengths, in all starts but the first
_SAMPLE = 20  # Blocks a cluster among which a seed is drawn
_EVEN = 1.5  # Power of ten by which even regions count, beside distances, at most
_APART = 0.25  # Share of the clusters that are regrown beside others that they do not touch
_RUINED = 4  # Most clusters that are regrown together


def areas_of(problem: Problem, blocks: Blocks) -> Areas:
    """Return what the compiled search reads of a problem."""
    n, s, neighbors = problem.n, blocks.s, problem.neighbors
    part = np.zeros(n, dtype=np.int64)
    parts = np.ones(s, dtype=np.int64)
    indptr, indices = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if neighbors is not None:
        indptr, indices = neighbors.indptr, neighbors.indices
        part = neighbors.pieces(blocks.block_of)
        np.maximum.at(parts, blocks.block_of, part + 1)
    conflicts = blocks.conflict_graph
    linked, partner, price = linked_blocks(blocks, soft=True)
    load, low, high = _limits(problem, blocks)
    scale = np.abs(load).mean(axis=0)
    first = np.concatenate([[0], np.cumsum(np.bincount(blocks.block_of, minlength=s))])
    return Areas(
        point=freeze(reduce_dimensions(blocks.centroid, blocks.mass)),
        mass=blocks.mass,
        block_of=blocks.block_of,
        first=freeze(first.astype(np.int64)),
        member=freeze(np.argsort(blocks.block_of, kind="stable")),
        indptr=freeze(indptr),
        indices=freeze(indices),
        part=freeze(part),
        parts=freeze(parts),
        start=freeze(conflicts.indptr.astype(np.int64)),
        conflict=freeze(conflicts.indices.astype(np.int64)),
        linked=freeze(linked),
        partner=freeze(partner),
        price=freeze(price),
        load=freeze(load),
        low=freeze(low),
        high=freeze(high),
        scale=freeze(np.where(scale > 0.0, scale, 1.0)),
        is_free=neighbors is None,
    )


def _limits(problem: Problem, blocks: Blocks) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (s, r) loads of the blocks, and (k, r) the least and the largest of each cluster."""
    loads: list[FloatArray] = []
    lows: list[FloatArray] = []
    highs: list[FloatArray] = []
    if problem.sizes is not None:
        loads.append(blocks.count)
        lows.append(problem.sizes.lower.astype(np.float64))
        highs.append(problem.sizes.upper.astype(np.float64))
    for rule in sum_limits(problem):
        low, high = rule.between
        loads.append(
            np.bincount(blocks.block_of, rule.weights(problem), blocks.s).astype(np.float64)
        )
        lows.append(np.full(problem.k, low))
        highs.append(np.full(problem.k, high))
    return _columns(loads, blocks.s), _columns(lows, problem.k), _columns(highs, problem.k)


def _columns(rows: list[FloatArray], height: int) -> FloatArray:
    return np.ascontiguousarray(np.array(rows).reshape(len(rows), height).T)


@dataclass(frozen=True, eq=False)
class Starts:
    """Makes connected clusterings of a problem's blocks.

    A block whose points are not connected is joined, for the start alone, with the points on
    shortest paths between its pieces.
    """

    problem: Problem
    areas: Areas
    blocks: Blocks

    @classmethod
    def of(cls, problem: Problem, blocks: Blocks) -> Starts:
        """Return the starts of a problem."""
        return cls(problem, areas_of(problem, blocks), blocks)

    def from_tree(self, rng: np.random.Generator, is_first: bool) -> IntArray | None:
        """Return (s,) labels of the trees into which a spanning forest is cut.

        `is_first`: Whether the lengths of edges are as they are, not random. Returns: None if it
        has more trees than there are clusters.
        """
        joined = self._joined(rng)
        if joined is None:
            return None
        ends = _block_pairs(self.problem, joined.block_of)
        gaps = joined.point[ends[:, 0]] - joined.point[ends[:, 1]]
        length = np.sqrt(np.einsum("ij,ij->i", gaps, gaps))
        if not is_first:
            length *= rng.lognormal(0.0, _NOISE, len(length))
        length += 1e-9 * length.mean() if len(length) and length.any() else 1.0  # 0 is no edge
        s, k = len(joined.mass), self.problem.k
        graph = csr_array((length, (ends[:, 0], ends[:, 1])), shape=(s, s))
        tree = minimum_spanning_tree(graph).tocoo()
        forest = graph_of(np.stack([tree.row, tree.col], axis=1).astype(np.int64), s)
        begin, near = (each.astype(np.int64) for each in (forest.indptr, forest.indices))
        labels, count = cut_tree(joined, begin, near, k)
        return self._back(joined, rng.permutation(k)[labels]) if count == k else None

    def by_growing(self, rng: np.random.Generator, is_first: bool) -> IntArray | None:
        """Return (s,) labels of regions that grow from drawn seeds, None if they do not cover all.

        Where sizes or sums are limited they fill evenly, if it is not the first more or less.
        """
        joined = self._joined(rng)
        if joined is None:
            return None
        label = np.full(len(joined.mass), -1, dtype=np.int64)
        evenness = _EVEN if is_first else rng.uniform(-1.0, _EVEN)
        return self._grow(joined, label, rng.permutation(self.problem.k), evenness, rng)

    def regrown(self, labels: IntArray, rng: np.random.Generator) -> IntArray | None:
        """Return (s,) labels with a few clusters, mostly neighbours, grown again."""
        k = self.problem.k
        chosen = [int(rng.integers(k))]
        pairs = labels[_block_pairs(self.problem, self.areas.block_of)]
        while len(chosen) < min(k, int(rng.integers(2, _RUINED + 1))):
            touching = pairs[np.isin(pairs, chosen).any(axis=1)].ravel()
            around = np.setdiff1d(touching, chosen)
            if not len(around) or rng.random() < _APART:
                around = np.setdiff1d(np.arange(k), chosen)
            chosen.append(int(rng.choice(around)))
        label = np.where(np.isin(labels, chosen), -1, labels)
        return self._grow(self.areas, label, np.array(chosen), rng.uniform(-1.0, _EVEN), rng)

    def repaired(self, labels: IntArray) -> IntArray | None:
        """Return (s,) labels near others: the heaviest piece of each cluster stays, and grows."""
        if self.is_connected(labels):
            return labels
        pairs = _block_pairs(self.problem, self.areas.block_of)
        inside = pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]]
        piece = connected_components(graph_of(inside, len(labels)), directed=False)[1]
        owner = labels[np.unique(piece, return_index=True)[1]]
        order = np.lexsort((-np.bincount(piece, self.areas.mass), owner))
        kept = order[np.unique(owner[order], return_index=True)[1]]
        label = np.where(np.isin(piece, kept), labels, -1)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        border = both[(label[both[:, 0]] < 0) & (label[both[:, 1]] >= 0)]
        seeds = np.stack([border[:, 0], label[border[:, 1]]], axis=1)
        even = np.zeros(len(label))
        return None if grown(self.areas, label, seeds, even, even + 1.0) else label

    def is_connected(self, labels: IntArray) -> bool:
        """Return whether (s,) labels have k clusters with weight, each of them connected."""
        weight = np.bincount(labels, self.areas.mass, self.problem.k)
        neighbors = self.problem.neighbors
        points = self.blocks.lift(labels)
        return bool((weight > 0.0).all()) and (neighbors is None or neighbors.are_connected(points))

    def _grow(
        self,
        areas: Areas,
        label: IntArray,
        clusters: IntArray,
        evenness: float,
        rng: np.random.Generator,
    ) -> IntArray | None:
        free = np.flatnonzero(label < 0)
        seeds = self._seeds(areas, free, len(clusters), rng)
        if seeds is None:
            return None
        spread = float(areas.mass[free] @ (areas.point[free] ** 2).sum(axis=1))
        typical = spread / max(float(areas.mass[free].sum()), 1e-300)
        fill = np.zeros(len(label))
        if areas.load.shape[1]:
            whole = np.abs(areas.load[free]).sum(axis=0)
            share = (np.abs(areas.load) / np.where(whole > 0.0, whole, 1.0)).mean(axis=1)
            fill = share * len(clusters) * typical * 10.0**evenness
        noise = rng.lognormal(0.0, 0.5 * _NOISE, len(label))
        label = label.copy()
        left = grown(areas, label, np.stack([seeds, clusters], axis=1), fill, noise)
        return None if left else self._back(areas, label)

    def _seeds(
        self, areas: Areas, free: IntArray, count: int, rng: np.random.Generator
    ) -> IntArray | None:
        """Draw a seed in each island of the free blocks, and the others far from those drawn.

        Returns: None if there are more islands than seeds, or too few blocks with weight.
        """
        place = np.full(len(areas.mass), -1)
        place[free] = np.arange(len(free))
        island = np.zeros(len(free), dtype=np.int64)
        if not areas.is_free:
            ends = place[_block_pairs(self.problem, areas.block_of)]
            ends = ends[(ends >= 0).all(axis=1)]
            island = connected_components(graph_of(ends, len(free)), directed=False)[1]
        heavy = rng.permutation(np.flatnonzero(areas.mass[free] > 0.0))
        found, first = np.unique(island[heavy], return_index=True)
        islands = int(island.max()) + 1
        if len(found) < islands or not islands <= count <= len(heavy):
            return None
        seeds = heavy[first].tolist()
        share = np.bincount(island, np.abs(areas.load[free]).sum(axis=1))
        others = np.setdiff1d(heavy, seeds)
        others = rng.permutation(others)[: _SAMPLE * count + 1000]
        point = areas.point[free]
        far = np.full(len(others), np.inf)
        for seed in seeds:
            far = np.minimum(far, ((point[others] - point[seed]) ** 2).sum(axis=1))
        seeded = np.ones(islands)
        while len(seeds) < count:
            odds = np.where(far > 0.0, far, 1e-12 * (far.max() or 1.0))
            if areas.load.size and islands > 1:  # the island with most for each of its seeds
                full = share / seeded
                inside = full[island[others]]
                odds = odds * (inside == inside[far >= 0.0].max(initial=-np.inf))
            odds[far < 0.0] = 0.0
            at = int(rng.choice(len(others), p=odds / odds.sum()))
            seeds.append(int(others[at]))
            seeded[island[others[at]]] += 1
            taken = far < 0.0
            far = np.minimum(far, ((point[others] - point[others[at]]) ** 2).sum(axis=1))
            far[taken], far[at] = -1.0, -1.0
        return free[np.array(seeds)]

    def _joined(self, rng: np.random.Generator) -> Areas | None:
        """Return the areas with connected blocks: pieces are joined along shortest paths.

        Returns: None if pieces of a block are on different islands.
        """
        if (self.areas.parts == 1).all():
            return self.areas
        neighbors = self.problem.neighbors
        assert neighbors is not None
        pairs = neighbors.pairs
        links: list[tuple[int, int]] = []
        for block in np.flatnonzero(self.areas.parts > 1):
            own = self.areas.block_of == block
            barred = np.zeros(len(own), dtype=bool)
            of = slice(self.areas.start[block], self.areas.start[block + 1])
            barred[np.isin(self.areas.block_of, self.areas.conflict[of])] = True
            inside = pairs[~barred[pairs].any(axis=1)]
            steps = rng.uniform(0.5, 1.5, len(inside)) * (0.001 + (~own[inside]).sum(axis=1))
            graph = csr_array((steps, (inside[:, 0], inside[:, 1])), shape=(len(own), len(own)))
            source = int(np.flatnonzero(own)[0])
            length, before = dijkstra(graph, False, source, return_predecessors=True)
            for piece in range(int(self.areas.parts[block])):
                its = np.flatnonzero(own & (self.areas.part == piece))
                at = int(its[length[its].argmin()])
                if not np.isfinite(length[at]):
                    return None
                while at != source:
                    links.append((at, int(before[at])))
                    at = int(before[at])
        try:
            joined = refine(self.problem, np.array(links).reshape(-1, 2), NO_PAIRS)
        except ProblemError:  # a path joins what may not be together
            return None
        return areas_of(joined, contract(joined))

    def _back(self, joined: Areas, labels: IntArray) -> IntArray:
        """Return labels of the blocks from those of joined ones."""
        return self.blocks.project(labels[joined.block_of])


def _block_pairs(problem: Problem, block_of: IntArray) -> IntArray:
    """Return (m, 2) pairs of different neighbouring blocks, each once."""
    if problem.neighbors is None:
        return np.zeros((0, 2), dtype=np.int64)
    ends = np.sort(block_of[problem.neighbors.pairs], axis=1)
    if int(block_of.max()) + 1 == len(block_of):
        return ends
    s = int(block_of.max()) + 1
    key = np.unique(ends[:, 0] * s + ends[:, 1])
    ends = np.stack(np.divmod(key, s), axis=1)
    return ends[ends[:, 0] != ends[:, 1]]
