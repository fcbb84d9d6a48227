"""All clusters that keep every constraint, where these are few: to price is to look at each.

Sets of blocks grow by blocks of larger numbers. What only forbids - links, upper limits on sizes
and loads - ends a set that breaks it. Lower limits, on sizes and on sums that may count values
below 0, end a set that the blocks which may still join cannot lift to the limit. So every rule is
inside the bound, those too that parts of a cluster may break.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import bounded
from ccviz.problem.rule_base import conjunction
from ccviz.problem.sums import MaxSum, sum_limits
from ccviz.solvers.base import never
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.partitioning.master import Model, SizeClass, make_model, size_classes
from ccviz.solvers.colgen.partitioning.pricer import Priced, Pricer

_MOST_SETS = 4  # Most sets of one size, as a multiple of the most clusters
_MOST_CELLS = 20_000_000  # and most sets of one size times blocks
_MOST_NEW = 400  # Most clusters that an iteration returns for each class


class LeastSum(NamedTuple):
    """A lower limit on the sum over a cluster of values (s,), of any sign."""

    values: FloatArray
    limit: float


class Clusters(NamedTuple):
    """Clusters of blocks, each once."""

    columns: np.ndarray  # (m, s) bool
    mass: FloatArray
    costs: FloatArray


class _Sets(NamedTuple):
    """Sets of one number of blocks, in ascending order, and what they add up to."""

    members: IntArray  # (t, p)
    mass: FloatArray
    spread: FloatArray  # (p,): Sum of squares times mass
    penalty: FloatArray  # (p,): Of soft links
    loads: FloatArray  # (q, p)
    sums: FloatArray  # (l, p): Of the lower limits

    def of(self, rows: np.ndarray) -> _Sets:
        """Return some of the sets."""
        return _Sets(
            self.members[:, rows], self.mass[rows], self.spread[rows], self.penalty[rows],
            self.loads[:, rows], self.sums[:, rows],
        )  # fmt: skip


class _Tables(NamedTuple):
    """What two blocks of a model are to each other."""

    apart: FloatArray
    soft: FloatArray
    conflict: np.ndarray
    together: FloatArray  # (q, s, s): What both in one cluster add to each load

    @staticmethod
    def of(model: Model) -> _Tables:
        """Return the arrays of a model as tables."""
        instance, s = model.instance, len(model.cut)
        loads, ones = instance.loads, np.ones(len(instance.conflict))
        gaps = ((instance.points[:, None] - instance.points) ** 2).sum(axis=2)
        more = [_dense(loads.pair_weight, loads.pair_other, row, s) for row in loads.pair_start]
        return _Tables(
            np.outer(instance.mass, instance.mass) * gaps,
            _dense(model.weight, model.other, model.start, s),
            _dense(ones, instance.conflict, instance.conflict_start, s) > 0.0,
            np.array(more).reshape(-1, s, s),
        )


def _dense(values: FloatArray, column: IntArray, start: IntArray, s: int) -> FloatArray:
    part = slice(int(start[0]), int(start[-1]))
    table: FloatArray = csr_array((values[part], column[part], start - start[0]), (s, s)).toarray()
    return table


class _Listing:
    """The clusters of one alternative of the rules."""

    def __init__(
        self, model: Model, classes: tuple[SizeClass, ...], least: tuple[LeastSum, ...]
    ) -> None:
        self.model, self.classes, self.least = model, classes, least
        self.tables, self.mass = _Tables.of(model), model.instance.mass
        self.upper = max(each.upper for each in classes)
        fewest = LeastSum(self.mass, min(each.lower for each in classes))
        self.limits = [(*each, np.maximum(each.values, 0.0)) for each in (fewest, *least)]

    def clusters(self, most: float) -> Clusters | None:
        """Return all clusters, None if they are more than ``most`` or take too long to find."""
        s, q, count = len(self.mass), len(self.model.instance.loads.limit), 0
        none = np.zeros(1)
        sets = _Sets(
            np.zeros((0, 1), dtype=np.int64), none, none, none,
            np.zeros((q, 1)), np.zeros((len(self.least), 1)),
        )  # fmt: skip
        found: list[Clusters] = []
        while len(sets.mass):
            parent, block = np.nonzero(self._may_join(sets))
            if len(parent) > _MOST_SETS * most or len(parent) * s > _MOST_CELLS:
                return None
            sets = self._grown(sets.of(parent), block)
            whole = sets.of(self._is_whole(sets))
            count += len(whole.mass)
            if count > most:
                return None
            columns = np.zeros((len(whole.mass), s), dtype=bool)
            columns[np.arange(len(columns)), whole.members] = True
            found.append(Clusters(columns, whole.mass, whole.spread / whole.mass + whole.penalty))
        return joined(found)

    def _may_join(self, sets: _Sets) -> np.ndarray:
        """Return (p, s) which blocks of larger numbers may join a set that may become a cluster."""
        loads, s = self.model.instance.loads, len(self.mass)
        free = sets.mass[:, None] + self.mass <= self.upper
        free &= np.arange(s) > sets.members.max(axis=0, initial=-1)[:, None]
        for members in sets.members:
            free &= ~self.tables.conflict[members]
        for load, weight, more, limit in zip(
            sets.loads, loads.weight, self.tables.together, loads.limit, strict=True
        ):
            added = load[:, None] + weight
            for members in sets.members if more.any() else ():
                added += more[members]
            free &= added <= limit
        for (_, limit, gain), now in zip(self.limits, (sets.mass, *sets.sums), strict=True):
            free &= (now + free @ gain >= limit)[:, None]
        return free

    def _grown(self, before: _Sets, block: IntArray) -> _Sets:
        """Return sets with one block more each."""

        def added(table: FloatArray) -> FloatArray:
            return np.asarray(table[before.members, block].sum(axis=0))

        weights = self.model.instance.loads.weight
        loads, sums = before.loads.copy(), before.sums.copy()
        for load, weight, more in zip(loads, weights, self.tables.together, strict=True):
            load += weight[block] + added(more)
        for now, each in zip(sums, self.least, strict=True):
            now += each.values[block]
        return _Sets(
            np.concatenate([before.members, block[None]]),
            before.mass + self.mass[block],
            before.spread + added(self.tables.apart),
            before.penalty + self.model.cut[block] + added(self.tables.soft),
            loads,
            sums,
        )

    def _is_whole(self, sets: _Sets) -> np.ndarray:
        """Return which sets are of a class of sizes, and keep the lower limits."""
        kept = np.zeros(len(sets.mass), dtype=bool)
        for size in self.classes:
            kept |= (sets.mass >= size.lower) & (sets.mass <= size.upper)
        for each, now in zip(self.least, sets.sums, strict=True):
            kept &= now >= each.limit
        return kept


def joined(found: list[Clusters]) -> Clusters:
    """Return the clusters of several lists, each once."""
    columns, mass, costs = map(np.concatenate, zip(*found, strict=True))
    columns, first = np.unique(columns, axis=0, return_index=True)
    return Clusters(columns, mass[first], costs[first])


@dataclass(frozen=True, eq=False)
class EveryCluster(Pricer):
    """Prices one node by all its clusters."""

    least: tuple[LeastSum, ...]
    clusters: Clusters

    @cached_property
    def _inside(self) -> csr_array:
        return csr_array(self.clusters.columns.astype(np.float64))

    def permits(self, column: np.ndarray) -> bool:
        """Whether a cluster is one of them."""
        kept = (each.values[column].sum() >= each.limit for each in self.least)
        return super().permits(column) and all(kept)

    def heuristic(self, duals: FloatArray, class_duals: FloatArray, seeds: FloatArray) -> Priced:
        """Return no clusters: to look at each is quick."""
        return self._priced([self.clusters.columns[:0]], np.full(len(self.classes), -np.inf))

    def exact(
        self,
        duals: FloatArray,
        class_duals: FloatArray,
        slack: float,
        stop: Callable[[], bool] = never,
    ) -> Priced:
        """Return for each class the least reduced cost, and some clusters below its dual."""
        mass, error = self.clusters.mass, self._error(duals)
        reduced = self.clusters.costs - self._inside @ duals
        chosen, least = np.zeros(0, dtype=np.int64), np.array(class_duals, dtype=np.float64)
        for at, (each, dual) in enumerate(zip(self.classes, class_duals, strict=True)):
            fit = np.flatnonzero((mass >= each.lower) & (mass <= each.upper))
            if len(fit):  # a class without clusters has its dual
                least[at] = reduced[fit].min()
            below = fit[reduced[fit] < dual]
            order = np.argsort(reduced[below], kind="stable")[:_MOST_NEW]
            chosen = np.append(chosen, below[order])
        return self._priced([self.clusters.columns[chosen]], least - error)


def every_cluster_of(problem: Problem, blocks: Blocks, most: float = np.inf) -> EveryCluster | None:
    """Return what prices a node by all its clusters, None if these are more than ``most``."""
    ways = conjunction(problem, bounded(problem, "largest").rules)
    models = tuple(make_model(blocks, loads) for loads in ways)
    least, classes = _least_sums(problem, blocks), size_classes(blocks)
    found = []
    for model in models:
        clusters = _Listing(model, classes, least).clusters(most)
        if clusters is None:
            return None
        found.append(clusters)
    every = joined(found)
    if len(every.costs) > most:
        return None
    return EveryCluster(models, classes, "every", TurnParams(), least, every)


def has_few_clusters(problem: Problem, most: float) -> bool:
    """Return whether no more than ``most`` clusters keep every constraint."""
    blocks = contract(problem)
    return blocks.s**2 <= _MOST_CELLS and every_cluster_of(problem, blocks, most) is not None


def _least_sums(problem: Problem, blocks: Blocks) -> tuple[LeastSum, ...]:
    """Return the limits that parts of a cluster may break."""
    found = []
    for rule in sum_limits(problem):
        low, high = rule.between
        values = np.bincount(blocks.block_of, rule.values, blocks.s).astype(np.float64)
        if not isinstance(rule, MaxSum):
            found.append(LeastSum(values, low) if np.isfinite(low) else LeastSum(-values, -high))
    return tuple(found)
