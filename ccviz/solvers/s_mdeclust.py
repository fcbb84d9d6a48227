"""S-MDEClust: memetic differential evolution for clustering with links.

Mansueto and Schoen, "Memetic Differential Evolution Methods for Semi-Supervised Clustering".
Their four variants are S-MDE (mutation off, assignment exact), SM-MDE (mutation, exact), SG-MDE
(off, greedy) and SMG-MDE (mutation, greedy), all with ``local_search="blp-kmeans"`` and
``restarts=0``. What the paper leaves open, the authors' code answers: an offspring takes its place
at once (``replacement="at once"``), its local search starts from the crossed centres
(``offspring="centres"``), so that without mutation the greedy assignment is never used, one
offspring in g mutates in generation g (``mutation="fading"``), centres are drawn at points
(``draws="points"``), and parents are matched to the third (``matching="third"``).

The defaults go beyond the paper in three ways. The local search is one assignment step and then a
descent with exact gains (`ccviz.solvers.memetic._descent`), which is faster than BLP k-means and
ends in better optima; it starts from the means of the greedy assignment. A generation is bred
together, so that workers can share it. And a population that has collapsed is followed by a fresh
one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ccviz.arrays import IntArray
from ccviz.errors import ParameterError
from ccviz.events import Event, Finished
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, never
from ccviz.solvers.common.hard_links import proved_infeasible
from ccviz.solvers.common.seeding import last_incumbent
from ccviz.solvers.memetic import MemeticSettings


@dataclass(frozen=True)
class SMdeClust(MemeticSettings, Solver):
    """Memetic differential evolution: near-optimal clusterings in seconds."""

    name: ClassVar[str] = "s-mdeclust"
    title: ClassVar[str] = "S-MDEClust"
    paper: ClassVar[str] = "Mansueto and Schoen (2024)"
    supports: ClassVar[Supports] = Supports(hard=True, weights=True)
    group: ClassVar[str] = "Quick"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale_low > self.scale_high:
            raise ParameterError(
                f"{self.name}: scale_low = {self.scale_low:g} is above "
                f"scale_high = {self.scale_high:g}."
            )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        known = check_feasibility(problem, stop=context.stop)
        if known.feasible is False:
            yield from proved_infeasible(known.reason, known.points)
        elif known.labels is None:
            yield Finished(termination="stalled", message=known.reason)
        else:
            yield from self._evolve(problem, known.labels, context)

    def _evolve(self, problem: Problem, feasible: IntArray, context: Context) -> Iterator[Event]:
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.memetic.evolution import Evolution
        from ccviz.solvers.memetic.instance import Instance
        from ccviz.solvers.search.workforce import open_workforce

        blocks = contract(problem)
        points = problem if self.draws == "points" else None
        instance = Instance.of(blocks, feasible, points)
        with open_workforce(context.workers) as workforce:
            evolution = Evolution(self, instance, blocks, workforce, context)
            yield from evolution.steps()


# --- A clustering to start an exact solver with ---------------------------------------------------


def memetic_incumbent(
    problem: Problem, seed: int = 0, *, stop: Callable[[], bool] = never
) -> IntArray | None:
    """Return the labels of the best clustering that S-MDEClust finds with one population.

    `problem`: With hard links, without sizes and rules. Returns: None if none were found, which
    proves nothing.
    """
    solver = SMdeClust(restarts=0)
    solver.check(problem)
    return last_incumbent(solver.steps(problem, Context(seed=seed, stop=stop)))


def first_labels(problem: Problem, context: Context, incumbent: str) -> IntArray | None:
    """Return the labels of a clustering to begin with, if one is asked for.

    `incumbent`: The source: nothing, or the memetic solver where it keeps all constraints.
    """
    if incumbent != "memetic" or SMdeClust.supports.missing(problem):
        return None
    return memetic_incumbent(problem, context.seed, stop=context.stop)
