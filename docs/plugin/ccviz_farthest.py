"""Farthest-first centres.

T. F. Gonzalez: Clustering to minimize the maximum intercluster distance (Theoretical Computer
Science 38, 1985).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.events import CentersMoved, Event, Finished, IncumbentFound
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class Farthest(Solver):
    """The point farthest from all centres becomes the next centre."""

    name: ClassVar[str] = "farthest"
    title: ClassVar[str] = "Farthest-first centres"
    paper: ClassVar[str] = "Gonzalez (1985)"
    supports: ClassVar[Supports] = Supports(hard=False)

    n_init: int = setting(5, "Number of first centres tried.", low=1, high=1000, label="Starts")

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        X, k = problem.X, problem.k
        for first in context.rng.choice(problem.n, self.n_init):
            chosen = [int(first)]
            while len(chosen) < k and not context.stop():
                nearest = cdist(X, X[chosen]).min(axis=1)
                chosen.append(int(nearest.argmax()))
            yield CentersMoved(iteration=0, centers=X[chosen])
            labels = np.asarray(cdist(X, X[chosen]).argmin(axis=1))
            yield IncumbentFound(labels=labels, source=self.name)
        yield Finished(termination="converged", message="All first centres were tried.")
