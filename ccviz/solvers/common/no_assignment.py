"""The end of a run whose assignment step found nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ccviz.events import Event, Finished, InfeasibilityProved, NodeOpened, NodePruned
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.problem import Problem
from ccviz.problem.sums import sum_limits


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


def in_a_tree(problem: Problem, proved: InfeasibilityProved) -> Iterator[Event]:
    """Yield what was proved before there is a tree, and a tree of it that can be checked.

    A checker finds by its own search whether blocks fit into sizes. It has none for limits on sums:
    under these there is no tree.

    Parameters
    ----------
    problem : Problem
    proved : InfeasibilityProved
    """
    if not sum_limits(problem):
        yield NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
        yield NodePruned(
            node=0,
            reason="infeasible",
            lower_bound=math.inf,
            detail=proved.reason,
            certificate={"witness": np.array(proved.points, dtype=np.int64)},
        )
    yield proved


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
