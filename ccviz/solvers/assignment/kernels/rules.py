"""Compiled reduction rules: candidates that cannot matter are removed before any search begins.

All rules keep at least one optimal assignment. They rest on two numbers for a block v and a
candidate centre j, given what v's undecided neighbours can still choose:

- ``high[j]``: the most that v can pay at j (every soft cannot-link to a possible j is charged),
- ``low[j]``: the least (every soft must-link to a possible j is rewarded).

Hard conflicts are not in them: a neighbour *blocks* j. Take any set of m candidates that fewer
than m conflicting neighbours can choose from. One of them is always free, so every candidate
outside the set whose ``low`` is at least the largest ``high`` in the set can go.

- One candidate that no neighbour can choose is such a set: the peel rule (and, with soft links,
  dead-end elimination, Goldstein 1994).
- The g + 1 best candidates of a block with g conflicts are such a set: the degree rule.

A block with one candidate left is fixed and charges its neighbours. A block with one undecided
neighbour is folded into it, as dynamic programming on a tree does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray, ShortArray
from ccviz.compiled import njit
from ccviz.feasibility.repair import Graph


class Candidates(NamedTuple):
    """Possible centres of some of the linked blocks, block by block."""

    number: ShortArray
    centre: ShortArray  # (c,): By increasing cost within a block
    theta: FloatArray  # (c,): Their costs


class State(NamedTuple):
    """A partly decided assignment of the linked blocks.

    A row is as long as the block's first list of candidates: with many blocks and few conflicts a
    table of all centres would be most of the memory.
    """

    first: IntArray  # (l,): Where each block's row begins in ``candidates`` and ``theta``
    # (c,): The centres still possible, in the first ``remaining`` places of a row.
    candidates: ShortArray
    theta: FloatArray  # (c,): Cost of the block there, with the charges of decided neighbours
    remaining: ShortArray
    possible: Any  # (l, k): The same as a table
    decided: Any  # (l,): Fixed or folded blocks: their neighbours need not look at them any more
    label: IntArray  # (l,): Centres of the fixed blocks
    # folded, folded_into, (l,): Folded blocks in order and the neighbour each waits for.
    folded: IntArray
    folded_into: IntArray
    folded_price: FloatArray  # (l,): The price of that link
    folds: IntArray  # (1,): Number of folded blocks


class Scratch(NamedTuple):
    """Work space of the rules, allocated once a call."""

    high: FloatArray
    low: FloatArray
    blockers: IntArray
    met: IntArray
    seen: IntArray
    queue: IntArray
    queued: Any


@njit(cache=True, nogil=True)
def open_candidates(cost: FloatArray, some: IntArray, at: int, graph: Graph) -> Candidates:
    """Return the candidates that degree and soft links leave to blocks in a row of the graph.

    `some` (m,): The blocks' rows in it.
    """
    size, k = len(some), cost.shape[1]
    number, smallest, row = np.empty(size, np.int32), np.empty(k), np.empty(k, np.int32)
    centre, theta, end = np.empty(size * k, np.int32), np.empty(size * k), 0
    for p in range(size):
        paid = cost[some[p]]
        number[p] = _candidates_of(at + p, paid, graph, smallest, row)
        for r in range(number[p]):
            centre[end], theta[end] = row[r], paid[row[r]]
            end += 1
    if 2 * end > size * k:
        return Candidates(number, centre[:end], theta[:end])
    return Candidates(number, centre[:end].copy(), theta[:end].copy())


@njit(cache=True)
def _candidates_of(
    v: int, cost: FloatArray, graph: Graph, smallest: FloatArray, row: ShortArray
) -> int:
    """Write the centres that v's degree and soft links leave, by cost; return their number.

    The work space has as many places as there are centres.
    """
    conflicts, reach = 0, 0.0
    for e in range(graph.start[v], graph.start[v + 1]):
        if graph.price[e] == np.inf:
            conflicts += 1
        else:
            reach += abs(graph.price[e])
    limit = _nth_smallest(cost, conflicts, smallest) + reach
    m = 0
    for j in range(len(cost)):
        if cost[j] <= limit and cost[j] < np.inf:
            place = m
            while place > 0 and cost[row[place - 1]] > cost[j]:
                row[place] = row[place - 1]
                place -= 1
            row[place] = j
            m += 1
    return min(m, conflicts + 1) if reach == 0.0 else m


@njit(cache=True)
def open_state(candidates: Candidates, k: int) -> State:
    """Return the state before any rule; the candidates' arrays become its own."""
    size = len(candidates.number)
    state = State(
        np.cumsum(candidates.number) - candidates.number,
        candidates.centre,
        candidates.theta,
        candidates.number,
        np.zeros((size, k), np.bool_),
        np.zeros(size, np.bool_),
        np.full(size, -1, np.int64),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size),
        np.zeros(1, np.int64),
    )
    for v in range(size):
        for place in row_of(v, state):
            state.possible[v, state.candidates[place]] = True
    return state


@njit(cache=True, inline="always")
def row_of(v: int, state: State) -> range:
    """Return the places of the centres still possible for v."""
    return range(state.first[v], state.first[v] + state.remaining[v])


@njit(cache=True)
def _nth_smallest(values: FloatArray, n: int, smallest: FloatArray) -> float:
    """Return the value at place n (from 0) of the sorted values, inf beyond their number."""
    if n >= len(values):
        return np.inf
    m = 0
    for value in values:
        if m <= n or value < smallest[n]:
            place = min(m, n)
            while place > 0 and smallest[place - 1] > value:
                smallest[place] = smallest[place - 1]
                place -= 1
            smallest[place] = value
            m += 1
    return smallest[n]


@njit(cache=True)
def new_scratch(size: int, k: int) -> Scratch:
    """Return work space for ``size`` blocks and k centres."""
    return Scratch(
        np.empty(k),
        np.empty(k),
        np.empty(k, np.int64),
        np.full(size, -1, np.int32),
        np.full(size, k + 1, np.int32),
        np.empty(size, np.int32),
        np.zeros(size, np.bool_),
    )


@njit(cache=True)
def reduce_all(graph: Graph, state: State, scratch: Scratch) -> bool:
    """Apply the rules to a fixed point; return False if some block has no centre left."""
    waiting = 0
    for v in range(len(state.remaining)):
        if not state.decided[v]:
            waiting = _enqueue(v, 0, waiting, scratch)
    head = 0
    while waiting > 0:
        v = scratch.queue[head]
        head, waiting = (head + 1) % len(scratch.queue), waiting - 1
        scratch.queued[v] = False
        if state.decided[v]:
            continue
        which = _visit(v, graph, state, scratch)
        if state.remaining[v] == 0:
            return False
        if which == NO_NEIGHBOUR:
            continue
        for e in range(graph.start[v], graph.start[v + 1]):
            u = graph.neighbour[e]
            if not state.decided[u] and (which == ALL_NEIGHBOURS or u == which):
                waiting = _enqueue(u, head, waiting, scratch)
        if not state.decided[v]:
            waiting = _enqueue(v, head, waiting, scratch)
    return True


@njit(cache=True)
def _enqueue(v: int, head: int, waiting: int, scratch: Scratch) -> int:
    """Put v at the end of the queue unless it is in it; return the queue's new length."""
    if scratch.queued[v]:
        return waiting
    scratch.queue[(head + waiting) % len(scratch.queue)] = v
    scratch.queued[v] = True
    return waiting + 1


NO_NEIGHBOUR, ALL_NEIGHBOURS = -2, -1


@njit(cache=True)
def _visit(v: int, graph: Graph, state: State, scratch: Scratch) -> int:
    """Apply the rules to one block; return which of its neighbours must be looked at again."""
    _tighten(v, graph, state, scratch)
    shrunk = state.remaining[v] < scratch.seen[v]
    scratch.seen[v] = state.remaining[v]
    if state.remaining[v] == 0:
        return ALL_NEIGHBOURS
    if state.remaining[v] == 1:
        fix(v, state.candidates[state.first[v]], graph, state)
        return ALL_NEIGHBOURS
    edge, degree = _undecided_edges(v, graph, state)
    if degree == 1:
        _fold(v, graph.neighbour[edge], graph.price[edge], state)
        return graph.neighbour[edge] if not shrunk else ALL_NEIGHBOURS
    return ALL_NEIGHBOURS if shrunk else NO_NEIGHBOUR


@njit(cache=True)
def _tighten(v: int, graph: Graph, state: State, scratch: Scratch) -> None:
    """Remove candidates of v that are never needed."""
    conflicts = _weigh(v, graph, state, scratch)
    first_place, m = state.first[v], state.remaining[v]
    _sort_by_high(first_place, m, state, scratch)
    size, limit = _free_prefix(v, graph, state, scratch, conflicts)
    first = size
    for r in range(m):
        if scratch.blockers[r] == 0:
            if scratch.high[r] < limit:
                size, first, limit = 0, r, scratch.high[r]
            break
    kept = 0
    for r in range(m):
        if r < size or r == first or scratch.low[r] < limit:
            _move(first_place + r, first_place + kept, state)
            kept += 1
        else:
            state.possible[v, state.candidates[first_place + r]] = False
    state.remaining[v] = kept


@njit(cache=True)
def _weigh(v: int, graph: Graph, state: State, scratch: Scratch) -> int:
    """Fill high, low and the number of blockers of v's candidates; return its conflicts."""
    at, m, conflicts = state.first[v], state.remaining[v], 0
    for r in range(m):
        scratch.high[r] = scratch.low[r] = state.theta[at + r]
        scratch.blockers[r] = 0
    for e in range(graph.start[v], graph.start[v + 1]):
        u, price = graph.neighbour[e], graph.price[e]
        if state.decided[u]:
            continue
        conflicts += price == np.inf
        for r in range(m):
            if state.possible[u, state.candidates[at + r]]:
                if price == np.inf:
                    scratch.blockers[r] += 1
                elif price > 0:
                    scratch.high[r] += price
                else:
                    scratch.low[r] += price
    return conflicts


@njit(cache=True)
def _sort_by_high(at: int, m: int, state: State, scratch: Scratch) -> None:
    """Insertion sort of the row that begins at a place: it is nearly sorted already."""
    for r in range(1, m):
        high, low, blockers = scratch.high[r], scratch.low[r], scratch.blockers[r]
        j, theta, place = state.candidates[at + r], state.theta[at + r], r
        while place > 0 and scratch.high[place - 1] > high:
            _move(at + place - 1, at + place, state)
            scratch.high[place] = scratch.high[place - 1]
            scratch.low[place] = scratch.low[place - 1]
            scratch.blockers[place] = scratch.blockers[place - 1]
            place -= 1
        state.candidates[at + place], state.theta[at + place] = j, theta
        scratch.high[place], scratch.low[place] = high, low
        scratch.blockers[place] = blockers


@njit(cache=True)
def _move(place: int, to: int, state: State) -> None:
    state.candidates[to], state.theta[to] = state.candidates[place], state.theta[place]


@njit(cache=True)
def _free_prefix(
    v: int, graph: Graph, state: State, scratch: Scratch, conflicts: int
) -> tuple[int, float]:
    """Return the shortest prefix that more candidates than neighbours can meet, and its cost."""
    met = 0
    for r in range(state.remaining[v]):
        j = state.candidates[state.first[v] + r]
        if met < conflicts and scratch.blockers[r] > 0:
            for e in range(graph.start[v], graph.start[v + 1]):
                u = graph.neighbour[e]
                if state.decided[u] or graph.price[e] != np.inf or not state.possible[u, j]:
                    continue
                if scratch.met[u] != v:
                    scratch.met[u] = v
                    met += 1
        if met < r + 1:
            _forget(v, graph, scratch)
            return r + 1, scratch.high[r]
    _forget(v, graph, scratch)
    return state.remaining[v], np.inf


@njit(cache=True)
def _forget(v: int, graph: Graph, scratch: Scratch) -> None:
    for e in range(graph.start[v], graph.start[v + 1]):
        scratch.met[graph.neighbour[e]] = -1


@njit(cache=True)
def fix(v: int, j: int, graph: Graph, state: State) -> None:
    """Give block v centre j and charge its undecided neighbours."""
    state.label[v], state.decided[v] = j, True
    for e in range(graph.start[v], graph.start[v + 1]):
        u = graph.neighbour[e]
        if state.decided[u] or not state.possible[u, j]:
            continue
        if graph.price[e] == np.inf:
            drop(u, j, state)
        else:
            state.theta[place_of(u, j, state)] += graph.price[e]


@njit(cache=True)
def drop(u: int, j: int, state: State) -> None:
    """Remove one candidate, keeping the order of the others."""
    state.possible[u, j] = False
    end = state.first[u]
    for place in row_of(u, state):
        if state.candidates[place] != j:
            _move(place, end, state)
            end += 1
    state.remaining[u] = end - state.first[u]


@njit(cache=True)
def place_of(u: int, j: int, state: State) -> int:
    """Return the place of a centre that is possible for u."""
    place = state.first[u]
    while state.candidates[place] != j:
        place += 1
    return place


@njit(cache=True)
def _undecided_edges(v: int, graph: Graph, state: State) -> tuple[int, int]:
    """Return one edge of v to an undecided block with a common candidate, and their number."""
    edge, degree = -1, 0
    for e in range(graph.start[v], graph.start[v + 1]):
        if may_share(v, graph.neighbour[e], state):
            edge = e
            degree += 1
    return edge, degree


@njit(cache=True)
def may_share(v: int, u: int, state: State) -> bool:
    """Whether v and the block u, if undecided, still have a candidate in common."""
    if state.decided[u]:
        return False
    for place in row_of(v, state):  # noqa: SIM110  numba has no any() over a generator
        if state.possible[u, state.candidates[place]]:
            return True
    return False


@njit(cache=True)
def _fold(v: int, u: int, price: float, state: State) -> None:
    """Decide v once u is: charge u's candidates with v's least cost then."""
    state.decided[v] = True
    place = state.folds[0]
    state.folded[place], state.folded_into[place] = v, u
    state.folded_price[place] = price
    state.folds[0] += 1
    for at in row_of(u, state):
        state.theta[at] += best_reply(v, state.candidates[at], price, state)[1]


@njit(cache=True)
def best_reply(v: int, shared: int, price: float, state: State) -> tuple[int, float]:
    """Return the best centre of v and its cost if sharing centre ``shared`` costs ``price``."""
    best, best_cost = -1, np.inf
    for place in row_of(v, state):
        j = state.candidates[place]
        paid = state.theta[place] + (price if j == shared else 0.0)
        if paid < best_cost:
            best, best_cost = j, paid
    return best, best_cost


@njit(cache=True)
def table_of(state: State, some: IntArray) -> FloatArray:
    """Return the (m, k) costs of some blocks at each centre, inf where they cannot go."""
    table = np.full((len(some), state.possible.shape[1]), np.inf)
    for p in range(len(some)):
        for place in row_of(some[p], state):
            table[p, state.candidates[place]] = state.theta[place]
    return table


@njit(cache=True)
def unfold(state: State) -> None:
    """Label the folded blocks, last folded first."""
    for place in range(state.folds[0] - 1, -1, -1):
        v = state.folded[place]
        shared = state.label[state.folded_into[place]]
        state.label[v] = best_reply(v, shared, state.folded_price[place], state)[0]
