"""The population of S-MDEClust: who mates, who is replaced, when it has collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.memetic.local_search import Member

ROUNDING = 1e-12
"""Relative difference of objectives that may be rounding."""


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
