"""The stack of open nodes of `ccviz.solvers.colgen.space`, and how a node is split.

A node is a box of centres with the blocks that may join there. It is split along the axis in which
the undecided terms vary most, or, where conflicts and loads weigh more, by one block: in or out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.cluster import fits, join
from ccviz.solvers.colgen.instance import Instance

OUT, IN, FREE, BOUND = 0, 1, 2, 3  # what is known of a block: BOUND ones conflict or share a load
_TINY = 1e-9  # relative width of a box that is not split


class Space(NamedTuple):
    """One search: its stack, whose rows up to ``top[0]`` are open nodes, and scratch arrays."""

    top: np.ndarray
    low: np.ndarray
    high: np.ndarray
    member: np.ndarray
    n_members: np.ndarray
    n_fixed: np.ndarray
    bound: np.ndarray
    least: np.ndarray
    most: np.ndarray
    state: np.ndarray
    present: np.ndarray
    inside: np.ndarray
    fixed: np.ndarray
    load: np.ndarray
    center: np.ndarray
    gain: np.ndarray
    left: np.ndarray
    mean: np.ndarray
    met: np.ndarray
    need: np.ndarray
    item: np.ndarray
    item_weight: np.ndarray
    signatures: np.ndarray


def make_space(instance: Instance, columns: int) -> Space:
    """Return scratch arrays for searching an instance and handing back that many columns."""
    s, d = instance.points.shape
    q, pairs = len(instance.limit), len(instance.pair_other)
    depth = 48 * d + 2 * s + 64
    return Space(
        top=np.full(1, -1, dtype=np.int64),
        low=np.empty((depth, d)),
        high=np.empty((depth, d)),
        member=np.empty((depth, s), dtype=np.int32),
        n_members=np.zeros(depth, dtype=np.int64),
        n_fixed=np.zeros(depth, dtype=np.int64),
        bound=np.empty(depth),
        least=np.empty(s),
        most=np.empty(s),
        state=np.zeros(s, dtype=np.int8),
        present=np.zeros(s, dtype=np.bool_),
        inside=np.zeros(s + instance.taken, dtype=np.bool_),
        fixed=np.zeros(s, dtype=np.bool_),
        load=np.zeros(q),
        center=np.empty(d),
        gain=np.empty(s),
        left=np.empty(s),
        mean=np.empty(d),
        met=np.zeros(instance.taken, dtype=np.bool_),
        need=np.empty(len(instance.place_reach)),
        item=np.empty(s + pairs),
        item_weight=np.empty(s + pairs),
        signatures=np.zeros(columns, dtype=np.int64),
    )


@njit(cache=True)
def branch(
    instance: Instance,
    space: Space,
    top: int,
    duals: FloatArray,
    spread: float,
    clash: float,
    undecided: float,
) -> int:
    """Replace the node by its children; return the new top of the stack."""
    if spread + undecided > clash:
        axis, width = _widest(instance, space, top, undecided)
        if width > _TINY:
            return _split_box(space, top, axis)
    block = _most_tied(instance, space, top)
    if block < 0:
        return top - 1
    return _split_block(instance, duals, space, top, block)


@njit(cache=True)
def _widest(instance: Instance, space: Space, top: int, undecided: float) -> tuple[int, float]:
    """Return the axis along which undecided terms vary most, and the box's relative width."""
    low, high = space.low[top], space.high[top]
    best, axis = -1.0, 0
    for j in range(len(low)):
        varied = 0.0
        for i in range(space.n_fixed[top], space.n_members[top]):
            if space.state[i] != IN:
                b = space.member[top, i]
                middle = 0.5 * (low[j] + high[j])
                varied += instance.mass[b] * abs(instance.points[b, j] - middle)
                varied += 0.25 * instance.mass[b] * (high[j] - low[j])
        varied *= high[j] - low[j]
        if undecided > 0.0:  # the border of a place crosses the box
            varied += undecided * (high[j] - low[j]) / _size(low, high)
        if varied > best:
            best, axis = varied, j
    scale = max(abs(low[axis]), abs(high[axis]), 1e-300)
    if undecided > 0.0:  # near zero a box is never small beside its coordinates
        scale = max(scale, np.sqrt(instance.place_reach.max()))
    return axis, (high[axis] - low[axis]) / scale


@njit(cache=True)
def _size(low: FloatArray, high: FloatArray) -> float:
    """Return the longest side of a box."""
    longest = 1e-300
    for j in range(len(low)):
        longest = max(longest, high[j] - low[j])
    return longest


@njit(cache=True)
def _split_box(space: Space, top: int, axis: int) -> int:
    middle = 0.5 * (space.low[top, axis] + space.high[top, axis])
    _copy(space, top, top + 1)
    if space.center[axis] <= middle:
        space.low[top, axis] = middle
        space.high[top + 1, axis] = middle
    else:
        space.high[top, axis] = middle
        space.low[top + 1, axis] = middle
    return top + 1


@njit(cache=True)
def _copy(space: Space, source: int, target: int) -> None:
    space.low[target] = space.low[source]
    space.high[target] = space.high[source]
    count = space.n_members[source]
    space.member[target, :count] = space.member[source, :count]
    space.n_members[target] = count
    space.n_fixed[target] = space.n_fixed[source]
    space.bound[target] = space.bound[source]


@njit(cache=True)
def _most_tied(instance: Instance, space: Space, top: int) -> int:
    """Return the place of the tied block with the most at stake, else of a free one, else -1."""
    for i in range(space.n_members[top]):
        space.present[space.member[top, i]] = True
    best, place = -1.0, -1
    for i in range(space.n_fixed[top], space.n_members[top]):
        if space.state[i] == IN:
            continue
        b = space.member[top, i]
        stake = 1e-3 * max(0.0, -space.least[i])
        if space.state[i] == BOUND:
            stake += max(0.0, -space.least[i])
            for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
                other = instance.conflict[e]
                if space.present[other]:
                    stake += min(space.gain[b], space.gain[other])
        if stake > best:
            best, place = stake, i
    for i in range(space.n_members[top]):
        space.present[space.member[top, i]] = False
    return place


@njit(cache=True)
def _split_block(instance: Instance, duals: FloatArray, space: Space, top: int, place: int) -> int:
    """Leave the block out in one child and take it in, with all that follows, in the other."""
    n_fixed = space.n_fixed[top]
    block = space.member[top, place]
    _copy(space, top, top + 1)
    last = space.n_members[top] - 1
    space.member[top, place] = space.member[top, last]
    space.n_members[top] = last
    space.member[top + 1, place] = space.member[top + 1, n_fixed]
    space.member[top + 1, n_fixed] = block
    space.n_fixed[top + 1] = n_fixed + 1
    _drop_unfit(instance, duals, space, top + 1)
    return top + 1


@njit(cache=True)
def _drop_unfit(instance: Instance, duals: FloatArray, space: Space, top: int) -> None:
    """Drop what conflicts with the blocks taken in, overflows a load or lies too far off."""
    space.inside[:] = False
    space.load[:] = 0.0
    n_fixed = space.n_fixed[top]
    for i in range(n_fixed):
        join(instance, space.inside, space.load, space.member[top, i])
    newest = space.member[top, n_fixed - 1]
    kept = n_fixed
    for i in range(n_fixed, space.n_members[top]):
        b = space.member[top, i]
        if _compatible(instance, duals, newest, b) and fits(instance, space.inside, space.load, b):
            space.member[top, kept] = b
            kept += 1
    space.n_members[top] = kept


@njit(cache=True)
def _compatible(instance: Instance, duals: FloatArray, a: int, b: int) -> bool:
    """Whether the discs of two blocks meet: the compatibility test (section 4.2), sharpened."""
    gap = 0.0
    for j in range(instance.points.shape[1]):
        gap += (instance.points[a, j] - instance.points[b, j]) ** 2
    reach = np.sqrt(duals[a] / instance.mass[a]) + np.sqrt(duals[b] / instance.mass[b])
    return gap <= reach * reach * (1.0 + 1e-12)


@njit(cache=True)
def distance_range(
    points: FloatArray, b: int, low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """Return the least and the greatest squared distance of block b to the box.

    Parameters
    ----------
    points : (s, d) float64
    b : int
    low, high : (d,) float64
    """
    least = 0.0
    most = 0.0
    for j in range(len(low)):
        under, over = low[j] - points[b, j], points[b, j] - high[j]
        near = max(0.0, under, over)
        far = max(-under, -over)
        least += near * near
        most += far * far
    return least, most
