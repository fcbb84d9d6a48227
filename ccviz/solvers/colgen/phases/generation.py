"""Column generation at one node: master, pricing and bound in turn, over columns or facilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced
from ccviz.solvers.colgen.master.covering import Master, MasterSolution, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityMaster
from ccviz.solvers.colgen.master.interior import Iterate
from ccviz.solvers.colgen.pricing.pricer import OpenPricing, Priced, Pricer, join, price_and_adjust
from ccviz.solvers.colgen.state import FIRST_ACCURACY, LAST_ACCURACY, NodeContext, NodeState

_MOST_COLUMNS = 4000, 8
"""Columns of a master, and per block, beyond which it drops those of largest reduced cost."""


class End(Enum):
    """How column generation over one master ended."""

    COMPLETE = "no column is missing"
    SHORT = "the master's objective does not close the node, so no bound of it will"
    STALLED = "the bound grows too slowly: branch"
    SLOW = "the bound grows too slowly: continue with local masters"


class Generation(ABC):
    """Column generation over one master.

    `solution`: Of the master, where an earlier task solved it. `search`: An exact pricing that
    found nothing yet and is to be continued. `rounds`: The iterations so far.
    """

    def __init__(
        self,
        context: NodeContext,
        state: NodeState,
        master: Master | FacilityMaster,
        solution: MasterSolution | None = None,
        search: OpenPricing | None = None,
        rounds: list[ColumnsPriced] | None = None,
    ) -> None:
        self.context, self.state, self.master = context, state, master
        self.known, self.search = solution, search
        self.rounds: list[ColumnsPriced] = [] if rounds is None else rounds
        self.end: End | None = None

    @property
    def solution(self) -> MasterSolution:
        """The master's solution."""
        assert self.known is not None
        return self.known

    @property
    def columns_now(self) -> NodeState:
        """The state with all columns of the master."""
        return replace(self.state, columns=self.master.columns, costs=self.master.costs)

    @abstractmethod
    def phase(self) -> object:
        """Return the phase that the next task continues."""

    def run(self, iterations: int) -> Generation:
        """Iterate until it ends, the bound suffices, or the iterations are spent.

        The first solution of the master counts as an iteration. An exact pricing that exceeds its
        visits ends the task before that; the next task continues it. What is returned may be
        column generation over another master.
        """
        if self.known is None:
            iterations -= 1
            self.known = self._solve()
        at_work: Generation = self
        for _ in range(iterations):
            if at_work.is_over:
                break
            at_work = at_work.iterate()
            if at_work.search is not None or at_work.end is End.SLOW:
                break
            at_work.known = at_work._solve()
        return at_work

    @property
    def is_over(self) -> bool:
        """Whether there is nothing to do: it ended, or the bound closes the node."""
        return self.end is not None or self.state.bound.value >= self.context.limit

    def iterate(self) -> Generation:
        """Price, raise the bound and add columns; return what continues, perhaps another master.

        An exact pricing that is not finished is kept, and no column is added.
        """
        solution = self.solution
        at, priced = self._continued() or self._price(
            self.state.stabiliser.point(solution.duals), solution
        )
        between = not np.array_equal(at, solution.duals)
        if priced.exact and self._prices_exactly and between:
            found = [
                self._prove(point, solution.cardinality_dual)
                for point in self._proof_points(at, solution)
            ]
            priced = replace(
                join([priced, *found]),
                min_reduced_cost=priced.min_reduced_cost,
                search=priced.search,
            )
        new = self._to_add(priced, solution)
        if len(new) == 0 and priced.search is None and between:
            # Mispriced: the smoothed duals misled.
            at, priced = self._price(solution.duals, solution, exact=True)
            new = self._to_add(priced, solution)
        self.search = priced.search if len(new) == 0 else None
        if self.search is not None:
            return self
        after = self._conclude(solution, found=len(new) > 0)
        after.log(solution, priced, len(new), at)
        after.master.add(priced.columns[new], priced.costs[new])
        after.trim(solution)
        return after

    @abstractmethod
    def _solve(self) -> MasterSolution: ...

    @property
    @abstractmethod
    def _prices_exactly(self) -> bool:
        """Whether the next pricing is exact, whatever the heuristic finds."""

    @abstractmethod
    def _proof_points(self, at: FloatArray, solution: MasterSolution) -> Iterator[FloatArray]:
        """Yield the duals at which bounds are proved besides those that were priced."""

    @abstractmethod
    def _prove(self, at: FloatArray, cardinality_dual: float) -> Priced:
        """Price exactly against the master's cardinality dual and raise the bound."""

    @abstractmethod
    def _to_add(self, priced: Priced, solution: MasterSolution) -> IntArray:
        """Return the columns to add, the best first."""

    @abstractmethod
    def _conclude(self, solution: MasterSolution, found: bool) -> Generation:
        """Decide how to continue after an iteration that found columns to add, or none."""

    @abstractmethod
    def _seeds(self, solution: MasterSolution) -> FloatArray:
        """Return centres for heuristic pricing."""

    @property
    def _visits(self) -> int:
        """Blocks that an exact pricing may visit in a task."""
        params = self.context.params.pricing
        features = self.context.pricer.points.shape[1]
        return int(params.visits * min(1.0, params.features / features))

    def _continued(self) -> tuple[FloatArray, Priced] | None:
        """Continue the exact pricing that was left unfinished, if there is one."""
        search = self.search
        if search is None:
            return None
        priced = self.context.pricer.go_on(search, self._visits)
        self.state = self.state.raised(search.duals, min(priced.min_reduced_cost, search.best))
        return search.duals, priced

    def _price(
        self, at: FloatArray, solution: MasterSolution, exact: bool = False
    ) -> tuple[FloatArray, Priced]:
        """Price by descent, and exactly if that found nothing, or to raise the bound."""
        pricer, params = self.context.pricer, self.context.params.pricing
        priced = pricer.heuristic(at, self._seeds(solution))
        exact = exact or self._prices_exactly
        exact = exact or self.state.blocks.k <= params.few_clusters
        exact = exact or self.state.iteration % params.exact_every == 0
        if not exact and len(self._to_add(priced, solution)) > 0:
            return at, priced
        reduced_costs = priced.costs - priced.columns @ at
        known = float(reduced_costs.min(initial=0.0))
        below = max(known, -solution.cardinality_dual)
        proof = pricer.exact(at, known, below, self._visits)
        self.state = self.state.raised(at, min(proof.min_reduced_cost, known))
        self.state = replace(self.state, quick_pricing=proof.exact)
        both = join([priced, proof])
        return at, replace(both, min_reduced_cost=proof.min_reduced_cost, search=proof.search)

    def _proved(self, at: FloatArray, cardinality_dual: float, rounds: int) -> Priced:
        """Price exactly and adjust the duals, a number of times; raise the bound at each."""
        found = []
        for proof, lower in self._adjusting(self.context.pricer, at, cardinality_dual, rounds):
            least = min(proof.min_reduced_cost, -cardinality_dual)
            self.state = self.state.raised(lower, least)
            found.append(proof)
        return join(found)

    def _adjusting(
        self, pricer: Pricer, at: FloatArray, cardinality_dual: float, rounds: int
    ) -> Iterator[tuple[Priced, FloatArray]]:
        return price_and_adjust(pricer, at, cardinality_dual, rounds, self._visits)

    def _centres_of(self, columns: np.ndarray) -> FloatArray:
        """Return the means of (m, s + t) columns."""
        mass = self.state.blocks.mass
        inside = columns[:, : len(mass)] * mass
        return inside @ self.context.pricer.points / inside.sum(axis=1)[:, None]

    def _some_points(self, most: int) -> FloatArray:
        """Return all blocks, or that number of them."""
        points = self.context.pricer.points
        if len(points) <= most:
            return points
        rng = np.random.default_rng((self.context.task.seed, self.state.iteration))
        return points[rng.choice(len(points), most, replace=False)]

    def _negative(self, priced: Priced, solution: MasterSolution) -> IntArray:
        """Return the columns of negative reduced cost, each once, the best first."""
        return priced.negative(solution.duals, solution.cardinality_dual, self._column_tolerance)

    @property
    def _column_tolerance(self) -> float:
        return 0.25 * self.context.tolerance / self.state.blocks.k

    @property
    def _most_new(self) -> int:
        params = self.context.params.pricing
        return max(params.new_at_least, params.new_per_cluster * self.state.blocks.k)

    def _next_accuracy(self, gap: float, objective: float) -> float:
        """Return the relative accuracy of a master whose objective is so far above the bound."""
        relative = 0.1 * max(gap, self.context.tolerance) / (1.0 + abs(objective))
        return min(FIRST_ACCURACY, max(relative, LAST_ACCURACY))

    def trim(self, solution: MasterSolution) -> None:
        """Drop the columns of largest reduced cost once there are many."""
        most = max(_MOST_COLUMNS[0], _MOST_COLUMNS[1] * self.state.blocks.s)
        if len(self.master.costs) <= most:
            return
        reduced = self.master.reduced_costs(solution.duals)
        self.master.keep(reduced <= np.partition(reduced, most // 2)[most // 2])

    def log(self, solution: MasterSolution, priced: Priced, new: int, at: FloatArray) -> None:
        """Record an iteration."""
        reduced = priced.costs - priced.columns @ solution.duals + solution.cardinality_dual
        self.state = replace(self.state, iteration=self.state.iteration + 1)
        shown = self.context.shown(
            self.state, at, solution.objective, self.state.bound.value, exact=priced.exact,
            columns=new, pool=len(self.master.costs) + new,
            best_reduced_cost=float(reduced.min(initial=0.0)),
        )  # fmt: skip
        self.rounds.append(shown)


# --- Column generation in which each column represents one cluster --------------------------------

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
            self.state = replace(self.columns_now, artificial_cost=_RAISED * state.artificial_cost)
            self.master = master_of(self.context, self.state)
            self.master.middle = self.first
        else:
            self.end = End.COMPLETE
        return self


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
