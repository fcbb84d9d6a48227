"""The nodes of spatial branch and bound under sizes and soft links, and how a node is split.

A node is a box of centres with a mark on each block: free, in the cluster, or out of it. It is
split along the axis in which the open terms vary most, or, where conflicts, limits and soft links
matter more, by one block: in or out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.boxes import halve
from ccviz.solvers.colgen.partitioning.model import Model

FREE, IN, OUT = 0, 1, 2
"""Mark of a block in a node."""
_FEW = 5
"""Undecided blocks up to which they are decided one by one instead of splitting the box: where some
gain exactly nothing at the best centre, boxes around it would be split without end."""
_TINY = 1e-9
"""Width of a box that is not split further, relative to the box of all blocks."""


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
    """Return a search whose only node is a box around all blocks, all of them open.

    Parameters
    ----------
    model : Model
    columns : int
        Most clusters that it returns.
    """
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
