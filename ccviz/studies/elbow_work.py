"""What one process works out for an elbow: figures of some numbers of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ccviz.problem.problem import Problem
from ccviz.solvers import Solver
from ccviz.studies.elbow_step import Step, bound, cluster, compare


@dataclass(frozen=True)
class Candidate:
    """A number of clusters that may be chosen: its problem, and what is known about it.

    Attributes
    ----------
    k : int
    problem : Problem or None
        None where rules on sizes forbid this number.
    solver : Solver or None
        Finds the clustering.
    step : Step or None
        None before there is a clustering.
    """

    k: int
    problem: Problem | None
    solver: Solver | None
    step: Step | None


def clustered(candidates: list[Candidate], seed: int, seconds: float) -> tuple[Step, ...]:
    """Return what a clustering says about each number.

    Parameters
    ----------
    candidates : list of Candidate
        With problem and solver.
    seed : int
    seconds : float
        Time limit of each clustering.

    Returns
    -------
    tuple of Step
    """
    steps = []
    for each in candidates:
        assert each.problem is not None
        assert each.solver is not None
        steps.append(cluster(each.problem, each.solver, seed=seed, time_limit=seconds))
    return tuple(steps)


def compared(candidates: list[Candidate], seed: int, references: int) -> tuple[Step, ...]:
    """Return the steps with their gap statistics.

    Parameters
    ----------
    candidates : list of Candidate
        With problem and step.
    seed : int
    references : int
        Sets of uniform points.

    Returns
    -------
    tuple of Step
    """
    known = _known(candidates)
    return tuple(compare(problem, step, references, seed=seed) for problem, step in known)


def bounded(candidates: list[Candidate], seed: int, seconds: float) -> tuple[Step, ...]:
    """Return the steps with higher lower bounds.

    Parameters
    ----------
    candidates : list of Candidate
        With problem and step.
    seed : int
    seconds : float
        For each bound.

    Returns
    -------
    tuple of Step
    """
    known = _known(candidates)
    return tuple(bound(problem, step, seconds, seed=seed) for problem, step in known)


def _known(candidates: list[Candidate]) -> Iterator[tuple[Problem, Step]]:
    """Yield the problem of each number, and what is known of it."""
    for each in candidates:
        assert each.problem is not None
        assert each.step is not None
        yield each.problem, each.step
