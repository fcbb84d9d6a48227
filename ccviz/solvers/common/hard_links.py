"""Hard links that a heuristic could not keep, and hard links made soft."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Event,
    Finished,
    InfeasibilityProved,
    NodeOpened,
    NodePruned,
)
from ccviz.feasibility.check import check_feasibility, short_witness
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.sums import sum_limits
from ccviz.solvers.base import setting

NO_LINKS = Links(np.empty((0, 2), dtype=np.int64), np.empty(0))

# --- For solvers that weigh every link: hard links counted as soft ones, and links as a graph -----


def soften(problem: Problem) -> Problem:
    """Return the problem with weight 1 in place of every hard link."""
    return Problem(
        problem.X,
        problem.k,
        must_link=_softened(problem.must_link),
        cannot_link=_softened(problem.cannot_link),
        sizes=problem.sizes,
        truth=problem.truth,
        weights=problem.weights,
    )


def _softened(links: Links) -> Links:
    return Links(links.pairs, np.where(links.is_hard, 1.0, links.weights))


def priced_graph(problem: Problem, price: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all links of a softened problem as compressed sparse rows.

    Returns `cost` (2m,): What sharing a cluster with the neighbour costs: ``price`` times the
    weight of a cannot-link, less that of a must-link. (Being apart costs the must-link's weight,
    which is a constant with a reward of as much for sharing.).
    """
    must, cannot = problem.must_link, problem.cannot_link
    pairs = np.concatenate([must.pairs, cannot.pairs])
    cost = price * np.concatenate([-must.weights, cannot.weights])
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    start = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=problem.n))])
    return start, ends[order, 1], np.concatenate([cost, cost])[order]


# --- The limit of an assignment step, and the end of a run that found nothing within it -----------


def step_limit_setting(seconds: float) -> Any:
    """Declare the limit of a solver's assignment steps."""
    doc = "Seconds for one assignment; then its best is taken."
    return setting(seconds, doc, low=0.0, advanced=True, label="Step limit, s")


def impossible_at_once(problem: Problem) -> tuple[Event, ...]:
    """Return the end of a run if a short witness shows that no clustering keeps the hard links."""
    found = short_witness(problem)
    return () if found is None else proved_infeasible(found.reason, found.points)


def proved_infeasible(reason: str, points: tuple[int, ...] = ()) -> tuple[Event, ...]:
    """Return the end of a run that proved that no clustering keeps the hard constraints."""
    return InfeasibilityProved(reason=reason, points=points), Finished.of("proved")


def why_infeasible(problem: Problem) -> InfeasibilityProved:
    """Return what an exhaustive assignment proved, with a witness where there is a short one."""
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


def no_gain(was_cut: bool, step_limit: float) -> Finished:
    """Return the end of a descent: converged only if the time limit ended none of its steps."""
    if not was_cut:
        return Finished(termination="converged", message="No step improves the objective.")
    message = f"A step reached its limit of {step_limit:g} s: with more time it may find better."
    return Finished(termination="stalled", message=message)


def no_assignment(
    problem: Problem, proved: bool, step_limit: float, stop: Callable[[], bool]
) -> Iterator[Event]:
    """Yield the last events of a run without an assignment.

    `stop`: Whether the run was stopped: then it is not the step's time that was short.
    """
    if not proved:
        if not stop():
            message = f"A step, of {step_limit:g} s at most, found no assignment; one may exist."
            yield Finished(termination="stalled", message=message)
        return
    yield why_infeasible(problem)
    yield Finished(termination="proved", message="The constraints cannot be kept.")
