"""Feasibility of the hard links, sizes and limits on sums, with a witness.

Hard links without sizes are feasible exactly if the conflict graph of the blocks has a colouring
with k colours (Davidson and Ravi 2007 show the question to be NP-complete).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.feasibility.colouring import Core, clique_above, colour_last, peel
from ccviz.feasibility.packing import Packing, pack_by_highs, pack_quickly
from ccviz.problem.blocks import Blocks, contract, two_colouring
from ccviz.problem.links import chain
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import MaxSum, SumLimit, sum_limits

LARGEST_CORE = 20_000
"""Most blocks of a core that is searched: each step of a search takes time linear in them."""


@dataclass(frozen=True, eq=False)
class Feasibility:
    """Whether a clustering that keeps every hard constraint exists, as far as is known.

    Attributes
    ----------
    feasible : bool or None
        None if the time ran out before an answer was proved.
    labels : (n,) int64 or None
        A feasible clustering, if one was found.
    points : tuple of int
        The witness of infeasibility: an odd cycle of cannot-links for k = 2, a clique of points
        that all exclude each other, or a point of each block of a core that a search proved not
        to be k-colourable; empty if only links and sizes together are infeasible.
    reason : str
        The answer as a sentence.
    """

    feasible: bool | None
    labels: IntArray | None
    points: tuple[int, ...]
    reason: str


def check_feasibility(
    problem: Problem,
    time_limit: float = 60.0,
    with_labels: bool = True,
    with_sums: bool = False,
) -> Feasibility:
    """Decide whether any clustering keeps the hard links and sizes.

    Methods in order: an odd cycle (k = 2); peeling off vertices of low degree, which leaves
    cores; in each core a greedy clique and a search for a colouring; last HiGHS, for the
    undecided cores, or for the whole problem if sizes or sums bind.

    Parameters
    ----------
    problem : Problem
    time_limit : float
        Seconds for HiGHS.
    with_labels : bool
        Whether to return a clustering if one exists; colouring a million blocks takes seconds.
    with_sums : bool
        Whether limits on sums have to be kept too. Not at the nodes of a search: the checker of
        proofs finds no clustering infeasible by them.

    Returns
    -------
    Feasibility
        ``feasible`` is None if the time was too short to decide, or a core too large to search.
    """
    blocks = contract(problem)
    if problem.k == 2 and (cycle := _odd_cycle(blocks)):
        return _infeasible(blocks, cycle, "the cannot-links form an odd cycle over {}, but k is 2.")
    order, cores = peel(blocks.conflicts, blocks.k)
    cliques = [clique_above(core, blocks.k) for core in cores]
    for core, clique in zip(cores, cliques, strict=True):
        if len(clique) > blocks.k:
            sentence = f"{len(clique)} points exclude each other ({{}}), but k is {blocks.k}."
            return _infeasible(blocks, core.vertices[clique], sentence)
    limits = sum_limits(problem) if with_sums else ()
    if blocks.sizes is not None or limits:
        cliques_by_block = [core.vertices[c] for core, c in zip(cores, cliques, strict=True)]
        largest = max(cliques_by_block, key=len, default=_NO_BLOCKS)
        packing = _packing(blocks, [_amounts(problem, blocks, limit) for limit in limits])
        return _packed(blocks, packing, largest, time_limit)
    colour = np.full(blocks.s, -1, dtype=np.int64)
    for core, clique in zip(cores, cliques, strict=True):
        if len(core.vertices) > LARGEST_CORE:
            return Feasibility(None, None, (), _TOO_MANY.format(len(core.vertices)))
        found = _colour_core(core, clique, blocks.k, time_limit)
        if found is None:
            return Feasibility(None, None, (), _UNDECIDED.format(time_limit))
        if not len(found):
            return _infeasible(blocks, core.vertices, _NO_COLOURING.format(len(core.vertices)))
        colour[core.vertices] = found
    if not with_labels:  # peeled vertices can always be coloured
        return Feasibility(True, None, (), _FEASIBLE)
    colour_last(order, blocks.conflicts, colour, blocks.k)
    return _feasible(blocks, fill_clusters(np.maximum(colour, 0), blocks))


_NO_BLOCKS: IntArray = np.zeros(0, dtype=np.int64)
_FEASIBLE = "a feasible clustering exists."
_TOO_MANY = "undecided: {:,} blocks that depend on each other are too many to search."
_UNDECIDED = "undecided after {:g} s of search."
_NO_COLOURING = (
    "a search proved that the cannot-links among {} blocks of points cannot all be kept."
)
_TOO_LARGE = "must-links hold {} points together, more than the largest size allows."
_NO_PACKING = "a search proved that no clustering keeps both the links and the {}."


def _colour_core(core: Core, clique: list[int], k: int, time_limit: float) -> IntArray | None:
    """Return colours of a core's vertices, an empty array if there are none, None if undecided."""
    # Imported here: the compiled search is seldom needed, and its compiler takes a while to load.
    from ccviz.feasibility import search

    size = len(core.vertices)
    answer, colour = search.search_colouring(core.edges, size, k)
    if answer == search.FOUND:
        return colour
    if answer == search.NONE:
        return _NO_BLOCKS
    packing = Packing(np.ones((1, size)), core.edges, np.zeros((1, k)), np.full((1, k), size))
    feasible, labels = pack_by_highs(packing, np.array(clique), time_limit)
    return _NO_BLOCKS if feasible is False else labels


def _packing(blocks: Blocks, sums: list[tuple[FloatArray, float, float]]) -> Packing:
    """Return the blocks under their sizes, at least a point each, and under limits on sums."""
    any_size = Sizes(np.ones(blocks.k, np.int64), np.full(blocks.k, len(blocks.block_of)))
    sizes = blocks.sizes or any_size
    values = [blocks.count, *(amounts for amounts, _, _ in sums)]
    limits = [(np.full(blocks.k, low), np.full(blocks.k, high)) for _, low, high in sums]
    lower, upper = zip((sizes.lower, sizes.upper), *limits, strict=True)
    return Packing(
        np.array(values, dtype=np.float64),
        blocks.conflicts,
        np.array(lower, dtype=np.float64),
        np.array(upper, dtype=np.float64),
    )


def _amounts(problem: Problem, blocks: Blocks, limit: SumLimit) -> tuple[FloatArray, float, float]:
    """Return (s,) the sum of each block, and the least and the largest of a cluster."""
    values = np.bincount(blocks.block_of, limit.weights(problem)).astype(np.float64)
    return (
        (values, 0.0, limit.limit) if isinstance(limit, MaxSum) else (values, limit.limit, np.inf)
    )


def _packed(blocks: Blocks, packing: Packing, clique: IntArray, time_limit: float) -> Feasibility:
    heaviest = int(blocks.count.max())
    if heaviest > packing.upper[0].max():
        return Feasibility(False, None, (), _TOO_LARGE.format(heaviest))
    labels = pack_quickly(packing)
    if labels is not None:
        return _feasible(blocks, labels)
    feasible, labels = pack_by_highs(packing, clique, time_limit)
    if labels is not None:
        return _feasible(blocks, labels)
    kinds = ["sizes"] * (blocks.sizes is not None) + ["limits on sums"] * (len(packing.amounts) > 1)
    no_packing = _NO_PACKING.format(" and the ".join(kinds))
    reason = no_packing if feasible is False else _UNDECIDED.format(time_limit)
    return Feasibility(feasible, None, (), reason)


def _feasible(blocks: Blocks, block_labels: IntArray) -> Feasibility:
    return Feasibility(True, blocks.lift(block_labels), (), _FEASIBLE)


def _infeasible(blocks: Blocks, witness: Iterable[int], sentence: str) -> Feasibility:
    points = tuple(int(blocks.members(block)[0]) for block in witness)
    return Feasibility(False, None, points, sentence.format(", ".join(map(str, points))))


def _odd_cycle(blocks: Blocks) -> list[int]:
    s, ends = blocks.s, blocks.conflicts
    component, side = two_colouring(ends, s)
    odd = component[ends[side[ends[:, 0]] == side[ends[:, 1]], 0]]
    if len(odd) == 0:
        return []
    # In the doubled graph (vertex, parity) the shortest walk from a vertex to its copy is odd.
    vertex = int(np.flatnonzero(component == odd[0])[0])
    walk = chain(np.concatenate([ends + [0, s], ends + [s, 0]]), vertex, vertex + s)
    return _shortest_odd([step % s for step in walk[:-1]])


def _shortest_odd(walk: list[int]) -> list[int]:
    """Cut even detours out of a closed odd walk until it visits no vertex twice."""
    seen: dict[int, int] = {}
    for position, vertex in enumerate(walk):
        if vertex in seen:
            inner, outer = walk[seen[vertex] : position], walk[: seen[vertex]] + walk[position:]
            return _shortest_odd(inner if len(inner) % 2 else outer)
        seen[vertex] = position
    return walk


def fill_clusters(colour: IntArray, blocks: Blocks) -> IntArray:
    """Move single blocks into unused colours, so that no cluster is empty.

    Parameters
    ----------
    colour : (s,) int64
        The cluster of each block.
    blocks : Blocks

    Returns
    -------
    (s,) int64
    """
    colour = colour.copy()
    for missing in np.setdiff1d(np.arange(blocks.k), colour):
        count = np.bincount(colour, minlength=blocks.k)
        colour[np.flatnonzero(count[colour] > 1)[-1]] = missing
    return colour
