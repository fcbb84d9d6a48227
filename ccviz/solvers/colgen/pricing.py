"""Pricing: the cluster of least reduced cost, by heuristics first and by proof when it must be.

With duals given, the value of a cluster is its cost less its duals. If v is the least value of
any cluster, the sum of the duals plus k v is a lower bound on every clustering into k clusters
(the Lagrangian bound): each of its clusters has at least the value v. It holds for any duals.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ccviz.links import FloatArray
from ccviz.solvers.colgen import enumeration, space
from ccviz.solvers.colgen.boxes import make_space
from ccviz.solvers.colgen.cluster import allowed
from ccviz.solvers.colgen.descent import descend
from ccviz.solvers.colgen.instance import Instance

_MOST = 600  # columns handed back by one call
_NOTHING = -1e-12  # a value that is not worth having


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found by one call.

    Attributes
    ----------
    columns : (m, s) bool
    costs : (m,) float64
    least : float
        No cluster has a lower value; ``-inf`` if this was a heuristic.
    nodes : int
        Of the branch and bound.
    """

    columns: np.ndarray
    costs: FloatArray
    least: float = -np.inf
    nodes: int = 0

    @property
    def exact(self) -> bool:
        """Whether ``least`` was proved."""
        return bool(np.isfinite(self.least))


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node.

    Parameters
    ----------
    alternatives : tuple of Instance
        A cluster must fit one of them; they differ in their loads and conflicts only.
    method : {"space", "blocks"}
        Branch over the centre's place, or over blocks as in the paper.
    node_limit : int
        Most nodes of one branch and bound.
    """

    alternatives: tuple[Instance, ...]
    method: str = "space"
    node_limit: int = 20_000_000
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
        self, duals: FloatArray, known: float, below: float, node_limit: int | None = None
    ) -> Priced:
        """Find the least value by branch and bound.

        Parameters
        ----------
        duals : (s,) float64
        known : float
            Value of the best cluster that is known.
        below : float
            Clusters met on the way are kept if their value is below this.
        node_limit : int, optional
            Fewer nodes than the pricer's own limit; the bound is valid but weaker.
        """
        node_limit = node_limit or self.node_limit
        best = min(known, _NOTHING)
        parts, least = [], np.inf
        for instance in self.alternatives:
            found, bound, nodes = self._search(
                instance, duals, best, min(below, _NOTHING), node_limit
            )
            part = self._taken(found, duals, bound, nodes)
            best = min(best, *self._values[:found], 0.0)
            parts.append(part)
            least = min(least, bound)
        # What rounding may have lost in the sums of squares and duals of one cluster.
        first = self.alternatives[0]
        size = float(first.mass @ (first.points**2).sum(axis=1) + duals.sum())
        joined = join(parts)
        least -= 64.0 * np.finfo(float).eps * size
        return Priced(joined.columns, joined.costs, least, sum(part.nodes for part in parts))

    def _search(
        self,
        instance: Instance,
        duals: FloatArray,
        best: float,
        below: float,
        node_limit: int,
    ) -> tuple[int, float, int]:
        if self.method == "blocks":
            return enumeration.search(
                instance, duals, best, below, node_limit, self._columns, self._values
            )
        scratch = make_space(instance, _MOST)
        return space.search(
            instance, duals, best, below, node_limit, scratch, self._columns, self._values
        )

    def _taken(
        self, found: int, duals: FloatArray, least: float = -np.inf, nodes: int = 0
    ) -> Priced:
        columns = self._columns[:found].copy()
        return Priced(columns, self._values[:found] + columns @ duals, least, nodes)


def join(parts: list[Priced]) -> Priced:
    """Return the columns of several calls together."""
    columns = np.concatenate([part.columns for part in parts])
    return Priced(columns, np.concatenate([part.costs for part in parts]))
