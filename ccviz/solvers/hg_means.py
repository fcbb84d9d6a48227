"""HG-means with annotations: a hybrid genetic search for links that may be wrong.

Gribel, Gendreau and Vidal, "Semi-supervised clustering with inaccurate pairwise annotations",
Information Sciences 607 (2022); the search is that of Gribel and Vidal, "HG-means", Pattern
Recognition 88 (2019).

Links are observations here, not constraints: all of them, hard or soft, count once each and may
be broken. What is minimised is the negative logarithm of a posterior, see
`ccviz.solvers.memetic._relocation`; the accuracy p says how far the links are to be believed. As
for every solver, the run's answer is the clustering found that breaks the fewest hard links; a
note says what the most probable one breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ccviz.errors import ParameterError
from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class HgMeans(Solver):
    """Hybrid genetic search that takes links as more or less accurate annotations."""

    name: ClassVar[str] = "hg-means"
    title: ClassVar[str] = "HG-means"
    paper: ClassVar[str] = "Gribel, Gendreau and Vidal (2022)"
    supports: ClassVar[Supports] = Supports(hard=False, soft=True)
    group: ClassVar[str] = "Noisy links"

    accuracy: float = setting(
        1.0,
        "Share p of the links that is believed right; 0 is no belief.",
        low=0.0,
        high=1.0,
        label="Belief in links, p",
    )
    survivors: int = setting(10, "Members that a generation keeps.", low=2)
    population: int = setting(20, "Members before the selection.", low=3)
    generations: int = setting(50, "Generations after the first population.", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.survivors >= self.population:
            raise ParameterError(
                f"{self.name}: survivors = {self.survivors} leaves no offspring in a "
                f"population of {self.population}."
            )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.memetic.hybrid_search import Annotations, HybridSearch
        from ccviz.solvers.search.workforce import open_workforce

        with open_workforce(context.workers) as workforce:
            annotations = Annotations.of(problem, self.accuracy)
            counts = self.survivors, self.population, self.generations
            search = HybridSearch(problem, annotations, *counts, workforce, context)
            yield from search.steps()
