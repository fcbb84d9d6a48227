"""The assignment steps of S-MDEClust (section 3.1) over blocks, and a quick step of our own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment import solve_assignment
from ccviz.solvers.assignment.kernels.assign import assign
from ccviz.solvers.assignment.kernels.search import SOLVED
from ccviz.solvers.common.clusters import fill_cheapest
from ccviz.solvers.memetic._descent import CHAINS, descend
from ccviz.solvers.memetic._state import BlockData
from ccviz.solvers.memetic.instance import Instance

SWIFT_NODES = 2_000
"""Usual limit of the nodes that the swift step searches in a component."""

ANCHOR_MASS = 1e4
"""Mass at each centre in the swift step's descent, as a multiple of that of all points."""

SWIFT_GAIN = 1e-9
"""Smallest gain of that descent, as a share of the spread of the data."""


def exact_step(
    instance: Instance, centers: FloatArray, warm: IntArray | None, time_limit: float
) -> IntArray | None:
    """Return labels of least cost that keep all conflicts and fill all clusters (problem 4).

    After the time limit they are the best so far, no worse than the warm ones. None if there are
    none, or none were found in time, which happens only for k - 1 centres.
    """
    structure = replace(instance.structure, k=len(centers))
    answer = solve_assignment(
        instance.costs(centers), structure, nonempty=True, warm_start=warm, time_limit=time_limit
    )
    return answer.labels if answer.found else None


def swift_step(
    instance: Instance,
    centers: FloatArray,
    feasible: IntArray,
    order: IntArray,
    nodes: int = SWIFT_NODES,
) -> IntArray:
    """Return feasible labels of nearly least cost, fast whatever the conflicts.

    They are optimal if the search of each component ends within a number of nodes. If not, a
    descent starts from feasible labels, with a large mass at each centre that holds it in place.
    """
    costs = instance.costs(centers)
    structure = instance.structure
    outcome, labels, _ = assign(costs, structure.linked, structure.graph, feasible, nodes)
    if outcome == SOLVED:
        return fill_cheapest(labels, costs)
    inertia = ANCHOR_MASS * instance.data.mass.sum()
    tolerance = SWIFT_GAIN * instance.spread
    return descend(instance.data, feasible, centers, inertia, order, CHAINS, tolerance)[0]


def greedy_step(instance: Instance, centers: FloatArray) -> IntArray:
    """Return the labels of Algorithm 2: they may break conflicts."""
    labels = np.full(instance.s, -1)
    _assign_open(instance.costs(centers), instance.data, labels, -1)
    return labels


def greedy_without(instance: Instance, centers: FloatArray, removed: int) -> IntArray:
    """Return the greedy labels, the removed centre's blocks spread over the others (3.2)."""
    labels = greedy_step(instance, centers)
    labels[labels == removed] = -1
    _assign_open(instance.costs(centers), instance.data, labels, removed)
    return labels


def exact_without(
    instance: Instance, centers: FloatArray, removed: int, time_limit: float
) -> IntArray | None:
    """Return labels of least cost for the other k - 1 centres; None if they do not suffice."""
    others = np.delete(np.arange(instance.k), removed)
    if len(others) == 0:
        return None
    found = exact_step(instance, centers[others], None, time_limit)
    return None if found is None else others[found]


@njit(cache=True, entry=True)
def _assign_open(costs: FloatArray, data: BlockData, labels: IntArray, barred: int) -> None:
    """Give each block labelled -1 its cheapest centre without a conflict, or else its cheapest."""
    k = costs.shape[1]
    taken = np.zeros(k, np.bool_)
    for b in range(len(labels)):
        if labels[b] >= 0:
            continue
        taken[:] = False
        for e in range(data.start[b], data.start[b + 1]):
            if labels[data.neighbour[e]] >= 0:
                taken[labels[data.neighbour[e]]] = True
        labels[b] = _cheapest(costs[b], taken, barred)
        if labels[b] < 0:
            taken[:] = False
            labels[b] = _cheapest(costs[b], taken, barred)


@njit(cache=True)
def _cheapest(costs: FloatArray, taken: NDArray[np.bool_], barred: int) -> int:
    """Return the cheapest centre that is neither taken nor barred, -1 if none."""
    best = -1
    for c in range(len(costs)):
        if c != barred and not taken[c] and (best < 0 or costs[c] < costs[best]):
            best = c
    return best
