"""Pricing under sizes and soft links: for each class the cluster of least reduced cost.

The reduced cost of a cluster is here its cost less the duals of its blocks. If v_q is a class's
least one and c_q its number of clusters, the sum of the duals plus the sum of c_q v_q is a lower
bound on every clustering, for duals of any sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.problem.rules import conjunction
from ccviz.solvers.base import never
from ccviz.solvers.colgen.model.cluster import allowed
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.partitioning import enumeration, spatial, spatial_nodes
from ccviz.solvers.colgen.partitioning.cluster import descend
from ccviz.solvers.colgen.partitioning.model import (
    Model,
    SizeClass,
    cluster_costs,
    make_model,
    size_classes,
)
from ccviz.solvers.search.tree import StoppedError

_MOST = 200
"""Most columns that a search of one class returns."""
_ROUNDING = 64.0
"""Operations on each term of a reduced cost, beside those on each block, safely."""

State = spatial_nodes.Tree | enumeration.Enumeration


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found, and for each class a reduced cost that no cluster falls below.

    Attributes
    ----------
    columns : (m, s) bool
    costs : (m,) float64
    least : (q,) float64
        ``-inf`` after a heuristic.
    """

    columns: np.ndarray
    costs: FloatArray
    least: FloatArray


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node.

    Parameters
    ----------
    models : tuple of Model
        One for each alternative of the rules; a cluster must fit one of them.
    classes : tuple of SizeClass
    method : {"both", "space", "blocks", "printed"}
        As for `ccviz.solvers.colgen.pricing.pricer.Pricer`; the paper has no bound for these
        problems, so the last is as "blocks".
    turns : TurnParams
    """

    models: tuple[Model, ...]
    classes: tuple[SizeClass, ...]
    method: str
    turns: TurnParams

    @property
    def points(self) -> FloatArray:
        """(s, d) the blocks in the axes that seeds are given in."""
        return self.models[0].instance.points

    @property
    def mass(self) -> FloatArray:
        """(s,) points in each block."""
        return self.models[0].instance.mass

    def permits(self, column: np.ndarray) -> bool:
        """Whether a cluster fits a class, and one of the alternatives of the rules."""
        size = float(self.mass[column].sum())
        fits = any(each.lower <= size <= each.upper for each in self.classes)
        return fits and any(allowed(model.instance, column) for model in self.models)

    def costs_of(self, columns: np.ndarray) -> FloatArray:
        """Return the costs of (m, s) bool clusters."""
        return cluster_costs(self.models[0], columns)

    def heuristic(self, duals: FloatArray, class_duals: FloatArray, seeds: FloatArray) -> Priced:
        """Return clusters of negative reduced cost, found by descent from seed centres."""
        found = []
        for model in self.models:
            for each, dual in zip(self.classes, class_duals, strict=True):
                columns = np.zeros((_MOST, len(duals)), dtype=np.bool_)
                values = np.zeros(_MOST)
                count = descend(
                    model, duals, each.lower, each.upper, seeds, float(dual), columns, values
                )
                found.append(columns[:count])
        return self._priced(found, np.full(len(self.classes), -np.inf))

    def exact(
        self,
        duals: FloatArray,
        class_duals: FloatArray,
        slack: float,
        stop: Callable[[], bool] = never,
    ) -> Priced:
        """Find the least reduced cost of each class.

        Parameters
        ----------
        duals : (s,) float64
        class_duals : (q,) float64
            A class's clusters are searched for below its dual, which is its least reduced cost if
            there are none.
        slack : float
            Error of the least reduced costs that may stay.
        stop : callable

        Raises
        ------
        StoppedError
            If ``stop`` returns true.
        """
        found, least = [], np.empty(len(self.classes))
        for at, (each, dual) in enumerate(zip(self.classes, class_duals, strict=True)):
            best = float(dual)
            bounds = []
            for model in self.models:
                columns, bound = self._searched(
                    model, each, duals, (best, float(dual)), slack, stop
                )
                found.append(columns)
                best = min(best, bound)
                bounds.append(bound)
            least[at] = min(bounds) - self._error(duals)
        return self._priced(found, least)

    def _searched(
        self,
        model: Model,
        each: SizeClass,
        duals: FloatArray,
        limits: tuple[float, float],
        slack: float,
        stop: Callable[[], bool],
    ) -> tuple[np.ndarray, float]:
        """Return the clusters found for a class, and a bound; the methods take turns."""
        best, below = limits
        states = self._states(model, duals)
        first = max(self.turns.visits, self.turns.visits_per_block * len(duals))
        kept: list[np.ndarray] = []
        turn = 0
        while True:
            for state in states:
                if stop():
                    raise StoppedError
                columns = np.zeros((_MOST, len(duals)), dtype=np.bool_)
                values = np.zeros(_MOST)
                run = (
                    spatial.search if isinstance(state, spatial_nodes.Tree) else enumeration.search
                )
                count, bound, _ = run(
                    model, duals, each.lower, each.upper, best, below, slack,
                    first << min(turn, 30), state, columns, values,
                )  # fmt: skip
                kept.append(columns[:count])
                best = min([best, *values[:count].tolist()])
                if _is_done(state):
                    return np.concatenate(kept), bound
            turn += 1

    def _states(self, model: Model, duals: FloatArray) -> list[State]:
        """Return a new search by each method."""
        states: list[State] = []
        few = len(duals) <= self.turns.most_enumerated
        enumerates = self.method in ("blocks", "printed")
        if not enumerates:
            states.append(spatial_nodes.make_tree(model, _MOST))
        if enumerates or (self.method == "both" and few):
            states.append(enumeration.make_enumeration(model, duals, _MOST))
        return states

    def _error(self, duals: FloatArray) -> float:
        """Return the error of a reduced cost, and of a bound on it, by rounding."""
        points, mass = self.points, self.mass
        reach = 4.0 * float((points * points).sum(axis=1).max())
        model = self.models[0]
        price = reach + float((np.abs(duals) / mass).max())
        size = 2.0 * float(mass.sum()) * price + float(np.abs(duals).sum())
        size += float(model.cut.sum() + np.abs(model.weight).sum())
        return (_ROUNDING + len(mass) + points.shape[1]) * float(np.finfo(float).eps) * size

    def _priced(self, found: list[np.ndarray], least: FloatArray) -> Priced:
        columns = np.unique(np.concatenate(found), axis=0)
        return Priced(columns, self.costs_of(columns), least)


def _is_done(state: State) -> bool:
    last = state.top if isinstance(state, spatial_nodes.Tree) else state.depth
    return bool(last[0] < 0)


def pricer_of(problem: Problem, blocks: Blocks, method: str, turns: TurnParams) -> Pricer:
    """Return the pricer of a node."""
    models = tuple(make_model(blocks, loads) for loads in conjunction(problem, problem.rules))
    return Pricer(models, size_classes(blocks), method, turns)
