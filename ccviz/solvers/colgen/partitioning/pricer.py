"""Pricing under sizes and soft links: for each class the cluster of least reduced cost.

The reduced cost of a cluster is here its cost less the duals of its blocks. If v_q is a class's
least one and c_q its number of clusters, the sum of the duals plus the sum of c_q v_q is a lower
bound on every clustering, for duals of any sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import conjunction
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import allowed, fits, join, keep, leave
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.partitioning import spatial
from ccviz.solvers.colgen.partitioning.cluster import descend, soft_change
from ccviz.solvers.colgen.partitioning.master import (
    Model,
    SizeClass,
    cluster_costs,
    make_model,
    size_classes,
)
from ccviz.solvers.colgen.pricing.enumeration import Levels, make_levels
from ccviz.solvers.search.tree import StoppedError

# --- Exact pricing under size limits and soft links, by set enumeration over blocks ---------------
#
# As `ccviz.solvers.colgen.pricing.enumeration` (Babaki, Guns and Nijssen 2014, algorithm 1), for
# duals of any sign: the bound of all clusters that extend one is taken over the masses within the
# limits, and candidates that cost something fill up to the mass. Soft links are exact inside the
# cluster; a must-link between two candidates counts as kept by half as soon as one of them joins.

_WIDER = 1.1  # Factor between the masses at the ends of an interval that has one bound


class Enumeration(NamedTuple):
    """One search: the cluster at each depth up to ``depth[0]``, and scratch arrays."""

    depth: IntArray
    levels: Levels
    apart: FloatArray
    open: np.ndarray
    inside: np.ndarray
    load: FloatArray
    signatures: IntArray
    scratch: FloatArray


def make_enumeration(model: Model, duals: FloatArray, columns: int) -> Enumeration:
    """Return a search that begins with the empty cluster.

    `duals` (s,): For the order of the blocks: those with the largest dual a point are taken first.
    """
    points, mass = model.instance.points, model.instance.mass
    s = len(mass)
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    at = Enumeration(
        depth=np.zeros(1, dtype=np.int64),
        levels=make_levels(s),
        apart=np.outer(mass, mass) * gaps,
        open=np.zeros(s, dtype=np.bool_),
        inside=np.zeros(s, dtype=np.bool_),
        load=np.zeros(len(model.instance.loads.limit)),
        signatures=np.zeros(columns, dtype=np.int64),
        scratch=np.empty((3, s)),
    )
    at.levels.candidates[0] = np.argsort((duals - model.cut) / mass, kind="stable")
    at.levels.n_left[0] = s
    return at


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
    at: Enumeration,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> tuple[int, float, int]:
    """Find the cluster of least reduced cost below ``cutoff``; as `spatial.search`."""
    found, visits, best, depth = 0, 0, cutoff, at.depth[0]
    while depth >= 0:
        if at.levels.n_left[depth] == 0 or at.levels.limits[depth] >= best - slack:
            if depth > 0:
                leave(model.instance, at.inside, at.load, at.levels.chosen[depth])
            depth -= 1
            continue
        if visits >= visit_limit:
            break
        at.levels.n_left[depth] -= 1
        b = at.levels.candidates[depth, at.levels.n_left[depth]]
        if not fits(model.instance, at.inside, at.load, b):
            continue
        if at.levels.mass[depth] + model.instance.mass[b] > upper:
            continue
        depth += 1
        _join(model, duals, at, depth, b)
        visits += 1 + at.levels.n_left[depth]
        mass = at.levels.mass[depth]
        reached = at.levels.spread[depth] / mass - at.levels.dual[depth]
        if lower <= mass <= upper:
            if reached < below and (found < len(reduced_costs) or reached < best):
                found = keep(at.inside, reached, columns, reduced_costs, at.signatures, found)
            best = min(best, reached)
        at.levels.limits[depth] = _bound(model, duals, at, depth, lower, upper)
    at.depth[0] = depth
    return found, best - slack, visits


@njit(cache=True)
def _join(model: Model, duals: FloatArray, at: Enumeration, depth: int, b: int) -> None:
    """Take block b into the cluster and pass on the candidates that may still join."""
    before = depth - 1
    instance = model.instance
    at.levels.dual[depth] = at.levels.dual[before] + duals[b] - soft_change(model, at.inside, b)
    at.levels.spread[depth] = at.levels.spread[before] + at.levels.reach[before, b]
    at.levels.mass[depth] = at.levels.mass[before] + instance.mass[b]
    join(instance, at.inside, at.load, b)
    at.levels.chosen[depth] = b
    kept = 0
    for i in range(at.levels.n_left[before]):
        c = at.levels.candidates[before, i]
        if fits(instance, at.inside, at.load, c):
            at.levels.candidates[depth, kept] = c
            at.levels.reach[depth, c] = at.levels.reach[before, c] + at.apart[b, c]
            kept += 1
    at.levels.n_left[depth] = kept


@njit(cache=True)
def _bound(
    model: Model, duals: FloatArray, at: Enumeration, depth: int, lower: float, upper: float
) -> float:
    """Bound all larger clusters that extend this one by candidates, over their masses."""
    spread, mass, dual = at.levels.spread[depth], at.levels.mass[depth], at.levels.dual[depth]
    gained, total = at.scratch[2], mass
    for i in range(at.levels.n_left[depth]):
        at.open[at.levels.candidates[depth, i]] = True
    for i in range(at.levels.n_left[depth]):
        c = at.levels.candidates[depth, i]
        total += model.instance.mass[c]
        gained[c] = duals[c] - soft_change(model, at.inside, c)
        for e in range(model.start[c], model.start[c + 1]):
            if at.open[model.other[e]] and model.weight[e] < 0.0:
                gained[c] -= 0.5 * model.weight[e]
    for i in range(at.levels.n_left[depth]):
        at.open[at.levels.candidates[depth, i]] = False
    total = min(total, upper)
    best, low = np.inf, max(mass, lower)
    if low > total:
        return np.inf
    if lower > mass:  # the least mass by itself
        best = (
            spread / low - dual + _extension(model, gained, at, depth, low, low - mass, low - mass)
        )
    while low < total:
        high = min(total, max(low + 1.0, np.floor(_WIDER * low)))
        added = _extension(model, gained, at, depth, high, low - mass, high - mass)
        best = min(best, spread / high - dual + added)
        low = high
    return best


@njit(cache=True)
def _extension(
    model: Model,
    gained: FloatArray,
    at: Enumeration,
    depth: int,
    high: float,
    needed: float,
    room: float,
) -> float:
    """Return the least that candidates add to a cluster of mass high, fractions allowed.

    Their mass is at least ``needed`` and at most ``room``.
    """
    term, density = at.scratch[0], at.scratch[1]
    count = at.levels.n_left[depth]
    for i in range(count):
        c = at.levels.candidates[depth, i]
        term[i] = at.levels.reach[depth, c] / high - gained[c]
        density[i] = term[i] / model.instance.mass[c]
    total, used = 0.0, 0.0
    for i in np.argsort(density[:count]):
        if used >= room or (used >= needed and term[i] >= 0.0):
            break
        weight = model.instance.mass[at.levels.candidates[depth, i]]
        most = room if term[i] < 0.0 else needed
        share = min(1.0, (most - used) / weight)
        total += share * term[i]
        used += share * weight
    return total


_MOST = 200  # Most columns that a search of one class returns
_ROUNDING = 64.0  # Operations on each term of a reduced cost, beside those on each block, safely

State = spatial.Tree | Enumeration


@dataclass(frozen=True, eq=False)
class Priced:
    """Columns found, and for each class a reduced cost that no cluster falls below."""

    columns: np.ndarray
    costs: FloatArray
    least: FloatArray  # (q,): ``-inf`` after a heuristic


@dataclass(frozen=True, eq=False)
class Pricer:
    """Prices one node."""

    # One for each alternative of the rules; a cluster must fit one of them.
    models: tuple[Model, ...]
    classes: tuple[SizeClass, ...]
    # As for `ccviz.solvers.colgen.pricing.pricer.Pricer`; the paper has no bound for these
    # problems, so the last is as "blocks".
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
        is_sized = any(each.lower <= size <= each.upper for each in self.classes)
        return is_sized and any(allowed(model.instance, column) for model in self.models)

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

        `class_duals` (q,): A class's clusters are searched for below its dual, which is its least
        reduced cost if there are none. `slack`: Error of the least reduced costs that may stay.
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
                run = spatial.search if isinstance(state, spatial.Tree) else search
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
            states.append(spatial.make_tree(model, _MOST))
        if enumerates or (self.method == "both" and few):
            states.append(make_enumeration(model, duals, _MOST))
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
    last = state.top if isinstance(state, spatial.Tree) else state.depth
    return bool(last[0] < 0)


def pricer_of(problem: Problem, blocks: Blocks, method: str, turns: TurnParams) -> Pricer:
    """Return the pricer of a node."""
    models = tuple(make_model(blocks, loads) for loads in conjunction(problem, problem.rules))
    return Pricer(models, size_classes(blocks), method, turns)
