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
from ccviz.solvers.colgen.model.cluster import (
    fits,
    join,
    keep,
    reduced_cost,
    squared_distance,
)
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.pricing.box_bound import bound_node
from ccviz.solvers.colgen.pricing.disc_bounds import reduced_cost_in_discs
from ccviz.solvers.colgen.pricing.spatial_nodes import SpatialTree, branch

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

    Parameters
    ----------
    instance : Instance
    duals : (s,) float64
    cutoff : float
        Reduced costs from here on do not matter; negative.
    below : float
        Clusters found on the way are returned if their reduced cost is below this.
    visit_limit : int
        Blocks to visit, over all nodes, before it returns.
    tree : SpatialTree
    columns : (m, s) bool
    reduced_costs : (m,) float64
        Overwritten with the clusters found.

    Returns
    -------
    found : int
        Number of columns returned.
    lower_bound : float
        No cluster has a smaller reduced cost, up to rounding.
    visits : int
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
