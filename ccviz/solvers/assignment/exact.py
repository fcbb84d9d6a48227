"""The exact assignment step: centres fixed, each block to a centre at least total cost.

Links are reduced and searched by compiled code (`kernels.search`), and only hard cores go to HiGHS,
never the whole model. Sizes without links are a transportation problem (`transport`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.feasibility.repair import find_labels
from ccviz.solvers.assignment.bound import Reduced, improve, reduce_by_bound
from ccviz.solvers.assignment.centers import (
    Assignment,
    Deadline,
    keeps_all,
    keeps_sizes,
    objective_of,
)
from ccviz.solvers.assignment.kernels.rules import Candidates, State, table_of, unfold
from ccviz.solvers.assignment.kernels.search import (
    INFEASIBLE,
    LARGEST_SEARCHED,
    SOLVED,
    UNFINISHED,
    assign,
    assign_linked,
    cheapest,
)
from ccviz.solvers.assignment.structure import Structure
from ccviz.solvers.assignment.transport import is_transport, solve_transport
from ccviz.solvers.base import never
from ccviz.solvers.common.seeding import fill_cheapest

# --- Hard cores of an assignment, and sizes or non-emptiness together with links ------------------
#
# The compiled search does not finish these cases. A lower bound removes candidates (`bound`), then
# reductions and search run again, and HiGHS solves the rest.


@dataclass(frozen=True)
class SearchLimits:
    """Limits of the search for hard cores."""

    # Nodes of the compiled search for each component; beyond them it counts as a hard core, and as
    # many again after the bound has thinned it out.
    nodes: int = 20_000
    largest: int = LARGEST_SEARCHED  # Blocks of a hard core up to which a proof is tried
    repairs: int = 100_000  # Moves towards a first feasible assignment
    # Pairs of block and centre that the bound may leave to a hard core for a proof to be tried;
    # beyond them the best assignment known is the answer.
    columns: float = np.inf


LIMITS = SearchLimits()  # The usual limits
QUICK_LIMITS = SearchLimits(columns=2_000)
"""Those of a step that need not be exact: what is left is a model that HiGHS soon solves."""

_SURELY_WIDER, _SURELY_TIGHTER = 1e-6, 2e-6
"""Shares of a column's largest value by which limits on its sums are widened for a proof that
they cannot be kept, and tightened where HiGHS's own tolerance broke them."""


def solve_conditions(
    cost: FloatArray,
    structure: Structure,
    nonempty: bool,
    known: IntArray | None,
    deadline: Deadline,
) -> Assignment:
    """Solve an assignment with sizes or non-empty clusters, links or not."""
    reduced = reduce_by_bound(cost, structure, nonempty, known, deadline)
    return _by_highs(cost, structure, nonempty, reduced, deadline)


def solve_sums(
    cost: FloatArray,
    structure: Structure,
    nonempty: bool,
    known: IntArray | None,
    deadline: Deadline,
) -> Assignment:
    """Solve an assignment with limits on sums by HiGHS, without reductions of ours."""
    from ccviz.solvers.assignment.milp import milp_assignment  # loads HiGHS

    warm = known if known is not None and keeps_all(known, structure, nonempty) else None
    best = np.inf if warm is None else objective_of(warm, cost, structure)
    for slack in (_SURELY_WIDER, -_SURELY_TIGHTER):
        answer = milp_assignment(
            cost,
            structure,
            nonempty=nonempty,
            warm_start=warm,
            time_limit=deadline.left,
            stop=deadline.stop,
            cliques=True,
            slack=slack,
        )
        if not answer.found or keeps_all(answer.labels, structure, nonempty):
            break
        answer = Assignment.unknown(structure.s)
    if warm is not None and best < answer.objective:
        return Assignment(warm, best, answer.proved, infeasible=False)
    is_proof = slack > 0.0
    return answer if is_proof else replace(answer, proved=False, infeasible=False)


def finish_core(
    structure: Structure, state: State, deadline: Deadline, limits: SearchLimits = LIMITS
) -> Assignment:
    """Finish a partly decided assignment without sizes; the labels go into the state.

    `state`: The linked blocks as the reductions and the search left them. Returns: Of the undecided
    blocks: whether one was found, and whether it is proved optimal.
    """
    core = np.flatnonzero(~state.decided)
    part = _substructure(structure, core)
    paid = table_of(state, core)
    left = state.label[core]
    keeps = bool((left >= 0).all()) and objective_of(left, paid, part) < np.inf
    known = left if keeps else _searched(paid, part, paid, limits.repairs, deadline)
    if len(core) <= limits.largest:
        answer = _solve_part(paid, part, known, deadline, limits)
    else:
        answer = _improved(paid, part, known, deadline)
    if answer.found:
        state.label[core] = answer.labels
        unfold(state)
    return answer


def improved_colouring(
    cost: FloatArray, structure: Structure, deadline: Deadline, limits: SearchLimits = LIMITS
) -> Assignment:
    """Look for labels led by the conflicts alone, and improve them; nothing is proved.

    For the case that a search led by the costs, from the blocks that were decided before, finds no
    labels: without either it may be easy.
    """
    equal = np.where(np.isinf(cost), np.inf, 0.0)
    known = _searched(cost, structure, equal, limits.repairs, deadline)
    return _improved(cost, structure, known, deadline)


def _improved(
    cost: FloatArray, structure: Structure, known: IntArray | None, deadline: Deadline
) -> Assignment:
    """Improve a known assignment without a proof; if none is known, return that none was found."""
    if known is None:
        return Assignment.unknown(structure.s)
    better = improve(cost, structure, known, deadline)
    objective = objective_of(better, cost, structure)
    return Assignment(better, objective, proved=False, infeasible=False)


def _searched(
    cost: FloatArray, structure: Structure, led_by: FloatArray, repairs: int, deadline: Deadline
) -> IntArray | None:
    """Return the cheapest labels, those of linked blocks from a search that is led by a cost."""
    labels, linked = cheapest(cost), structure.linked
    found, labels[linked] = find_labels(
        led_by[linked], structure.graph, repairs, np.random.default_rng(0), deadline.passed
    )
    return labels if found else None


def _solve_part(
    cost: FloatArray,
    structure: Structure,
    known: IntArray | None,
    deadline: Deadline,
    limits: SearchLimits,
) -> Assignment:
    reduced = reduce_by_bound(cost, structure, False, known, deadline)
    if reduced.labels is not None and np.count_nonzero(reduced.allowed) > limits.columns:
        return Assignment(reduced.labels, reduced.objective, False, infeasible=False, quick=True)
    thinned = np.where(reduced.allowed, cost, np.inf)
    warm = np.full(structure.s, -1) if reduced.labels is None else reduced.labels
    outcome, labels, _ = assign(thinned, structure.linked, structure.graph, warm, limits.nodes)
    if outcome == SOLVED:
        objective = objective_of(labels, cost, structure)
        return Assignment(labels, objective, proved=True, infeasible=False)
    return _by_highs(cost, structure, False, reduced, deadline)


def _by_highs(
    cost: FloatArray, structure: Structure, nonempty: bool, reduced: Reduced, deadline: Deadline
) -> Assignment:
    """Solve the rest by HiGHS; fall back on the assignment known before."""
    from ccviz.solvers.assignment.milp import milp_assignment  # loads HiGHS

    answer = milp_assignment(
        cost,
        structure,
        nonempty=nonempty,
        allowed=reduced.allowed,
        warm_start=reduced.labels,
        time_limit=deadline.left,
        stop=deadline.stop,
        cliques=True,
    )
    if reduced.labels is None or answer.objective <= reduced.objective:
        return answer
    return Assignment(reduced.labels, reduced.objective, answer.proved, infeasible=False)


def _substructure(structure: Structure, core: IntArray) -> Structure:
    """Return the structure of some of the linked blocks, by place in ``structure.linked``."""
    if len(core) == structure.s and not structure.is_sized:
        return structure
    place = np.full(structure.s, -1, dtype=np.int32)
    place[structure.linked[core]] = np.arange(len(core))
    ends = place[structure.pairs]
    inside = (ends >= 0).all(axis=1)
    return Structure.from_prices(len(core), structure.k, ends[inside], structure.price[inside])


# --- The step ------------------------------------------------------------------------------------


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
