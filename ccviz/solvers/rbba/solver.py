"""RBBA with links: branch and bound over ever more points, each problem bounded by the last.

T. Guns, T.-B.-H. Dao, C. Vrain, K.-C. Duong: Repetitive branch-and-bound using constraint
programming for constrained minimum sum-of-squares clustering (ECAI 2016); the repetition is that of
M. J. Brusco (Psychometrika 71, 2006). Points come in one by one. Each problem's search places its
blocks in turn, and the optimum of those that are not placed yet, which is known from an earlier
problem, bounds what they will add. Links that a subset of the points breaks are broken whatever
follows, so every problem's optimum is a lower bound on the whole.

Two things differ. Where theirs propagates constraints in a solver for them, ours is a loop of its
own: blocks stand for must-links, and conflicts bar clusters. And there is an answer from the start,
the best of some k-means runs, whose parts also bound each problem from above. The search leaves no
certificates: `ccviz verify` has nothing to check here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    TERMINATION_SENTENCES,
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
)
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.dimensions import reduce_dimensions
from ccviz.solvers.common.scaling import rescale

if TYPE_CHECKING:
    from ccviz.solvers.rbba._search import Ground

SLICE = 100_000
"""Places tried between two looks at whether to stop."""

ROUNDING = 1e-9
"""Least share by which a clustering must be better than another, and bounds lie below optima."""


@dataclass(frozen=True)
class Rbba(Solver):
    """Repetitive branch and bound, proved by exhaustion."""

    name: ClassVar[str] = "rbba"
    title: ClassVar[str] = "Repetitive branch and bound"
    paper: ClassVar[str] = "Guns, Dao, Vrain and Duong (2016)"
    supports: ClassVar[Supports] = Supports(exact=True, bounds=True)
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
        known = check_feasibility(problem)
        if known.feasible is False:
            yield InfeasibilityProved(reason=known.reason, points=known.points)
            yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
            return
        if known.labels is not None:  # the first k-means may take long
            yield IncumbentFound(labels=known.labels, source="feasibility")
        scaled, exponent = rescale(problem)
        blocks = contract(scaled)
        labels = self._first_answer(blocks, known.labels, context)
        if labels is not None:
            yield IncumbentFound(labels=blocks.lift(labels), source="k-means")
        if not context.stop():
            yield from self._repeat(blocks, labels, exponent, context)

    def _first_answer(
        self, blocks: Blocks, feasible: IntArray | None, context: Context
    ) -> IntArray | None:
        """Return the best labels of the blocks found by k-means, or any feasible ones."""
        # Imported here: it loads numba.
        from ccviz.solvers.assignment.centers import block_means, block_wcss
        from ccviz.solvers.colgen.phases.start import clustering

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
            return block_wcss(blocks.centroid, blocks.mass, labels, means)

        return min(found, key=cost, default=None)

    def _repeat(
        self, blocks: Blocks, known: IntArray | None, exponent: int, context: Context
    ) -> Iterator[Event]:
        """Solve the problems of the last block, the last two, and so on to all."""
        # Imported here: it loads numba.
        from ccviz.solvers.rbba._search import Ground
        from ccviz.solvers.rbba.order import entry_order

        point = reduce_dimensions(blocks.centroid, blocks.mass)
        order = entry_order(point, blocks.mass)
        graph = blocks.conflict_graph[order][:, order].tocsr()
        ground = Ground(
            np.ascontiguousarray(point[order]),
            blocks.mass[order],
            graph.indptr.astype(np.int64),
            graph.indices.astype(np.int64),
        )
        first = None if known is None else known[order]
        growth = float(np.ldexp(1.0, 2 * exponent))
        rest, labels = np.zeros(blocks.s + 1), np.full(blocks.s, -1)
        for begin in range(blocks.s - 1, -1, -1):
            start = cheaper_start(ground, labels, first, begin, blocks.k)
            solved = self._solve(ground, start, begin, rest, blocks.k, context)
            if solved is None:
                return
            labels, least = solved
            if not np.isfinite(least):
                reason = "an exhaustive search proved that no clustering keeps the links."
                yield InfeasibilityProved(reason=reason)
                yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
                return
            bound = least * (1.0 - max(self.tolerance, ROUNDING))
            rest[begin] = max(rest[begin + 1], bound)
            whole = rest[begin] + blocks.scatter * (1.0 - ROUNDING)
            yield BoundImproved(lower_bound=whole / growth)
        answer = np.empty(blocks.s, dtype=np.int64)
        answer[order] = split_to(ground, labels, blocks.k)
        yield IncumbentFound(labels=blocks.lift(answer), source=self.name)
        yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])

    def _solve(
        self,
        ground: Ground,
        start: tuple[IntArray, float],
        begin: int,
        rest: FloatArray,
        k: int,
        context: Context,
    ) -> tuple[IntArray, float] | None:
        """Return the best labels of the blocks from ``begin`` on, and their cost; None if stopped.

        No clustering is cheaper by more than the tolerance; inf if there is none.
        """
        from ccviz.solvers.rbba._search import new_state, search

        best, least = start
        state = new_state(len(ground.mass), k, ground.point.shape[1])
        at, margin = begin, max(self.tolerance, ROUNDING)
        while at >= begin:
            if context.stop():
                return None
            at, least = search(ground, state, at, begin, rest, best, least, margin, SLICE)
        return best, least


def cheaper_start(
    ground: Ground, last: IntArray, known: IntArray | None, begin: int, k: int
) -> tuple[IntArray, float]:
    """Return labels of the blocks from ``begin`` on, and their cost, to search for better ones.

    Either the last problem's, with the new block where it costs least, or those that a clustering
    of all gives them; inf if neither is allowed.
    """
    new = last.copy()
    neighbours = ground.neighbour[ground.start[begin] : ground.start[begin + 1]]
    barred = set(last[neighbours[neighbours > begin]].tolist())
    candidates = [
        np.where(np.arange(len(new)) == begin, j, new) for j in range(k) if j not in barred
    ]
    if known is not None:
        candidates.append(np.where(np.arange(len(new)) >= begin, known, -1))
    costs = [cost_of(ground, labels, begin, k) for labels in candidates]
    if not costs:
        return new, np.inf
    chosen = int(np.argmin(costs))
    return candidates[chosen].copy(), costs[chosen]


def cost_of(ground: Ground, labels: IntArray, begin: int, k: int) -> float:
    """Return the sum of squares of the blocks from ``begin`` on."""
    point, mass, labels = ground.point[begin:], ground.mass[begin:], labels[begin:]
    belongs = np.zeros((k, len(labels)))
    belongs[labels, np.arange(len(labels))] = mass
    size = belongs.sum(axis=1)
    means = (belongs @ point) / np.where(size > 0, size, 1.0)[:, None]
    return float(mass @ ((point - means[labels]) ** 2).sum(axis=1))


def split_to(ground: Ground, labels: IntArray, k: int) -> IntArray:
    """Fill empty clusters with single blocks, each from the cluster in which it costs most."""
    labels = labels.copy()
    for empty in np.setdiff1d(np.arange(k), labels):
        counts = np.bincount(labels, minlength=k)
        spare = np.flatnonzero(counts[labels] > 1)
        means = np.array([ground.point[labels == j].mean(axis=0) for j in labels[spare]])
        far = ((ground.point[spare] - means) ** 2).sum(axis=1)
        labels[spare[far.argmax()]] = empty
    return labels
