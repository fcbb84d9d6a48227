"""Pricing: the cluster of least reduced cost, by heuristics first and by proof when it must be.

With duals given, the value of a cluster is its cost less its duals. If v is the least value of
any cluster, the sum of the duals plus k v is a lower bound on every clustering into k clusters
(the Lagrangian bound): each of its clusters has at least the value v. It holds for any duals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen import enumeration, space
from ccviz.solvers.colgen.boxes import Space, make_space
from ccviz.solvers.colgen.cluster import allowed
from ccviz.solvers.colgen.descent import descend
from ccviz.solvers.colgen.enumeration import make_enumeration
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.places import PLANE, placed

_MOST = 600  # columns handed back by one call
_NOTHING = -1e-12  # a value that is not worth having, relative to the duals
UNLIMITED = 2**62
_MOST_ENUMERATED = 3000  # blocks; more are not searched over, which takes squares of them in memory
_FIRST_TURN = 50_000  # blocks that each of two methods looks at first, or, if that is more,
_FIRST_TURN_A_BLOCK = 500  # times as many as there are; then twice as many each time

State = Space | enumeration.Enumeration


@dataclass(frozen=True, eq=False)
class Search:
    """An exact pricing under way, for `Pricer.go_on`.

    Attributes
    ----------
    duals : (s,) float64
    best : float
        Least value met so far.
    below : float
        Clusters met on the way are kept if their value is below this.
    waiting : tuple of int
        Alternatives that are not searched to the end; the first one is under way.
    states : tuple of Space, Enumeration or None
        Where the searches of the first one are, one a method. Going on writes to their arrays.
    turns : int
        How often they have had a turn.
    under_way, proved : float
        No cluster of the first one, and of those that are done, has a lower value.
    """

    duals: FloatArray
    best: float
    below: float
    waiting: tuple[int, ...]
    states: tuple[State | None, ...] = ()
    turns: int = 0
    under_way: float = -np.inf
    proved: float = np.inf


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found by one call.

    Attributes
    ----------
    columns : (m, s + t) bool
        Blocks, and the taken places that the centre is in.
    costs : (m,) float64
    least : float
        No cluster has a lower value; ``-inf`` if this was a heuristic.
    search : Search or None
        What is left to do if an exact pricing ran out of visits; `least` is valid but too low.
    """

    columns: np.ndarray
    costs: FloatArray
    least: float = -np.inf
    search: Search | None = None

    @property
    def exact(self) -> bool:
        """Whether ``least`` is the least value of all clusters."""
        return bool(np.isfinite(self.least)) and self.search is None

    def worth_more(self, duals: FloatArray, price: float, tolerance: float) -> IntArray:
        """Return the columns worth more than the price by more than the tolerance.

        Each once, the best first.
        """
        reduced = self.costs - self.columns @ duals + price
        order = np.argsort(reduced, kind="stable")
        order = order[reduced[order] < -tolerance]
        packed = np.packbits(self.columns[order], axis=1)
        return order[np.sort(np.unique(packed, axis=0, return_index=True)[1])]


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node.

    Parameters
    ----------
    alternatives : tuple of Instance
        A cluster must fit one of them; they differ in their loads and conflicts only.
    method : {"both", "space", "blocks"}
        Branch over the centre's place, or over blocks as in the paper, or both in turns until one
        is done: the first is at its best in few dimensions, the second with few blocks.
    """

    alternatives: tuple[Instance, ...]
    method: str = "both"
    _columns: np.ndarray = field(init=False)
    _values: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        first = self.alternatives[0]
        width = len(first.mass) + first.taken
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
        """Return clusters of negative value, found by descent from seed centres."""
        s = len(self.points)
        parts = []
        for instance in self.alternatives:
            blocks = np.zeros((_MOST, s), dtype=np.bool_)
            found = descend(instance, duals[:s], seeds, 0.0, blocks, self._values)
            self._columns[:found, :s], self._columns[:found, s:] = blocks[:found], False
            parts.append(self._taken(found, duals, mark=True))
        return join(parts)

    def exact(
        self, duals: FloatArray, known: float, below: float, visit_limit: int = UNLIMITED
    ) -> Priced:
        """Find the least value by branch and bound.

        Parameters
        ----------
        duals : (s,) float64
        known : float
            Value of the best cluster that is known.
        below : float
            Clusters met on the way are kept if their value is below this.
        visit_limit : int
            Blocks to look at, over all nodes of the search, before it returns.
        """
        waiting = tuple(range(len(self.alternatives)))
        nothing = _NOTHING * float(duals.sum())
        search = Search(duals, min(known, nothing), min(below, nothing), waiting)
        return self.go_on(search, visit_limit)

    def go_on(self, search: Search, visit_limit: int = UNLIMITED) -> Priced:
        """Go on with an exact pricing."""
        parts: list[Priced] = []
        while search.waiting and visit_limit > 0:
            search, found, visits = self._turn(search, visit_limit)
            parts.append(self._taken(found, search.duals))
            visit_limit -= visits
        worst = -float(search.duals.sum())  # no cluster has a lower value, searched or not
        under_way = search.under_way if search.states else worst
        waiting = [max(under_way, worst), *[worst] * len(search.waiting)][: len(search.waiting)]
        least = min([search.proved, *waiting])
        least -= self._rounding(float(search.duals.sum()))
        joined = join(parts)
        return Priced(joined.columns, joined.costs, least, search if search.waiting else None)

    def _rounding(self, total: float) -> float:
        """Return what rounding may have made of a cluster's value, where duals add up to total.

        A cluster that is worth anything costs less than its duals. The points have an error in
        the norm, which moves the root of that cost by no more.
        """
        first, eps = self.alternatives[0], float(np.finfo(float).eps)
        error = 16.0 * eps * float(np.sqrt(first.mass @ (first.points**2).sum(axis=1)))
        return (2.0 * np.sqrt(total) + error) * error + 64.0 * eps * total

    def _turn(self, search: Search, visit_limit: int) -> tuple[Search, int, int]:
        """Let a method search the first alternative for a while.

        Returns where it came to, how many clusters it found and how many blocks it looked at.
        """
        both = ("space", "blocks") if len(self.points) <= _MOST_ENUMERATED else ("space",)
        methods = both if self.method == "both" else (self.method,)
        if self.has_places:
            methods = ("space",)
        turn, which = divmod(search.turns, len(methods))
        instance = self.alternatives[search.waiting[0]]
        first = max(_FIRST_TURN, _FIRST_TURN_A_BLOCK * len(instance.mass))
        limit = min(visit_limit, first << turn) if len(methods) > 1 else visit_limit
        states = list(search.states or (None,) * len(methods))
        state = states[which] or _open(methods[which], instance, search.duals)
        states[which] = state
        run = space.search if isinstance(state, Space) else enumeration.search
        found, bound, visits = run(
            instance, search.duals, search.best, search.below, limit, state,
            self._columns, self._values,
        )  # fmt: skip
        best = min(search.best, *self._values[:found], 0.0)
        if _is_done(state):
            proved = min(search.proved, bound)
            rest = search.waiting[1:]
            return Search(search.duals, best, search.below, rest, proved=proved), found, visits
        under_way = max(search.under_way, bound)
        search = replace(
            search, best=best, states=tuple(states), turns=search.turns + 1, under_way=under_way
        )
        return search, found, visits

    @property
    def has_places(self) -> bool:
        """Whether it matters where a cluster's centre is."""
        return len(self.alternatives[0].place_reach) > 0

    @property
    def may_place(self) -> bool:
        """Whether to branch on places: in the plane, where nothing ties blocks to each other.

        Near a border, blocks that exclude each other would be decided on one by one, many times.
        """
        first = self.alternatives[0]
        free = len(first.conflict) == 0 and len(first.limit) == 0
        return free and first.points.shape[1] == PLANE and self.method != "blocks"

    def _taken(self, found: int, duals: FloatArray, mark: bool = False) -> Priced:
        columns = self._columns[:found].copy()
        if not self.has_places:
            return Priced(columns, self._values[:found] + columns @ duals)
        columns, costs, fits = placed(self.alternatives[0], columns, mark)
        return Priced(columns[fits], costs[fits])


def _open(method: str, instance: Instance, duals: FloatArray) -> State:
    if method == "blocks":
        at = make_enumeration(instance, _MOST)
        enumeration.open_root(instance, duals, at)
        return at
    stack = make_space(instance, _MOST)
    space.open_root(instance, duals, stack)
    return stack


def _is_done(state: State) -> bool:
    last = state.top if isinstance(state, Space) else state.depth
    return bool(last[0] < 0)


def join(parts: list[Priced]) -> Priced:
    """Return the columns of several calls together."""
    columns = np.concatenate([part.columns for part in parts])
    return Priced(columns, np.concatenate([part.costs for part in parts]))
