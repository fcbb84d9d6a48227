"""DILS: two clusterings, the better and the worse, that are crossed, mutated and improved.

G. González-Almagro, J. Luengo, J.-R. Cano, S. García: DILS: constrained clustering through dual
iterative local search (Computers & Operations Research 121, 2020). The fitness is D (1 + v): D the
mean over the clusters of the mean distance of their points, v the weight of the broken links.
Every link may be broken, hard ones at weight 1: a reference to compare with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import Event, Finished, GenerationEnded, IncumbentFound, Noted
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.softening import priced_graph, soften


@dataclass(frozen=True)
class Dils(Solver):
    """Dual iterative local search."""

    name: ClassVar[str] = "dils"
    title: ClassVar[str] = "DILS"
    paper: ClassVar[str] = "González-Almagro et al. (2020)"
    supports: ClassVar[Supports] = Supports(hard=False, soft=True)

    generations: int = setting(1000, "Mutants made and improved.", low=1)
    neighbours: int = setting(
        1000, "Moves looked at for each of them.", low=1, label="Moves looked at"
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
        "The worse clustering starts afresh once it is worse by this share.",
        low=0.0,
        label="Fresh start at ξ",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        soft, rng = soften(problem), context.rng
        pair = [self._improve(soft, random_labels(soft, rng), rng) for _ in range(2)]
        best = np.inf
        for generation in range(self.generations):
            pair.sort(key=lambda each: each[1])
            better, worse = pair
            if better[1] < best:
                best = better[1]
                yield IncumbentFound(labels=better[0], source=self.name, objective=best)
            mutant = self._improve(soft, self._mutant(soft, better[0], worse[0], rng), rng)
            replaced = mutant[1] < worse[1]
            if replaced:
                pair[1] = mutant
            if max(pair[0][1], pair[1][1]) * (1.0 - self.xi) > min(pair[0][1], pair[1][1]):
                pair.sort(key=lambda each: each[1])
                pair[1] = self._improve(soft, random_labels(soft, rng), rng)
            yield GenerationEnded(
                generation=generation,
                objectives=np.array([each[1] for each in pair]),
                diversity=float((pair[0][0] != pair[1][0]).mean()),
                replaced=np.array([1 if replaced else -1]),
                local_searches=generation + 3,
            )
        found = min(pair, key=lambda each: each[1])
        if found[1] < best:
            yield IncumbentFound(labels=found[0], source=self.name, objective=found[1])
        broken = Partition(problem, found[0]).violations.hard
        if broken:
            yield Noted(text=f"{broken} hard links are broken: this method only weighs links.")
        yield Finished(termination="converged", message="All generations are done.")

    def _mutant(
        self, problem: Problem, better: IntArray, worse: IntArray, rng: np.random.Generator
    ) -> IntArray:
        """Cross the two clusterings and redraw a segment of consecutive points."""
        child = np.where(rng.random(problem.n) < self.inherit, better, worse)
        length = int(np.ceil(self.segment * problem.n))
        segment = (rng.integers(problem.n) + np.arange(length)) % problem.n
        child[segment] = rng.integers(problem.k, size=length)
        return fill_empty(child, problem.k, rng)

    def _improve(
        self, problem: Problem, labels: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, float]:
        """Return the labels after a local search, and their fitness."""
        # Imported here: it loads numba.
        from ccviz.solvers.dils._search import local_search

        rounds = self.neighbours // problem.n + 1
        order = np.stack([rng.permutation(problem.n) for _ in range(rounds)])
        turns = rng.integers(max(problem.k - 1, 1), size=order.shape)
        links = priced_graph(problem, 1.0)
        broken = Partition(problem, labels).penalty
        fitness, _ = local_search(
            problem.X, labels, problem.k, links, broken, order, turns, self.neighbours
        )
        return labels, float(fitness)


def random_labels(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Return random labels without empty clusters."""
    return fill_empty(rng.integers(problem.k, size=problem.n), problem.k, rng)


def fill_empty(labels: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """Give each empty cluster a random point of a cluster that has others."""
    for missing in np.setdiff1d(np.arange(k), labels):
        count = np.bincount(labels, minlength=k)
        labels[rng.choice(np.flatnonzero(count[labels] > 1))] = missing
    return labels
