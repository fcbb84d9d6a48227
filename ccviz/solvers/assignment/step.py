"""The exact assignment steps of one descent; each uses the results of the step before.

Without sizes only blocks with links need a search. All others take their nearest centre, with
bounds on distances that save most of the work. No table of all blocks by all centres is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.feasibility.repair import Graph
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import (
    Assignment,
    Deadline,
    block_costs,
    block_sums,
    block_wcss,
    links_cost,
    means_of,
    objective_of,
    some_costs,
    some_wcss,
)
from ccviz.solvers.assignment.exact import (
    LIMITS,
    QUICK_LIMITS,
    SearchLimits,
    improved_colouring,
    solve_assignment,
    solve_cliques,
    solve_linked,
)
from ccviz.solvers.assignment.kernels.rules import Candidates, open_candidates
from ccviz.solvers.assignment.kernels.wide import assign_nearest
from ccviz.solvers.assignment.structure import Structure, structure_of
from ccviz.solvers.assignment.transport import is_transport, solve_transport
from ccviz.solvers.assignment.wide import WideNearest, product_costs
from ccviz.solvers.base import never
from ccviz.solvers.common.hard_links import NO_LINKS
from ccviz.solvers.common.scaling import is_wide
from ccviz.solvers.common.seeding import fill_cheapest, seed_centers

# --- Passes over many blocks, a strip at a time, by one thread or several -------------------------
#
# The strips do not depend on the number of threads, and their results are added in their order, so
# neither do the sums. The compiled loops release Python's lock.

STRIP = 1 << 16  # Blocks of a strip
_CELLS = 1 << 22  # Costs of blocks at centres that are computed together at most

Answer = TypeVar("Answer")


class Passes:
    """The passes of a descent; `open_passes` makes them.

    `run`: Maps a function over strips, in order: ``map``, or that of a pool of threads.
    """

    def __init__(self, blocks: Blocks, run: Callable[..., Any] = map, strip: int = STRIP) -> None:
        self._centroid, self._mass, self._run = blocks.centroid, blocks.mass, run
        self._strip = strip

    def nearest(
        self,
        free: IntArray,
        centers: FloatArray,
        drift: FloatArray,
        labels: IntArray,
        lower: FloatArray,
    ) -> float:
        """Give each free block its nearest centre, see `assign_nearest`."""

        def work(strip: slice) -> float:
            return assign_nearest(
                self._centroid, self._mass, free[strip], centers, drift, labels, lower[strip]
            )

        return float(sum(self._over(len(free), work)))

    def wide(self, free: IntArray) -> WideNearest:
        """Return what finds nearest centres of free blocks of many features, pass by pass."""
        return WideNearest(self._centroid, free, self._run)

    def candidates(self, linked: IntArray, graph: Graph, centers: FloatArray) -> Candidates:
        """Return where the linked blocks can go, see `open_candidates`."""
        costs = product_costs if is_wide(len(linked), *centers.shape) else some_costs

        def work(strip: slice) -> Candidates:
            some = linked[strip]
            cost = costs(self._centroid, self._mass, some, centers)
            return open_candidates(cost, freeze(np.arange(len(some))), strip.start, graph)

        step = min(self._strip, max(1, _CELLS // len(centers)))
        opened = self._over(len(linked), work, step) or [work(slice(0, 0))]
        return Candidates(*(np.concatenate(each) for each in zip(*opened, strict=True)))

    def means(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Return (k, d) the mean of each cluster; an empty one keeps its centre."""

        def work(strip: slice) -> tuple[FloatArray, FloatArray]:
            return block_sums(self._centroid[strip], self._mass[strip], labels[strip], len(centers))

        totals, weights = zip(*self._over(len(labels), work), strict=True)
        return means_of(sum(totals), sum(weights), centers)

    def wcss(self, labels: IntArray, centers: FloatArray) -> float:
        """Return the WCSS around given centres, the blocks' own scatter apart."""

        def work(strip: slice) -> float:
            return block_wcss(self._centroid[strip], self._mass[strip], labels[strip], centers)

        return float(sum(self._over(len(labels), work)))

    def _over(
        self, n: int, work: Callable[[slice], Answer], step: int | None = None
    ) -> list[Answer]:
        step = step or self._strip
        return list(self._run(work, [slice(at, at + step) for at in range(0, n, step)]))


@contextmanager
def open_passes(blocks: Blocks, threads: int, strip: int = STRIP) -> Iterator[Passes]:
    """Open passes over the blocks by a number of threads."""
    if threads == 1:
        yield Passes(blocks, strip=strip)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield Passes(blocks, pool.map, strip)


MOST_PROVED = 20_000  # Usual limit of the blocks for which an empty cluster is filled at least cost


class Descent:
    """Solves the assignment steps of a descent.

    `passes`: Over the same blocks; by one thread where none are given. `stop`: Once it is true, a
    step ends with its best. `most_proved`: Blocks up to which an empty cluster is filled at least
    cost; with more, by the cheapest moves.
    """

    def __init__(
        self,
        blocks: Blocks,
        time_limit: float,
        passes: Passes | None = None,
        stop: Callable[[], bool] = never,
        most_proved: int = MOST_PROVED,
    ) -> None:
        self._blocks, self._limit, self._stop = blocks, time_limit, stop
        self._most_proved = most_proved
        self._passes = passes or Passes(blocks)
        self._kept = blocks.k - blocks.outliers
        self._structure = structure_of(blocks)
        self._linked = self._structure.linked
        self._inner = _inner(self._structure)
        is_free = np.ones(blocks.s, dtype=bool)
        is_free[self._linked] = False
        self._free = np.flatnonzero(is_free)
        self.was_cut = False  # whether the time limit ended a step
        self.begin()

    def begin(self) -> None:
        """Start another descent, without the results of the last one."""
        self._labels: IntArray = np.full(self._blocks.s, -1)
        self._lower = np.zeros(len(self._free))
        self._centers: FloatArray | None = None
        self._wide: WideNearest | None = None
        self._prices: FloatArray | None = None

    def assign(self, centers: FloatArray, quick: bool = False) -> Assignment:
        """Solve the step for the centres; no cluster is left empty.

        `quick`: Whether a good answer will do where linked blocks need a large model: it is marked
        as quick then.
        """
        if self._structure.is_sized or self._structure.sums:
            answer = self._solve(centers)
            self._prices = answer.prices
        else:
            answer = self._assign_split(centers, QUICK_LIMITS if quick else LIMITS)
        if answer.found:
            self._labels = answer.labels
        self.was_cut |= answer.cut
        return answer

    def _assign_split(self, centers: FloatArray, limits: SearchLimits) -> Assignment:
        blocks, linked, labels = self._blocks, self._linked, self._labels.copy()
        answer = self._assign_linked(centers, labels[linked], limits)
        if not answer.found:
            return answer.of_size(blocks.s)
        labels[linked] = answer.labels
        cost = self._assign_free(centers, labels)
        if not np.bincount(labels, minlength=blocks.k).all():
            return self._fill(labels, centers)
        if len(linked):
            cost += some_wcss(blocks.centroid, blocks.mass, linked, answer.labels, centers)
            cost += links_cost(answer.labels, self._inner)
        return replace(answer, labels=labels, objective=cost)

    def _assign_free(self, centers: FloatArray, labels: IntArray) -> float:
        """Give each free block its nearest centre, in place; return their cost."""
        if is_wide(len(self._free), *centers.shape):
            self._wide = self._wide or self._passes.wide(self._free)
            labels[self._free], paid = self._wide.assign(centers)
            return float(self._blocks.mass[self._free] @ paid)
        before = centers if self._centers is None else self._centers
        drift = np.sqrt(((centers - before) ** 2).sum(axis=1))
        self._centers = centers
        return self._passes.nearest(self._free, centers, drift, labels, self._lower)

    def _assign_linked(
        self, centers: FloatArray, warm: IntArray, limits: SearchLimits
    ) -> Assignment:
        if len(warm) == 0:  # no search, and none of its kernels to compile
            return Assignment(warm, 0.0, proved=True, infeasible=False)
        if self._inner.cliques is not None:
            answer = solve_cliques(self._linked_costs(centers), self._inner.cliques)
            return replace(answer, objective=0.0) if answer.found else answer
        candidates = self._passes.candidates(self._linked, self._inner.graph, centers)
        answer = solve_linked(candidates, self._inner, warm, self._limit, self._stop, limits)
        if answer.found or answer.infeasible:
            return answer
        costs = self._linked_costs(centers)
        return improved_colouring(costs, self._inner, Deadline(self._limit, self._stop))

    def _linked_costs(self, centers: FloatArray) -> FloatArray:
        centroid, mass = self._blocks.centroid[self._linked], self._blocks.mass[self._linked]
        return block_costs(freeze(centroid), freeze(mass), centers)

    def _fill(self, labels: IntArray, centers: FloatArray) -> Assignment:
        """Solve the step again with the condition that no cluster is empty."""
        self._lower[:] = 0.0  # the bounds are those of other labels
        self._labels = labels
        if self._blocks.s <= self._most_proved:
            return self._solve(centers)
        costs = block_costs(self._blocks.centroid, self._blocks.mass, centers)
        filled = fill_cheapest(labels, costs)
        objective = objective_of(filled, costs, self._structure)
        return Assignment(filled, objective, proved=False, infeasible=False)

    def _solve(self, centers: FloatArray) -> Assignment:
        centroid, mass = self._blocks.centroid, self._blocks.mass
        if is_transport(self._structure):
            answer = solve_transport(
                lambda rows: self._costs(freeze(centroid[rows]), freeze(mass[rows]), centers),
                self._structure,
                True,
                self._prices,
            )
            if answer.found:
                paid = self._paid(answer.labels, centers)
                answer = replace(answer, objective=paid)
            return answer
        return solve_assignment(
            self._costs(centroid, mass, centers),
            self._structure,
            nonempty=True,
            warm_start=self._labels,
            prices=self._prices,
            time_limit=self._limit,
            stop=self._stop,
        )

    def _costs(self, centroid: FloatArray, mass: FloatArray, centers: FloatArray) -> FloatArray:
        """Return the costs at each centre; a block that is left out costs nothing."""
        costs = block_costs(centroid, mass, centers)
        costs[:, self._kept :] = 0.0
        return costs

    def _paid(self, labels: IntArray, centers: FloatArray) -> float:
        if not self._blocks.outliers:
            return self._passes.wcss(labels, centers)
        kept = np.flatnonzero(labels < self._kept)
        centroid, mass = self._blocks.centroid, self._blocks.mass
        return float(some_wcss(centroid, mass, kept, labels[kept], centers))


def _inner(structure: Structure) -> Structure:
    """Return the structure of the linked blocks alone, sizes apart."""
    place = np.zeros(structure.s, dtype=np.int32)
    place[structure.linked] = np.arange(len(structure.linked))
    return replace(
        structure,
        s=len(structure.linked),
        pairs=place[structure.pairs],
        linked=np.arange(len(structure.linked)),
        mass=structure.mass[structure.linked],
        lower=None,
        upper=None,
        sums=(),
    )


# --------------------------------------------------------------------------------------------------
# First centres of a descent over many blocks: the last ones of a descent over a sample of them.
#
# Of a million blocks a sample of a sixteenth gives centres that save iterations over all of them
# (nested mini-batches, Newling and Fleuret 2016, in two sizes). The sample has no links or sizes.

SAMPLED_FROM = 200_000  # Usual number of blocks from which a sample is taken
PART = 16  # Blocks for each block of the sample

_MOST_ITERATIONS = 100
_STEP_S = 5.0


def first_centers(
    blocks: Blocks, rng: np.random.Generator, init: str, sampled_from: int = SAMPLED_FROM
) -> FloatArray:
    """Return the k first centres.

    `init`: One of `ccviz.solvers.common.seeding.INITS`, or ``"auto"``.
    """
    if blocks.s < max(sampled_from, PART * blocks.k):
        return seed_centers(blocks, rng, init)
    sample = _sample(blocks, rng)
    centers = seed_centers(sample, rng, init)
    descent, passes, best = Descent(sample, _STEP_S), Passes(sample), np.inf
    for _ in range(_MOST_ITERATIONS):
        labels = descent.assign(centers).labels
        moved = passes.means(labels, centers)
        wcss = passes.wcss(labels, moved)
        if not wcss < best:
            break
        centers, best = moved, wcss
    return centers


def _sample(blocks: Blocks, rng: np.random.Generator) -> Blocks:
    """Return a sample of the blocks, without links and sizes."""
    rows = np.sort(rng.choice(blocks.s, blocks.s // PART, replace=False))
    return Blocks(
        block_of=np.arange(len(rows)),
        mass=blocks.mass[rows],
        count=blocks.count[rows],
        centroid=blocks.centroid[rows].astype(np.float64, copy=False),
        scatter=0.0,
        conflicts=NO_LINKS.pairs,
        soft_must=NO_LINKS,
        soft_cannot=NO_LINKS,
        penalty=0.0,
        k=blocks.k,
        sizes=None,
    )
