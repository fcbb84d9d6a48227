"""Pricing: the cluster of least reduced cost, by heuristics first and by proof when it must be.

With duals given, the value of a cluster is its cost less its duals. If v is the least value of
any cluster, the sum of the duals plus k v is a lower bound on every clustering into k clusters
(the Lagrangian bound): each of its clusters has at least the value v. It holds for any duals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.links import FloatArray
from ccviz.solvers.colgen import enumeration, space
from ccviz.solvers.colgen.boxes import Space, make_space
from ccviz.solvers.colgen.cluster import allowed
from ccviz.solvers.colgen.descent import descend
from ccviz.solvers.colgen.enumeration import make_enumeration
from ccviz.solvers.colgen.instance import Instance

_MOST = 600  # columns handed back by one call
_NOTHING = -1e-12  # a value that is not worth having
_UNLIMITED = 2**62

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
    state : Space, Enumeration or None
        Where the first one's search is. Going on writes to its arrays.
    proved : float
        No cluster of the alternatives that are done has a lower value.
    """

    duals: FloatArray
    best: float
    below: float
    waiting: tuple[int, ...]
    state: State | None = None
    proved: float = np.inf


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found by one call.

    Attributes
    ----------
    columns : (m, s) bool
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


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node.

    Parameters
    ----------
    alternatives : tuple of Instance
        A cluster must fit one of them; they differ in their loads and conflicts only.
    method : {"space", "blocks"}
        Branch over the centre's place, or over blocks as in the paper.
    """

    alternatives: tuple[Instance, ...]
    method: str = "space"
    _columns: np.ndarray = field(init=False)
    _values: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        s = len(self.alternatives[0].mass)
        object.__setattr__(self, "_columns", np.zeros((_MOST, s), dtype=np.bool_))
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
        parts = [
            self._taken(descend(instance, duals, seeds, 0.0, self._columns, self._values), duals)
            for instance in self.alternatives
        ]
        return join(parts)

    def exact(
        self, duals: FloatArray, known: float, below: float, visit_limit: int = _UNLIMITED
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
        search = Search(duals, min(known, _NOTHING), min(below, _NOTHING), waiting)
        return self.go_on(search, visit_limit)

    def go_on(self, search: Search, visit_limit: int = _UNLIMITED) -> Priced:
        """Go on with an exact pricing."""
        parts: list[Priced] = []
        under_way = np.inf
        while search.waiting and visit_limit > 0:
            instance = self.alternatives[search.waiting[0]]
            state = search.state or self._open(instance, search.duals)
            search = replace(search, state=state)
            found, under_way, visits = self._search(instance, search, state, visit_limit)
            parts.append(self._taken(found, search.duals))
            search = replace(search, best=min(search.best, *self._values[:found], 0.0))
            visit_limit -= visits
            if _is_done(state):
                proved = min(search.proved, under_way)
                search = replace(search, waiting=search.waiting[1:], state=None, proved=proved)
        least = min(search.proved, under_way)
        if search.waiting and (search.state is None or len(search.waiting) > 1):
            least = min(least, -float(search.duals.sum()))  # true of the untouched ones
        # What rounding may have lost in the sums of squares and duals of one cluster.
        first = self.alternatives[0]
        size = float(first.mass @ (first.points**2).sum(axis=1) + search.duals.sum())
        least -= 64.0 * np.finfo(float).eps * size
        joined = join(parts)
        return Priced(joined.columns, joined.costs, least, search if search.waiting else None)

    def _open(self, instance: Instance, duals: FloatArray) -> State:
        if self.method == "blocks":
            enumeration.open_root(instance, duals, at := make_enumeration(instance, _MOST))
            return at
        space.open_root(instance, duals, stack := make_space(instance, _MOST))
        return stack

    def _search(
        self, instance: Instance, search: Search, state: State, visit_limit: int
    ) -> tuple[int, float, int]:
        run = space.search if isinstance(state, Space) else enumeration.search
        answer: tuple[int, float, int] = run(
            instance, search.duals, search.best, search.below, visit_limit, state,
            self._columns, self._values,
        )  # fmt: skip
        return answer

    def _taken(self, found: int, duals: FloatArray) -> Priced:
        columns = self._columns[:found].copy()
        return Priced(columns, self._values[:found] + columns @ duals)


def _is_done(state: State) -> bool:
    last = state.top if isinstance(state, Space) else state.depth
    return bool(last[0] < 0)


def join(parts: list[Priced]) -> Priced:
    """Return the columns of several calls together."""
    columns = np.concatenate([part.columns for part in parts])
    return Priced(columns, np.concatenate([part.costs for part in parts]))
