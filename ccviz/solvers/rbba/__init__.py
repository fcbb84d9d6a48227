"""Repetitive branch and bound: ever more points, each problem bounded by the last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.sparse import coo_array, csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.bounds import OPTIMAL_GAP, is_closed, relative_gap
from ccviz.events import (
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    Termination,
)
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import proved_infeasible
from ccviz.solvers.common.scaling import rescale
from ccviz.solvers.search.decisions import gamma

if TYPE_CHECKING:
    from ccviz.solvers.rbba._search import BlockData, State

SLICE = 100_000  # Places tried between two looks at whether to stop
ROUNDING = 1e-9  # Least share of its cost by which a clustering must be better than another
_OF_TOLERANCE = 0.999  # share of the tolerance for the search; the rest is for rounding
_HEAVIEST = 1e200  # largest weight of a soft link in the unit of the search: sums stay finite
UNDERFLOW = 1e-290  # More than all that is lost below the smallest doubles, for points of at most 1

EXHAUSTED = (
    "An exhaustive search finished, in floating point with its rounding bounded; it leaves no "
    "proof that another program could check."
)
"""The last sentence of a run whose search is complete."""


@dataclass(frozen=True)
class Rbba(Solver):
    """Repetitive branch and bound, proved by exhaustion."""

    name: ClassVar[str] = "rbba"
    title: ClassVar[str] = "Repetitive branch and bound"
    paper: ClassVar[str] = "Guns, Dao, Vrain and Duong (2016)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, weights=True, exact=True, bounds=True
    )
    most_blocks: ClassVar[float] = 4000

    tolerance: float = setting(1e-6, "Relative gap that counts as solved.", low=0.0, high=1.0)
    starts: int = setting(
        10,
        "Runs of k-means for the first answer.",
        low=0,
        advanced=True,
        label="First k-means runs",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield an answer, then a bound for each problem that is solved."""
        known = check_feasibility(problem, stop=context.stop)
        if known.feasible is False:
            yield from proved_infeasible(known.reason, known.points)
            return
        if known.labels is not None:  # the first k-means may take long
            yield IncumbentFound(labels=known.labels, source="feasibility")
        blocks = contract(rescale(problem)[0])
        labels = self._first_answer(blocks, known.labels, context)
        if labels is not None:
            yield IncumbentFound(labels=blocks.lift(labels), source="k-means")
        if not context.stop():
            yield from self._repeat(problem, blocks, labels, context)

    def _first_answer(
        self, blocks: Blocks, feasible: IntArray | None, context: Context
    ) -> IntArray | None:
        """Return the best labels of the blocks found by k-means, or any feasible ones."""
        # Imported here: it loads numba.
        from ccviz.solvers.assignment.centers import block_means, block_wcss, links_cost
        from ccviz.solvers.assignment.structure import structure_of
        from ccviz.solvers.colgen.phases.start import clustering

        structure = structure_of(blocks)
        rng = context.rng
        found = [] if feasible is None else [blocks.project(feasible)]
        for _ in range(self.starts):
            if context.stop():
                break
            if (labels := clustering(blocks, rng)) is not None:
                found.append(labels)

        def cost(labels: IntArray) -> float:
            none = np.zeros((blocks.k, blocks.centroid.shape[1]))
            means = block_means(blocks.centroid, blocks.mass, labels, none)
            squares = block_wcss(blocks.centroid, blocks.mass, labels, means)
            return float(squares) + links_cost(labels, structure)

        return min(found, key=cost, default=None)

    def _repeat(
        self, problem: Problem, blocks: Blocks, known: IntArray | None, context: Context
    ) -> Iterator[Event]:
        """Solve the problems of the last block, the last two, and so on to all."""
        from ccviz.solvers.rbba._search import new_state

        exponent = -int(np.frexp(np.abs(problem.X).max())[1])
        given = contract(problem)
        made = make_data(
            np.ldexp(problem.X, exponent), problem.masses, given, 2 * exponent, context
        )
        if made is None:
            return
        data, order = made
        first = None if known is None else known[order]
        state = new_state(blocks.s, blocks.k)
        share = (1.0 - self._least_gain) * (1.0 - 2.0 * error_of(problem))
        rest, labels, bound = np.zeros(blocks.s + 1), np.full(blocks.s, -1), 0.0
        for begin in range(blocks.s - 1, -1, -1):
            labels, least = cheaper_start(data, labels, first, begin, blocks.k)
            solved = self._solve(data, state, begin, rest, labels, least, context)
            if solved is None:
                return
            if not np.isfinite(solved):
                kinds = "links" if blocks.sizes is None else "links and sizes"
                reason = f"an exhaustive search proved that no clustering keeps the {kinds}."
                yield from proved_infeasible(reason)
                return
            rest[begin] = max(rest[begin + 1], solved * share - UNDERFLOW)
            bound = float(np.ldexp(rest[begin], -2 * exponent)) + always_paid(given) * share
            yield BoundImproved(lower_bound=bound)
        answer = np.empty(blocks.s, dtype=np.int64)
        answer[order] = labels
        answer = numbered(blocks, answer)
        lifted = blocks.lift(answer)
        yield IncumbentFound(labels=lifted, source=self.name)
        yield self._finished(Partition(problem, lifted).objective, bound)

    @property
    def _least_gain(self) -> float:
        """Share of its cost by which a clustering must be better than the best one."""
        return max(_OF_TOLERANCE * self.tolerance, ROUNDING)

    def _solve(
        self,
        data: BlockData,
        state: State,
        begin: int,
        rest: FloatArray,
        best: IntArray,
        least: float,
        context: Context,
    ) -> float | None:
        """Return the cost of the best labels of the blocks from ``begin`` on; None if stopped.

        The labels are left in ``best``. No clustering is cheaper by more than the least gain; inf
        if there is none.
        """
        from ccviz.solvers.rbba._search import search

        at, need = begin, len(state.mass) if begin == 0 else 0
        while at >= begin:
            if context.stop():
                return None
            at, least = search(
                data, state, at, begin, rest, best, least, self._least_gain, need, SLICE
            )
        return least

    def _finished(self, objective: float, bound: float) -> Finished:
        """Return the result of a complete search, as its bounds have it."""
        if not is_closed(objective, bound, self.tolerance):
            gap = relative_gap(objective, bound)
            message = f"The search is complete, but rounding leaves a gap of {gap:.2g}."
            return Finished(termination="stalled", message=message)
        reason: Termination = "proved" if self.tolerance <= OPTIMAL_GAP else "gap"
        return Finished(termination=reason, message=EXHAUSTED)


def error_of(problem: Problem) -> float:
    """Return the relative error of the cost of a clustering, as the search adds it up.

    Squares are added over features, points of either block, blocks and clusters, in turn, with two
    products by weights, and then the weights of broken links.
    """
    links = len(problem.must_link.soft) + len(problem.cannot_link.soft)
    return gamma(4 * problem.n + problem.d + links + 20)


def make_data(
    X: FloatArray, weights: FloatArray, blocks: Blocks, exponent: int, context: Context
) -> tuple[BlockData, IntArray] | None:
    """Return the blocks as the search places them, and their order; None if stopped.

    `X` (n, d): The points in the unit of the search. `exponent`: The weights of its soft links are
    multiplied by 2 to that power.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.rbba._search import BlockData, fill_row

    member = np.argsort(blocks.block_of, kind="stable")
    start = np.append(0, np.cumsum(blocks.count)).astype(np.int64)
    between, within = np.zeros((blocks.s, blocks.s)), np.zeros(blocks.s)
    for a in range(blocks.s):
        if context.stop():
            return None
        within[a] = fill_row(X, weights, start, member, a, between)
    order = entry_order(between, blocks.mass, blocks.count)
    graph = blocks.conflict_graph[order][:, order].tocsr()
    soft = _soft_graph(blocks, exponent)[order][:, order].tocsr()
    limits = np.zeros(blocks.k), np.full(blocks.k, np.inf)
    if blocks.sizes is not None:  # in the order of the largest
        by_upper = np.argsort(blocks.sizes.upper, kind="stable")
        lower, upper = blocks.sizes.lower[by_upper], blocks.sizes.upper[by_upper]
        limits = lower.astype(np.float64), upper.astype(np.float64)
    data = BlockData(
        between[np.ix_(order, order)],
        within[order],
        blocks.mass[order],
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int64),
        soft.indptr.astype(np.int64),
        soft.indices.astype(np.int64),
        soft.data.astype(np.float64),
        *limits,
        np.append(np.cumsum(blocks.mass[order][::-1])[::-1], 0.0),
    )
    return data, order


def numbered(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return (s,) labels in which every cluster has the number of its size.

    `labels` (s,): Of a clustering that keeps the sizes.
    """
    if blocks.sizes is None:
        return labels
    numbers = blocks.sizes.numbers_of(np.bincount(labels, blocks.mass, blocks.k))
    assert numbers is not None
    return numbers[labels]


def always_paid(blocks: Blocks) -> float:
    """Return the weight of soft links that every clustering breaks.

    Those are cannot-links inside a block, and the smaller weight of two blocks with both kinds.
    """
    must, cannot = (
        each.pairs[:, 0] * blocks.s + each.pairs[:, 1]
        for each in (blocks.soft_must, blocks.soft_cannot)
    )
    _, i, j = np.intersect1d(must, cannot, return_indices=True)
    both = np.minimum(blocks.soft_must.weights[i], blocks.soft_cannot.weights[j])
    return blocks.penalty + float(both.sum())


def _soft_graph(blocks: Blocks, exponent: int) -> csr_array:
    """Return (s, s) prices of two blocks in one cluster; below zero, what they pay apart.

    Two blocks with links of both kinds have the difference, see `always_paid`.
    """
    row, column, price = [], [], []
    for links, sign in ((blocks.soft_must, -1.0), (blocks.soft_cannot, 1.0)):
        with np.errstate(over="ignore", under="ignore"):
            weights = np.minimum(np.ldexp(links.weights, exponent), _HEAVIEST)
        for pairs in (links.pairs, links.pairs[:, ::-1]):
            row.append(pairs[:, 0])
            column.append(pairs[:, 1])
            price.append(sign * weights)
    entries = (np.concatenate(price), (np.concatenate(row), np.concatenate(column)))
    return coo_array(entries, shape=(blocks.s, blocks.s)).tocsr()


def cheaper_start(
    data: BlockData, last: IntArray, known: IntArray | None, begin: int, k: int
) -> tuple[IntArray, float]:
    """Return labels of the blocks from ``begin`` on to start with, and their cost.

    Either the last problem's, with the new block where it costs least, or those that a clustering
    of all gives them; inf if neither is allowed. Those of all blocks leave no cluster empty, and
    keep the sizes.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.rbba._search import cost_of, fits, paid_of

    new = last.copy()
    neighbours = data.neighbour[data.start[begin] : data.start[begin + 1]]
    barred = set(last[neighbours[neighbours > begin]].tolist())
    candidates = [
        np.where(np.arange(len(new)) == begin, j, new) for j in range(k) if j not in barred
    ]
    if known is not None:
        candidates.append(np.where(np.arange(len(new)) >= begin, known, -1))
    if begin == 0:
        candidates = [split_to(data, labels, k) for labels in candidates]
        sizes = [np.bincount(labels, data.mass, k) for labels in candidates]
        keeps = [fits(size, data.lower, data.upper) for size in sizes]
        candidates = [labels for labels, can in zip(candidates, keeps, strict=True) if can]
    costs = [
        cost_of(data.between, data.within, data.mass, labels, begin, k)
        + paid_of(data, labels, begin)
        for labels in candidates
    ]
    if not costs:
        return new, np.inf
    chosen = int(np.argmin(costs))
    return candidates[chosen].copy(), costs[chosen]


def split_to(data: BlockData, labels: IntArray, k: int) -> IntArray:
    """Fill empty clusters with single blocks, each the farthest from the rest of its cluster."""
    labels = labels.copy()
    for empty in np.setdiff1d(np.arange(k), labels):
        together = labels[:, None] == labels
        far = (data.between * together).sum(axis=1) / data.mass
        spare = np.flatnonzero(together.sum(axis=1) > 1)
        labels[spare[far[spare].argmax()]] = empty
    return labels


# --------------------------------------------------------------------------------------------------
# In which order blocks enter: heavy ones are placed first, near neighbours far from each other.


def entry_order(square: FloatArray, mass: FloatArray, count: FloatArray) -> IntArray:
    """Return the blocks in the order of the search; the last ones are the first problem.

    The blocks placed early should cost much, and so should those left: the sum of both costs is
    the bound. So each half has a part of every neighbourhood (after M. J. Brusco, 2006, who
    separates nearest neighbours).

    `square` (s, s): Squared distances of blocks of one point; those of others are not read. `mass`,
    `count` (s,): Weight and number of points of each block.
    """
    light = np.flatnonzero(count == 1)
    heavy = np.flatnonzero(count > 1)
    heavy = heavy[np.argsort(-mass[heavy], kind="stable")]
    return np.concatenate([heavy, _separated(square, light)])


def _separated(square: FloatArray, chosen: IntArray) -> IntArray:
    """Part near neighbours between two halves, and again within each half."""
    if len(chosen) < 3:
        return chosen
    first, second = _pairs(square, chosen)
    return np.concatenate([_separated(square, first), _separated(square, second)])


_AT_ONCE = 10_000  # pairs of which those with a taken end are left out together


def _pairs(square: FloatArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Pair points up, nearest pairs first; the one left over goes to the first half."""
    square = square[np.ix_(chosen, chosen)]
    rows, columns = np.triu_indices(len(chosen), 1)
    free = np.ones(len(chosen), dtype=bool)
    first, second = [], []
    order = np.argsort(square[rows, columns], kind="stable")
    for at in range(0, len(order), _AT_ONCE):  # most pairs have an end that is taken
        some = order[at : at + _AT_ONCE]
        for pair in some[free[rows[some]] & free[columns[some]]].tolist():
            i, j = rows[pair], columns[pair]
            if free[i] and free[j]:
                free[i] = free[j] = False
                first.append(chosen[i])
                second.append(chosen[j])
    first += list(chosen[free])
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
