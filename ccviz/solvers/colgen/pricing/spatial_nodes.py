"""The nodes of spatial branch and bound, and how a node is split.

A node is a box of centres with the blocks that may join there. It is split along the axis in which
the undecided terms vary most, or, where conflicts and loads matter more, by one block: in or out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.discs import distance_range, halve, mark_occupied, move_into_discs
from ccviz.solvers.colgen.instance import Instance, fits, join, squared_distance

OUT, IN, FREE, BOUND = 0, 1, 2, 3
"""State of a block in a box: BOUND ones are in a conflict or under a load that may overflow."""
_TINY = 1e-9  # Relative width of a box that is not split further


class Nodes(NamedTuple):
    """The rows of the stack: a box, the blocks that may join there, the fixed ones first."""

    low: np.ndarray
    high: np.ndarray
    member: np.ndarray
    n_members: np.ndarray
    n_fixed: np.ndarray
    bound: np.ndarray


class BlockScratch(NamedTuple):
    """Scratch arrays with an entry for each block, or for each member of a node."""

    least: np.ndarray
    most: np.ndarray
    state: np.ndarray
    present: np.ndarray
    inside: np.ndarray
    fixed: np.ndarray
    gain: np.ndarray
    left: np.ndarray


class CentreScratch(NamedTuple):
    """Scratch arrays for a centre: its coordinates, its mean's, and the discs that it is in."""

    center: np.ndarray
    mean: np.ndarray
    met: np.ndarray
    need: np.ndarray


class LoadScratch(NamedTuple):
    """Scratch arrays for loads: those of a cluster, and the items of a knapsack."""

    load: np.ndarray
    item: np.ndarray
    item_weight: np.ndarray


class SpatialTree(NamedTuple):
    """One search: its stack, whose rows up to ``top[0]`` are open nodes, and scratch arrays."""

    top: np.ndarray
    nodes: Nodes
    blocks: BlockScratch
    at: CentreScratch
    loading: LoadScratch
    signatures: np.ndarray


def make_tree(instance: Instance, columns: int) -> SpatialTree:
    """Return an empty stack for an instance, and room for that number of columns.

    Blocks are numbered by int64, so that kernels compile once; memory is used for the rows that
    the stack reaches only.
    """
    s, d = instance.points.shape
    q, pairs = len(instance.loads.limit), len(instance.loads.pair_other)
    occupied = instance.discs.occupied
    depth = 48 * d + 2 * s + 64
    return SpatialTree(
        top=np.full(1, -1, dtype=np.int64),
        nodes=Nodes(
            low=np.empty((depth, d)),
            high=np.empty((depth, d)),
            member=np.empty((depth, s), dtype=np.int64),
            n_members=np.zeros(depth, dtype=np.int64),
            n_fixed=np.zeros(depth, dtype=np.int64),
            bound=np.empty(depth),
        ),
        blocks=BlockScratch(
            least=np.empty(s),
            most=np.empty(s),
            state=np.zeros(s, dtype=np.int8),
            present=np.zeros(s, dtype=np.bool_),
            inside=np.zeros(s + occupied, dtype=np.bool_),
            fixed=np.zeros(s, dtype=np.bool_),
            gain=np.empty(s),
            left=np.empty(s),
        ),
        at=CentreScratch(
            center=np.empty(d),
            mean=np.empty(d),
            met=np.zeros(occupied, dtype=np.bool_),
            need=np.empty(len(instance.discs.reach)),
        ),
        loading=LoadScratch(
            load=np.zeros(q), item=np.empty(s + pairs), item_weight=np.empty(s + pairs)
        ),
        signatures=np.zeros(columns, dtype=np.int64),
    )


@njit(cache=True, entry=False)
def branch(
    instance: Instance,
    tree: SpatialTree,
    top: int,
    duals: FloatArray,
    spread: float,
    clash: float,
    undecided: float,
) -> int:
    """Replace the node by its children; return the new top of the stack."""
    if spread + undecided > clash:
        axis, width = _widest(instance, tree, top, undecided)
        if width > _TINY:
            _copy(tree, top, top + 1)
            halve(tree.nodes.low, tree.nodes.high, top, axis, tree.at.center)
            return top + 1
    block = _most_tied(instance, tree, top)
    if block < 0:
        return top - 1
    return _split_block(instance, duals, tree, top, block)


@njit(cache=True)
def _widest(instance: Instance, tree: SpatialTree, top: int, undecided: float) -> tuple[int, float]:
    """Return the axis along which undecided terms vary most, and the box's relative width."""
    low, high = tree.nodes.low[top], tree.nodes.high[top]
    best, axis = -1.0, 0
    for j in range(len(low)):
        varied = 0.0
        for i in range(tree.nodes.n_fixed[top], tree.nodes.n_members[top]):
            if tree.blocks.state[i] != IN:
                b = tree.nodes.member[top, i]
                middle = 0.5 * (low[j] + high[j])
                varied += instance.mass[b] * abs(instance.points[b, j] - middle)
                varied += 0.25 * instance.mass[b] * (high[j] - low[j])
        varied *= high[j] - low[j]
        if undecided > 0.0:  # the border of a disc crosses the box
            varied += undecided * (high[j] - low[j]) / _size(low, high)
        if varied > best:
            best, axis = varied, j
    scale = max(abs(low[axis]), abs(high[axis]), 1e-300)
    if undecided > 0.0:  # near zero a box is never small beside its coordinates
        for reach in instance.discs.reach:
            scale = max(scale, np.sqrt(reach))
    return axis, (high[axis] - low[axis]) / scale


@njit(cache=True)
def _size(low: FloatArray, high: FloatArray) -> float:
    """Return the longest side of a box."""
    longest = 1e-300
    for j in range(len(low)):
        longest = max(longest, high[j] - low[j])
    return longest


@njit(cache=True)
def _copy(tree: SpatialTree, source: int, target: int) -> None:
    low, high, member = tree.nodes.low, tree.nodes.high, tree.nodes.member
    for j in range(low.shape[1]):
        low[target, j], high[target, j] = low[source, j], high[source, j]
    count = tree.nodes.n_members[source]
    for i in range(count):
        member[target, i] = member[source, i]
    tree.nodes.n_members[target] = count
    tree.nodes.n_fixed[target] = tree.nodes.n_fixed[source]
    tree.nodes.bound[target] = tree.nodes.bound[source]


@njit(cache=True)
def _most_tied(instance: Instance, tree: SpatialTree, top: int) -> int:
    """Return the position of the tied block with the most at stake, else of a free one, else -1."""
    for i in range(tree.nodes.n_members[top]):
        tree.blocks.present[tree.nodes.member[top, i]] = True
    best, position = -1.0, -1
    for i in range(tree.nodes.n_fixed[top], tree.nodes.n_members[top]):
        if tree.blocks.state[i] == IN:
            continue
        b = tree.nodes.member[top, i]
        stake = 1e-3 * max(0.0, -tree.blocks.least[i])
        if tree.blocks.state[i] == BOUND:
            stake += max(0.0, -tree.blocks.least[i])
            for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
                other = instance.conflict[e]
                if tree.blocks.present[other]:
                    stake += min(tree.blocks.gain[b], tree.blocks.gain[other])
        if stake > best:
            best, position = stake, i
    for i in range(tree.nodes.n_members[top]):
        tree.blocks.present[tree.nodes.member[top, i]] = False
    return position


@njit(cache=True)
def _split_block(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int, position: int
) -> int:
    """Leave the block out in one child; take it in, with all consequences, in the other."""
    n_fixed = tree.nodes.n_fixed[top]
    block = tree.nodes.member[top, position]
    _copy(tree, top, top + 1)
    last = tree.nodes.n_members[top] - 1
    tree.nodes.member[top, position] = tree.nodes.member[top, last]
    tree.nodes.n_members[top] = last
    tree.nodes.member[top + 1, position] = tree.nodes.member[top + 1, n_fixed]
    tree.nodes.member[top + 1, n_fixed] = block
    tree.nodes.n_fixed[top + 1] = n_fixed + 1
    _drop_unfit(instance, duals, tree, top + 1)
    return top + 1


@njit(cache=True)
def _drop_unfit(instance: Instance, duals: FloatArray, tree: SpatialTree, top: int) -> None:
    """Drop blocks that conflict with those taken in, overflow a load or lie too far away."""
    tree.blocks.inside[:] = False
    tree.loading.load[:] = 0.0
    n_fixed = tree.nodes.n_fixed[top]
    for i in range(n_fixed):
        join(instance, tree.blocks.inside, tree.loading.load, tree.nodes.member[top, i])
    newest = tree.nodes.member[top, n_fixed - 1]
    kept = n_fixed
    for i in range(n_fixed, tree.nodes.n_members[top]):
        b = tree.nodes.member[top, i]
        if _compatible(instance, duals, newest, b) and fits(
            instance, tree.blocks.inside, tree.loading.load, b
        ):
            tree.nodes.member[top, kept] = b
            kept += 1
    tree.nodes.n_members[top] = kept


@njit(cache=True)
def _compatible(instance: Instance, duals: FloatArray, a: int, b: int) -> bool:
    """Whether the discs of two blocks meet: the compatibility test (section 4.2), sharpened."""
    gap = 0.0
    for j in range(instance.points.shape[1]):
        gap += (instance.points[a, j] - instance.points[b, j]) ** 2
    reach = np.sqrt(duals[a] / instance.mass[a]) + np.sqrt(duals[b] / instance.mass[b])
    return gap <= reach * reach * (1.0 + 1e-12)


# --- Discs in exact pricing: in the bound of a box, and in the reduced cost of a cluster ----------
#
# See `ccviz.solvers.colgen.discs` and `ccviz.solvers.colgen.pricing.spatial`.


@njit(cache=True, entry=False)
def change_by_discs(
    instance: Instance, duals: FloatArray, tree: SpatialTree, top: int, weight: float
) -> tuple[float, float]:
    """Return how discs change the bound of a box, and how much of that is undecided there.

    The bound is least at a centre of the box that may be inside an empty disc, or outside an
    occupied one whose dual it has: the nearest that is neither costs that much more. Infinite where
    no centre of the box is allowed.

    `tree`: Its mean and center are those of the box's joint terms.
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

    `among` (m,): The blocks of the cluster are among these.
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
