"""The bound of a box of centres under sizes and soft links; see `partitioning.spatial`."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.boxes import distance_range
from ccviz.solvers.colgen.model.cluster import fits, join, squared_distance
from ccviz.solvers.colgen.partitioning.cluster import gather, soft_change
from ccviz.solvers.colgen.partitioning.model import Model
from ccviz.solvers.colgen.partitioning.spatial_nodes import FREE, IN, OUT, Tree


@njit(cache=True, entry=False)
def bound_node(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    cut: float,
    tree: Tree,
    top: int,
) -> tuple[float, float, float]:
    """Bound a node, and mark the free blocks that the bound decides.

    The greedy cluster is left in ``inside``. Returns its mass, how much of the gap to its cost at
    the centre is due to the box's extent, and how much to conflicts, limits and soft links.
    """
    mark, masses = tree.nodes.mark[top], model.instance.mass
    nothing = 0.0, 0.0, 0.0
    sure = _enter(model, tree, mark)
    if sure < 0.0 or sure > upper:
        tree.nodes.bound[top] = np.inf
        return nothing
    possible = sure
    for b in range(len(mark)):
        if mark[b] == FREE:
            if sure + masses[b] > upper or not fits(
                model.instance, tree.blocks.inside, tree.load, b
            ):
                mark[b] = OUT
            else:
                possible += masses[b]
    if possible < lower:
        tree.nodes.bound[top] = np.inf
        return nothing
    gained = tree.blocks.term[0]
    _linearise(model, duals, mark, gained)
    for j in range(len(tree.center)):
        tree.center[j] = 0.5 * (tree.nodes.low[top, j] + tree.nodes.high[top, j])
    mass, multiplier = _greedy(model, lower, upper, tree, mark, gained, sure)
    limit = lower if multiplier > 0.0 else upper
    at_center = multiplier * limit
    least, most = tree.blocks.term[1], tree.blocks.term[2]
    for b in range(len(mark)):
        if mark[b] == OUT:
            continue
        near, far = distance_range(
            model.instance.points, b, tree.nodes.low[top], tree.nodes.high[top]
        )
        effective = gained[b] + multiplier * masses[b]
        least[b] = masses[b] * near - effective
        most[b] = masses[b] * far - effective
        here = masses[b] * squared_distance(model.instance.points, b, tree.center) - effective
        tree.blocks.term[3, b] = here
        at_center += here if mark[b] == IN else min(0.0, here)
    joint, spread = _joint(model, tree, top, multiplier)
    bound = joint + multiplier * limit
    tree.nodes.bound[top] = max(bound, tree.nodes.bound[top])
    clash = np.inf
    if mass >= lower:
        clash = _cost_at_center(model, duals, tree, multiplier) - at_center
    _decide(tree, mark, bound, cut)
    return mass, spread, clash


@njit(cache=True)
def _enter(model: Model, tree: Tree, mark: np.ndarray) -> float:
    """Put the blocks that are in into ``inside``; return their mass, -1 if they do not fit."""
    tree.blocks.inside[:] = False
    tree.load[:] = 0.0
    mass = 0.0
    for b in range(len(mark)):
        if mark[b] == IN:
            if not fits(model.instance, tree.blocks.inside, tree.load, b):
                return -1.0
            join(model.instance, tree.blocks.inside, tree.load, b)
            mass += model.instance.mass[b]
    return mass


@njit(cache=True)
def _linearise(model: Model, duals: FloatArray, mark: np.ndarray, gained: FloatArray) -> None:
    """Fill in, unless a block is out, its dual less a lower bound on its share of soft links."""
    for b in range(len(mark)):
        if mark[b] == OUT:
            continue
        gained[b] = duals[b] - model.cut[b]
        for e in range(model.start[b], model.start[b + 1]):
            other, weight = mark[model.other[e]], model.weight[e]
            if mark[b] == IN:
                gained[b] -= 0.5 * weight if other == IN else 0.0
            elif other == IN:
                gained[b] -= weight
            elif other == FREE and weight < 0.0:
                gained[b] -= 0.5 * weight


@njit(cache=True)
def _greedy(
    model: Model,
    lower: float,
    upper: float,
    tree: Tree,
    mark: np.ndarray,
    gained: FloatArray,
    sure: float,
) -> tuple[float, float]:
    """Extend ``inside`` by the best free blocks at the centre; return its mass and multiplier."""
    density, count = tree.blocks.left, 0
    order = np.empty(len(mark), dtype=np.int64)
    value = np.empty(len(mark))
    for b in range(len(mark)):
        if mark[b] == FREE:
            gap = squared_distance(model.instance.points, b, tree.center)
            density[b] = gap - gained[b] / model.instance.mass[b]
            order[count], value[count] = b, density[b]
            count += 1
    ordered = order[:count][np.argsort(value[:count])]
    return gather(model, density, ordered, lower, upper, tree.blocks.inside, tree.load, sure)


@njit(cache=True)
def _joint(model: Model, tree: Tree, top: int, multiplier: float) -> tuple[float, float]:
    """Bound the terms by one sum of quadratics, and gains of blocks in conflict by a cover.

    Returns the bound, and how much the open terms may vary over the box.
    """
    instance, mark, d = model.instance, tree.nodes.mark[top], len(tree.center)
    gained, least, most = tree.blocks.term[0], tree.blocks.term[1], tree.blocks.term[2]
    left, tied, mean = tree.blocks.left, tree.blocks.tied, tree.mean
    weight, constant, spread, square = 0.0, 0.0, 0.0, 0.0
    mean[:] = 0.0
    for b in range(len(mark)):
        left[b], tied[b] = 0.0, False
        if mark[b] == FREE and least[b] < 0.0:
            spread += min(0.0, most[b]) - least[b]
            tied[b] = _is_tied(model, mark, least, b)
            left[b] = -least[b] if tied[b] else 0.0
    for b in range(len(mark)):
        if mark[b] == OUT or tied[b] or (mark[b] == FREE and least[b] >= 0.0):
            continue
        share = 1.0
        if mark[b] == FREE and most[b] > 0.0:
            share = -least[b] / (most[b] - least[b])
            constant -= share * most[b]
        m = share * instance.mass[b]
        weight += m
        constant -= share * (gained[b] + multiplier * instance.mass[b])
        for j in range(d):
            mean[j] += m * instance.points[b, j]
            square += m * instance.points[b, j] ** 2
    total = square
    if weight > 0.0:
        for j in range(d):
            middle = mean[j] / weight
            mean[j] = min(max(middle, tree.nodes.low[top, j]), tree.nodes.high[top, j])
            total += weight * ((mean[j] - middle) ** 2 - middle * middle)
    return total + constant - _covered(model, mark, left), spread


@njit(cache=True)
def _is_tied(model: Model, mark: np.ndarray, least: FloatArray, b: int) -> bool:
    """Whether a block is in conflict with another free one that may gain."""
    instance = model.instance
    for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
        other = instance.conflict[e]
        if mark[other] == FREE and least[other] < 0.0:
            return True
    return False


@njit(cache=True)
def _covered(model: Model, mark: np.ndarray, left: FloatArray) -> float:
    """Bound what blocks in conflict gain together: the sum, less the lesser gain of each pair."""
    instance, total = model.instance, 0.0
    for b in range(len(mark)):
        total += left[b]
    for b in range(len(mark)):
        if left[b] <= 0.0:
            continue
        for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
            other = instance.conflict[e]
            if other > b and left[other] > 0.0:
                share = min(left[b], left[other])
                left[b] -= share
                left[other] -= share
                total -= share
    return total


@njit(cache=True)
def _cost_at_center(model: Model, duals: FloatArray, tree: Tree, multiplier: float) -> float:
    """Return the greedy cluster's reduced cost with its centre at the middle of the box."""
    total = 0.0
    for b in range(len(tree.blocks.inside)):
        if tree.blocks.inside[b]:
            squares = (
                tree.blocks.term[3, b]
                + tree.blocks.term[0, b]
                + multiplier * model.instance.mass[b]
            )
            soft = 0.5 * (soft_change(model, tree.blocks.inside, b) + model.cut[b])
            total += squares - duals[b] + soft
    return total


@njit(cache=True)
def _decide(tree: Tree, mark: np.ndarray, bound: float, cut: float) -> None:
    """Leave out, or put in, blocks whose other choice raises the bound to the cut."""
    least, most = tree.blocks.term[1], tree.blocks.term[2]
    for b in range(len(mark)):
        if mark[b] != FREE:
            continue
        if least[b] >= 0.0 and bound + least[b] >= cut:
            mark[b] = OUT
        elif most[b] < 0.0 and not tree.blocks.tied[b] and bound - most[b] >= cut:
            mark[b] = IN
