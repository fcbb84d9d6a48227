"""The loop of HG-means: offspring of random parents, survivors without clones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    TERMINATION_SENTENCES,
    Event,
    Finished,
    GenerationEnded,
    IncumbentFound,
    Noted,
)
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.memetic.annotations import Annotations, cross, found, initial_member
from ccviz.solvers.memetic.local_search import Member
from ccviz.solvers.memetic.population import spread_of
from ccviz.solvers.search.workforce import Workforce, in_order

SAME_COST = 1e-7
"""Members whose costs differ by less, with the same cluster sizes, are clones."""


@dataclass(eq=False)
class HybridSearch:
    """One run.

    Attributes
    ----------
    problem : Problem
    instance : Annotations
    survivors, population, generations : int
        See the settings of `ccviz.solvers.hg_means`.
    workforce : Workforce
    context : Context
    """

    problem: Problem
    instance: Annotations
    survivors: int
    population: int
    generations: int
    workforce: Workforce
    context: Context
    best: Member | None = None
    local_searches: int = 0
    iterations: int = 0
    _members: list[Member] = field(default_factory=list)

    def steps(self) -> Iterator[Event]:
        """Yield the events of all generations."""
        yield from self._improved(initial_member(self.instance, self._seed(0, 0)), "k-means")
        yield from self._evolve(0, found, [(self.instance,)] * self.survivors)
        for generation in range(1, self.generations + 1):
            if self.context.stop():
                return
            yield from self._evolve(generation, cross, self._matings(generation))
        if self.best is not None and not self.context.stop():
            yield self._broken(self.best.labels)
            yield Finished(termination="stalled", message=TERMINATION_SENTENCES["stalled"])

    def _matings(self, generation: int) -> list[tuple[Any, ...]]:
        rng = np.random.default_rng(self._seed(generation))
        places = np.arange(len(self._members))
        pairs = [
            rng.choice(places, 2, replace=False) for _ in range(self.population - self.survivors)
        ]
        return [(self.instance, self._members[i], self._members[j]) for i, j in pairs]

    def _evolve(self, generation: int, make: Any, tasks: list[tuple[Any, ...]]) -> Iterator[Event]:
        seeded = [(*task, self._seed(generation, i)) for i, task in enumerate(tasks)]
        offspring: list[Member] = []
        if self.workforce.is_local:
            make = partial(make, stop=self.context.stop)
        for child in in_order(self.workforce, make, seeded, self.context.stop):
            offspring.append(child)
            yield from self._count(child)
        if len(offspring) == len(tasks):
            self._members, replaced = select(self._members, offspring, self.survivors)
            yield self._generation_ended(generation, replaced)

    def _count(self, child: Member) -> Iterator[Event]:
        self.local_searches += 1
        self.iterations += child.iterations
        yield from self._improved(child, "offspring")

    def _improved(self, member: Member, source: str) -> Iterator[Event]:
        if self.best is None or member.objective < self.best.objective:
            self.best = member
            yield IncumbentFound(labels=member.labels, source=source, objective=member.objective)

    def _generation_ended(self, generation: int, replaced: IntArray) -> GenerationEnded:
        objectives = np.array([member.objective for member in self._members])
        return GenerationEnded(
            generation=generation,
            objectives=objectives,
            diversity=spread_of(objectives),
            replaced=replaced,
            local_searches=self.local_searches,
            iterations=self.iterations,
        )

    def _broken(self, labels: IntArray) -> Noted:
        broken = Partition(self.problem, labels).violations
        return Noted(
            text=f"The most probable clustering breaks {broken.must_link} of "
            f"{len(self.problem.must_link)} must-links and {broken.cannot_link} of "
            f"{len(self.problem.cannot_link)} cannot-links."
        )

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.context.seed, spawn_key=key)


def select(
    members: list[Member], offspring: list[Member], survivors: int
) -> tuple[list[Member], IntArray]:
    """Return the best members, clones last, and the place that each offspring got, -1 for none."""
    everyone = members + offspring
    ranked = sorted(range(len(everyone)), key=lambda i: everyone[i].objective)
    singular: list[int] = []
    clones: list[int] = []
    for i in ranked:
        is_clone = any(_are_clones(everyone[i], everyone[j]) for j in singular)
        (clones if is_clone else singular).append(i)
    kept = (singular + clones)[:survivors]
    replaced = np.full(len(offspring), -1)
    for place, i in enumerate(kept):
        if i >= len(members):
            replaced[i - len(members)] = place
    return [everyone[i] for i in kept], replaced


def _are_clones(first: Member, second: Member) -> bool:
    if abs(first.objective - second.objective) > SAME_COST:
        return False
    sizes, others = (np.sort(np.bincount(member.labels)) for member in (first, second))
    return bool(np.array_equal(sizes, others))
