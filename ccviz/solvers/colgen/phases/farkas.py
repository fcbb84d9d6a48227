"""Farkas pricing: columns until the restricted master is feasible, or a proof that it never is.

Babaki, Guns and Nijssen 2014, section 3 and equation 21. The least weight of uncovered blocks, with
columns at no cost, is a linear program whose duals are the Farkas values: pricing at them is as
usual, but for the clusters' costs, which are 0. Without a column of negative reduced cost no k
clusters cover the blocks; the duals, large enough, are then a Lagrangian bound above every cost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.solvers.colgen.master.covering import Master, MasterSolution, column_costs
from ccviz.solvers.colgen.phases.columns import ColumnPhase
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.pricing.pricer import Priced, Pricer
from ccviz.solvers.colgen.state import NodeState

_NOTHING = 1e-9
"""Uncovered blocks, in all, that count as none."""
_ABOVE = 4.0
"""Bound of an infeasible node, as a multiple of the cost of one cluster of all blocks."""


def made_feasible(context: NodeContext, phase: ColumnPhase) -> ColumnPhase:
    """Return a phase whose columns cover the blocks, or whose bound says that none do.

    A search that is stopped, or that finds no column though rounding hides a proof, leaves the
    artificial columns where they are.
    """
    state = phase.state
    master = Master(state.blocks.s, state.blocks.k, np.ones(state.blocks.s), interior=False)
    master.add(state.columns, np.zeros(len(state.columns)))
    free = _free_of_cost(context.pricer)
    while not context.task.stop():
        solution = master.solve_to_vertex()
        if solution.shortfall <= _NOTHING:
            state = _with_columns(context, state, master.columns)
            return replace(phase, state=state, covers=True)
        priced = _priced(context, free, solution)
        new = priced.negative(solution.duals, solution.cardinality_dual, _NOTHING)
        if len(new) == 0:
            state = _without_cover(context, state, solution, priced.min_reduced_cost)
            break
        master.add(priced.columns[new], np.zeros(len(new)))
    return replace(phase, state=_with_columns(context, state, master.columns))


def _free_of_cost(pricer: Pricer) -> Pricer:
    """Return the pricer of the same clusters at no cost: all blocks at one place."""
    instances = tuple(each._replace(points=0.0 * each.points) for each in pricer.alternatives)
    scatter = None if pricer.scatter is None else 0.0 * pricer.scatter
    return replace(pricer, alternatives=instances, scatter=scatter)


def _priced(context: NodeContext, pricer: Pricer, solution: MasterSolution) -> Priced:
    """Return clusters of negative reduced cost, or what says that there are none."""
    visits = context.params.pricing.visits
    priced = pricer.exact(solution.duals, 0.0, -solution.cardinality_dual, visits)
    while priced.search is not None and len(priced.columns) == 0 and not context.task.stop():
        priced = pricer.go_on(priced.search, visits)
    return priced


def _without_cover(
    context: NodeContext, state: NodeState, solution: MasterSolution, least: float
) -> NodeState:
    """Return the state with a bound above every cost, if the Farkas values give one."""
    missing = float(solution.duals.sum()) + state.blocks.k * least
    if missing <= _NOTHING:
        return state
    scale = _ABOVE * max(context.most_cost, 1.0) / missing
    return state.raised(scale * solution.duals, scale * least)


def _with_columns(context: NodeContext, state: NodeState, columns: np.ndarray) -> NodeState:
    """Return the state with columns, at their costs."""
    instance = context.instance
    costs = column_costs(columns[len(state.costs) :], instance.points, instance.mass)
    return replace(state, columns=columns, costs=np.concatenate([state.costs, costs]))
