"""Feasibility of the hard links, sizes and limits on sums, with a witness.

Hard links without sizes are feasible exactly if the conflict graph of the blocks has a colouring
with k colours (Davidson and Ravi 2007 show the question to be NP-complete).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import FloatArray, IntArray
from ccviz.feasibility.packing import Packing, never, pack_by_highs, pack_quickly
from ccviz.feasibility.regions import connection_of
from ccviz.problem.asked import AskedRule
from ccviz.problem.blocks import Blocks, contract, refine, two_colouring
from ccviz.problem.links import chain, graph_of
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import SumLimit, sum_limits

__all__ = ["LARGEST_CORE", "Feasibility", "check_feasibility", "fill_clusters"]

# --- Colouring a conflict graph with k colours: peeling to the k-core, and cliques above k --------
#
# A vertex of degree below k can always be coloured last, so only the k-core that is left when such
# vertices are peeled off can fail, and each of its components by itself.


_CLIQUE_STARTS, _NEIGHBOURS, _CLIQUE_CELLS = 200, 1000, 20_000_000


@dataclass(frozen=True, eq=False)
class Core:
    """A component of the k-core."""

    vertices: IntArray  # (v,): Their numbers in the whole graph
    edges: IntArray  # (e, 2): Their conflicts, by places in ``vertices``


def peel(edges: IntArray, k: int) -> tuple[IntArray, list[Core]]:
    """Peel off vertices of degree below k, again and again.

    Returns `order` (p,): The vertices peeled; in reverse each finds a colour that its neighbours
    leave free.
    """
    graph = _graph(edges)
    degree = np.diff(graph.indptr)
    inside, rings = degree > 0, []
    ring = np.flatnonzero(inside & (degree < k))
    while len(ring):
        inside[ring] = False
        rings.append(ring)
        met = graph[ring].indices
        np.subtract.at(degree, met, 1)
        met = np.unique(met[inside[met]])
        ring = met[degree[met] < k]
    order = np.concatenate([np.zeros(0, dtype=np.int64), *rings])
    return order, _components(np.flatnonzero(inside), edges)


def _graph(edges: IntArray) -> csr_array:
    return graph_of(edges, int(edges.max(initial=0)) + 1)


def _components(vertices: IntArray, edges: IntArray) -> list[Core]:
    if not len(vertices):
        return []
    place = np.full(int(edges.max()) + 1, -1, dtype=np.int64)
    place[vertices] = np.arange(len(vertices))
    ends = place[edges]
    ends = ends[(ends >= 0).all(axis=1)]
    count, component = connected_components(graph_of(ends, len(vertices)), directed=False)
    members = _groups(component, count)
    for group in members:
        place[vertices[group]] = np.arange(len(group))
    own = place[vertices[ends]]
    return [
        Core(vertices[group], own[part])
        for group, part in zip(members, _groups(component[ends[:, 0]], count), strict=True)
    ]


def _groups(number: IntArray, count: int) -> list[IntArray]:
    """Return the places of each number, in order."""
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number, minlength=count))[:-1])


def colour_last(order: IntArray, edges: IntArray, colour: IntArray, k: int) -> None:
    """Colour the peeled vertices, in place, around those that have a colour; -1 means none."""
    graph = _graph(edges)
    start, neighbour = graph.indptr, graph.indices
    for vertex in order[::-1].tolist():
        taken = set(colour[neighbour[start[vertex] : start[vertex + 1]]].tolist())
        colour[vertex] = next(c for c in range(k) if c not in taken)


def clique_above(core: Core, k: int) -> list[int]:
    """Return places in the core that all exclude each other.

    Greedy from many starts; the search ends at the first clique of more than k, or after about a
    second.
    """
    graph = _graph(core.edges)
    degree = np.diff(graph.indptr)
    best: list[int] = []
    seen = 0
    for start in np.argsort(-degree, kind="stable")[:_CLIQUE_STARTS]:
        seen += min(int(degree[start]), _NEIGHBOURS) ** 2
        if seen > _CLIQUE_CELLS and best:
            break
        others = graph[[start]].indices
        others = np.sort(others[np.argsort(-degree[others], kind="stable")[:_NEIGHBOURS]])
        found = _greedy_clique(graph[others][:, others].toarray() > 0)
        if len(found) + 1 > len(best):
            best = [int(start), *others[found].tolist()]
        if len(best) > k:
            break
    return best


def _greedy_clique(adjacent: NDArray[np.bool_]) -> list[int]:
    """Return a clique: again and again the vertex with most neighbours among those left."""
    # A set of vertices is an int, a bit each: intersecting and counting are single operations.
    rows = np.packbits(adjacent, axis=1, bitorder="little")
    near = [int.from_bytes(row.tobytes(), "little") for row in rows]
    clique: list[int] = []
    common = (1 << len(near)) - 1
    while common:
        vertex = max(_bits(common), key=lambda v: (near[v] & common).bit_count())
        clique.append(vertex)
        common &= near[vertex]
    return clique


def _bits(numbers: int) -> Iterable[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


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
    stop: Callable[[], bool] = never,
) -> Feasibility:
    """Decide whether any clustering keeps the hard links and sizes, and neighbours if there are.

    Methods in order: an odd cycle (k = 2); peeling off vertices of low degree, which leaves
    cores; in each core a greedy clique and a search for a colouring; last HiGHS, for the
    undecided cores, or for the whole problem if sizes or sums bind.

    Parameters
    ----------
    time_limit : float
        Seconds for HiGHS.
    with_labels : bool
        Whether to return a clustering if one exists; colouring a million blocks takes seconds.
    with_sums : bool
        Whether limits on sums have to be kept too. Not at the nodes of a search: the checker of
        proofs finds no clustering infeasible by them.
    stop : callable
        Cheap; once it is true, what is not decided yet is left undecided.

    Returns
    -------
    Feasibility
        ``feasible`` is None if the time was too short to decide, or a core too large to search.
    """
    if problem.neighbors is not None:
        return _connected(problem, time_limit, with_sums, stop)
    blocks = contract(problem)
    seen = _look(problem, blocks, stop)
    if seen.witness:
        return _infeasible(blocks, seen.witness, seen.reason)
    order, cores, cliques = seen.order, seen.cores, seen.cliques
    limits = sum_limits(problem) if with_sums else ()
    if blocks.sizes is not None or limits:
        sums = [_amounts(problem, blocks, limit) for limit in limits]
        packing = _packing(blocks, sums)
        if problem.fixed:
            packing = _with_centers(packing, problem, blocks)
        return _packed(blocks, packing, bool(sums), seen.largest, time_limit, stop, with_sums)
    colour = np.full(blocks.s, -1, dtype=np.int64)
    for core, clique in zip(cores, cliques, strict=True):
        if len(core.vertices) > LARGEST_CORE:
            return Feasibility(None, None, (), _TOO_MANY.format(len(core.vertices)))
        found = _colour_core(core, clique, blocks.k, time_limit, stop)
        if found is None:
            return Feasibility(None, None, (), _UNDECIDED.format(time_limit))
        if not len(found):
            rules = _rules_of(problem, blocks, core.vertices[core.edges], " of")
            sentence = _NO_COLOURING.format(rules, len(core.vertices))
            return _infeasible(blocks, core.vertices, sentence)
        colour[core.vertices] = found
    if not with_labels:  # peeled vertices can always be coloured
        return Feasibility(True, None, (), _FEASIBLE)
    colour_last(order, blocks.conflicts, colour, blocks.k)
    labels = fill_clusters(np.maximum(colour, 0), blocks)
    packing = _packing(blocks, [])
    return _feasible(blocks, labels, packing, seen.largest, time_limit, stop, with_sums)


def _connected(
    problem: Problem, time_limit: float, with_sums: bool, stop: Callable[[], bool]
) -> Feasibility:
    """Decide by what neighbours keep apart; that a clustering is connected is found by chance."""
    connection = connection_of(problem)
    if connection.reason:
        return Feasibility(False, None, connection.points, connection.reason)
    first = np.unique(contract(problem).block_of, return_index=True)[1]
    parted = refine(problem, np.empty((0, 2), np.int64), first[connection.pairs])
    free = replace(parted, neighbors=None)
    found = check_feasibility(free, time_limit, with_sums=with_sums, stop=stop)
    assert problem.neighbors is not None
    if found.labels is None or problem.neighbors.are_connected(found.labels):
        return found
    return Feasibility(None, None, (), _UNCONNECTED)


def short_witness(problem: Problem) -> Feasibility | None:
    """Return that no clustering keeps the hard links, if a short witness shows it within a second.

    That is an odd cycle for k = 2, or more than k points that all exclude each other.
    """
    blocks = contract(problem)
    seen = _look(problem, blocks, never)
    return _infeasible(blocks, seen.witness, seen.reason) if seen.witness else None


@dataclass(frozen=True, eq=False)
class _Seen:
    """What is seen of a conflict graph at once, see `peel` and `clique_above`."""

    order: IntArray = field(default_factory=lambda: _NO_BLOCKS)
    cores: list[Core] = field(default_factory=list)
    cliques: list[list[int]] = field(default_factory=list)
    witness: Sequence[int] = ()  # blocks that show that there is no colouring
    reason: str = ""

    @property
    def largest(self) -> IntArray:
        """The blocks of the largest clique that was seen."""
        found = [core.vertices[c] for core, c in zip(self.cores, self.cliques, strict=True)]
        return max(found, key=len, default=_NO_BLOCKS)


def _look(problem: Problem, blocks: Blocks, stop: Callable[[], bool]) -> _Seen:
    if blocks.k == 2 and (cycle := _odd_cycle(blocks)):
        rules = _rules_of(problem, blocks, np.column_stack([cycle, np.roll(cycle, -1)]), " of")
        reason = f"the cannot-links{rules} form an odd cycle over {{}}, but k is 2."
        return _Seen(witness=cycle, reason=reason)
    order, cores = peel(blocks.conflicts, blocks.k)
    cliques: list[list[int]] = []
    for core in cores:
        clique = clique_above(core, blocks.k) if not stop() else []
        cliques.append(clique)
        if len(clique) > blocks.k:
            witness = core.vertices[clique]
            edges = witness[np.argwhere(np.tri(len(witness), k=-1))]
            rules = _rules_of(problem, blocks, edges, " by")
            reason = f"{len(clique)} points exclude each other{rules} ({{}}), but k is {blocks.k}."
            return _Seen(witness=witness.tolist(), reason=reason)
    return _Seen(order, cores, cliques)


def _rules_of(problem: Problem, blocks: Blocks, edges: IntArray, word: str) -> str:
    """Return after a word which rules keep pairs of blocks apart, nothing if links as given do."""
    if problem.asked is None:
        return ""
    given = np.sort(blocks.block_of[problem.given.cannot_link.hard.pairs], axis=1)
    own = set(map(tuple, given.tolist()))
    if all(tuple(sorted(edge)) in own for edge in edges.tolist()):
        return ""
    texts = [
        repr(rule.text)
        for rule in problem.given.rules
        if isinstance(rule, AskedRule)
        and rule.kind.is_upper
        # Of links that follow from a column, soft ones have a weight for a limit.
        and (rule.kind.is_anti_monotone or np.isinf(rule.words.limit))
    ]
    return f"{word} the rule{'s' if len(texts) > 1 else ''} {' and '.join(texts)}" if texts else ""


_NO_BLOCKS: IntArray = np.zeros(0, dtype=np.int64)
_FEASIBLE = "a feasible clustering exists."
_WITHOUT_WEIGHT = "undecided: a cluster of points of weight 0 alone was found, and no other one."
_NO_WEIGHT = "a search proved that no clustering has a point that counts in each cluster."
_UNCONNECTED = "undecided: links and sizes can be kept, but a clustering found is not connected."
_TOO_MANY = "undecided: {:,} blocks that depend on each other are too many to search."
_UNDECIDED = "undecided after {:g} s of search."
_NO_COLOURING = (
    "a search proved that the cannot-links{} among {} blocks of points cannot all be kept."
)
_TOO_LARGE = "must-links hold {} points together, more than the largest size allows."
_NO_PACKING = "a search proved that no clustering keeps both the links and the {}."


def _colour_core(
    core: Core, clique: list[int], k: int, time_limit: float, stop: Callable[[], bool]
) -> IntArray | None:
    """Return colours of a core's vertices, an empty array if there are none, None if undecided."""
    # Imported here: the compiled search is seldom needed, and its compiler takes a while to load.
    from ccviz.feasibility import repair

    size = len(core.vertices)
    answer, colour = repair.search_colouring(core.edges, size, k, stop)
    if answer == repair.FOUND:
        return colour
    if answer == repair.NONE:
        return _NO_BLOCKS
    packing = Packing(np.ones((1, size)), core.edges, np.zeros((1, k)), np.full((1, k), size))
    feasible, labels = pack_by_highs(packing, np.array(clique), time_limit, stop)
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


def _with_centers(packing: Packing, problem: Problem, blocks: Blocks) -> Packing:
    """Return a packing with each given centre, of which no two are together, in its own bin."""
    number = np.append(np.arange(1.0, problem.fixed + 1), np.zeros(blocks.k - problem.fixed))
    amounts = np.zeros(blocks.s)
    amounts[blocks.block_of[problem.n_points :]] = number[: problem.fixed]
    return replace(
        packing,
        amounts=np.vstack([packing.amounts, amounts]),
        lower=np.vstack([packing.lower, number]),
        upper=np.vstack([packing.upper, number]),
    )


def _amounts(problem: Problem, blocks: Blocks, limit: SumLimit) -> tuple[FloatArray, float, float]:
    """Return (s,) the sum of each block, and the least and the largest of a cluster."""
    values = np.bincount(blocks.block_of, limit.weights(problem)).astype(np.float64)
    return values, *limit.between


def _packed(
    blocks: Blocks,
    packing: Packing,
    has_sums: bool,
    clique: IntArray,
    time_limit: float,
    stop: Callable[[], bool],
    with_weight: bool,
) -> Feasibility:
    heaviest = int(blocks.count.max())
    if heaviest > packing.upper[0].max():
        return Feasibility(False, None, (), _TOO_LARGE.format(heaviest))
    labels = pack_quickly(packing)
    if labels is not None:
        return _feasible(blocks, labels, packing, clique, time_limit, stop, with_weight)
    feasible, labels = pack_by_highs(packing, clique, time_limit, stop)
    if labels is not None:
        return _feasible(blocks, labels, packing, clique, time_limit, stop, with_weight)
    kinds = ["sizes"] * (blocks.sizes is not None) + ["limits on sums"] * has_sums
    no_packing = _NO_PACKING.format(" and the ".join(kinds))
    reason = no_packing if feasible is False else _UNDECIDED.format(time_limit)
    return Feasibility(feasible, None, (), reason)


def _feasible(
    blocks: Blocks,
    labels: IntArray,
    packing: Packing,
    clique: IntArray,
    time_limit: float,
    stop: Callable[[], bool],
    with_weight: bool = False,
) -> Feasibility:
    """Return labels as an answer: others of which every cluster has weight if these have not.

    `with_weight`: Whether a search may prove that there are none. Not at the nodes of a search, as
    for sums.
    """
    if len(np.unique(labels[blocks.mass > 0.0])) == blocks.k:
        return Feasibility(True, blocks.lift(labels), (), _FEASIBLE)
    packing = _with_weight(packing, blocks)
    found, feasible = pack_quickly(packing), None
    if found is None:
        feasible, found = pack_by_highs(packing, clique, time_limit, stop)
    if feasible is False and with_weight:
        return Feasibility(False, None, (), _NO_WEIGHT)
    if found is None:
        return Feasibility(None, None, (), _WITHOUT_WEIGHT)
    return Feasibility(True, blocks.lift(found), (), _FEASIBLE)


def _with_weight(packing: Packing, blocks: Blocks) -> Packing:
    """Return a packing of which every bin has a block with weight too."""
    every = np.full((1, blocks.k), 1.0)
    return replace(
        packing,
        amounts=np.vstack([packing.amounts, blocks.mass > 0.0]),
        lower=np.vstack([packing.lower, every]),
        upper=np.vstack([packing.upper, blocks.s * every]),
    )


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

    Returns
    -------
    (s,) int64
    """
    colour = colour.copy()
    for missing in np.setdiff1d(np.arange(blocks.k), colour):
        count = np.bincount(colour, minlength=blocks.k)
        colour[np.flatnonzero(count[colour] > 1)[-1]] = missing
    return colour
