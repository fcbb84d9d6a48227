"""DILS, dual iterative local search (González-Almagro et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import Event, Finished, GenerationEnded, IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.common.seeding import fill_randomly
from ccviz.solvers.kmeans import note_broken_links


@dataclass(frozen=True)
class Dils(Solver):
    """Dual iterative local search."""

    name: ClassVar[str] = "dils"
    title: ClassVar[str] = "DILS"
    paper: ClassVar[str] = "González-Almagro et al. (2020)"
    supports: ClassVar[Supports] = Supports(hard=False, soft=True)
    group: ClassVar[str] = "Noisy links"

    generations: int = setting(1000, "Mutants made and improved.", low=1)
    neighbours: int = setting(
        1000, "Moves evaluated for each of them.", low=1, label="Moves evaluated"
    )
    segment: float = setting(
        0.3,
        "Share of the points that a mutation redraws.",
        low=0.0,
        high=1.0,
        label="Share redrawn",
    )
    inherit: float = setting(
        0.2,
        "Probability that a point's cluster comes from the better clustering.",
        low=0.0,
        high=1.0,
        label="Inherited share",
    )
    xi: float = setting(
        0.5,
        "The worse clustering is drawn again when it is worse by this share.",
        low=0.0,
        label="Fresh start at ξ",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        soft, rng = soften(problem), context.rng
        pair = [self._improve(soft, random_labels(soft, rng), rng) for _ in range(2)]
        better, worse = sorted(pair)
        best = np.inf
        for generation in range(self.generations):
            if better.fitness < best:
                best = better.fitness
                yield IncumbentFound(labels=better.labels, source=self.name, objective=best)
            child = self._mutant(soft, better.labels, worse.labels, rng)
            mutant = self._improve(soft, child, rng)
            replaced = mutant < worse
            if replaced:
                worse = mutant
            least, most = sorted((better, worse))
            if most.fitness * (1.0 - self.xi) > least.fitness:
                better, worse = least, self._improve(soft, random_labels(soft, rng), rng)
            yield GenerationEnded(
                generation=generation,
                objectives=np.array([better.fitness, worse.fitness]),
                diversity=float((better.labels != worse.labels).mean()),
                replaced=np.array([1 if replaced else -1]),
                local_searches=generation + 3,
            )
            better, worse = sorted((better, worse))
        if better.fitness < best:
            yield IncumbentFound(labels=better.labels, source=self.name, objective=better.fitness)
        yield from note_broken_links(problem, better.labels, "only weighs links")
        yield Finished(termination="converged", message="All generations are done.")

    def _mutant(
        self, problem: Problem, better: IntArray, worse: IntArray, rng: np.random.Generator
    ) -> IntArray:
        """Cross the two clusterings and redraw a segment of consecutive points."""
        child = np.where(rng.random(problem.n) < self.inherit, better, worse)
        length = int(np.ceil(self.segment * problem.n))
        segment = (rng.integers(problem.n) + np.arange(length)) % problem.n
        child[segment] = rng.integers(problem.k, size=length)
        return fill_randomly(child, problem.k, rng)

    def _improve(self, problem: Problem, labels: IntArray, rng: np.random.Generator) -> Individual:
        """Return the labels after a local search, with their fitness."""
        # Imported here: it loads numba.
        from ccviz.solvers.common.link_passes import local_search

        rounds = self.neighbours // problem.n + 1
        order = np.stack([rng.permutation(problem.n) for _ in range(rounds)])
        turns = rng.integers(max(problem.k - 1, 1), size=order.shape)
        links = priced_graph(problem, 1.0)
        broken = Partition(problem, labels).penalty
        fitness, _ = local_search(
            problem.X, labels, problem.k, links, broken, order, turns, self.neighbours
        )
        return Individual(float(fitness), labels)


@dataclass(frozen=True, order=True)
class Individual:
    """A clustering and its fitness; the lesser is the better one."""

    fitness: float
    labels: IntArray = field(compare=False)


def random_labels(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Return random labels without empty clusters."""
    return fill_randomly(rng.integers(problem.k, size=problem.n), problem.k, rng)
