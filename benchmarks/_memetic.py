"""A measured run of the memetic benchmarks."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import _runner as runner  # noqa: F401, gives libraries one thread
import numpy as np

from ccviz import Problem, start
from ccviz.events import GenerationEnded, IncumbentFound
from ccviz.solvers.base import Solver

HIT = 1e-5
"""Relative distance to a published optimum, which has six digits, that counts as reaching it."""

AS_RUN = {
    "local_search": "blp-kmeans",
    "mutation": "off",
    "assignment": "greedy",
    "replacement": "at once",
    "offspring": "centres",
}
"""SG as its authors run it, but for restarts."""


@dataclass(frozen=True)
class Measured:
    """A run of a memetic solver; times are CPU seconds of this process, problem set-up included."""

    objective: float
    feasible: bool
    time_s: float
    best_s: float
    target_s: float
    generations: int
    local_searches: int
    iterations: int


def measure(
    problem: Problem,
    solver: Solver,
    seed: int,
    target: float = math.inf,
    time_limit: float | None = None,
) -> Measured:
    """Run a solver; also take the time until it first had an objective of at most the target."""
    began = time.process_time()
    stepper = start(problem, solver, seed=seed, time_limit=time_limit)
    best_s = target_s = math.nan
    generations, last = 0, None
    for record in stepper:
        if isinstance(record.event, IncumbentFound):
            best_s = time.process_time() - began
            if math.isnan(target_s) and stepper.run.objective <= target:
                target_s = best_s
        if isinstance(record.event, GenerationEnded):
            generations, last = generations + 1, record.event
    result = stepper.result()
    partition = result.partition
    return Measured(
        objective=result.objective,
        feasible=partition is not None and partition.violations.none_hard,
        time_s=time.process_time() - began,
        best_s=best_s,
        target_s=target_s,
        generations=generations,
        local_searches=last.local_searches if last else 0,
        iterations=last.iterations if last else 0,
    )


def warm_up(solver: Solver) -> None:
    """Load compiled code once, as a process that lives longer than a run has it."""
    points = np.random.default_rng(0).normal(size=(60, 3))
    start(Problem(points, 3, cannot_link=[(0, 1), (1, 2)]), solver).result()
