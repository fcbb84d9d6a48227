"""Hard cores of an assignment, and sizes or non-emptiness together with links.

The compiled search does not finish these cases. A lower bound removes candidates (`bound`), then
reductions and search run again, and HiGHS solves the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.feasibility.repair import find_labels
from ccviz.solvers.assignment.bound import Reduced, improve, reduce_by_bound
from ccviz.solvers.assignment.centers import Assignment, Deadline, keeps_all, objective_of
from ccviz.solvers.assignment.kernels.rules import State, table_of, unfold
from ccviz.solvers.assignment.kernels.search import LARGEST_SEARCHED, SOLVED, assign, cheapest
from ccviz.solvers.assignment.structure import Structure


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
        answer = Assignment(np.full(structure.s, -1), np.inf, proved=False, infeasible=False)
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
    known = _known(state.label[core], paid, part, limits.repairs, deadline)
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
        return Assignment(np.full(structure.s, -1), np.inf, proved=False, infeasible=False)
    better = improve(cost, structure, known, deadline)
    objective = objective_of(better, cost, structure)
    return Assignment(better, objective, proved=False, infeasible=False)


def _known(
    labels: IntArray, cost: FloatArray, structure: Structure, repairs: int, deadline: Deadline
) -> IntArray | None:
    """Return labels that keep the conflicts, the given ones if they do; None if none is found."""
    if (labels >= 0).all() and objective_of(labels, cost, structure) < np.inf:
        return labels
    return _searched(cost, structure, cost, repairs, deadline)


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
