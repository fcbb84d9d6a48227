"""Exact pricing under size limits and soft links, by branch and bound over the cluster's centre.

The least reduced cost is the least, over centres c, of the cheapest cluster of terms
mass_b |x_b - c|^2 - dual_b whose mass is within the limits. Boxes of centres are split, and single
blocks are put in or left out (see `ccviz.solvers.colgen.pricing.spatial`). Three relaxations make
the bound of a box a sum over blocks:

- a price t of a unit of mass replaces the limits [l, u]: a cluster costs at least the sum of its
  terms less t mass_b, plus t l or t u, whichever is less. For each box t is the density of the
  last block that a greedy cluster takes at its middle;
- a soft cannot-link counts once one of its blocks is in. A soft must-link between two open blocks
  is kept by half as soon as one of them is in;
- of two blocks in conflict the lesser gain is left out, with weights split greedily.

Then min(0, q) >= share q - share most for a term q in [least, most], and a sum of quadratics is
least at a mean, clamped to the box. With the bound in hand, blocks that would raise it to the best
known reduced cost are left out, or put in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.discs import distance_range, halve
from ccviz.solvers.colgen.instance import fits, join, keep, squared_distance
from ccviz.solvers.colgen.partitioning.cluster import gather, reduced_cost, soft_change
from ccviz.solvers.colgen.partitioning.master import Model

# --------------------------------------------------------------------------------------------------
# The nodes of spatial branch and bound under sizes and soft links, and how a node is split.
#
# A node is a box of centres with a mark on each block: free, in the cluster, or out of it. It is
# split along the axis in which the open terms vary most, or, where conflicts, limits and soft links
# matter more, by one block: in or out.

FREE, IN, OUT = 0, 1, 2  # Mark of a block in a node
_FEW = 5
"""Undecided blocks up to which they are decided one by one instead of splitting the box: where some
gain exactly nothing at the best centre, boxes around it would be split without end."""
_TINY = 1e-9  # Width of a box that is not split further, relative to the box of all blocks


class Nodes(NamedTuple):
    """The rows of the stack: a box, the mark of each block, and a bound."""

    low: FloatArray
    high: FloatArray
    mark: np.ndarray
    bound: FloatArray


class BlockScratch(NamedTuple):
    """Scratch arrays with an entry for each block; (4, s) the parts of its term."""

    term: FloatArray
    left: FloatArray
    tied: np.ndarray
    inside: np.ndarray


class Tree(NamedTuple):
    """One search: its stack, whose rows up to ``top[0]`` are open nodes, and scratch arrays.

    ``extent`` (1,) is the longest side of the box around all blocks.
    """

    top: IntArray
    nodes: Nodes
    extent: FloatArray
    blocks: BlockScratch
    load: FloatArray
    mean: FloatArray
    center: FloatArray
    signatures: IntArray


def make_tree(model: Model, columns: int) -> Tree:
    """Return a search whose only node is a box around all blocks, all of them open."""
    points = model.instance.points
    s, d = points.shape
    depth = 48 * d + 2 * s + 64
    tree = Tree(
        top=np.zeros(1, dtype=np.int64),
        nodes=Nodes(
            low=np.empty((depth, d)),
            high=np.empty((depth, d)),
            mark=np.zeros((depth, s), dtype=np.int8),
            bound=np.full(depth, -np.inf),
        ),
        extent=np.array([np.ptp(points, axis=0).max()]),
        blocks=BlockScratch(
            term=np.empty((4, s)),
            left=np.empty(s),
            tied=np.zeros(s, dtype=np.bool_),
            inside=np.zeros(s, dtype=np.bool_),
        ),
        load=np.zeros(len(model.instance.loads.limit)),
        mean=np.empty(d),
        center=np.empty(d),
        signatures=np.zeros(columns, dtype=np.int64),
    )
    tree.nodes.low[0], tree.nodes.high[0] = points.min(axis=0), points.max(axis=0)
    return tree


@njit(cache=True, entry=False)
def branch(model: Model, tree: Tree, top: int, spread: float, clash: float) -> int:
    """Replace the node by its children; return the new top of the stack."""
    if spread > clash and _n_undecided(tree, top) > _FEW:
        axis, width = _widest(model, tree, top)
        if width > _TINY:
            _copy(tree, top, top + 1)
            halve(tree.nodes.low, tree.nodes.high, top, axis, tree.mean)
            return top + 1
    block = _most_at_stake(model, tree, top)
    if block < 0:
        return top - 1
    _copy(tree, top, top + 1)
    tree.nodes.mark[top, block], tree.nodes.mark[top + 1, block] = OUT, IN
    return top + 1


@njit(cache=True)
def _n_undecided(tree: Tree, top: int) -> int:
    """Return the number of free blocks that may gain and may cost something in the box."""
    count = 0
    for b in range(len(tree.blocks.inside)):
        if (
            tree.nodes.mark[top, b] == FREE
            and tree.blocks.term[1, b] < 0.0 < tree.blocks.term[2, b]
        ):
            count += 1
    return count


@njit(cache=True)
def _widest(model: Model, tree: Tree, top: int) -> tuple[int, float]:
    """Return the axis along which the open terms vary most, and the box's relative width."""
    low, high, mark = tree.nodes.low[top], tree.nodes.high[top], tree.nodes.mark[top]
    best, axis = -1.0, 0
    for j in range(len(low)):
        varied, middle = 0.0, 0.5 * (low[j] + high[j])
        for b in range(len(mark)):
            if mark[b] == FREE:
                off = abs(model.instance.points[b, j] - middle) + 0.25 * (high[j] - low[j])
                varied += model.instance.mass[b] * off
        varied *= high[j] - low[j]
        if varied > best:
            best, axis = varied, j
    return axis, (high[axis] - low[axis]) / max(tree.extent[0], 1e-300)


@njit(cache=True)
def _copy(tree: Tree, source: int, target: int) -> None:
    tree.nodes.low[target] = tree.nodes.low[source]
    tree.nodes.high[target] = tree.nodes.high[source]
    tree.nodes.mark[target] = tree.nodes.mark[source]
    tree.nodes.bound[target] = tree.nodes.bound[source]


@njit(cache=True)
def _most_at_stake(model: Model, tree: Tree, top: int) -> int:
    """Return the free block with the most at stake, -1 if no block is free.

    At stake is what a block may gain and may cost in the box, what it gains at the centre though
    the greedy cluster lacks it, and the weight of its soft links to free blocks.
    """
    mark, here = tree.nodes.mark[top], tree.blocks.term[3]
    best, chosen = -np.inf, -1
    for b in range(len(mark)):
        if mark[b] != FREE:
            continue
        stake = min(-tree.blocks.term[1, b], tree.blocks.term[2, b])
        if not tree.blocks.inside[b]:
            stake += max(0.0, -here[b])
        for e in range(model.start[b], model.start[b + 1]):
            if mark[model.other[e]] == FREE:
                stake += 0.5 * abs(model.weight[e])
        if stake > best:
            best, chosen = stake, b
    return chosen


# --- The bound of a box of centres under sizes and soft links; see `partitioning.spatial` ---------


@njit(cache=True, entry=False)
def bound_node(
    model: Model, duals: FloatArray, lower: float, upper: float, cut: float, tree: Tree, top: int
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


@njit(cache=True)
def search(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    cutoff: float,
    below: float,
    slack: float,
    visit_limit: int,
    tree: Tree,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> tuple[int, float, int]:
    """Find the cluster of least reduced cost below ``cutoff``, or show that there is none.

    `cutoff`: Reduced costs from here on do not matter. `below`: Clusters found on the way are
    returned if their reduced cost is below this. `slack`: A box whose bound is this near to the
    best reduced cost is not split further. `visit_limit`: Blocks to visit, over all nodes, before
    it returns. `reduced_costs` (m,): Overwritten with the clusters found. Returns `lower_bound`: No
    cluster has a smaller reduced cost, up to rounding; valid once the stack is empty.
    """
    found, visits, best = 0, 0, cutoff
    top = tree.top[0]
    while top >= 0 and visits < visit_limit:
        if tree.nodes.bound[top] >= best - slack:
            top -= 1
            continue
        visits += len(duals)
        mass, spread, clash = bound_node(model, duals, lower, upper, best - slack, tree, top)
        if lower <= mass <= upper:
            reached, _ = reduced_cost(model, duals, tree.blocks.inside, tree.mean)
            if reached < below and (found < len(reduced_costs) or reached < best):
                found = keep(
                    tree.blocks.inside, reached, columns, reduced_costs, tree.signatures, found
                )
            best = min(best, reached)
        if tree.nodes.bound[top] >= best - slack:
            top -= 1
            continue
        top = branch(model, tree, top, spread, clash)
    tree.top[0] = top
    return found, best - slack, visits
