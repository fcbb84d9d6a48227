"""A whole run of branch and bound: the search over a problem's tree, and its last word."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ccviz.arrays import IntArray
from ccviz.bounds import OPTIMAL_GAP, is_closed, relative_gap
from ccviz.events import Event, Finished, Termination
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, setting
from ccviz.solvers.search.decisions import margin_of
from ccviz.solvers.search.tree import Report, Search, Task, left_nodes
from ccviz.solvers.search.workforce import open_workforce


@dataclass(frozen=True)
class Known:
    """Bounds that are known before the tree is searched."""

    # upper_bound, lower_bound: Cost of a clustering that an event has reported, and a bound that
    # the run proves without the tree.
    upper_bound: float = math.inf
    lower_bound: float = -math.inf


def no_clustering() -> None:
    """Return that a search begins without a clustering."""


def branch_and_bound(
    problem: Problem,
    context: Context,
    work: Callable[[Task], Report],
    *,
    tolerance: float,
    order: str,
    first: Callable[[], IntArray | None] = no_clustering,
    known: Known | None = None,
) -> Iterator[Event]:
    """Search the whole tree of a problem; `ccviz.events.Finished` comes last unless stopped.

    `first`: Returns the labels of a clustering to begin with, or None; see `ccviz.solvers.start`.
    `known`: What the run has said already.
    """
    known = _with_start(problem, context, known or Known())
    search = Search(
        work=work,
        objective_of=lambda labels: Partition(problem, labels).objective,
        tolerance=tolerance,
        order=order,  # type: ignore[arg-type]
        first=first,
        seed=context.seed,
        labels=context.labels,
        floor=known.lower_bound,
        upper_bound=known.upper_bound,
        lower_bound=known.lower_bound,
        margin=margin_of(problem),
    )
    context.leaving.extend([search.unsaid, partial(left_nodes, problem, search.proved)])
    with open_workforce(context.workers) as workforce:
        yield from search.steps(workforce, context.stop, context.history)
    if not context.stop():
        yield _finished(search)


def _with_start(problem: Problem, context: Context, known: Known) -> Known:
    """Return the known bounds, improved by those that the run started with."""
    upper_bound = known.upper_bound
    if context.labels is not None:
        upper_bound = min(upper_bound, Partition(problem, context.labels).objective)
    return Known(upper_bound, max(known.lower_bound, context.floor))


def _finished(search: Search) -> Finished:
    """Return the result of a search whose nodes are all done, as its bounds have it."""
    closed = is_closed(search.upper_bound, search.lower_bound, search.tolerance)
    if not (closed or search.infeasible):
        gap = relative_gap(search.upper_bound, search.lower_bound)
        return Finished(
            termination="stalled",
            message=f"Every node is closed, but rounding leaves a gap of {gap:.2g}.",
        )
    is_proof = search.infeasible or search.tolerance <= OPTIMAL_GAP
    reason: Termination = "proved" if is_proof else "gap"
    return Finished.of(reason)


# --- Settings of a search over a tree of nodes, with any method that bounds a node ----------------


@dataclass(frozen=True)
class TreeSettings:
    """Settings of a search by branch and bound."""

    order: str = setting(
        "best", "Order of the open nodes.", choices=("best", "depth", "breadth"), label="Next node"
    )
    incumbent: str = setting(
        "none",
        "Source of the first clustering.",
        choices=("none", "memetic"),
        advanced=True,
        label="First clustering",
    )
