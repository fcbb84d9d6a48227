"""The bound of a box of centres; see `ccviz.solvers.colgen.pricing.spatial`."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.boxes import distance_range
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.pricing.disc_bounds import change_by_discs, clearance
from ccviz.solvers.colgen.pricing.spatial_nodes import BOUND, FREE, IN, SpatialTree
from ccviz.solvers.colgen.pricing.tied_blocks import classify, gains


@njit(cache=True, entry=False)
def bound_node(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int
) -> tuple[float, float, float, float]:
    """Drop blocks that cannot belong, classify the others, and bound the box.

    Returns the bound, how much of it is due to the box's extent, how much to conflicts, and how
    much to borders of discs that cross the box.
    """
    nowhere = np.inf, 0.0, 0.0, 0.0
    if not _fence(instance, duals, tree, top):
        return nowhere
    if not _drop_far(instance, duals, tree, top):
        if instance.discs.occupied == 0 or tree.nodes.n_members[top] > 0:
            return nowhere
        # No block gains: a centre there has only the duals of discs.
        tree.at.mean[:], tree.at.center[:] = 0.0, 0.0
        change, undecided = change_by_discs(instance, duals, tree, top, 0.0)
        return change, 0.0, 0.0, undecided
    classify(instance, tree, top)
    clash, gained = gains(instance, tree, top)
    joint, spread, weight = _joint(instance, duals, tree, top)
    change, undecided = 0.0, 0.0
    if len(instance.discs.reach) > 0:
        change, undecided = change_by_discs(instance, duals, tree, top, weight)
    return joint - gained + change, spread, clash, undecided


@njit(cache=True)
def _fence(instance: Instance, duals: FloatArray, tree: SpatialTree, top: int) -> bool:
    """Shrink the box to the discs of the blocks taken in; False if nothing is left."""
    low, high = tree.nodes.low[top], tree.nodes.high[top]
    for i in range(tree.nodes.n_fixed[top]):
        b = tree.nodes.member[top, i]
        radius = np.sqrt(duals[b] / instance.mass[b])
        for j in range(len(low)):
            low[j] = max(low[j], instance.points[b, j] - radius)
            high[j] = min(high[j], instance.points[b, j] + radius)
            if low[j] > high[j]:
                return False
    return True


@njit(cache=True)
def _drop_far(instance: Instance, duals: FloatArray, tree: SpatialTree, top: int) -> bool:
    """Keep blocks that can belong to a best cluster with its mean in the box."""
    low, high = tree.nodes.low[top], tree.nodes.high[top]
    clear = clearance(instance, low, high)
    total = 0.0
    for i in range(tree.nodes.n_members[top]):
        total += instance.mass[tree.nodes.member[top, i]]
    kept = 0
    n_fixed = tree.nodes.n_fixed[top]
    for i in range(tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        m = instance.mass[b]
        least, most = distance_range(instance.points, b, low, high)
        least = max(least, instance.away[b])
        if least > most:  # no centre may be in the box
            return False
        share, more = m, 1.0
        if total > m and m / (total - m) * np.sqrt(most) <= clear:
            share, more = m * total / (total - m), total / (total + m)
        elif total == m and clear > 0.0:
            share = np.inf
        if least > 0.0 and share * least > duals[b] * (1.0 + 1e-12):
            if i < n_fixed:
                return False
            continue
        tree.nodes.member[top, kept] = b
        tree.blocks.least[kept] = m * least - duals[b]
        tree.blocks.most[kept] = m * most - duals[b]
        # sure to belong, as far as the box goes; conflicts and loads may still forbid it
        tree.blocks.state[kept] = (
            IN if i < n_fixed or m * more * most < duals[b] * (1.0 - 1e-12) else FREE
        )
        kept += 1
    tree.nodes.n_members[top] = kept
    return kept > 0


@njit(cache=True)
def _joint(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int
) -> tuple[float, float, float]:
    """Bound the blocks that are not tied by one sum of quadratics.

    Its minimum is written to mean, its minimum in the box to center. Returns the bound, how much
    the terms may still vary over the box, and the weight of the sum.
    """
    d = instance.points.shape[1]
    low, high, center = tree.nodes.low[top], tree.nodes.high[top], tree.at.center
    weight, constant, spread = 0.0, 0.0, 0.0
    center[:] = 0.0
    square = 0.0
    for i in range(tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        least, most = tree.blocks.least[i], tree.blocks.most[i]
        share = 1.0
        if tree.blocks.state[i] == BOUND:
            spread += max(0.0, min(0.0, most) - least)
            continue
        if tree.blocks.state[i] == FREE:
            spread += max(0.0, min(0.0, most) - least)
            if least >= 0.0:
                continue
            if most > 0.0:
                share = -least / (most - least)
                constant -= share * most
        m = share * instance.mass[b]
        weight += m
        constant -= share * duals[b]
        for j in range(d):
            center[j] += m * instance.points[b, j]
            square += m * instance.points[b, j] ** 2
    if weight == 0.0:
        for j in range(d):
            center[j] = 0.5 * (low[j] + high[j])
            tree.at.mean[j] = center[j]
        return constant, spread, 0.0
    total = square
    for j in range(d):
        mean = center[j] / weight
        center[j] = min(max(mean, low[j]), high[j])
        tree.at.mean[j] = mean
        total += weight * ((center[j] - mean) ** 2 - mean * mean)
    return total + constant, spread, weight
