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

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


class Charges(NamedTuple):
    """Links and sizes that are moved into the objective.

    Attributes
    ----------
    start, member : (g + 1,), (...,) int64
        Groups of blocks of which at most one should be in a cluster.
    cap : (g,) float64
        The largest multiplier: inf for conflicts, the weight for a soft cannot-link.
    must : (m, 2) int64
        Soft must-links.
    half : (m,) float64
        Half their weights.
    mass : (s,) float64
    lower, upper : (k,) float64
        Sizes; 0 and inf where there are none.
    """

    start: IntArray
    member: IntArray
    cap: FloatArray
    must: IntArray
    half: FloatArray
    mass: FloatArray
    lower: FloatArray
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


@njit(cache=True)
def ascend(
    cost: FloatArray,
    charges: Charges,
    multipliers: Multipliers,
    target: float,
    iterations: int,
) -> tuple[float, FloatArray]:
    """Raise the bound towards a target.

    Parameters
    ----------
    cost : (s, k) float64
    charges : Charges
    multipliers : Multipliers
        Where to start; holds the last ones afterwards.
    target : float
        Cost of an assignment, or a guess.
    iterations : int

    Returns
    -------
    bound : float
        The best lower bound met.
    theta : (s, k) float64
        The charged costs that belong to it.
    """
    theta = charged_costs(cost, charges, multipliers)
    best_theta = theta.copy()
    labels = np.empty(len(cost), np.int64)
    count = np.zeros(cost.shape[1], np.int64)
    best, step, idle = -np.inf, 1.0, 0
    for _ in range(iterations):
        bound = _cheapest(theta, labels) + _constant(charges, multipliers)
        idle += 1
        if bound > best:
            idle = 0 if bound > best + 1e-4 * (target - best) else idle
            best = bound
            best_theta[:] = theta
        if best >= target or step < 1e-3:
            break
        if idle == 10:
            step, idle = step / 2, 0
        norm = _group_step(labels, charges, multipliers, theta, count, 0.0)
        norm += _must_step(labels, charges, multipliers, theta, 0.0)
        norm += _size_step(labels, charges, multipliers, theta, 0.0)
        if norm == 0.0:
            break
        length = step * (target - bound) / norm
        _group_step(labels, charges, multipliers, theta, count, length)
        _must_step(labels, charges, multipliers, theta, length)
        _size_step(labels, charges, multipliers, theta, length)
    return best, best_theta


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
    labels: IntArray,
    charges: Charges,
    multipliers: Multipliers,
    theta: FloatArray,
    length: float,
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
    labels: IntArray,
    charges: Charges,
    multipliers: Multipliers,
    theta: FloatArray,
    length: float,
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
