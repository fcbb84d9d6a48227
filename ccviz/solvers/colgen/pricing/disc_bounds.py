"""Discs in exact pricing: in the bound of a box, and in the reduced cost of a cluster.

See `ccviz.solvers.colgen.model.discs` and `ccviz.solvers.colgen.pricing.spatial`.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.boxes import distance_range
from ccviz.solvers.colgen.model.cluster import squared_distance
from ccviz.solvers.colgen.model.discs import mark_occupied, move_into_discs
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.pricing.spatial_nodes import SpatialTree


@njit(cache=True, entry=False)
def change_by_discs(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int, weight: float
) -> tuple[float, float]:
    """Return how discs change the bound of a box, and how much of that is undecided there.

    The bound is least at a centre of the box that may be inside an empty disc, or outside an
    occupied one whose dual it has: the nearest that is neither costs that much more. Infinite where
    no centre of the box is allowed.

    Parameters
    ----------
    instance : Instance
    duals : (s + t,) float64
    tree : SpatialTree
        Its mean and center are those of the box's joint terms.
    top : int
        The box.
    weight : float
        Of the joint terms.
    """
    near = 0.0
    for j in range(len(tree.at.mean)):
        near += (tree.at.center[j] - tree.at.mean[j]) ** 2
    least, crossing = _out_of_empty(instance, tree, top, near)
    if least == np.inf:
        return np.inf, 0.0
    disc_dual, undecided = _disc_duals(instance, duals, tree, top)
    undecided += crossing * np.max(duals)
    change = weight * (least - near)
    for p in range(
        instance.discs.occupied
    ):  # the centre is in this one, and in all that are no farther
        if tree.at.need[p] < np.inf:
            won = 0.0
            for q in range(instance.discs.occupied):
                if tree.at.need[q] <= tree.at.need[p]:
                    won += duals[len(instance.mass) + q]
            change = min(change, weight * (max(least, tree.at.need[p]) - near) - won)
    return change - disc_dual, undecided


@njit(cache=True)
def _out_of_empty(
    instance: Instance, tree: SpatialTree, top: int, near: float
) -> tuple[float, int]:
    """Return the squared distance from the mean to a centre of the box that is in no empty disc.

    It is a lower bound that takes each disc alone. Also returns how many borders cross the box.
    """
    least, crossing = near, 0
    for p in range(instance.discs.occupied, len(instance.discs.reach)):
        reach = instance.discs.reach[p]
        closest, farthest = distance_range(
            instance.discs.center, p, tree.nodes.low[top], tree.nodes.high[top]
        )
        if farthest < reach:
            return np.inf, 0
        if closest < reach:
            gap = np.sqrt(squared_distance(instance.discs.center, p, tree.at.mean))
            least = max(least, max(np.sqrt(reach) - gap, 0.0) ** 2)
            crossing += 1
    return least, crossing


@njit(cache=True)
def _disc_duals(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int
) -> tuple[float, float]:
    """Return the duals of occupied discs that hold in all of the box, and in a part of it.

    The squared distance from the mean that a centre needs for the latter is written to
    ``tree.at.need``.
    """
    sure, undecided = 0.0, 0.0
    for p in range(instance.discs.occupied):
        reach, disc_dual = instance.discs.reach[p], duals[len(instance.mass) + p]
        closest, farthest = distance_range(
            instance.discs.center, p, tree.nodes.low[top], tree.nodes.high[top]
        )
        tree.at.need[p] = np.inf
        if farthest <= reach:
            sure += disc_dual
        elif closest <= reach:
            gap = np.sqrt(squared_distance(instance.discs.center, p, tree.at.mean))
            tree.at.need[p] = max(gap - np.sqrt(reach), 0.0) ** 2
            undecided += disc_dual
    return sure, undecided


@njit(cache=True, entry=False)
def clearance(instance: Instance, low: FloatArray, high: FloatArray) -> float:
    """Return the distance of a box from all borders of discs.

    Up to this distance a centre moves with its mean when a block leaves or joins. A nearer border
    may hold it.

    Parameters
    ----------
    instance : Instance
    low, high : (d,) float64
    """
    clear = np.inf
    for p in range(len(instance.discs.reach)):
        closest, farthest = distance_range(instance.discs.center, p, low, high)
        radius = np.sqrt(instance.discs.reach[p])
        clear = min(clear, max(np.sqrt(closest) - radius, radius - np.sqrt(farthest), 0.0))
    return clear


@njit(cache=True, entry=False)
def reduced_cost_in_discs(
    instance: Instance,
    duals: FloatArray,
    tree: SpatialTree,
    top: int,
    among: np.ndarray,
    reached: float,
) -> float:
    """Return the reduced cost of the cluster at its mean, or in the discs that its box meets.

    Marks the discs that its centre is in.

    Parameters
    ----------
    instance : Instance
    duals : (s + t,) float64
    tree : SpatialTree
        It has the cluster and its mean.
    top : int
        The box.
    among : (m,) int64
        The blocks of the cluster are among these.
    reached : float
        Its reduced cost at its mean, without discs.
    """
    s, met = len(instance.mass), tree.at.met
    at_mean = reached + _moved(instance, duals, tree, among)
    for p in range(len(met)):
        met[p] = tree.blocks.inside[s + p]
    for p in range(instance.discs.occupied):
        least, _ = distance_range(
            instance.discs.center, p, tree.nodes.low[top], tree.nodes.high[top]
        )
        tree.blocks.inside[s + p] = least <= instance.discs.reach[p]
    in_all = reached + _moved(instance, duals, tree, among)
    if at_mean <= in_all:
        for p in range(len(met)):
            tree.blocks.inside[s + p] = met[p]
    return min(at_mean, in_all)


@njit(cache=True)
def _moved(instance: Instance, duals: FloatArray, tree: SpatialTree, among: np.ndarray) -> float:
    """Return the change of a cluster's reduced cost as its centre moves from its mean into discs.

    These are the discs that it is marked for; those that its centre is in then are marked too.
    Infinite if there is no such centre.
    """
    s, mass, off = len(instance.mass), 0.0, 0.0
    for j in range(len(tree.at.mean)):
        tree.at.center[j] = tree.at.mean[j]
    if not move_into_discs(instance, tree.blocks.inside, tree.at.center):
        return np.inf
    mark_occupied(instance, tree.blocks.inside, tree.at.center)
    for b in among:
        if tree.blocks.inside[b]:
            mass += instance.mass[b]
    for j in range(len(tree.at.mean)):
        off += (tree.at.mean[j] - tree.at.center[j]) ** 2
    disc_dual = 0.0
    for p in range(instance.discs.occupied):
        disc_dual += duals[s + p] * tree.blocks.inside[s + p]
    return mass * off - disc_dual
