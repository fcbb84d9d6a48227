"""The compiled assignment step for links without sizes: reduce, split, search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph
from ccviz.solvers.assignment.kernels.rules import (
    Candidates,
    State,
    may_share,
    new_scratch,
    open_candidates,
    open_state,
    reduce_all,
    unfold,
)
from ccviz.solvers.assignment.kernels.search import INFEASIBLE, SOLVED, UNFINISHED, search

LARGEST_SEARCHED = 2_000
"""Blocks of a component beyond which branch and bound is not tried: a node looks at all of them."""


@njit(cache=True)
def assign(
    cost: FloatArray, linked: IntArray, graph: Graph, warm: IntArray, node_limit: int
) -> tuple[int, IntArray, State]:
    """Solve one assignment step without sizes.

    Parameters
    ----------
    cost : (s, k) float64
    linked, graph
        As in `Structure`.
    warm : (s,) int64
        Labels to start from, -1 where there are none.
    node_limit : int
        Nodes of branch and bound for each component.

    Returns
    -------
    outcome : int
        SOLVED, INFEASIBLE, or UNFINISHED if a component is a hard core.
    labels : (s,) int64
        -1 where undecided.
    state : State
        Of the linked blocks; the hard cores are undecided in it.
    """
    labels = cheapest(cost)
    candidates = open_candidates(cost, linked, 0, graph)
    outcome, state = assign_linked(candidates, cost.shape[1], graph, warm[linked], node_limit)
    if outcome == SOLVED:
        for v in range(len(linked)):
            labels[linked[v]] = state.label[v]
    return outcome, labels, state


@njit(cache=True)
def assign_linked(
    candidates: Candidates, k: int, graph: Graph, warm: IntArray, node_limit: int
) -> tuple[int, State]:
    """Solve the step of the linked blocks alone, as `assign` does.

    Parameters
    ----------
    candidates : Candidates
        Theirs; the arrays become the state's.
    k : int
    graph
    warm : (l,) int64
    node_limit : int

    Returns
    -------
    outcome : int
    state : State
    """
    state = open_state(candidates, k)
    scratch = new_scratch(len(state.remaining), k)
    outcome = SOLVED if reduce_all(graph, state, scratch) else INFEASIBLE
    if outcome == SOLVED:
        outcome = search_components(graph, state, warm, node_limit)
    if outcome == SOLVED:
        unfold(state)
    return outcome, state


@njit(cache=True)
def cheapest(cost: FloatArray) -> IntArray:
    """Return (s,) the cheapest centre of each block."""
    labels = np.empty(len(cost), np.int64)
    for b in range(len(cost)):
        best = 0
        for j in range(1, cost.shape[1]):
            if cost[b, j] < cost[b, best]:
                best = j
        labels[b] = best
    return labels


@njit(cache=True)
def search_components(graph: Graph, state: State, warm: IntArray, node_limit: int) -> int:
    """Search each component of undecided blocks by itself; solved ones become decided."""
    size = len(state.remaining)
    seen = state.decided.copy()
    members = np.empty(size, np.int64)
    outcome = SOLVED
    for root in range(size):
        if seen[root]:
            continue
        number = collect_component(root, graph, state, seen, members)
        nodes = node_limit if number <= LARGEST_SEARCHED else 0
        found, _ = search(members[:number], graph, state, warm, nodes)
        if found == INFEASIBLE:
            return INFEASIBLE
        if found == UNFINISHED:
            outcome = UNFINISHED
        else:
            state.decided[members[:number]] = True
    return outcome


@njit(cache=True)
def collect_component(root: int, graph: Graph, state: State, seen: Any, members: IntArray) -> int:
    """Write the blocks that the root can affect into ``members``; return their number."""
    members[0], seen[root] = root, True
    number, position = 1, 0
    while position < number:
        v = members[position]
        position += 1
        for e in range(graph.start[v], graph.start[v + 1]):
            u = graph.neighbour[e]
            if not seen[u] and may_share(v, u, state):
                members[number], seen[u] = u, True
                number += 1
    return number
