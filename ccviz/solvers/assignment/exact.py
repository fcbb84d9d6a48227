"""The exact assignment step: centres fixed, each block to a centre at least total cost.

Links are reduced and searched by compiled code (`kernels.assign`), and only hard cores go to HiGHS
(`core`), never the whole model. Sizes without links are a transportation
problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.assignment.core import (
    LIMITS,
    SearchLimits,
    finish_core,
    improved_colouring,
    solve_conditions,
    solve_sums,
)
from ccviz.solvers.assignment.deadline import Deadline
from ccviz.solvers.assignment.kernels.assign import assign, assign_linked, cheapest
from ccviz.solvers.assignment.kernels.rules import Candidates, State
from ccviz.solvers.assignment.kernels.search import INFEASIBLE, UNFINISHED
from ccviz.solvers.assignment.result import Assignment, keeps_sizes, objective_of
from ccviz.solvers.assignment.sizes import Costs, solve_sizes
from ccviz.solvers.assignment.structure import Structure
from ccviz.solvers.base import never
from ccviz.solvers.common.clusters import fill_cheapest

_FEW = 100
"""Labellings of the linked blocks up to which all are looked at: four blocks in three clusters."""


def solve_assignment(
    cost: FloatArray,
    structure: Structure,
    *,
    nonempty: bool = False,
    warm_start: IntArray | None = None,
    prices: FloatArray | None = None,
    time_limit: float | None = None,
    stop: Callable[[], bool] = never,
    limits: SearchLimits = LIMITS,
) -> Assignment:
    """Solve one assignment step exactly.

    Parameters
    ----------
    cost : (s, k) float64
        Cost of each block at each centre; ``inf`` forbids.
    structure : Structure
        Links, masses and sizes, see `structure_of`.
    nonempty : bool
        Whether every cluster must get a block. If a cluster ends empty, the step is solved again
        with that condition.
    warm_start : (s,) int, optional
        Labels to start from, such as those of the previous iteration; they may be infeasible.
    prices : (k,) float64, optional
        ``Assignment.prices`` of the iteration before: with sizes and no links they save most of
        the work.
    time_limit : float, optional
        Seconds; the best assignment found by then is returned, not proved.
    stop : callable
        Cheap; once it is true, that assignment is returned too.
    limits : SearchLimits
        Limits of the search for hard cores.

    Returns
    -------
    Assignment
    """
    cost = np.ascontiguousarray(cost, dtype=np.float64)
    deadline = Deadline(time_limit, stop)
    if structure.sums:
        return solve_sums(cost, structure, nonempty, warm_start, deadline)
    if structure.lower is not None and structure.upper is not None:
        if is_transport(structure):
            answer = solve_transport(lambda rows: cost[rows], structure, nonempty, prices)
            paid = objective_of(answer.labels, cost, structure) if answer.found else np.inf
            return replace(answer, objective=paid)
        return solve_conditions(cost, structure, nonempty, warm_start, deadline)
    answer = _solve_links(cost, structure, warm_start, deadline, limits)
    if not nonempty or not answer.found or keeps_sizes(answer.labels, structure, nonempty):
        return answer
    filled = fill_cheapest(answer.labels, cost)
    return solve_conditions(cost, structure, nonempty, filled, deadline)


def _solve_links(
    cost: FloatArray,
    structure: Structure,
    warm_start: IntArray | None,
    deadline: Deadline,
    limits: SearchLimits,
) -> Assignment:
    if structure.k ** len(structure.linked) <= _FEW:  # none of the search's kernels to compile
        return _solve_few(cost, structure)
    warm = np.full(structure.s, -1) if warm_start is None else warm_start
    outcome, labels, state = assign(cost, structure.linked, structure.graph, warm, limits.nodes)
    answer = _finished(outcome, structure, state, deadline, limits)
    if not answer.found and not answer.infeasible:
        return improved_colouring(cost, structure, deadline, limits)
    if not answer.found:
        return answer.of_size(structure.s)
    labels[structure.linked] = state.label
    return replace(answer, labels=labels, objective=objective_of(labels, cost, structure))


def _solve_few(cost: FloatArray, structure: Structure) -> Assignment:
    """Look at all labellings of the linked blocks; the other blocks are free."""
    labels, linked = cheapest(cost), structure.linked
    k, size = structure.k, len(linked)
    choices = np.indices((k,) * size).reshape(size, k**size)
    paid = cost[linked[:, None], choices].sum(axis=0)
    ends = np.searchsorted(linked, structure.pairs)
    for (first, second), price in zip(ends, structure.price, strict=True):
        paid += np.where(choices[first] == choices[second], price, 0.0)
    best = int(paid.argmin())
    if size and paid[best] == np.inf:
        return Assignment.impossible(structure.s)
    labels[linked] = choices[:, best]
    return Assignment(labels, objective_of(labels, cost, structure), True, False)


def solve_linked(
    candidates: Candidates,
    structure: Structure,
    warm_start: IntArray,
    time_limit: float,
    stop: Callable[[], bool] = never,
    limits: SearchLimits = LIMITS,
) -> Assignment:
    """Solve a step without sizes in which all blocks are linked.

    Parameters
    ----------
    candidates : Candidates
        Of all blocks; written to.
    structure : Structure
    warm_start : (s,) int64
    time_limit : float
    stop : callable
    limits : SearchLimits

    Returns
    -------
    Assignment
        Its objective is left to the caller, who still knows the costs: 0 if labels were found.
    """
    deadline = Deadline(time_limit, stop)
    outcome, state = assign_linked(
        candidates, structure.k, structure.graph, warm_start, limits.nodes
    )
    answer = _finished(outcome, structure, state, deadline, limits)
    if not answer.found:
        return answer.of_size(structure.s)
    return replace(answer, labels=state.label, objective=0.0)


def _finished(
    outcome: int, structure: Structure, state: State, deadline: Deadline, limits: SearchLimits
) -> Assignment:
    """Return the assignment of the linked blocks, with the labels that the state has then."""
    if outcome == INFEASIBLE:
        return Assignment.impossible(structure.s)
    if outcome == UNFINISHED:
        return finish_core(structure, state, deadline, limits)
    return Assignment(state.label, 0.0, proved=True, infeasible=False)


def is_transport(structure: Structure) -> bool:
    """Whether there are sizes and no links, and every block is one point."""
    return (
        structure.is_sized
        and not structure.sums
        and len(structure.pairs) == 0
        and bool((structure.mass == 1).all())
    )


def solve_transport(
    costs: Costs, structure: Structure, nonempty: bool, prices: FloatArray | None
) -> Assignment:
    """Solve a step of sizes without links, from costs that are asked for as they are needed.

    Parameters
    ----------
    costs : callable
        See `ccviz.solvers.assignment.sizes`.
    structure : Structure
    nonempty : bool
    prices : (k,) float64 or None

    Returns
    -------
    Assignment
        Its objective is left to the caller: 0 if labels were found.
    """
    assert structure.lower is not None
    assert structure.upper is not None
    least = np.maximum(structure.lower, 1.0 if nonempty else 0.0).astype(np.int64)
    most = np.minimum(structure.upper, structure.s).astype(np.int64)
    feasible, labels, paid = solve_sizes(costs, structure.s, least, most, prices)
    if not feasible:
        return Assignment.impossible(structure.s)
    return Assignment(labels, 0.0, proved=True, infeasible=False, prices=paid)
