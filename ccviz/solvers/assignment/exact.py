"""The exact assignment step: centres fixed, each block to a centre at least total cost.

Links are reduced and searched by compiled code (`kernels.assign`), and only hard cores go to HiGHS
(`core`), never the whole model. Sizes without links are a transportation
problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import Assignment, Deadline, keeps_sizes, objective_of
from ccviz.solvers.assignment.core import (
    LIMITS,
    SearchLimits,
    finish_core,
    improved_colouring,
    solve_conditions,
    solve_sums,
)
from ccviz.solvers.assignment.kernels.rules import Candidates, State
from ccviz.solvers.assignment.kernels.search import (
    INFEASIBLE,
    UNFINISHED,
    assign,
    assign_linked,
    cheapest,
)
from ccviz.solvers.assignment.kernels.transport import transport
from ccviz.solvers.assignment.structure import Structure
from ccviz.solvers.base import never
from ccviz.solvers.common.clusters import fill_cheapest

# --- Sizes without links: a transportation problem over the points whose cluster is in doubt ------
#
# Given a price for each cluster, every point has a cheapest one, and a gap to the second. Nearly
# right prices move few points, those of small gaps: only they are given to `transport`, with the
# room that the others leave. The assignment is optimal for all points if each point that was left
# out is still at its cheapest cluster, which holds if the prices changed by less than its gap. If
# not, more points are added.

SAMPLED_FROM, SAMPLE_STEP = 1000, 8
"""Number of points from which the first prices are those of a sample, and its step: every eighth
point."""

LEFT_OUT_FROM = 20_000  # Usual number of points from which some are left out
DOUBTED = 8  # One of this number of points is kept at first, those of the smallest gaps
DOUBTED_MORE = 32
"""One of this number is added, besides points in a wrong cluster, each time that is too few."""

BATCH = 1 << 16  # Points whose costs are computed together

Costs = Callable[[slice | IntArray], FloatArray]
"""Returns the (m, k) costs of some points, by their numbers or a slice of them."""


def solve_sizes(
    costs: Costs,
    n: int,
    lower: IntArray,
    upper: IntArray,
    prices: FloatArray | None,
    left_out_from: int = LEFT_OUT_FROM,
) -> tuple[bool, IntArray, FloatArray]:
    """Assign n points at least cost so that cluster j gets lower[j] to upper[j] of them.

    `costs`: See `Costs`; there never is a table of all points unless they are few. `prices` (k,):
    Those of a similar problem save most of the work. `left_out_from`: Number of points from which
    some are left out. It changes the time only. Returns `prices` (k,): Every point is where its
    cost less the price is least.
    """
    start = prices
    if start is None:
        start = _sample_prices(costs, n, lower, upper, left_out_from)
    if n < left_out_from:
        return _transported(costs(slice(0, n)), start, lower, upper)
    labels, gap = _priced(costs, n, start)
    doubted = _least(gap, n // DOUBTED)
    while True:
        settled = np.bincount(labels[~doubted], minlength=len(lower))
        if (settled > upper).any():
            doubted |= (settled > upper)[labels]
            continue
        some = np.flatnonzero(doubted)
        feasible, found, paid = _transported(costs(some), start, lower - settled, upper - settled)
        if not feasible and not doubted.all():
            doubted[:] = True
            continue
        labels[some] = found
        risen = paid - start
        if not feasible or (doubted | (gap >= risen.max() - risen[labels])).all():
            return feasible, labels, paid
        cheapest, gap = _priced(costs, n, paid)
        wrong = ~doubted & (cheapest != labels)
        if not wrong.any():
            return True, labels, paid
        doubted |= wrong | _least(gap, n // DOUBTED_MORE)
        labels, start = cheapest, paid


def _least(gap: FloatArray, number: int) -> NDArray[np.bool_]:
    """Return the points of the smallest gaps."""
    return gap <= np.partition(gap, number)[number]


def _transported(
    cost: FloatArray, prices: FloatArray, lower: IntArray, upper: IntArray
) -> tuple[bool, IntArray, FloatArray]:
    feasible, flow = transport(cost, prices, lower, upper)
    return feasible, flow.labels, flow.potential[:-1] - flow.potential[-1]


def _sample_prices(
    costs: Costs, n: int, lower: IntArray, upper: IntArray, left_out_from: int
) -> FloatArray:
    """Return the prices of a sample of the points, which are nearly right for all of them."""
    if n < SAMPLED_FROM:
        return np.zeros(len(lower))
    number = np.arange(0, n, SAMPLE_STEP)
    share = len(number) / n
    least = np.floor(lower * share).astype(np.int64)
    most = np.ceil(upper * share).astype(np.int64)
    feasible, _, prices = solve_sizes(
        lambda rows: costs(number[rows]), len(number), least, most, None, left_out_from
    )
    return prices if feasible else np.zeros(len(lower))


def _priced(costs: Costs, n: int, prices: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each point's cheapest cluster under the prices, and the gap to the second."""
    labels, gap = np.empty(n, dtype=np.int64), np.empty(n)
    for at in range(0, n, BATCH):
        some = slice(at, min(n, at + BATCH))
        _best_two(costs(some), prices, labels[some], gap[some])
    return labels, gap


@njit(cache=True, entry=True)
def _best_two(cost: FloatArray, prices: FloatArray, labels: IntArray, gap: FloatArray) -> None:
    for p in range(len(cost)):
        best, least, second = 0, np.inf, np.inf
        for j in range(len(prices)):
            paid = cost[p, j] - prices[j]
            if paid < least:
                best, least, second = j, paid, least
            elif paid < second:
                second = paid
        labels[p] = best
        gap[p] = second - least if least < np.inf else 0.0


def solve_cliques(cost: FloatArray, cliques: Sequence[IntArray]) -> Assignment:
    """Solve a step of groups of blocks that all exclude each other, each group by itself.

    `cost` (l, k): Of the linked blocks. Returns: Its objective is that of these blocks.
    """
    labels = np.empty(len(cost), dtype=np.int64)
    if max(map(len, cliques)) > cost.shape[1]:
        return Assignment.impossible(len(cost))
    for members in cliques:
        try:
            labels[members] = scipy.optimize.linear_sum_assignment(cost[members])[1]
        except ValueError:  # costs of inf leave no assignment
            return Assignment.impossible(len(cost))
    objective = float(cost[np.arange(len(cost)), labels].sum())
    return Assignment(labels, objective, proved=True, infeasible=False)


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

    `cost` (s, k): Cost of each block at each centre; ``inf`` forbids. `structure`: Links, masses
    and sizes, see `structure_of`. `nonempty`: Whether every cluster must get a block. If a cluster
    ends empty, the step is solved again with that condition. `warm_start` (s,): Labels to start
    from, such as those of the previous iteration; they may be infeasible. `prices` (k,):
    ``Assignment.prices`` of the iteration before: with sizes and no links they save most of the
    work. `time_limit`: Seconds; the best assignment found by then is returned, not proved. `stop`:
    Cheap; once it is true, that assignment is returned too.
    """
    cost = np.ascontiguousarray(cost, dtype=np.float64)
    deadline = Deadline(time_limit, stop)
    return deadline.judged(_solved(cost, structure, nonempty, warm_start, prices, deadline, limits))


def _solved(
    cost: FloatArray,
    structure: Structure,
    nonempty: bool,
    warm_start: IntArray | None,
    prices: FloatArray | None,
    deadline: Deadline,
    limits: SearchLimits,
) -> Assignment:
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
    if structure.cliques is not None:
        labels, answer = cheapest(cost), solve_cliques(cost[structure.linked], structure.cliques)
        if not answer.found:
            return answer.of_size(structure.s)
        labels[structure.linked] = answer.labels
        return replace(answer, labels=labels, objective=objective_of(labels, cost, structure))
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

    Returns: Its objective is left to the caller, who still knows the costs: 0 if labels were found.
    """
    deadline = Deadline(time_limit, stop)
    outcome, state = assign_linked(
        candidates, structure.k, structure.graph, warm_start, limits.nodes
    )
    answer = deadline.judged(_finished(outcome, structure, state, deadline, limits))
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

    Returns: Its objective is left to the caller: 0 if labels were found.
    """
    assert structure.lower is not None
    assert structure.upper is not None
    least = np.maximum(structure.lower, 1.0 if nonempty else 0.0).astype(np.int64)
    most = np.minimum(structure.upper, structure.s).astype(np.int64)
    feasible, labels, paid = solve_sizes(costs, structure.s, least, most, prices)
    if not feasible:
        return Assignment.impossible(structure.s)
    return Assignment(labels, 0.0, proved=True, infeasible=False, prices=paid)
