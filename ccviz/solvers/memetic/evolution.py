"""The loop of S-MDEClust (Algorithm 1), with restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    TERMINATION_SENTENCES,
    Event,
    Finished,
    GenerationEnded,
    IncumbentFound,
    Restarted,
    Termination,
)
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import Context
from ccviz.solvers.memetic.breeding import Mating, OffspringParams, breed, initial_member
from ccviz.solvers.memetic.instance import Instance
from ccviz.solvers.memetic.local_search import Member, member_of
from ccviz.solvers.memetic.population import Population, is_better
from ccviz.solvers.search.workforce import Workforce, in_order


@dataclass(frozen=True)
class Schedule:
    """How populations follow each other; see the settings of `ccviz.solvers.s_mdeclust`."""

    population: int
    mutation: str
    at_once: bool
    restarts: int
    patience: int
    generations: int
    delta: float

    def mutation_rate(self, generation: int) -> float:
        """Return the probability that an offspring of a generation, counted from 1, mutates."""
        return {"off": 0.0, "fading": 1.0 / generation, "always": 1.0}[self.mutation]


@dataclass(eq=False)
class Evolution:
    """One run.

    Attributes
    ----------
    schedule : Schedule
    params : OffspringParams
    instance : Instance
    blocks : Blocks
    workforce : Workforce
    context : Context
    best : float
        Objective of the best member so far.
    idle : int
        Offspring since then in this population.
    local_searches, iterations : int
        So far, over all populations.
    """

    schedule: Schedule
    params: OffspringParams
    instance: Instance
    blocks: Blocks
    workforce: Workforce
    context: Context
    best: float = np.inf
    idle: int = 0
    local_searches: int = 0
    iterations: int = 0
    _ended: Termination = field(default="stalled", init=False)

    def steps(self) -> Iterator[Event]:
        """Yield the events of all populations."""
        begun = self._resume()
        for restart in range(begun, max(begun, self.schedule.restarts) + 1):
            if self.context.stop():
                return
            yield Restarted(restart=restart)
            yield from self._evolve(restart)
        if not self.context.stop():
            yield Finished(termination=self._ended, message=TERMINATION_SENTENCES[self._ended])

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
        collapsed = population.has_collapsed(self.schedule.delta)
        self._ended = "converged" if collapsed else "stalled"
        spent = 0 < self.schedule.generations <= generation
        return collapsed or spent or self.idle >= self.schedule.patience

    def _fill(self, population: Population, restart: int) -> Iterator[Event]:
        tasks = (
            (self.instance, self.params, self._seed(restart, 0, place))
            for place in range(self.schedule.population)
        )
        for member in in_order(self.workforce, initial_member, tasks, self.context.stop):
            population.members.append(member)
            yield from self._count(member, "first population")
        if len(population.members) == self.schedule.population:
            yield self._generation_ended(population, 0, np.full(self.schedule.population, -1))

    def _breed(self, population: Population, restart: int, generation: int) -> Iterator[Event]:
        rng = np.random.default_rng(self._seed(restart, generation))
        rate = self.schedule.mutation_rate(generation)
        replaced: list[IntArray] = []
        for places in self._bred_together():
            tasks = [
                (
                    self.instance,
                    self.params,
                    Mating(population.parents(place, rng), rate),
                    self._seed(restart, generation, place),
                )
                for place in places
            ]
            offspring: list[Member] = []
            for child in in_order(self.workforce, breed, tasks, self.context.stop):
                offspring.append(child)
                yield from self._count(child, "offspring")
            if len(offspring) < len(places):
                return
            replaced.append(population.replace(offspring, places))
        yield self._generation_ended(population, generation, np.concatenate(replaced))

    def _bred_together(self) -> Iterator[range]:
        everyone = range(self.schedule.population)
        if not self.schedule.at_once:
            yield everyone
            return
        for place in everyone:
            yield range(place, place + 1)

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
