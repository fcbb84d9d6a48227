"""Pricing: the cluster of minimal reduced cost, by heuristics first and exactly where needed.

The reduced cost of a cluster is here its cost less the duals of its blocks and occupied discs; the
cardinality dual, the same for all, is added where needed. If v is the minimal reduced cost, the sum
of the duals plus k v is a lower bound on every clustering into k clusters (the Lagrangian bound),
for any duals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.discs import PLANE, center_of, in_discs
from ccviz.solvers.colgen.instance import Instance, allowed, squared_distance
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.pricing import enumeration, spatial
from ccviz.solvers.colgen.pricing.enumeration import make_enumeration
from ccviz.solvers.colgen.pricing.heuristic import descend
from ccviz.solvers.colgen.pricing.spatial_nodes import SpatialTree, make_tree

_MOST = 600  # Most columns that one call returns
_NOTHING = -1e-12  # Reduced cost that is not negative enough, as a share of the sum of duals
UNLIMITED = 2**62  # A number of visits that no search reaches

State = SpatialTree | enumeration.Enumeration


@dataclass(frozen=True, eq=False)
class OpenPricing:
    """An exact pricing under way, for `Pricer.go_on`."""

    duals: FloatArray
    best: float  # Least reduced cost found so far
    below: float  # Clusters found on the way are kept if their reduced cost is below this
    # Alternatives not searched to the end; the first one is being searched.
    waiting: tuple[int, ...]
    # The searches of the first one, one per method. Continuing writes to their arrays.
    states: tuple[State | None, ...] = ()
    turns: int = 0  # How many turns they have had
    # under_way, proved: No cluster of the first one, and of those that are done, has a smaller
    # reduced cost.
    under_way: float = -np.inf
    proved: float = np.inf


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found by one call."""

    columns: np.ndarray  # (m, s + t): Blocks, and the occupied discs that contain the centre
    costs: FloatArray
    # No cluster has a smaller reduced cost; ``-inf`` after a heuristic.
    min_reduced_cost: float = -np.inf
    # The rest of an exact pricing that ran out of visits; `min_reduced_cost` is valid but low.
    search: OpenPricing | None = None

    @property
    def exact(self) -> bool:
        """Whether ``min_reduced_cost`` is that of some cluster."""
        return bool(np.isfinite(self.min_reduced_cost)) and self.search is None

    def negative(self, duals: FloatArray, cardinality_dual: float, tolerance: float) -> IntArray:
        """Return the columns whose reduced cost is negative by more than the tolerance.

        Each once, the best first.
        """
        reduced = self.costs - self.columns @ duals + cardinality_dual
        order = np.argsort(reduced, kind="stable")
        order = order[reduced[order] < -tolerance]
        packed = np.packbits(self.columns[order], axis=1)
        return order[np.sort(np.unique(packed, axis=0, return_index=True)[1])]


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node."""

    # A cluster must fit one of them; they differ in their loads and conflicts only.
    alternatives: tuple[Instance, ...]
    # Branch over the centre's position, or over blocks, or both in turns until one is done: the
    # first is best in few dimensions, the second with few blocks. Or over blocks with the bound of
    # the paper as printed, without heuristics.
    method: str = "both"
    turns: TurnParams = field(default_factory=TurnParams)  # How the methods take turns
    scatter: FloatArray | None = None  # (s,): Of each block, for the bound as printed
    _columns: np.ndarray = field(init=False)
    _values: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        first = self.alternatives[0]
        width = len(first.mass) + first.discs.occupied
        object.__setattr__(self, "_columns", np.zeros((_MOST, width), dtype=np.bool_))
        object.__setattr__(self, "_values", np.zeros(_MOST))

    @property
    def points(self) -> FloatArray:
        """(s, d) the blocks in the axes that seeds are given in."""
        return self.alternatives[0].points

    def permits(self, column: np.ndarray) -> bool:
        """Whether a cluster fits one of the alternatives."""
        return any(allowed(instance, column) for instance in self.alternatives)

    def heuristic(self, duals: FloatArray, seeds: FloatArray) -> Priced:
        """Return clusters of negative reduced cost, found by descent from seed centres."""
        s = len(self.points)
        if self.method == "printed":
            return self._columns_of(0, duals)
        parts = []
        for instance in self.alternatives:
            blocks = np.zeros((_MOST, s), dtype=np.bool_)
            found = descend(instance, duals[:s], seeds, 0.0, blocks, self._values)
            self._columns[:found, :s], self._columns[:found, s:] = blocks[:found], False
            parts.append(self._columns_of(found, duals, mark=True))
        return join(parts)

    def exact(
        self, duals: FloatArray, known: float, below: float, visit_limit: int = UNLIMITED
    ) -> Priced:
        """Find the minimal reduced cost by branch and bound.

        `below`: Clusters found on the way are kept if their reduced cost is below this.
        `visit_limit`: Blocks to visit, over all nodes of the search, before it returns.
        """
        return self.go_on(self.opened(duals, known, below), visit_limit)

    def opened(self, duals: FloatArray, known: float, below: float) -> OpenPricing:
        """Return an exact pricing that is still to be done, see `exact`."""
        waiting = tuple(range(len(self.alternatives)))
        nothing = _NOTHING * float(duals.sum())
        return OpenPricing(duals, min(known, nothing), min(below, nothing), waiting)

    def go_on(self, search: OpenPricing, visit_limit: int = UNLIMITED) -> Priced:
        """Continue an exact pricing."""
        parts: list[Priced] = []
        while search.waiting and visit_limit > 0:
            search, found, visits = self._turn(search, visit_limit)
            parts.append(self._columns_of(found, search.duals))
            visit_limit -= visits
        worst = -float(search.duals.sum())  # no cluster has a smaller reduced cost, searched or not
        under_way = search.under_way if search.states else worst
        waiting = [max(under_way, worst), *[worst] * len(search.waiting)][: len(search.waiting)]
        least = min([search.proved, *waiting])
        least -= self._rounding(float(search.duals.sum()))
        joined = join(parts)
        return Priced(joined.columns, joined.costs, least, search if search.waiting else None)

    def _rounding(self, total: float) -> float:
        """Return the error of a cluster's reduced cost by rounding, where duals add up to total.

        A cluster of negative reduced cost costs less than its duals. The error of the points in
        norm moves the root of that cost by no more.
        """
        first, eps = self.alternatives[0], float(np.finfo(float).eps)
        error = 16.0 * eps * float(np.sqrt(first.mass @ (first.points**2).sum(axis=1)))
        return (2.0 * np.sqrt(total) + error) * error + 64.0 * eps * total

    def _turn(self, search: OpenPricing, visit_limit: int) -> tuple[OpenPricing, int, int]:
        """Let a method search the first alternative for a turn.

        Returns the search, the number of clusters found and of blocks visited.
        """
        both = ("space", "blocks") if len(self.points) <= self.turns.most_enumerated else ("space",)
        methods = both if self.method == "both" else (self.method,)
        if self.has_discs:
            methods = ("space",)
        turn, which = divmod(search.turns, len(methods))
        instance = self.alternatives[search.waiting[0]]
        first = max(self.turns.visits, self.turns.visits_per_block * len(instance.mass))
        limit = min(visit_limit, first << turn) if len(methods) > 1 else visit_limit
        states = list(search.states or (None,) * len(methods))
        state = states[which] or self._open(methods[which], instance, search.duals)
        states[which] = state
        run = spatial.search if isinstance(state, SpatialTree) else enumeration.search
        found, bound, visits = run(
            instance, search.duals, search.best, search.below, limit, state,
            self._columns, self._values,
        )  # fmt: skip
        best = min(search.best, *self._values[:found], 0.0)
        if _is_done(state):
            proved = min(search.proved, bound)
            rest = search.waiting[1:]
            return OpenPricing(search.duals, best, search.below, rest, proved=proved), found, visits
        under_way = max(search.under_way, bound)
        search = replace(
            search, best=best, states=tuple(states), turns=search.turns + 1, under_way=under_way
        )
        return search, found, visits

    @property
    def has_discs(self) -> bool:
        """Whether there are discs."""
        return len(self.alternatives[0].discs.reach) > 0

    @property
    def may_use_discs(self) -> bool:
        """Whether to branch on discs: in the plane, without conflicts and loads.

        Near a border, blocks that exclude each other would be decided one by one, many times.
        """
        first = self.alternatives[0]
        free = len(first.conflict) == 0 and len(first.loads.limit) == 0
        return free and first.points.shape[1] == PLANE and self.method in ("both", "space")

    def _columns_of(self, found: int, duals: FloatArray, mark: bool = False) -> Priced:
        columns = self._columns[:found].copy()
        if not self.has_discs:
            return Priced(columns, self._values[:found] + columns @ duals)
        columns, costs, fits = in_discs(self.alternatives[0], columns, mark)
        return Priced(columns[fits], costs[fits])

    def _open(self, method: str, instance: Instance, duals: FloatArray) -> State:
        if method == "space":
            stack = make_tree(instance, _MOST)
            spatial.open_root(instance, duals, stack)
            return stack
        at = make_enumeration(instance, _MOST, self.scatter if method == "printed" else None)
        enumeration.open_root(instance, duals, at)
        return at


def _is_done(state: State) -> bool:
    last = state.top if isinstance(state, SpatialTree) else state.depth
    return bool(last[0] < 0)


def join(parts: list[Priced]) -> Priced:
    """Return the columns of several calls together."""
    columns = np.concatenate([part.columns for part in parts])
    return Priced(columns, np.concatenate([part.costs for part in parts]))


# --- Duals lowered until no cluster found has a negative reduced cost -----------------------------
#
# One cluster of negative reduced cost lowers the Lagrangian bound by its excess k times. Lowering
# the duals of its own blocks by that excess takes it once, as the dual adjustment of facility
# location (Erlenkotter 1978). What each block gains in the cluster, its dual less its squared
# distance to the mean, falls by the same share: the reduced cost is then zero, that of its
# neighbours about zero.

ADJUSTMENTS = 12  # Most exact pricings of one adjustment; little is missing after that
_ENOUGH = 1e-6  # Excess over the cardinality dual that may stay, as a share of it


def is_enough(proof: Priced, cardinality_dual: float) -> bool:
    """Whether no cluster gains more than the cardinality dual, up to a negligible excess."""
    return -proof.min_reduced_cost <= cardinality_dual * (1.0 + _ENOUGH)


def price_and_adjust(
    pricer: Pricer,
    at: FloatArray,
    cardinality_dual: float,
    rounds: int,
    visit_limit: int = UNLIMITED,
) -> Iterator[tuple[Priced, FloatArray]]:
    """Yield exact pricings with their duals, then with lower ones, until nothing more is found.

    `cardinality_dual`: Largest gain that a cluster may have from its blocks.
    """
    for _ in range(rounds):
        proof = pricer.exact(at, -cardinality_dual, -cardinality_dual, visit_limit)
        yield proof, at
        if not proof.exact or is_enough(proof, cardinality_dual):
            return
        order = np.argsort(proof.costs - proof.columns @ at)
        at, _ = adjusted(pricer.alternatives[0], proof.columns, order, at, cardinality_dual, 0.0)


@njit(cache=True)
def adjusted(
    instance: Instance,
    columns: np.ndarray,
    order: np.ndarray,
    duals: FloatArray,
    cardinality_dual: float,
    more: float,
) -> tuple[FloatArray, np.ndarray]:
    """Lower duals until no cluster gains more than the cardinality dual, one after the other.

    `order` (q,): The columns to visit. Returns `duals` (s + t,): None below zero, none above what
    it was. Returns `needed` (m,): Columns that still had an excess at their turn: of similar ones
    only the first.
    """
    duals = duals.copy()
    needed = np.zeros(len(columns), dtype=np.bool_)
    gain = np.empty(columns.shape[1])
    center = np.empty(instance.points.shape[1])
    for c in order:
        members = np.flatnonzero(columns[c])
        center_of(instance, columns[c], center)
        gained = 0.0
        for b in members:
            cost = 0.0  # of a disc
            if b < len(instance.mass):
                cost = instance.mass[b] * squared_distance(instance.points, b, center)
            gain[b] = max(0.0, duals[b] - cost)
            gained += gain[b]
        if gained <= cardinality_dual + more:
            continue
        needed[c] = True
        share = 1.0 - cardinality_dual / gained
        for b in members:
            duals[b] -= share * gain[b]
    return duals, needed
