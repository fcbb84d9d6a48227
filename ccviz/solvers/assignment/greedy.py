"""Greedy assignment: blocks in an order, each to its cheapest centre that is still allowed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray, ShortArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import (
    Assignment,
    block_means,
    block_wcss,
    half_gaps,
    objective_of,
    squared_distance,
    squared_distances,
)
from ccviz.solvers.assignment.structure import Structure


class Rules(NamedTuple):
    """Links, masses and sizes in the form that the compiled code reads."""

    start: IntArray
    neighbour: ShortArray
    price: FloatArray
    position: IntArray  # (s,): The place of each block in the graph, -1 for blocks without links
    mass: FloatArray  # (s,): Points in each block
    lower: FloatArray
    upper: FloatArray


def greedy_assignment(
    cost: FloatArray, structure: Structure, order: IntArray, *, nonempty: bool = False
) -> Assignment:
    """Assign blocks one after the other, as COP-k-means does (Wagstaff et al. 2001, Table 1).

    Soft links are charged towards the blocks that are already assigned.

    `nonempty`: Whether every cluster must get a block. Returns: Never proved. At a dead end the
    block that found no centre and those after it have label -1 and the objective is inf; that says
    nothing about feasibility.
    """
    labels = np.empty(structure.s, dtype=np.int64)
    done = assign_in_order(cost, order, greedy_rules(structure, nonempty), labels)
    objective = objective_of(labels, cost, structure) if done == structure.s else np.inf
    return Assignment(labels, objective, proved=False, infeasible=False)


def greedy_rules(structure: Structure, nonempty: bool) -> Rules:
    """Return a structure in the form of the greedy assignment."""
    position = np.full(structure.s, -1, dtype=np.int64)
    position[structure.linked] = np.arange(len(structure.linked))
    lower, upper = structure.lower, structure.upper
    least = np.full(structure.k, 1.0 if nonempty else 0.0)
    return Rules(
        *structure.graph,
        position,
        structure.mass,
        least if lower is None else np.maximum(lower, least),
        np.full(structure.k, np.inf) if upper is None else upper,
    )


@njit(cache=True)
def assign_in_order(cost: FloatArray, order: IntArray, rules: Rules, labels: IntArray) -> int:
    """Fill ``labels`` greedily; return how many blocks of the order found a centre."""
    k = cost.shape[1]
    linked_label = np.full(len(rules.start) - 1, -1, np.int64)
    charge, load = np.empty(k), np.zeros(k)
    left, needed = rules.mass.sum(), rules.lower.sum()
    labels[:] = -1
    for done in range(len(order)):
        b = order[done]
        _charge_links(rules.position[b], rules, linked_label, charge)
        best, needed = _cheapest_fit(b, cost[b], charge, left, needed, load, rules)
        if best < 0:
            return done
        labels[b] = best
        load[best] += rules.mass[b]
        left -= rules.mass[b]
        if rules.position[b] >= 0:
            linked_label[rules.position[b]] = best
    return len(order)


@njit(cache=True)
def _cheapest_fit(
    b: int,
    paid: FloatArray,
    charge: FloatArray,
    left: float,
    needed: float,
    load: FloatArray,
    rules: Rules,
) -> tuple[int, float]:
    """Return the cheapest centre allowed for block b or -1, and the points clusters lack then."""
    best, best_cost, best_need = -1, np.inf, needed
    for j in range(len(paid)):
        # The points that clusters still lack must be among those that come after.
        need = needed - min(rules.mass[b], max(rules.lower[j] - load[j], 0.0))
        fits = load[j] + rules.mass[b] <= rules.upper[j] and need <= left - rules.mass[b]
        if fits and paid[j] + charge[j] < best_cost:
            best, best_cost, best_need = j, paid[j] + charge[j], need
    return best, best_need


@njit(cache=True)
def _charge_links(v: int, rules: Rules, linked_label: IntArray, charge: FloatArray) -> None:
    """Fill in the price at each centre of block v's links to blocks assigned before."""
    charge[:] = 0.0
    if v < 0:
        return
    for e in range(rules.start[v], rules.start[v + 1]):
        j = linked_label[rules.neighbour[e]]
        if j >= 0:
            charge[j] += rules.price[e]


def greedy_step(
    centroid: FloatArray,
    weight: FloatArray,
    centers: FloatArray,
    order: IntArray,
    rules: Rules,
    old: IntArray,
    bounds: Bounds,
) -> GreedyStep:
    """Do one iteration of COP-k-means: assign greedily, move the centres.

    Costs and centres are by the (s,) weights of the blocks, sizes by their points.
    """
    drift = np.sqrt(((centers - bounds.centers) ** 2).sum(axis=1))
    found = _greedy_step(centroid, weight, centers, drift, bounds.lower, order, old, rules)
    bounds.centers[:] = centers
    return GreedyStep(*found)


class Bounds(NamedTuple):
    """Bounds that an iteration passes on: most blocks without links stay (Hamerly 2010)."""

    lower: FloatArray  # (s,): Lower bounds on each block's distance to any centre but its own
    centers: FloatArray  # (k, d): The centres that they belong to


def new_bounds(s: int, centers: FloatArray) -> Bounds:
    """Return the trivial bounds."""
    return Bounds(np.zeros(s), centers.copy())


class GreedyStep(NamedTuple):
    """One iteration of COP-k-means."""

    labels: IntArray
    centers: FloatArray  # (k, d): The new centres
    done: int  # Blocks that found a centre; fewer than s at a dead end
    moved: float
    objective: float  # Cost of the assigned blocks at the old centres
    wcss: float  # Cost at the new centres, inf at a dead end


@njit(cache=True, entry=True)
def _greedy_step(
    centroid: FloatArray,
    weight: FloatArray,
    centers: FloatArray,
    drift: FloatArray,
    lower_bound: FloatArray,
    order: IntArray,
    old: IntArray,
    rules: Rules,
) -> tuple[IntArray, FloatArray, int, float, float, float]:
    labels = np.empty(len(order), np.int64)
    done, objective = _assign_points(
        centroid, weight, centers, drift, lower_bound, order, old, labels, rules
    )
    moved = 0.0
    for b in range(len(order)):
        if labels[b] != old[b]:
            moved += rules.mass[b]
    if done < len(order):
        return labels, centers.copy(), done, moved, objective, np.inf
    means = block_means(centroid, weight, labels, centers)
    return labels, means, done, moved, objective, block_wcss(centroid, weight, labels, means)


@njit(cache=True)
def _assign_points(
    centroid: FloatArray,
    weight: FloatArray,
    centers: FloatArray,
    drift: FloatArray,
    lower_bound: FloatArray,
    order: IntArray,
    old: IntArray,
    labels: IntArray,
    rules: Rules,
) -> tuple[int, float]:
    """Fill ``labels`` like `assign_in_order`, distances worked out only where they are needed."""
    k = len(centers)
    linked_label = np.full(len(rules.start) - 1, -1, np.int64)
    charge, load, paid = np.zeros(k), np.zeros(k), np.empty(k)
    left, needed, total = rules.mass.sum(), rules.lower.sum(), 0.0
    turned, half, furthest = np.ascontiguousarray(centers.T), half_gaps(centers), drift.max()
    unsized = rules.upper.min() == np.inf
    labels[:] = -1
    for done in range(len(order)):
        b = order[done]
        mass, best = rules.mass[b], -1
        lower_bound[b] -= furthest
        # No link and no size keeps the block from its nearest centre.
        free = unsized and rules.position[b] < 0 and needed == 0.0
        if free and old[b] >= 0:
            near = squared_distance(centroid[b], centers[old[b]])
            if np.sqrt(near) <= max(lower_bound[b], half[old[b]]):
                best = old[b]
                total += weight[b] * near
        if best < 0:
            squared_distances(centroid[b], turned, paid)
            paid *= weight[b]
            if not free:
                _charge_links(rules.position[b], rules, linked_label, charge)
            else:
                charge[:] = 0.0
            best, needed = _cheapest_fit(b, paid, charge, left, needed, load, rules)
            if best < 0:
                return done, total
            total += paid[best]
            paid[best] = np.inf
            lower_bound[b] = np.sqrt(paid.min() / weight[b])
        labels[b] = best
        load[best] += mass
        left -= mass
        if rules.position[b] >= 0:
            linked_label[rules.position[b]] = best
    return len(order), total
