"""Blocks of a box that conflicts or loads tie to others, and the most that they can gain.

See `ccviz.solvers.colgen.pricing.spatial`.
"""

from __future__ import annotations

import numpy as np

from ccviz.compiled import njit
from ccviz.solvers.colgen.model.cluster import added_load
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.pricing.spatial_nodes import BOUND, SpatialTree


@njit(cache=True, entry=False)
def classify(instance: Instance, tree: SpatialTree, top: int) -> None:
    """Mark blocks that a conflict or a load that may overflow ties to others."""
    count, n_fixed = tree.nodes.n_members[top], tree.nodes.n_fixed[top]
    for i in range(count):
        tree.blocks.present[tree.nodes.member[top, i]] = True
    for i in range(n_fixed, count):
        b = tree.nodes.member[top, i]
        for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
            if tree.blocks.present[instance.conflict[e]]:
                tree.blocks.state[i] = BOUND
                break
    for a in range(len(instance.loads.limit)):
        if _heaviest(instance, tree, top, a) > instance.loads.limit[a]:
            _tie(instance, tree, top, a)


@njit(cache=True)
def _heaviest(instance: Instance, tree: SpatialTree, top: int, a: int) -> float:
    """Return load a of all blocks present together."""
    single, paired = 0.0, 0.0
    for i in range(tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        single += instance.loads.weight[a, b]
        paired += added_load(instance, tree.blocks.present, a, b) - instance.loads.weight[a, b]
    return single + 0.5 * paired


@njit(cache=True)
def _tie(instance: Instance, tree: SpatialTree, top: int, a: int) -> None:
    for i in range(tree.nodes.n_fixed[top], tree.nodes.n_members[top]):
        if added_load(instance, tree.blocks.present, a, tree.nodes.member[top, i]) > 0.0:
            tree.blocks.state[i] = BOUND


@njit(cache=True, entry=False)
def gains(instance: Instance, tree: SpatialTree, top: int) -> tuple[float, float]:
    """Return the gain that conflicts and loads forbid, and the most that tied blocks can gain.

    Conflicts: a weighted edge cover, w_a + w_b <= max(w_a, w_b) for conflicting a and b, with
    weights split greedily. Loads: a fractional knapsack. The smallest bound of all counts.
    """
    count, n_fixed = tree.nodes.n_members[top], tree.nodes.n_fixed[top]
    free_sum = 0.0
    for i in range(count):
        b = tree.nodes.member[top, i]
        tree.blocks.gain[b] = 0.0
        if tree.blocks.state[i] == BOUND:
            tree.blocks.gain[b] = max(0.0, -tree.blocks.least[i])
            free_sum += tree.blocks.gain[b]
        tree.blocks.left[b] = tree.blocks.gain[b]
        tree.blocks.fixed[b] = i < n_fixed
    covered = 0.0
    for i in range(n_fixed, count):
        if tree.blocks.state[i] == BOUND:
            covered += _cover(instance, tree, tree.nodes.member[top, i])
    gained = free_sum - covered
    for a in range(len(instance.loads.limit)):
        gained = min(gained, _within_load(instance, tree, top, a, free_sum))
    for i in range(count):
        tree.blocks.present[tree.nodes.member[top, i]] = False
        tree.blocks.fixed[tree.nodes.member[top, i]] = False
    return free_sum - gained, gained


@njit(cache=True)
def _cover(instance: Instance, tree: SpatialTree, b: int) -> float:
    """Pair off weight of block b with its conflicting neighbours; return the weight saved."""
    saved = 0.0
    for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
        other = instance.conflict[e]
        if other > b and tree.blocks.present[other]:
            share = min(tree.blocks.left[b], tree.blocks.left[other])
            tree.blocks.left[b] -= share
            tree.blocks.left[other] -= share
            saved += share
    return saved


@njit(cache=True)
def _within_load(instance: Instance, tree: SpatialTree, top: int, a: int, free_sum: float) -> float:
    """Return the most that the tied blocks gain within load a, fractions allowed.

    An item is a block that weighs something beside those taken in, or a pair that weighs
    something together, as in `_cover`. The sum begins without any item; the best are added while
    there is room.
    """
    items = 0
    total = free_sum
    for i in range(tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        tree.blocks.left[b] = tree.blocks.gain[b]
        weight = added_load(instance, tree.blocks.fixed, a, b)
        if weight > 0.0 and tree.blocks.gain[b] > 0.0:
            tree.blocks.left[b] = 0.0
            total -= tree.blocks.gain[b]
            tree.loading.item[items] = tree.blocks.gain[b] / weight
            tree.loading.item_weight[items] = weight
            items += 1
    for i in range(tree.nodes.n_fixed[top], tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        for e in range(instance.loads.pair_start[a, b], instance.loads.pair_start[a, b + 1]):
            other = instance.loads.pair_other[e]
            share = min(tree.blocks.left[b], tree.blocks.left[other])
            if other > b and tree.blocks.present[other] and share > 0.0:
                tree.blocks.left[b] -= share
                tree.blocks.left[other] -= share
                total -= share
                tree.loading.item[items] = share / instance.loads.pair_weight[e]
                tree.loading.item_weight[items] = instance.loads.pair_weight[e]
                items += 1
    room = _room(instance, tree, top, a)
    for e in np.argsort(-tree.loading.item[:items]):
        if room <= 0.0:
            break
        fitting = min(room, tree.loading.item_weight[e])
        total += fitting * tree.loading.item[e]
        room -= fitting
    return total


@njit(cache=True)
def _room(instance: Instance, tree: SpatialTree, top: int, a: int) -> float:
    """Return the room under load a for blocks that are not yet taken in."""
    room = instance.loads.limit[a]
    for i in range(tree.nodes.n_fixed[top]):
        b = tree.nodes.member[top, i]
        single = instance.loads.weight[a, b]
        room -= single + 0.5 * (added_load(instance, tree.blocks.fixed, a, b) - single)
    return room
