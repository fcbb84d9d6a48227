"""Exact pricing by branch and bound over the position of the cluster's centre.

The minimal reduced cost is the least, over centres c, of the sum of the negative terms
mass_b |x_b - c|^2 - dual_b (Aloise, Hansen and Liberti 2012 enumerate the cells that the discs
|x_b - c|^2 <= dual_b / mass_b cut the plane into). Boxes of centres are split instead, as in Big
Square Small Square (Hansen, Peeters and Thisse 1981), in any dimension: the smaller a box, the more
blocks have all of it inside or outside their disc, and the bound closes quadratically. Conflicting
blocks and blocks under a load that may overflow are decided by taking them in or leaving them out.

Three facts hold for the best cluster S with mean c and mass at most T:

- a block b of S has dual_b >= m T / (T - m) |x_b - c|^2, else it should leave;
- a block b outside that may join has dual_b <= m T / (T + m) |x_b - c|^2, else it should join;
- min(0, q) lies above its chord, so a block's term is at least a share of its own quadratic, and
  the bound of a box is the least value of one sum of quadratics (a mean clamped to the box).
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.discs import distance_range
from ccviz.solvers.colgen.instance import (
    Instance,
    added_load,
    fits,
    join,
    keep,
    reduced_cost,
    squared_distance,
)
from ccviz.solvers.colgen.pricing.spatial_nodes import (
    BOUND,
    FREE,
    IN,
    SpatialTree,
    branch,
    change_by_discs,
    clearance,
    reduced_cost_in_discs,
)

# --- Blocks of a box that conflicts or loads tie to others, and the most that they can gain -------


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


# --- The bound of a box of centres ----------------------------------------------------------------


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


_SLACK = 1e-9
"""A box whose bound is this near to the best reduced cost, relatively, is not split further."""
_BORDER_SLACK = 2e-7
"""The same with discs, on whose borders the bound is weak. It is relative to the mean dual if that
is larger, for a whole border may be as good for the block inside."""


@njit(cache=True)
def search(
    instance: Instance,
    duals: FloatArray,
    cutoff: float,
    below: float,
    visit_limit: int,
    tree: SpatialTree,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> tuple[int, float, int]:
    """Find the cluster of least reduced cost below ``cutoff``, or show that there is none.

    Begins where `open_root` or an earlier call left ``tree``, and is done once its stack is empty.

    `cutoff`: Reduced costs from here on do not matter; negative. `below`: Clusters found on the way
    are returned if their reduced cost is below this. `visit_limit`: Blocks to visit, over all
    nodes, before it returns. `reduced_costs` (m,): Overwritten with the clusters found. Returns
    `lower_bound`: No cluster has a smaller reduced cost, up to rounding.
    """
    found, visits, best = 0, 0, cutoff
    slack, least_size = _SLACK, 0.0
    if len(instance.discs.reach) > 0:
        slack, least_size = _BORDER_SLACK, duals.sum() / len(duals)
    top = tree.top[0]
    while top >= 0 and visits < visit_limit:
        if tree.nodes.bound[top] >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        visits += 1 + tree.nodes.n_members[top]
        bound, spread, clash, undecided = bound_node(instance, duals, tree, top)
        if bound >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        bound = max(bound, tree.nodes.bound[top])
        tree.nodes.bound[top] = bound
        is_empty = tree.nodes.n_members[top] == 0
        reached, refused = (0.0, 0.0) if is_empty else _round(instance, duals, tree, top)
        if reached < below and (found < len(reduced_costs) or reached < best):
            found = keep(
                tree.blocks.inside, reached, columns, reduced_costs, tree.signatures, found
            )
        best = min(best, reached)
        if bound >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        before = top
        top = branch(instance, tree, top, duals, spread, max(clash, refused), undecided)
        # On a border, and too small to decide; or discs alone gain as much.
        if top < before and (is_empty or undecided > 0.0):
            best = min(best, bound)
    tree.top[0] = top
    lower_bound = best - slack * max(abs(best), least_size)
    for t in range(top + 1):
        lower_bound = min(lower_bound, tree.nodes.bound[t])
    return found, lower_bound, visits


@njit(cache=True)
def open_root(instance: Instance, duals: FloatArray, tree: SpatialTree) -> None:
    """Put a box around all blocks with a positive dual on the empty stack.

    With discs it is around all blocks: a disc may keep a mean from moving nearer to the others.
    """
    d = instance.points.shape[1]
    count = 0
    tree.blocks.inside[:] = False
    tree.loading.load[:] = 0.0
    for b in np.argsort(-duals[: len(instance.mass)]):
        if duals[b] > 0.0 and fits(instance, tree.blocks.inside, tree.loading.load, b):
            tree.nodes.member[0, count] = b
            count += 1
    for j in range(d):
        tree.nodes.low[0, j] = np.inf
        tree.nodes.high[0, j] = -np.inf
    in_discs = len(instance.discs.reach) > 0
    for i in range(len(instance.mass) if in_discs else count):
        b = i if in_discs else tree.nodes.member[0, i]
        for j in range(d):
            x = instance.points[b, j]
            tree.nodes.low[0, j] = min(tree.nodes.low[0, j], x)
            tree.nodes.high[0, j] = max(tree.nodes.high[0, j], x)
    tree.blocks.present[:] = False
    tree.blocks.fixed[:] = False
    tree.nodes.n_members[0] = count
    tree.nodes.n_fixed[0] = 0
    tree.nodes.bound[0] = -np.inf
    tree.top[0] = 0 if count or instance.discs.occupied else -1


@njit(cache=True)
def _round(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int
) -> tuple[float, float]:
    """Make a cluster of the node: the blocks whose disc holds the joint centre, as they fit.

    Returns its reduced cost and how much was lost because blocks did not fit. Its centre is its
    mean, or the nearest point to it in discs, if their duals outweigh the move.
    """
    tree.blocks.inside[:] = False
    tree.loading.load[:] = 0.0
    refused = 0.0
    for i in range(tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        if i >= tree.nodes.n_fixed[top]:
            term = (
                instance.mass[b] * squared_distance(instance.points, b, tree.at.center) - duals[b]
            )
            if term >= 0.0:
                continue
            if not fits(instance, tree.blocks.inside, tree.loading.load, b):
                refused -= term
                continue
        join(instance, tree.blocks.inside, tree.loading.load, b)
    among = tree.nodes.member[top, : tree.nodes.n_members[top]]
    reached = reduced_cost(instance, duals, tree.blocks.inside, tree.at.mean, among)
    if len(instance.discs.reach) == 0 or not tree.blocks.inside.any():
        return reached, refused
    return reduced_cost_in_discs(instance, duals, tree, top, among, reached), refused
