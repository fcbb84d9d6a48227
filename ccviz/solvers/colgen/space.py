"""Exact pricing by branch and bound over the place of the cluster's centre.

The value of the best cluster is the least, over centres c, of the sum of the negative terms
mass_b |x_b - c|^2 - dual_b (Aloise, Hansen and Liberti 2012 enumerate the cells that the discs
|x_b - c|^2 <= dual_b / mass_b cut the plane into). Here boxes of centres are split instead, in
any dimension: while a box shrinks, ever more blocks lie inside or outside their disc for all of
it, and the bound closes quadratically. Conflicting blocks and blocks under a load that may
overflow are decided by taking them in or leaving them out.

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
from ccviz.solvers.colgen.borders import clearance, in_places, value_in_places
from ccviz.solvers.colgen.boxes import BOUND, FREE, IN, Space, branch, distance_range
from ccviz.solvers.colgen.cluster import (
    added_load,
    fits,
    join,
    keep,
    squared_distance,
    value,
)
from ccviz.solvers.colgen.instance import Instance

_SLACK = 1e-9  # a box this near to the best cluster's value, relatively, needs no more splitting
_BORDER_SLACK = 2e-7  # where borders of places, on which the bound is poor, would have it split on;
# relative to a block's dual if that is more: all of a border may be as good for the block inside


@njit(cache=True)
def search(
    instance: Instance,
    duals: FloatArray,
    cutoff: float,
    below: float,
    visit_limit: int,
    space: Space,
    columns: np.ndarray,
    values: FloatArray,
) -> tuple[int, float, int]:
    """Find the best cluster whose value is below ``cutoff``, or show that there is none.

    Begins where `open_root` or an earlier call left ``space``, and is done once its stack is empty.

    Parameters
    ----------
    instance : Instance
    duals : (s,) float64
    cutoff : float
        Values from here on do not matter; negative.
    below : float
        Clusters met on the way are handed back if their value is below this.
    visit_limit : int
        Blocks to look at, over all nodes, before it returns with what it has.
    space : Space
    columns : (m, s) bool
    values : (m,) float64
        Overwritten with what was found.

    Returns
    -------
    found : int
        How many columns were handed back.
    lower_bound : float
        No cluster has a lower value, up to rounding.
    visits : int
    """
    found, visits, best = 0, 0, cutoff
    slack, least_size = _SLACK, 0.0
    if len(instance.place_reach) > 0:
        slack, least_size = _BORDER_SLACK, duals.sum() / len(duals)
    top = space.top[0]
    while top >= 0 and visits < visit_limit:
        if space.bound[top] >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        visits += 1 + space.n_members[top]
        bound, spread, clash, undecided = _bound_node(instance, duals, space, top)
        if bound >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        bound = max(bound, space.bound[top])
        space.bound[top] = bound
        is_empty = space.n_members[top] == 0
        reached, refused = (0.0, 0.0) if is_empty else _round(instance, duals, space, top)
        if reached < below and (found < len(values) or reached < best):
            found = keep(space.inside, reached, columns, values, space.signatures, found)
        best = min(best, reached)
        if bound >= best - slack * max(abs(best), least_size):
            top -= 1
            continue
        before = top
        top = branch(instance, space, top, duals, spread, max(clash, refused), undecided)
        # On a border, and too small to tell; or places alone are worth as much.
        if top < before and (is_empty or undecided > 0.0):
            best = min(best, bound)
    space.top[0] = top
    lower_bound = best - slack * max(abs(best), least_size)
    for t in range(top + 1):
        lower_bound = min(lower_bound, space.bound[t])
    return found, lower_bound, visits


@njit(cache=True)
def open_root(instance: Instance, duals: FloatArray, space: Space) -> None:
    """Put a box around all blocks that are worth anything on the empty stack.

    Where there are places it is around all blocks: a mean may be kept from moving nearer to those.
    """
    d = instance.points.shape[1]
    count = 0
    space.inside[:] = False
    space.load[:] = 0.0
    for b in np.argsort(-duals[: len(instance.mass)]):
        if duals[b] > 0.0 and fits(instance, space.inside, space.load, b):
            space.member[0, count] = b
            count += 1
    for j in range(d):
        space.low[0, j] = np.inf
        space.high[0, j] = -np.inf
    placed = len(instance.place_reach) > 0
    for i in range(len(instance.mass) if placed else count):
        b = i if placed else space.member[0, i]
        for j in range(d):
            x = instance.points[b, j]
            space.low[0, j] = min(space.low[0, j], x)
            space.high[0, j] = max(space.high[0, j], x)
    space.present[:] = False
    space.fixed[:] = False
    space.n_members[0] = count
    space.n_fixed[0] = 0
    space.bound[0] = -np.inf
    space.top[0] = 0 if count or instance.taken else -1


@njit(cache=True)
def _bound_node(
    instance: Instance, duals: FloatArray, space: Space, top: int
) -> tuple[float, float, float, float]:
    """Drop what cannot belong, classify the rest, and bound the box.

    Returns the bound, how much of it is due to the box's extent, how much to conflicts, and how
    much to borders of places that cross the box.
    """
    nowhere = np.inf, 0.0, 0.0, 0.0
    if not _fence(instance, duals, space, top):
        return nowhere
    if not _drop_far(instance, duals, space, top):
        if instance.taken == 0 or space.n_members[top] > 0:
            return nowhere
        # No block is worth going to: all that a centre there has is what places add.
        space.mean[:], space.center[:] = 0.0, 0.0
        change, undecided = in_places(instance, duals, space, top, 0.0)
        return change, 0.0, 0.0, undecided
    _classify(instance, space, top)
    clash, gained = _gains(instance, space, top)
    joint, spread, weight = _joint(instance, duals, space, top)
    change, undecided = 0.0, 0.0
    if len(instance.place_reach) > 0:
        change, undecided = in_places(instance, duals, space, top, weight)
    return joint - gained + change, spread, clash, undecided


@njit(cache=True)
def _fence(instance: Instance, duals: FloatArray, space: Space, top: int) -> bool:
    """Shrink the box to the discs of the blocks taken in; False if nothing is left."""
    low, high = space.low[top], space.high[top]
    for i in range(space.n_fixed[top]):
        b = space.member[top, i]
        radius = np.sqrt(duals[b] / instance.mass[b])
        for j in range(len(low)):
            low[j] = max(low[j], instance.points[b, j] - radius)
            high[j] = min(high[j], instance.points[b, j] + radius)
            if low[j] > high[j]:
                return False
    return True


@njit(cache=True)
def _drop_far(instance: Instance, duals: FloatArray, space: Space, top: int) -> bool:
    """Keep blocks that can belong to a best cluster with its mean in the box."""
    low, high = space.low[top], space.high[top]
    clear = clearance(instance, low, high)
    total = 0.0
    for i in range(space.n_members[top]):
        total += instance.mass[space.member[top, i]]
    kept = 0
    n_fixed = space.n_fixed[top]
    for i in range(space.n_members[top]):
        b = space.member[top, i]
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
        space.member[top, kept] = b
        space.least[kept] = m * least - duals[b]
        space.most[kept] = m * most - duals[b]
        # sure to belong, as far as the box goes; conflicts and loads may still forbid it
        space.state[kept] = (
            IN if i < n_fixed or m * more * most < duals[b] * (1.0 - 1e-12) else FREE
        )
        kept += 1
    space.n_members[top] = kept
    return kept > 0


@njit(cache=True)
def _classify(instance: Instance, space: Space, top: int) -> None:
    """Mark blocks that a conflict or a load that may overflow ties to others."""
    count, n_fixed = space.n_members[top], space.n_fixed[top]
    for i in range(count):
        space.present[space.member[top, i]] = True
    for i in range(n_fixed, count):
        b = space.member[top, i]
        for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
            if space.present[instance.conflict[e]]:
                space.state[i] = BOUND
                break
    for a in range(len(instance.limit)):
        if _heaviest(instance, space, top, a) > instance.limit[a]:
            _tie(instance, space, top, a)


@njit(cache=True)
def _heaviest(instance: Instance, space: Space, top: int, a: int) -> float:
    """Return load a of all blocks present together."""
    single, paired = 0.0, 0.0
    for i in range(space.n_members[top]):
        b = space.member[top, i]
        single += instance.weight[a, b]
        paired += added_load(instance, space.present, a, b) - instance.weight[a, b]
    return single + 0.5 * paired


@njit(cache=True)
def _tie(instance: Instance, space: Space, top: int, a: int) -> None:
    for i in range(space.n_fixed[top], space.n_members[top]):
        if added_load(instance, space.present, a, space.member[top, i]) > 0.0:
            space.state[i] = BOUND


@njit(cache=True)
def _gains(instance: Instance, space: Space, top: int) -> tuple[float, float]:
    """Return what conflicts and loads forbid, and the most that the tied blocks can gain.

    Conflicts: a weighted edge cover, w_a + w_b <= max(w_a, w_b) for conflicting a and b, with
    weights split greedily. Loads: a fractional knapsack. The smallest bound of all counts.
    """
    count, n_fixed = space.n_members[top], space.n_fixed[top]
    free_sum = 0.0
    for i in range(count):
        b = space.member[top, i]
        space.gain[b] = 0.0
        if space.state[i] == BOUND:
            space.gain[b] = max(0.0, -space.least[i])
            free_sum += space.gain[b]
        space.left[b] = space.gain[b]
        space.fixed[b] = i < n_fixed
    covered = 0.0
    for i in range(n_fixed, count):
        if space.state[i] == BOUND:
            covered += _cover(instance, space, space.member[top, i])
    gained = free_sum - covered
    for a in range(len(instance.limit)):
        gained = min(gained, _within_load(instance, space, top, a, free_sum))
    for i in range(count):
        space.present[space.member[top, i]] = False
        space.fixed[space.member[top, i]] = False
    return free_sum - gained, gained


@njit(cache=True)
def _cover(instance: Instance, space: Space, b: int) -> float:
    """Pair off weight of block b with its conflicting neighbours; return the weight saved."""
    saved = 0.0
    for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
        other = instance.conflict[e]
        if other > b and space.present[other]:
            share = min(space.left[b], space.left[other])
            space.left[b] -= share
            space.left[other] -= share
            saved += share
    return saved


@njit(cache=True)
def _within_load(instance: Instance, space: Space, top: int, a: int, free_sum: float) -> float:
    """Return the most that the tied blocks gain within load a, fractions allowed.

    An item is a block that weighs something beside those taken in, or a pair that weighs
    something together, as in `_cover`. All items are given up, and the best are bought back.
    """
    items = 0
    total = free_sum
    for i in range(space.n_members[top]):
        b = space.member[top, i]
        space.left[b] = space.gain[b]
        weight = added_load(instance, space.fixed, a, b)
        if weight > 0.0 and space.gain[b] > 0.0:
            space.left[b] = 0.0
            total -= space.gain[b]
            space.item[items] = space.gain[b] / weight
            space.item_weight[items] = weight
            items += 1
    for i in range(space.n_fixed[top], space.n_members[top]):
        b = space.member[top, i]
        for e in range(instance.pair_start[a, b], instance.pair_start[a, b + 1]):
            other = instance.pair_other[e]
            share = min(space.left[b], space.left[other])
            if other > b and space.present[other] and share > 0.0:
                space.left[b] -= share
                space.left[other] -= share
                total -= share
                space.item[items] = share / instance.pair_weight[e]
                space.item_weight[items] = instance.pair_weight[e]
                items += 1
    room = _room(instance, space, top, a)
    for e in np.argsort(-space.item[:items]):
        if room <= 0.0:
            break
        fitting = min(room, space.item_weight[e])
        total += fitting * space.item[e]
        room -= fitting
    return total


@njit(cache=True)
def _room(instance: Instance, space: Space, top: int, a: int) -> float:
    """Return what load a leaves to the blocks that are not yet taken in."""
    room = instance.limit[a]
    for i in range(space.n_fixed[top]):
        b = space.member[top, i]
        single = instance.weight[a, b]
        room -= single + 0.5 * (added_load(instance, space.fixed, a, b) - single)
    return room


@njit(cache=True)
def _joint(
    instance: Instance, duals: FloatArray, space: Space, top: int
) -> tuple[float, float, float]:
    """Bound the blocks that are not tied by one sum of quadratics.

    Where it is least goes to mean, where in the box to center. Returns the bound, how much the
    terms may still vary over the box, and the weight of the sum.
    """
    d = instance.points.shape[1]
    low, high, center = space.low[top], space.high[top], space.center
    weight, constant, spread = 0.0, 0.0, 0.0
    center[:] = 0.0
    square = 0.0
    for i in range(space.n_members[top]):
        b = space.member[top, i]
        least, most = space.least[i], space.most[i]
        share = 1.0
        if space.state[i] == BOUND:
            spread += max(0.0, min(0.0, most) - least)
            continue
        if space.state[i] == FREE:
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
            space.mean[j] = center[j]
        return constant, spread, 0.0
    total = square
    for j in range(d):
        mean = center[j] / weight
        center[j] = min(max(mean, low[j]), high[j])
        space.mean[j] = mean
        total += weight * ((center[j] - mean) ** 2 - mean * mean)
    return total + constant, spread, weight


@njit(cache=True)
def _round(instance: Instance, duals: FloatArray, space: Space, top: int) -> tuple[float, float]:
    """Make a cluster of the node: the blocks whose disc holds the joint centre, as they fit.

    Returns its value and how much was lost because blocks did not fit. Its centre is its mean, or
    the nearest place to it in places, if that is worth more for what they add.
    """
    space.inside[:] = False
    space.load[:] = 0.0
    refused = 0.0
    for i in range(space.n_members[top]):
        b = space.member[top, i]
        if i >= space.n_fixed[top]:
            term = instance.mass[b] * squared_distance(instance.points, b, space.center) - duals[b]
            if term >= 0.0:
                continue
            if not fits(instance, space.inside, space.load, b):
                refused -= term
                continue
        join(instance, space.inside, space.load, b)
    among = space.member[top, : space.n_members[top]]
    reached = value(instance, duals, space.inside, space.mean, among)
    if len(instance.place_reach) == 0 or not space.inside.any():
        return reached, refused
    return value_in_places(instance, duals, space, top, among, reached), refused
