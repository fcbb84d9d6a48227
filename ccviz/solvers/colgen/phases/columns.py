"""Column generation: each column represents one cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced
from ccviz.solvers.colgen.master.covering import Master, MasterSolution, column_costs
from ccviz.solvers.colgen.master.interior import Iterate
from ccviz.solvers.colgen.phases.generation import End, Generation
from ccviz.solvers.colgen.pricing.pricer import OpenPricing, Priced, Pricer
from ccviz.solvers.colgen.state import LAST_ACCURACY, NodeContext, NodeState

_INFEASIBLE = 1e-5  # Blocks left uncovered, in all, that call for higher artificial costs
_RAISED = 10.0  # Factor of the artificial costs then
_IN_USE = 0.1  # Weight of columns at whose means heuristic pricing begins too


@dataclass(frozen=True, eq=False)
class ColumnPhase:
    """Column generation over columns."""

    state: NodeState
    iterate: Iterate | None = None  # Where the next interior solution begins
    solution: MasterSolution | None = None
    search: OpenPricing | None = None
    # Farkas pricing made the columns cover all blocks: the master has no artificial ones.
    covers: bool = False


class ColumnGeneration(Generation):
    """Column generation over columns; see `Generation` for the parameters."""

    master: Master
    first: Iterate | None = None
    covers: bool = False

    @classmethod
    def of(cls, context: NodeContext, phase: ColumnPhase) -> ColumnGeneration:
        """Continue a phase."""
        master = master_of(context, phase.state, phase.covers)
        master.middle = phase.iterate
        made = cls(context, phase.state, master, phase.solution, phase.search)
        made.first, made.covers = phase.iterate, phase.covers
        return made

    @classmethod
    def after(
        cls, context: NodeContext, state: NodeState, rounds: list[ColumnsPriced]
    ) -> ColumnGeneration:
        """Begin after column generation over facilities."""
        return cls(context, state, master_of(context, state), rounds=rounds)

    def phase(self) -> ColumnPhase:
        """Return the phase that the next task continues."""
        middle = self.master.middle
        return ColumnPhase(self.columns_now, middle, self.known, self.search, self.covers)

    def vertex(self) -> MasterSolution:
        """Return a basic solution."""
        return self.master.solve_to_vertex()

    def _solve(self) -> MasterSolution:
        stabiliser = self.state.stabiliser
        if stabiliser.scheme == "perturbation" and stabiliser.center is not None:
            self.master.perturb(stabiliser.center, stabiliser.extent)
        return self.master.solve(self.state.accuracy)

    @property
    def _prices_exactly(self) -> bool:
        return self.state.quick_pricing

    def _proof_points(self, at: FloatArray, solution: MasterSolution) -> Iterator[FloatArray]:
        yield solution.duals

    def _prove(self, at: FloatArray, cardinality_dual: float) -> Priced:
        return self._proved(at, cardinality_dual, rounds=1)

    def _to_add(self, priced: Priced, solution: MasterSolution) -> IntArray:
        return self._negative(priced, solution)[: self._most_new]

    def _seeds(self, solution: MasterSolution) -> FloatArray:
        params, points = self.context.params.pricing, self.context.pricer.points
        work = int(params.seed_work / points.size)
        some = self._some_points(min(params.most_seeds, max(params.least_seeds, work)))
        used = self.master.columns[solution.weights > _IN_USE]
        return np.concatenate([some, self._centres_of(used)])

    def _conclude(self, solution: MasterSolution, found: bool) -> Generation:
        state, stabiliser = self.state, self.state.stabiliser
        gap = solution.objective - state.bound.value
        if found and gap > self.context.tolerance:
            self.state = replace(state, accuracy=self._next_accuracy(gap, solution.objective))
        elif state.accuracy > LAST_ACCURACY and stabiliser.interior:
            self.state = replace(state, accuracy=LAST_ACCURACY)
        elif stabiliser.extent > 0.0:
            self.state = replace(state, stabiliser=stabiliser.relax(solution.duals))
        elif solution.shortfall > _INFEASIBLE and state.bound.value <= self.context.most_cost:
            self._raise_artificial_cost()
        else:
            self.end = End.COMPLETE
        return self

    def _raise_artificial_cost(self) -> None:
        state = self.columns_now
        state = replace(state, artificial_cost=_RAISED * state.artificial_cost)
        self.state = state
        self.master = master_of(self.context, state)
        self.master.middle = self.first


def master_of(context: NodeContext, state: NodeState, covers: bool = False) -> Master:
    """Return the master over the columns of a state, without artificial ones if they cover."""
    order = np.argsort(context.pricer.points[:, 0], kind="stable")
    interior = state.stabiliser.interior
    s, k = state.blocks.s, state.blocks.k
    master = Master(s, k, state.artificial_cost, interior, order, covers)
    master.add(state.columns, state.costs)
    return master


# --------------------------------------------------------------------------------------------------
# Farkas pricing: columns until the restricted master is feasible, or a proof that it never is.
#
# Babaki, Guns and Nijssen 2014, section 3 and equation 21. The least weight of uncovered blocks,
# with columns at no cost, is a linear program whose duals are the Farkas values: pricing at them is
# as usual, but for the clusters' costs, which are 0. Without a column of negative reduced cost no k
# clusters cover the blocks; the duals, large enough, are then a Lagrangian bound above every cost.

_NOTHING = 1e-9  # Uncovered blocks, in all, that count as none
_ABOVE = 4.0  # Bound of an infeasible node, as a multiple of the cost of one cluster of all blocks


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
            # The master's unit: without artificial columns their cost is no other limit.
            cover = float(solution.weights @ state.costs)
            caps = np.maximum(state.artificial_cost, cover)
            return replace(phase, state=replace(state, artificial_cost=caps), covers=True)
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
