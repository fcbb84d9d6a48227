"""A clustering to start an exact solver with."""

from __future__ import annotations

from collections.abc import Callable

from ccviz.arrays import IntArray
from ccviz.events import IncumbentFound
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.s_mdeclust import SMdeClust


def memetic_incumbent(
    problem: Problem,
    seed: int = 0,
    *,
    stop: Callable[[], bool] = lambda: False,
    solver: SMdeClust | None = None,
) -> IntArray | None:
    """Return the labels of the best clustering that S-MDEClust finds.

    Parameters
    ----------
    problem : Problem
        With hard links, without sizes and rules.
    seed : int
    stop : callable
        True once the search should end with what it has.
    solver : SMdeClust, optional
        Its settings; one population by default.

    Returns
    -------
    (n,) int64 or None
        Feasible labels; None if none were found, which proves nothing.
    """
    solver = solver or SMdeClust(restarts=0)
    solver.check(problem)
    best = None
    for event in solver.steps(problem, Context(seed=seed, stop=stop)):
        if isinstance(event, IncumbentFound):
            best = event.labels
    return best


def first_labels(problem: Problem, context: Context, incumbent: str) -> IntArray | None:
    """Return the labels of a clustering to begin with, if one is asked for.

    Parameters
    ----------
    problem : Problem
    context : Context
    incumbent : {"none", "memetic"}
        The source: nothing, or the memetic solver where it keeps all constraints.

    Returns
    -------
    (n,) int64 or None
    """
    if incumbent != "memetic" or SMdeClust.supports.missing(problem):
        return None
    return memetic_incumbent(problem, context.seed, stop=context.stop)
