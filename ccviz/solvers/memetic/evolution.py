"""The loop of S-MDEClust (Algorithm 1), with restarts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Event,
    Finished,
    GenerationEnded,
    IncumbentFound,
    Restarted,
    Termination,
)
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import Context
from ccviz.solvers.memetic import MemeticSettings
from ccviz.solvers.memetic.instance import Instance
from ccviz.solvers.memetic.local_search import Mating, Member, breed, initial_member, member_of
from ccviz.solvers.search.workforce import Workforce, in_order

# --- The population of S-MDEClust: who mates, who is replaced, when it has collapsed --------------

ROUNDING = 1e-12  # Relative difference of objectives that may be rounding


@dataclass(eq=False)
class Population:
    """Members by place; an offspring competes with the member whose place it was bred for.

    Offspring that are bred together have their parents among the members as they were before, so
    that they can be made at the same time.
    """

    members: list[Member] = field(default_factory=list)

    @property
    def objectives(self) -> FloatArray:
        """(p,) objectives of the members."""
        return np.array([member.objective for member in self.members])

    @property
    def spread(self) -> float:
        """Sum of the differences between all pairs of objectives."""
        return spread_of(self.objectives)

    def has_collapsed(self, delta: float) -> bool:
        """Whether the spread is at most delta, in units in which the best objective is at most 1.

        The paper's delta is absolute. Objectives above 1 are taken as they are, as there; data
        measured in large units must not look collapsed when they are not, nor the other way round.
        """
        best = float(self.objectives.min())
        rounding = ROUNDING * len(self.members) ** 2 * best
        return self.spread <= max(delta * min(1.0, best), rounding)

    def parents(self, place: int, rng: np.random.Generator) -> tuple[Member, Member, Member]:
        """Return three different random members, none at the place."""
        others = np.delete(np.arange(len(self.members)), place)
        first, second, third = (self.members[i] for i in rng.choice(others, 3, replace=False))
        return first, second, third

    def replace(self, offspring: list[Member], places: Sequence[int]) -> IntArray:
        """Let offspring take places of worse members; return each one's place, -1 for none."""
        replaced = np.full(len(offspring), -1)
        for i, (child, place) in enumerate(zip(offspring, places, strict=True)):
            if is_better(child.objective, self.members[place].objective):
                self.members[place] = child
                replaced[i] = place
        return replaced


def spread_of(objectives: FloatArray) -> float:
    """Return the sum of the differences between all pairs."""
    ordered, p = np.sort(objectives), len(objectives)
    return float((2 * np.arange(p) - p + 1) @ ordered)


def is_better(objective: float, than: float) -> bool:
    """Whether an objective is lower, and not by rounding alone."""
    return objective < than * (1.0 - ROUNDING)


@dataclass(eq=False)
class Evolution:
    """One run."""

    settings: MemeticSettings
    instance: Instance
    blocks: Blocks
    workforce: Workforce
    context: Context
    best: float = np.inf  # Objective of the best member so far
    idle: int = 0  # Offspring since then in this population
    local_searches: int = 0  # local_searches, iterations: So far, over all populations
    iterations: int = 0
    _ended: Termination = field(default="stalled", init=False)

    def steps(self) -> Iterator[Event]:
        """Yield the events of all populations."""
        begun = self._resume()
        for restart in range(begun, max(begun, self.settings.restarts) + 1):
            if self.context.stop():
                return
            yield Restarted(restart=restart)
            yield from self._evolve(restart)
        if not self.context.stop():
            yield Finished.of(self._ended)

    def _resume(self) -> int:
        """Return how many populations an interrupted run has begun; take over its best."""
        begun = 0
        for event in (record.event for record in self.context.history):
            match event:
                case Restarted():
                    begun += 1
                case IncumbentFound():
                    found = member_of(self.instance, self.blocks.project(event.labels))
                    self.best = min(self.best, found.objective)
        return begun

    def _evolve(self, restart: int) -> Iterator[Event]:
        population = Population()
        yield from self._fill(population, restart)
        self.idle, generation = 0, 0
        while not self.context.stop() and not self._is_over(population, generation):
            generation += 1
            yield from self._breed(population, restart, generation)

    def _is_over(self, population: Population, generation: int) -> bool:
        collapsed = population.has_collapsed(self.settings.delta)
        self._ended = "converged" if collapsed else "stalled"
        spent = 0 < self.settings.generations <= generation
        return collapsed or spent or self.idle >= self.settings.patience

    def _fill(self, population: Population, restart: int) -> Iterator[Event]:
        tasks = (
            (self.instance, self.settings, self._seed(restart, 0, place))
            for place in range(self.settings.population)
        )
        for member in in_order(self.workforce, initial_member, tasks, self.context.stop):
            population.members.append(member)
            yield from self._count(member, "first population")
        if len(population.members) == self.settings.population:
            yield self._generation_ended(population, 0, np.full(self.settings.population, -1))

    def _breed(self, population: Population, restart: int, generation: int) -> Iterator[Event]:
        rng = np.random.default_rng(self._seed(restart, generation))
        rates = {"off": 0.0, "fading": 1.0 / generation, "always": 1.0}
        rate = rates[self.settings.mutation]
        replaced: list[IntArray] = []
        together = self.settings.population if self.settings.replacement == "together" else 1
        for first in range(0, self.settings.population, together):
            places = range(first, first + together)
            seeds = [self._seed(restart, generation, place) for place in places]
            matings = [Mating(population.parents(place, rng), rate) for place in places]
            tasks = [
                (self.instance, self.settings, *each) for each in zip(matings, seeds, strict=True)
            ]
            offspring: list[Member] = []
            for child in in_order(self.workforce, breed, tasks, self.context.stop):
                offspring.append(child)
                yield from self._count(child, "offspring")
            if len(offspring) < len(places):
                return
            replaced.append(population.replace(offspring, places))
        yield self._generation_ended(population, generation, np.concatenate(replaced))

    def _count(self, member: Member, source: str) -> Iterator[Event]:
        self.local_searches += 1
        self.iterations += member.iterations
        self.idle += 1
        if is_better(member.objective, self.best):
            self.best, self.idle = member.objective, 0
            yield IncumbentFound(labels=self.blocks.lift(member.labels), source=source)

    def _generation_ended(
        self, population: Population, generation: int, replaced: IntArray
    ) -> GenerationEnded:
        return GenerationEnded(
            generation=generation,
            objectives=population.objectives,
            diversity=population.spread,
            replaced=replaced,
            local_searches=self.local_searches,
            iterations=self.iterations,
        )

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.context.seed, spawn_key=key)
