"""The exact assignment steps of one descent; each uses the results of the step before.

Without sizes only blocks with links need a search. All others take their nearest centre, with
bounds on distances that save most of the work. No table of all blocks by all centres is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import block_costs, some_wcss
from ccviz.solvers.assignment.core import HASTY, LIMITS, SearchLimits, improved_colouring
from ccviz.solvers.assignment.deadline import Deadline
from ccviz.solvers.assignment.exact import (
    is_transport,
    solve_assignment,
    solve_linked,
    solve_transport,
)
from ccviz.solvers.assignment.passes import Passes
from ccviz.solvers.assignment.result import Assignment, links_cost, objective_of
from ccviz.solvers.assignment.structure import Structure, structure_of
from ccviz.solvers.assignment.wide import WideNearest
from ccviz.solvers.base import never
from ccviz.solvers.common.clusters import fill_cheapest
from ccviz.solvers.common.dimensions import is_wide

MOST_PROVED = 20_000
"""Usual limit of the blocks for which an empty cluster is filled at least cost."""


class Descent:
    """Solves the assignment steps of a descent.

    Parameters
    ----------
    blocks : Blocks
    time_limit : float
        Seconds for one step.
    passes : Passes, optional
        Over the same blocks; by one thread where none are given.
    stop : callable
        Once it is true, a step ends with its best.
    most_proved : int
        Blocks up to which an empty cluster is filled at least cost; with more, by the cheapest
        moves.
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
        self.begin()

    def begin(self) -> None:
        """Start another descent, without the results of the last one."""
        self._labels: IntArray = np.full(self._blocks.s, -1)
        self._lower = np.zeros(len(self._free))
        self._centers: FloatArray | None = None
        self._wide: WideNearest | None = None
        self._prices: FloatArray | None = None

    def assign(self, centers: FloatArray, hasty: bool = False) -> Assignment:
        """Solve the step for the centres; no cluster is left empty.

        Parameters
        ----------
        centers : (k, d) float64
        hasty : bool
            Whether a good answer will do where linked blocks need a large model: it is marked as
            hasty then.

        Returns
        -------
        Assignment
        """
        if self._structure.is_sized or self._structure.sums:
            answer = self._solve(centers)
            self._prices = answer.prices
        else:
            answer = self._assign_split(centers, HASTY if hasty else LIMITS)
        if answer.found:
            self._labels = answer.labels
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
        candidates = self._passes.candidates(self._linked, self._inner.graph, centers)
        answer = solve_linked(candidates, self._inner, warm, self._limit, self._stop, limits)
        if answer.found or answer.infeasible:
            return answer
        centroid, mass = (each[self._linked] for each in (self._blocks.centroid, self._blocks.mass))
        costs = block_costs(centroid, mass, centers)
        return improved_colouring(costs, self._inner, Deadline(self._limit, self._stop))

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
