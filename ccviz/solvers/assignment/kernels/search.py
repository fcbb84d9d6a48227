"""Compiled depth-first branch and bound over one component of undecided blocks.

The bound at a node is the cost of the decided blocks plus, for every other block, its cheapest
candidate with the charges of decided neighbours. Next comes the block with the largest regret
(second best minus best), its candidates by increasing cost. Changed costs go on a trail, so that
going back restores them to the last bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.repair import Graph
from ccviz.solvers.assignment.kernels.rules import (
    Candidates,
    State,
    may_share,
    new_scratch,
    open_candidates,
    open_state,
    place_of,
    reduce_all,
    row_of,
    unfold,
)

SOLVED, INFEASIBLE, UNFINISHED = 0, 1, 2


class Trail(NamedTuple):
    """Costs as they were before the decisions on the stack, by their places in the rows."""

    place: IntArray
    theta: FloatArray


class Stack(NamedTuple):
    """The path to the current node, one entry a depth.

    ``block`` is the branching block (-1 if the node is pruned), ``centre`` and ``cost`` the
    candidate tried last, ``cheapest`` the first one. ``paid`` is the cost of decided blocks,
    ``rest`` the bound on the others, ``trail`` the length of the trail at the node. ``order``
    holds the members, those decided first.
    """

    block: IntArray
    centre: IntArray
    cost: FloatArray
    cheapest: FloatArray
    paid: FloatArray
    rest: FloatArray
    trail: IntArray
    order: IntArray


@njit(cache=True)
def search(
    members: IntArray, graph: Graph, state: State, warm: IntArray, node_limit: int
) -> tuple[int, float]:
    """Label the members of a component at least cost, into ``state.label``.

    Returns `outcome`: SOLVED, INFEASIBLE, or UNFINISHED when the nodes ran out.
    """
    size = len(members)
    stack, trail = _new_stack(members), _new_trail(members, graph, state)
    best = _take_warm(members, graph, state, warm)
    stack.paid[0], stack.trail[0] = _rewards(members, graph, state), 0
    _choose(0, state, stack, best)
    depth, nodes = 0, 0
    while depth >= 0 and nodes < node_limit:
        if depth < size and _try_next(depth, graph, state, stack, trail, best):
            depth, nodes = depth + 1, nodes + 1
            if depth < size:
                _choose(depth, state, stack, best)
            continue
        if depth == size:
            best = stack.paid[depth]
            for d in range(depth):
                state.label[stack.block[d]] = stack.centre[d]
        depth -= 1
        if depth >= 0:
            _take_back(depth, state, stack, trail)
    if depth >= 0:
        for d in range(depth - 1, -1, -1):
            _take_back(d, state, stack, trail)
        return UNFINISHED, best
    return (SOLVED if best < np.inf else INFEASIBLE), best


@njit(cache=True)
def _new_stack(members: IntArray) -> Stack:
    size = len(members)
    return Stack(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty(size),
        np.empty(size + 1),
        np.empty(size),
        np.empty(size + 1, np.int64),
        members.copy(),
    )


@njit(cache=True)
def _new_trail(members: IntArray, graph: Graph, state: State) -> Trail:
    """Return a trail that holds every change along one path."""
    size = 0
    for v in members:
        for e in range(graph.start[v], graph.start[v + 1]):
            size += state.remaining[graph.neighbour[e]]
    return Trail(np.empty(size, np.int64), np.empty(size))


@njit(cache=True)
def _rewards(members: IntArray, graph: Graph, state: State) -> float:
    """Return the sum of all rewards inside the component: the search charges being apart."""
    total = 0.0
    for v in members:
        for e in range(graph.start[v], graph.start[v + 1]):
            u = graph.neighbour[e]
            if u > v and not state.decided[u]:
                total += min(graph.price[e], 0.0)
    return total


@njit(cache=True)
def _take_warm(members: IntArray, graph: Graph, state: State, warm: IntArray) -> float:
    """Label the members as given if that is allowed; return the cost, inf if it is not."""
    for v in members:
        if warm[v] < 0 or not state.possible[v, warm[v]]:
            return np.inf
    total = 0.0
    for v in members:
        total += state.theta[place_of(v, warm[v], state)]
        for e in range(graph.start[v], graph.start[v + 1]):
            u = graph.neighbour[e]
            if u > v and not state.decided[u] and warm[u] == warm[v]:
                total += graph.price[e]
    if total < np.inf:
        for v in members:
            state.label[v] = warm[v]
    return total


@njit(cache=True)
def _choose(depth: int, state: State, stack: Stack, best: float) -> None:
    """Bound the node and pick the open block with the largest regret, or -1 to prune."""
    rest, largest, place = 0.0, -1.0, -1
    for position in range(depth, len(stack.order)):
        v = stack.order[position]
        first, second = np.inf, np.inf
        for at in row_of(v, state):
            cost = state.theta[at]
            if cost < first:
                first, second = cost, first
            elif cost < second:
                second = cost
        rest += first
        if second - first > largest:
            largest, place = second - first, position
            stack.cheapest[depth] = first
    # Not before the end of the loop: rewards of decided neighbours make single costs negative.
    if stack.paid[depth] + rest >= best:
        stack.block[depth] = -1
        return
    v = stack.order[place]
    stack.order[place], stack.order[depth] = stack.order[depth], v
    stack.block[depth], stack.centre[depth], stack.cost[depth] = v, -1, -np.inf
    stack.rest[depth] = rest


@njit(cache=True)
def _try_next(
    depth: int, graph: Graph, state: State, stack: Stack, trail: Trail, best: float
) -> bool:
    """Decide the node's block for its next candidate; return False if none can improve."""
    v = stack.block[depth]
    if v < 0:
        return False
    chosen, cost = -1, np.inf
    for place in row_of(v, state):
        j, theta = state.candidates[place], state.theta[place]
        later = theta > stack.cost[depth] or (
            theta == stack.cost[depth] and j > stack.centre[depth]
        )
        if later and (theta < cost or (theta == cost and j < chosen)):
            chosen, cost = j, theta
    others = stack.rest[depth] - stack.cheapest[depth]
    if chosen < 0 or stack.paid[depth] + cost + others >= best:
        return False
    stack.centre[depth], stack.cost[depth] = chosen, cost
    stack.paid[depth + 1] = stack.paid[depth] + cost
    stack.trail[depth + 1] = _charge(depth, graph, state, stack, trail)
    return True


@njit(cache=True)
def _charge(depth: int, graph: Graph, state: State, stack: Stack, trail: Trail) -> int:
    """Charge the neighbours of the block just decided; return the trail's new length."""
    v, j, top = stack.block[depth], stack.centre[depth], stack.trail[depth]
    for e in range(graph.start[v], graph.start[v + 1]):
        u, price = graph.neighbour[e], graph.price[e]
        if state.decided[u]:
            continue
        for place in row_of(u, state):
            if (state.candidates[place] == j) == (price > 0):
                trail.place[top], trail.theta[top] = place, state.theta[place]
                state.theta[place] += abs(price)
                top += 1
    return top


@njit(cache=True)
def _take_back(depth: int, state: State, stack: Stack, trail: Trail) -> None:
    """Restore the costs as they were at the node of this depth."""
    for top in range(stack.trail[depth + 1] - 1, stack.trail[depth] - 1, -1):
        state.theta[trail.place[top]] = trail.theta[top]


# --- The compiled assignment step for links without sizes: reduce, split, search ------------------

LARGEST_SEARCHED = 2_000
"""Blocks of a component beyond which branch and bound is not tried: a node looks at all of them."""


@njit(cache=True)
def assign(
    cost: FloatArray, linked: IntArray, graph: Graph, warm: IntArray, node_limit: int
) -> tuple[int, IntArray, State]:
    """Solve one assignment step without sizes.

    `warm` (s,): Labels to start from, -1 where there are none. `node_limit`: Nodes of branch and
    bound for each component. Returns `outcome`: SOLVED, INFEASIBLE, or UNFINISHED if a component is
    a hard core. Returns `labels` (s,): -1 where undecided. Returns `state`: Of the linked blocks;
    the hard cores are undecided in it.
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

    `candidates`: Theirs; the arrays become the state's.
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
