"""Compiled Lagrangian dual of the assignment step: a lower bound and reduced costs.

The links and sizes move into the objective, so that each block again takes its cheapest centre:

- a clique of conflicts q and a centre j:  mu >= 0 on  sum of x_bj over q <= 1,
- a soft cannot-link of weight w and j:  0 <= mu <= w on  x_aj + x_bj - 1,
- a soft must-link of weight w and j:  -w/2 <= mu <= w/2 on  x_aj - x_bj
  (its price is w/2 times the sum over j of |x_aj - x_bj|),
- a size of cluster j: pi_j > 0 on the upper one, pi_j < 0 on the lower one.

The multipliers follow subgradients with Polyak's step length. Any multipliers give a bound; with
theta the charged costs, ``bound + theta[b, j] - min(theta[b])`` is one for all assignments that
have b at j (Held and Karp 1971; Fisher 1981).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, ShortArray
from ccviz.compiled import njit

_SLICE = 50_000_000
"""Steps of a loop between two looks at whether to stop."""


class Charges(NamedTuple):
    """Links and sizes that are moved into the objective."""

    # start, member, (g + 1,): Groups of blocks of which at most one should be in a cluster.
    start: IntArray
    member: IntArray
    # (g,): The largest multiplier: inf for conflicts, the weight for a soft cannot-link.
    cap: FloatArray
    must: IntArray  # (m, 2): Soft must-links
    half: FloatArray  # (m,): Half their weights
    mass: FloatArray
    lower: FloatArray  # lower, upper, (k,): Sizes; 0 and inf where there are none
    upper: FloatArray


class Multipliers(NamedTuple):
    """The multipliers: (g, k) of the groups, (m, k) of the must-links, (k,) of the sizes."""

    group: FloatArray
    must: FloatArray
    size: FloatArray


@njit(cache=True)
def new_multipliers(charges: Charges, k: int) -> Multipliers:
    """Return multipliers of zero."""
    return Multipliers(
        np.zeros((len(charges.cap), k)), np.zeros((len(charges.half), k)), np.zeros(k)
    )


def ascend(
    cost: FloatArray,
    charges: Charges,
    multipliers: Multipliers,
    target: float,
    iterations: int,
    stop: Callable[[], bool],
) -> tuple[float, FloatArray]:
    """Raise the bound towards a target, for some iterations or until it is to stop.

    `multipliers`: Where to start; holds the last ones afterwards. `target`: Cost of an assignment,
    or a guess. Returns `bound`: The best lower bound met. Returns `theta` (s, k): The charged costs
    that belong to it.
    """
    theta = charged_costs(cost, charges, multipliers)
    best_theta = theta.copy()
    state = np.array([-np.inf, 1.0, 0.0])  # the best bound, the step, iterations without a gain
    taken = (len(charges.member) + 2 * len(charges.half) + 2 * len(cost)) * cost.shape[1]
    some = max(1, _SLICE // max(1, taken))
    while iterations > 0:
        at_once = min(some, iterations)
        if ascend_some(charges, multipliers, target, at_once, theta, best_theta, state) or stop():
            break
        iterations -= at_once
    return float(state[0]), best_theta


@njit(cache=True)
def ascend_some(
    charges: Charges,
    multipliers: Multipliers,
    target: float,
    iterations: int,
    theta: FloatArray,
    best_theta: FloatArray,
    state: FloatArray,
) -> bool:
    """Go on for some iterations; return whether that was the end."""
    labels = np.empty(len(theta), np.int64)
    count = np.zeros(theta.shape[1], np.int64)
    best, step, idle = state
    ended = False
    for _ in range(iterations):
        bound = _cheapest(theta, labels) + _constant(charges, multipliers)
        idle += 1
        if bound > best:
            idle = 0.0 if bound > best + 1e-4 * (target - best) else idle
            best = bound
            best_theta[:] = theta
        ended = best >= target or step < 1e-3
        if ended:
            break
        if idle == 10:
            step, idle = step / 2, 0.0
        norm = _group_step(labels, charges, multipliers, theta, count, 0.0)
        norm += _must_step(labels, charges, multipliers, theta, 0.0)
        norm += _size_step(labels, charges, multipliers, theta, 0.0)
        ended = norm == 0.0
        if ended:
            break
        length = step * (target - bound) / norm
        _group_step(labels, charges, multipliers, theta, count, length)
        _must_step(labels, charges, multipliers, theta, length)
        _size_step(labels, charges, multipliers, theta, length)
    state[:] = best, step, idle
    return ended


@njit(cache=True)
def charged_costs(cost: FloatArray, charges: Charges, multipliers: Multipliers) -> FloatArray:
    """Return the costs with the charges of the multipliers."""
    theta = cost.copy()
    for g in range(len(charges.cap)):
        for place in range(charges.start[g], charges.start[g + 1]):
            theta[charges.member[place]] += multipliers.group[g]
    for e in range(len(charges.half)):
        theta[charges.must[e, 0]] += multipliers.must[e]
        theta[charges.must[e, 1]] -= multipliers.must[e]
    for b in range(len(cost)):
        theta[b] += charges.mass[b] * multipliers.size
    return theta


@njit(cache=True)
def _cheapest(theta: FloatArray, labels: IntArray) -> float:
    """Give each block its cheapest centre; return the sum."""
    total = 0.0
    for b in range(len(theta)):
        best = 0
        for j in range(1, theta.shape[1]):
            if theta[b, j] < theta[b, best]:
                best = j
        labels[b] = best
        total += theta[b, best]
    return total


@njit(cache=True)
def _constant(charges: Charges, multipliers: Multipliers) -> float:
    """Return the right-hand sides times their multipliers."""
    total = -multipliers.group.sum()
    for j in range(len(multipliers.size)):
        price = multipliers.size[j]
        if price > 0:
            total -= price * charges.upper[j]
        elif price < 0:
            total -= price * charges.lower[j]
    return total


@njit(cache=True)
def _group_step(
    labels: IntArray,
    charges: Charges,
    multipliers: Multipliers,
    theta: FloatArray,
    count: IntArray,
    length: float,
) -> float:
    """Move the groups' multipliers along the subgradient; return its squared norm."""
    norm = 0.0
    for g in range(len(charges.cap)):
        first, last = charges.start[g], charges.start[g + 1]
        for place in range(first, last):
            count[labels[charges.member[place]]] += 1
        for j in range(len(count)):
            price, surplus = multipliers.group[g, j], count[j] - 1
            count[j] = 0
            if surplus > 0 or (surplus < 0 and price > 0):
                norm += surplus**2
                changed = min(max(price + length * surplus, 0.0), charges.cap[g])
                multipliers.group[g, j] = changed
                if changed != price:
                    for place in range(first, last):
                        theta[charges.member[place], j] += changed - price
    return norm


@njit(cache=True)
def _must_step(
    labels: IntArray, charges: Charges, multipliers: Multipliers, theta: FloatArray, length: float
) -> float:
    """The same for the must-links."""
    norm = 0.0
    for e in range(len(charges.half)):
        a, b = charges.must[e]
        if labels[a] == labels[b]:
            continue
        norm += 2.0
        for j, slope in ((labels[a], 1.0), (labels[b], -1.0)):
            price = multipliers.must[e, j]
            limit = charges.half[e]
            changed = min(max(price + length * slope, -limit), limit)
            multipliers.must[e, j] = changed
            theta[a, j] += changed - price
            theta[b, j] -= changed - price
    return norm


@njit(cache=True)
def _size_step(
    labels: IntArray, charges: Charges, multipliers: Multipliers, theta: FloatArray, length: float
) -> float:
    """The same for the sizes."""
    load = np.zeros(len(multipliers.size))
    for b in range(len(labels)):
        load[labels[b]] += charges.mass[b]
    norm = 0.0
    for j in range(len(load)):
        price = multipliers.size[j]
        if price > 0 or (price == 0 and load[j] > charges.upper[j]):
            slope = load[j] - charges.upper[j]
        elif price < 0 or load[j] < charges.lower[j]:
            slope = load[j] - charges.lower[j]
        else:
            continue
        norm += slope**2
        changed = price + length * slope
        if price * changed < 0:
            changed = 0.0
        multipliers.size[j] = changed
        if changed != price:
            for b in range(len(labels)):
                theta[b, j] += charges.mass[b] * (changed - price)
    return norm


# --- Compiled cover of a conflict graph by cliques ------------------------------------------------
#
# Of a clique of conflicts at most one block can be in a cluster: one row that says so is stronger
# than a row for each of its pairs.


def clique_cover(
    start: IntArray, neighbour: IntArray | ShortArray, stop: Callable[[], bool]
) -> tuple[IntArray, IntArray]:
    """Cover every edge of a graph by greedy cliques; once it is to stop, the rest by pairs.

    `neighbour` (2e,): Compressed sparse rows with sorted neighbours.
    """
    degree = start[1:] - start[:-1]
    order, covered = np.argsort(-degree, kind="stable"), np.zeros(len(neighbour), np.bool_)
    sizes, members, at = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)], 0
    while at < len(order) and not stop():
        at, size, member = cover_some(start, neighbour, order, at, covered)
        sizes.append(size)
        members.append(member)
    source = np.repeat(np.arange(len(degree)), degree)
    rest = np.flatnonzero(~covered & (source < neighbour))
    sizes.append(np.full(len(rest), 2))
    members.append(np.column_stack([source[rest], neighbour[rest]]).ravel().astype(np.int64))
    return np.cumsum(np.concatenate(sizes)), np.concatenate(members)


@njit(cache=True)
def cover_some(
    start: IntArray, neighbour: IntArray, order: IntArray, at: int, covered: NDArray[np.bool_]
) -> tuple[int, IntArray, IntArray]:
    """Cover the edges of some vertices; return the next one, and sizes and members of cliques."""
    vertices, taken, cliques, top = len(start) - 1, 0, 0, 0
    sizes = np.empty(len(neighbour) // 2 + 1, np.int64)
    member = np.empty(2 * len(neighbour), np.int64)
    common, inside = np.empty(vertices, np.int64), np.zeros(vertices, np.bool_)
    while at < len(order) and taken < _SLICE:
        v = order[at]
        at += 1
        for e in range(start[v], start[v + 1]):
            if covered[e]:
                continue
            member[top], size = v, 1
            wanted, left = neighbour[e], start[v + 1] - start[v]
            common[:left] = neighbour[start[v] : start[v + 1]]
            while wanted >= 0:
                member[top + size] = wanted
                size += 1
                taken += left + start[wanted + 1] - start[wanted]
                left = _keep_neighbours(common, left, wanted, start, neighbour)
                wanted = _largest_degree(common, left, start)
            _mark_covered(member[top : top + size], start, neighbour, inside, covered)
            sizes[cliques] = size
            cliques += 1
            top += size
            if top + vertices > len(member):
                member = np.concatenate((member, np.empty_like(member)))
    return at, sizes[:cliques].copy(), member[:top].copy()


@njit(cache=True)
def _keep_neighbours(
    common: IntArray, left: int, vertex: int, start: IntArray, neighbour: IntArray
) -> int:
    """Keep the common vertices that are neighbours of one more; both lists are sorted."""
    kept, e = 0, start[vertex]
    for place in range(left):
        while e < start[vertex + 1] and neighbour[e] < common[place]:
            e += 1
        if e < start[vertex + 1] and neighbour[e] == common[place]:
            common[kept] = common[place]
            kept += 1
    return kept


@njit(cache=True)
def _largest_degree(common: IntArray, left: int, start: IntArray) -> int:
    best, most = -1, -1
    for place in range(left):
        degree = start[common[place] + 1] - start[common[place]]
        if degree > most:
            best, most = common[place], degree
    return best


@njit(cache=True)
def _mark_covered(
    clique: IntArray,
    start: IntArray,
    neighbour: IntArray,
    inside: NDArray[np.bool_],
    covered: NDArray[np.bool_],
) -> None:
    """Mark the edges inside a clique; `inside` is all false before and after."""
    for v in clique:
        inside[v] = True
    for v in clique:
        for e in range(start[v], start[v + 1]):
            if inside[neighbour[e]]:
                covered[e] = True
    for v in clique:
        inside[v] = False
