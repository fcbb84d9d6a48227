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

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.cluster import keep
from ccviz.solvers.colgen.partitioning.box_bound import bound_node
from ccviz.solvers.colgen.partitioning.cluster import reduced_cost
from ccviz.solvers.colgen.partitioning.model import Model
from ccviz.solvers.colgen.partitioning.spatial_nodes import Tree, branch


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

    Parameters
    ----------
    model : Model
    duals : (s,) float64
    lower, upper : float
        Limits on the cluster's points.
    cutoff : float
        Reduced costs from here on do not matter.
    below : float
        Clusters found on the way are returned if their reduced cost is below this.
    slack : float
        A box whose bound is this near to the best reduced cost is not split further.
    visit_limit : int
        Blocks to visit, over all nodes, before it returns.
    tree : Tree
    columns : (m, s) bool
    reduced_costs : (m,) float64
        Overwritten with the clusters found.

    Returns
    -------
    found : int
        Number of columns returned.
    lower_bound : float
        No cluster has a smaller reduced cost, up to rounding; valid once the stack is empty.
    visits : int
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
