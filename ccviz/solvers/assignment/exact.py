"""The exact assignment step: centres fixed, each block to a centre at least total cost.

Never the whole model to a MILP: links are reduced and searched by compiled code (`_kernel`), and
what remains as a hard core goes to HiGHS (`core`). Sizes without links are a transportation
problem.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.assignment._kernel import assign
from ccviz.solvers.assignment._search import INFEASIBLE, UNFINISHED
from ccviz.solvers.assignment._transport import transport
from ccviz.solvers.assignment.core import solve_conditions, solve_core
from ccviz.solvers.assignment.deadline import Deadline
from ccviz.solvers.assignment.result import Assignment, keeps_sizes, objective_of
from ccviz.solvers.assignment.structure import Structure

NODE_LIMIT = 20_000
"""Nodes of the compiled search for each component before it counts as a hard core."""

SAMPLED_FROM, SAMPLE_STEP = 1000, 8
"""From so many points on the prices of sizes come from a sample, every eighth point."""


def solve_assignment(
    cost: FloatArray,
    structure: Structure,
    *,
    nonempty: bool = False,
    warm_start: IntArray | None = None,
    prices: FloatArray | None = None,
    time_limit: float | None = None,
) -> Assignment:
    """Solve one assignment step exactly.

    Parameters
    ----------
    cost : (s, k) float64
        Cost of each block at each centre; ``inf`` forbids.
    structure : Structure
        Links, masses and sizes, see `structure_of`.
    nonempty : bool
        Whether every cluster must get a block. Looked at only where it matters: if a cluster
        ends empty, the step is solved again with that condition.
    warm_start : (s,) int, optional
        Labels to start from, those of the iteration before for example; need not be feasible.
    prices : (k,) float64, optional
        ``Assignment.prices`` of the iteration before: with sizes and no links they save most of
        the work.
    time_limit : float, optional
        Seconds; the best assignment found by then is returned, not proved.

    Returns
    -------
    Assignment
    """
    cost = np.ascontiguousarray(cost, dtype=np.float64)
    deadline = Deadline(time_limit)
    if structure.lower is not None and structure.upper is not None:
        if len(structure.pairs) == 0 and (structure.mass == 1).all():
            least = np.maximum(structure.lower, 1.0 if nonempty else 0.0)
            return _solve_sizes(cost, structure, least, structure.upper, prices)
        return solve_conditions(cost, structure, nonempty, warm_start, deadline)
    answer = _solve_links(cost, structure, warm_start, deadline)
    if not nonempty or not answer.found or keeps_sizes(answer.labels, structure, nonempty):
        return answer
    filled = fill_clusters(answer.labels, cost)
    return solve_conditions(cost, structure, nonempty, filled, deadline)


def _solve_links(
    cost: FloatArray, structure: Structure, warm_start: IntArray | None, deadline: Deadline
) -> Assignment:
    warm = np.full(structure.s, -1) if warm_start is None else warm_start
    outcome, labels, state = assign(cost, structure.linked, structure.graph, warm, NODE_LIMIT)
    if outcome == INFEASIBLE:
        return Assignment.impossible(structure.s)
    if outcome == UNFINISHED:
        return solve_core(cost, structure, labels, state, deadline)
    return Assignment(labels, objective_of(labels, cost, structure), proved=True, infeasible=False)


def _solve_sizes(
    cost: FloatArray,
    structure: Structure,
    lower: FloatArray,
    upper: FloatArray,
    prices: FloatArray | None,
) -> Assignment:
    """Solve the transportation problem of sizes without links, every block one point."""
    least, most = lower.astype(np.int64), np.minimum(upper, structure.s).astype(np.int64)
    start = _sample_prices(cost, least, most) if prices is None else prices
    feasible, flow = transport(cost, start, least, most)
    if not feasible:
        return Assignment.impossible(structure.s)
    objective = objective_of(flow.labels, cost, structure)
    paid = flow.potential[:-1] - flow.potential[-1]
    return Assignment(flow.labels, objective, proved=True, infeasible=False, prices=paid)


def _sample_prices(cost: FloatArray, lower: IntArray, upper: IntArray) -> FloatArray:
    """Return the prices of a sample of the points: they leave little to do for all of them."""
    n, k = cost.shape
    if n < SAMPLED_FROM:
        return np.zeros(k)
    sample = np.ascontiguousarray(cost[::SAMPLE_STEP])
    share = len(sample) / n
    least = np.floor(lower * share).astype(np.int64)
    most = np.ceil(upper * share).astype(np.int64)
    feasible, flow = transport(sample, _sample_prices(sample, least, most), least, most)
    return flow.potential[:-1] - flow.potential[-1] if feasible else np.zeros(k)


def fill_clusters(labels: IntArray, cost: FloatArray) -> IntArray:
    """Move the cheapest blocks into the empty clusters: nobody there conflicts with them."""
    labels, k = labels.copy(), cost.shape[1]
    for empty in np.setdiff1d(np.arange(k), labels):
        spare = np.flatnonzero(np.bincount(labels, minlength=k)[labels] > 1)
        if len(spare):
            rise = cost[spare, empty] - cost[spare, labels[spare]]
            labels[spare[rise.argmin()]] = empty
    return labels
