"""The end of a k-means-like run whose assignment step found nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ccviz.events import Event, Finished, InfeasibilityProved
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.problem import Problem


def why_infeasible(problem: Problem) -> InfeasibilityProved:
    """Return what an exhaustive assignment proved, with a witness where there is a short one.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    InfeasibilityProved
    """
    known = check_feasibility(problem, with_sums=True)
    if known.feasible is False:
        return InfeasibilityProved(reason=known.reason, points=known.points)
    return InfeasibilityProved(
        reason="an exhaustive search proved that no clustering keeps the links, sizes and rules."
    )


def no_assignment(
    problem: Problem, proved: bool, step_limit: float, stop: Callable[[], bool]
) -> Iterator[Event]:
    """Yield the last events of a run without an assignment.

    Parameters
    ----------
    problem : Problem
    proved : bool
        Whether it is proved that there is none.
    step_limit : float
        Seconds that the step had.
    stop : callable
        Whether the run was stopped: then it is not the step's time that was short.
    """
    if not proved:
        if not stop():
            message = f"No assignment was found within {step_limit:g} s; one may exist."
            yield Finished(termination="stalled", message=message)
        return
    yield why_infeasible(problem)
    yield Finished(termination="proved", message="The constraints cannot be kept.")
