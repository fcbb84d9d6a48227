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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ccviz.arrays import IntArray
from ccviz.errors import ParameterError
from ccviz.events import TERMINATION_SENTENCES, Event, Finished, InfeasibilityProved
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class SMdeClust(Solver):
    """Memetic differential evolution: near-optimal clusterings in seconds."""

    name: ClassVar[str] = "s-mdeclust"
    title: ClassVar[str] = "S-MDEClust"
    paper: ClassVar[str] = "Mansueto and Schoen (2024)"
    supports: ClassVar[Supports] = Supports(hard=True, weights=True)
    group: ClassVar[str] = "Quick"

    population: int = setting(20, "Members of the population, P.", low=4)
    assignment: str = setting(
        "greedy", "How offspring are assigned before the local search.", choices=("greedy", "exact")
    )
    mutation: str = setting(
        "fading",
        "Which offspring mutate: none, one in g in generation g, or all.",
        choices=("off", "fading", "always"),
    )
    replacement: str = setting(
        "together",
        "When offspring take their places: a generation together, or each at once.",
        choices=("together", "at once"),
        advanced=True,
    )
    offspring: str = setting(
        "means",
        "Where the local search starts: at the means of the greedy assignment, or the centres.",
        choices=("means", "centres"),
        advanced=True,
        label="Offspring start at",
    )
    draws: str = setting(
        "blocks",
        "Where random centres are drawn: at blocks of must-linked points, or at points.",
        choices=("blocks", "points"),
        advanced=True,
        label="Centres drawn at",
    )
    matching: str = setting(
        "first",
        "The parent to whose centres those of the other two are matched.",
        choices=("first", "third"),
        advanced=True,
        label="Parents matched to",
    )
    local_search: str = setting(
        "chains",
        "BLP k-means, or a descent by relocations, and ejections, and chains.",
        choices=("blp-kmeans", "relocations", "ejections", "chains"),
    )
    restarts: int = setting(2, "Fresh populations once the first has ended.", low=0)
    patience: int = setting(
        500, "Offspring in a row without a new best that end a population, N_MAX.", low=1
    )
    generations: int = setting(
        0, "Most generations of a population; 0 is no limit.", low=0, label="Most generations"
    )
    delta: float = setting(
        1e-4,
        "Spread of objectives at which a population has collapsed.",
        low=0.0,
        advanced=True,
        label="Collapsed at",
    )
    scale_low: float = setting(
        0.5,
        "Least factor F of the parents' difference.",
        low=0.0,
        high=2.0,
        advanced=True,
        label="Least factor F",
    )
    scale_high: float = setting(
        0.8,
        "Largest factor F of the parents' difference.",
        low=0.0,
        high=2.0,
        advanced=True,
        label="Largest factor F",
    )
    alpha: float = setting(
        0.5,
        "How much mutation prefers distant points.",
        low=0.0,
        high=1.0,
        advanced=True,
        label="Distant points, α",
    )
    local_iterations: int = setting(1000, "Most iterations of BLP k-means.", low=1, advanced=True)
    step_limit: float = setting(
        60.0,
        "Seconds for one exact assignment; then its best is taken.",
        low=0.0,
        advanced=True,
        label="Step limit, s",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale_low > self.scale_high:
            raise ParameterError(
                f"{self.name}: scale_low = {self.scale_low:g} is above "
                f"scale_high = {self.scale_high:g}."
            )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        known = check_feasibility(problem)
        if known.feasible is False:
            yield InfeasibilityProved(reason=known.reason, points=known.points)
            yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
        elif known.labels is None:
            yield Finished(termination="stalled", message=known.reason)
        else:
            yield from self._evolve(problem, known.labels, context)

    def _evolve(self, problem: Problem, feasible: IntArray, context: Context) -> Iterator[Event]:
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.memetic.breeding import OffspringParams
        from ccviz.solvers.memetic.evolution import Evolution, Schedule
        from ccviz.solvers.memetic.instance import Instance
        from ccviz.solvers.search.workforce import open_workforce

        schedule = Schedule(
            population=self.population,
            mutation=self.mutation,
            at_once=self.replacement == "at once",
            restarts=self.restarts,
            patience=self.patience,
            generations=self.generations,
            delta=self.delta,
        )
        params = OffspringParams(
            exact=self.assignment == "exact",
            from_means=self.offspring == "means",
            alpha=self.alpha,
            scale_low=self.scale_low,
            scale_high=self.scale_high,
            matching=self.matching,
            local_search=self.local_search,
            local_iterations=self.local_iterations,
            step_limit=self.step_limit,
        )
        blocks = contract(problem)
        points = problem if self.draws == "points" else None
        instance = Instance.of(blocks, feasible, points)
        with open_workforce(context.workers) as workforce:
            evolution = Evolution(schedule, params, instance, blocks, workforce, context)
            yield from evolution.steps()
