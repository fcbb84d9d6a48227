"""The restricted master problem: set covering by at most k clusters, solved by HiGHS.

Covering does for partitioning and "at most k" for "exactly k": a part of a cluster keeps every
anti-monotone constraint and costs no more, so overlaps can be dropped and clusters split. The
duals are then not negative. Every row has an artificial column, so the master is always feasible,
unless Farkas pricing has seen to that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.highs_output import highspy, make_highs
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance, fits, join, leave, squared_distance
from ccviz.solvers.colgen.master import interior as interior_point

_HELPERS = 3  # Columns of a row that are no clusters: an artificial one, and two for stabilisation
_USUAL = 10
"""Exponent of two of the largest artificial cost after scaling: HiGHS' tolerances are absolute."""
_MOST_EXPONENT = 1000  # Exponent of the largest scale: where all points coincide, costs stay 0


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """A solution of the restricted master."""

    objective: float  # Sum of the duals less k times the cardinality dual
    duals: FloatArray  # (s,): Of the covering rows, at least 0
    # Dual of the limit on clusters, at least 0: the saving by one more cluster.
    cardinality_dual: float
    weights: FloatArray  # (m,): Of the columns
    uncovered: FloatArray  # (s,): Weight of the artificial columns

    @property
    def shortfall(self) -> float:
        """Weight of uncovered blocks, in all."""
        return float(self.uncovered.sum())


def unit_of(artificial_cost: FloatArray) -> float:
    """Return a power of two that scales costs to a solver's absolute tolerances.

    Tight clusters far from each other cost next to nothing in the unit of the points.
    """
    exponent = _USUAL - int(np.frexp(artificial_cost.max())[1])
    return float(np.ldexp(1.0, min(exponent, _MOST_EXPONENT)))


class Master:
    """The master over a growing pool of columns.

    `artificial_cost` (s,): Cost of leaving a block uncovered, and so an upper bound on its dual.
    `interior`: Solve by the interior-point method without crossover: its duals lie in the middle of
    the optimal face. Otherwise by the simplex method, warm from the last basis. `order` (s,): Order
    of the blocks in which those of one cluster are near each other: for speed alone. `covers`:
    Leave out the artificial columns of the simplex method: the others cover all blocks.
    """

    def __init__(
        self,
        s: int,
        k: int,
        artificial_cost: FloatArray,
        interior: bool,
        order: IntArray | None = None,
        covers: bool = False,
    ) -> None:
        self.s, self.k = s, k
        self._covers = covers
        self.interior = interior
        self._growth = unit_of(artificial_cost)
        self.columns = np.zeros((0, s), dtype=np.bool_)
        self.costs = np.zeros(0)
        self._artificial_cost = artificial_cost * self._growth
        self.order = np.arange(s) if order is None else order
        self._ordered = csc_array((s, 0), dtype=np.float64)
        self.middle: interior_point.Iterate | None = None  # of the last interior solution
        self._highs: highspy.Highs | None = None  # opened when it is needed
        self._loaded = 0

    def add(self, columns: np.ndarray, costs: FloatArray) -> None:
        """Add (m, s) bool columns with their (m,) costs."""
        if len(costs) == 0:
            return
        ordered = csc_array(columns[:, self.order].T, dtype=np.float64)
        self._ordered = csc_array(hstack([self._ordered, ordered], format="csc"))
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

    def keep(self, mask: np.ndarray) -> None:
        """Drop the columns outside the mask."""
        if mask.all():
            return
        if self._highs is not None:
            gone = np.flatnonzero(~mask[: self._loaded]) + _HELPERS * self.s
            self._highs.deleteCols(len(gone), gone.astype(np.int32))
            self._loaded -= len(gone)
        self.columns, self.costs = self.columns[mask], self.costs[mask]
        self._ordered = self._ordered[:, np.flatnonzero(mask)]
        if self.middle is not None:
            known = len(self.middle.z) - 2 * self.s - 1
            self.middle = self.middle.kept(mask[:known])

    def reduced_costs(self, duals: FloatArray) -> FloatArray:
        """Return the columns' reduced costs, without the cardinality dual."""
        return self.costs - self._ordered.T @ duals[self.order]

    def perturb(self, center: FloatArray, extent: float) -> None:
        """Let every row be missed by up to ``extent`` at the cost ``center`` (table 4)."""
        s, center = self.s, center * self._growth
        index = np.arange(s, 3 * s, dtype=np.int32)
        highs = self._simplex()
        highs.changeColsCost(2 * s, index, np.concatenate([center, -center]))
        highs.changeColsBounds(2 * s, index, np.zeros(2 * s), np.full(2 * s, extent))

    def solve(self, accuracy: float = 1e-9) -> MasterSolution:
        """Solve: the interior-point method to a relative accuracy, the simplex method exactly."""
        if not self.interior:
            return self.solve_to_vertex()
        order = self.order
        point = interior_point.solve(
            self._ordered,
            self.costs * self._growth,
            self._artificial_cost[order],
            self.k,
            accuracy,
            self.middle,
        )
        self.middle = point.middle
        duals = np.append(np.empty(self.s), point.duals[-1])
        duals[order] = point.duals[:-1]
        uncovered = np.empty(self.s)
        uncovered[order] = point.uncovered
        return self._solution(duals, point.weights, uncovered)

    def solve_to_vertex(self) -> MasterSolution:
        """Solve by the simplex method from the last basis: branching needs a basic solution."""
        highs = self._simplex()
        highs.run()
        solution = highs.getSolution()
        value = np.array(solution.col_value)
        duals = np.array(solution.row_dual)
        return self._solution(duals, value[_HELPERS * self.s :], value[: self.s])

    def _simplex(self) -> highspy.Highs:
        """Return HiGHS with the rows, the helpers and all columns in it."""
        if self._highs is None:
            self._highs = _opened(self.s, self.k, self._artificial_cost, self._covers)
        if self._loaded < len(self.costs):  # each has an entry in the row of the limit, too
            new = np.pad(self.columns[self._loaded :], ((0, 0), (0, 1)), constant_values=True)
            add_columns(self._highs, new, self.costs[self._loaded :] * self._growth)
            self._loaded = len(self.costs)
        return self._highs

    def _solution(
        self, row: FloatArray, weights: FloatArray, uncovered: FloatArray
    ) -> MasterSolution:
        row = row / self._growth
        duals, cardinality_dual = np.maximum(row[: self.s], 0.0), max(-float(row[self.s]), 0.0)
        return MasterSolution(
            objective=float(duals.sum() - self.k * cardinality_dual),
            duals=duals,
            cardinality_dual=cardinality_dual,
            weights=weights,
            uncovered=uncovered,
        )


def _opened(s: int, k: int, artificial_cost: FloatArray, covers: bool) -> highspy.Highs:
    """Return HiGHS with the rows and the helpers' columns."""
    highs = make_highs(presolve="off")
    unbounded = highspy.kHighsInf
    add_rows(highs, *_limits(s, k))
    rows = np.arange(s, dtype=np.int32)
    for cost, most, entry in (
        (artificial_cost, 0.0 if covers else unbounded, 1.0),
        (np.zeros(s), 0.0, 1.0),
        (np.zeros(s), 0.0, -1.0),
    ):
        highs.addCols(
            s, cost, np.zeros(s), np.full(s, most), s, rows, rows, np.full(s, entry)
        )  # fmt: skip
    return highs


def _limits(s: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the rows: each block at least once, and k columns at most."""
    unbounded = highspy.kHighsInf
    return np.append(np.ones(s), -unbounded), np.append(np.full(s, unbounded), float(k))


def add_rows(highs: highspy.Highs, lower: FloatArray, upper: FloatArray) -> None:
    """Add rows without entries to HiGHS."""
    starts, nothing = np.zeros(len(lower), dtype=np.int32), np.zeros(0, dtype=np.int32)
    highs.addRows(len(lower), lower, upper, 0, starts, nothing, np.zeros(0))


def add_columns(
    highs: highspy.Highs, entries: np.ndarray, costs: FloatArray, most: float = highspy.kHighsInf
) -> None:
    """Add variables from 0 to a limit to HiGHS, each with ones in some of the rows, (m, r) bool."""
    m, (which, rows) = len(entries), np.nonzero(entries)
    starts = np.searchsorted(which, np.arange(m)).astype(np.int32)
    highs.addCols(
        m, np.ascontiguousarray(costs, dtype=np.float64), np.zeros(m), np.full(m, most),
        len(rows), starts, rows.astype(np.int32), np.ones(len(rows)),
    )  # fmt: skip


def best_cover(
    columns: np.ndarray,
    costs: FloatArray,
    k: int,
    node_limit: int,
    stop: Callable[[], bool] = never,
) -> IntArray | None:
    """Return the columns of the cheapest cover by at most k of them, None if none was found.

    A heuristic for the whole problem: the pool need not hold the best clusters.
    """
    entries = np.pad(columns, ((0, 0), (0, 1)), constant_values=True)
    return best_choice(entries, costs, _limits(columns.shape[1], k), node_limit, stop)


def best_choice(
    entries: np.ndarray,
    costs: FloatArray,
    limits: tuple[FloatArray, FloatArray],
    node_limit: int,
    stop: Callable[[], bool],
) -> IntArray | None:
    """Return the cheapest of (m, r) bool columns whose sum keeps limits, None if none was found.

    The limit is one of nodes, not of time, so that the same seed gives the same answer.
    """
    m = len(entries)
    highs = make_highs(mip_max_nodes=node_limit, mip_rel_gap=1e-9, mip_abs_gap=0.0)
    add_rows(highs, *limits)
    add_columns(highs, entries, costs, 1.0)
    kinds = np.full(m, highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(m, np.arange(m, dtype=np.int32), kinds)
    if stop is not never:
        for asks in (highs.cbMipInterrupt, highs.cbSimplexInterrupt):
            asks.subscribe(lambda asked: asked.interrupt(stop()))
    highs.run()
    if highs.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    return np.flatnonzero(np.array(highs.getSolution().col_value) > 0.5)


def column_costs(columns: np.ndarray, points: FloatArray, mass: FloatArray) -> FloatArray:
    """Return (m,) sums of squared distances to the mean of each (m, s) bool column."""
    costs = np.empty(len(columns))
    for t, column in enumerate(columns):
        inside, weight = points[column], mass[column]
        gaps = inside - weight @ inside / weight.sum()
        costs[t] = weight @ (gaps * gaps).sum(axis=1)
    return costs


def cluster_columns(block_labels: IntArray) -> np.ndarray:
    """Return the clusters of a clustering of the blocks as (k, s) bool columns."""
    return np.unique(block_labels)[:, None] == np.asarray(block_labels)[None, :]


# --- Dual stabilisation: the choice of the duals to price at --------------------------------------
#
# The master's optimal duals jump between far corners of its optimal face; pricing there makes
# columns of little use (Babaki et al. 2014, section 5.3). Four ways to deal with it:
#
# - ``none``: price at the simplex method's duals.
# - ``perturbation``: the paper's (table 4). Every row may be missed by up to mu at the price
#   theta. When no column is missing, theta moves to the duals and mu is divided by 2^l.
# - ``smoothing``: price between the best duals so far and the simplex method's (Wentges 1997).
# - ``interior``: price between the best duals so far and those of the interior-point method, which
#   lie in the middle of the optimal face, where du Merle et al. 1999 look for them too.

SCHEMES = ("interior", "smoothing", "perturbation", "none")
_FIRST_EXTENT = 0.99  # First mu of the perturbation (section 6)
_LAST_EXTENT = 1e-7  # Mu below which the perturbation is dropped


@dataclass(frozen=True, eq=False)
class Stabiliser:
    """The state of a scheme; it travels with the node."""

    scheme: str = "interior"
    smoothing: float = 0.5  # Share of the best duals so far in the point to price at
    center: FloatArray | None = None  # (s,): Best duals so far, or theta of the perturbation
    extent: float = 0.0  # mu of the perturbation, otherwise 0
    updates: int = 0

    @property
    def interior(self) -> bool:
        """Whether the master is to be solved by the interior-point method."""
        return self.scheme == "interior"

    def start(self, usual: FloatArray) -> Stabiliser:
        """Return the state before the first iteration; ``usual`` (s,) are plausible duals."""
        if self.scheme != "perturbation":
            return self
        return replace(self, center=usual, extent=_FIRST_EXTENT, updates=0)

    def point(self, duals: FloatArray) -> FloatArray:
        """Return the duals to price at."""
        smooths = self.scheme in ("interior", "smoothing") and self.smoothing > 0.0
        if not smooths or self.center is None:
            return duals
        return self.smoothing * self.center + (1.0 - self.smoothing) * duals

    def recenter(self, duals: FloatArray) -> Stabiliser:
        """Return the state after the Lagrangian bound rose at these duals."""
        return self if self.scheme == "perturbation" else replace(self, center=duals)

    def relax(self, duals: FloatArray) -> Stabiliser:
        """Return the state after a perturbed master was solved to optimality."""
        updates = self.updates + 1
        extent = self.extent / 2.0**updates
        extent = extent if extent > _LAST_EXTENT else 0.0
        return replace(self, center=duals, extent=extent, updates=updates)

    def inherit(self, child_of: np.ndarray, s: int) -> Stabiliser:
        """Return the state for a child whose block ``child_of[b]`` holds the parent's block b."""
        if self.center is None:
            return self
        center = np.bincount(child_of, self.center, s).astype(np.float64)
        extent = _FIRST_EXTENT if self.scheme == "perturbation" else 0.0
        return replace(self, center=center, extent=extent, updates=0)


# --- From columns to clusterings of the blocks: choose columns, cover each block once, descend ----

_LOOKED_AT = 20
"""Columns of largest weight that are visited, per cluster: an interior solution has a little of
each column."""


def choose(columns: np.ndarray, weights: FloatArray, k: int) -> IntArray:
    """Return up to k columns, the heaviest first, each for the weight of blocks not yet covered."""
    heavy = np.argsort(-weights, kind="stable")[: _LOOKED_AT * k]
    heavy = heavy[weights[heavy] > 1e-9]
    inside = csr_array(columns[heavy], dtype=np.float64)
    open_blocks = np.ones(columns.shape[1])
    chosen: list[int] = []
    while len(chosen) < k and len(heavy):
        score = weights[heavy] * (inside @ open_blocks)
        best = int(np.argmax(score))
        if score[best] <= 0.0:
            break
        chosen.append(int(heavy[best]))
        open_blocks[columns[heavy[best]]] = 0.0
    return np.array(chosen, dtype=np.int64)


def assemble(
    instance: Instance, columns: np.ndarray, k: int, improve: bool = True
) -> IntArray | None:
    """Return (s,) labels with exactly k clusters from at most k columns, None if it fails.

    A block in several columns is assigned to the nearest; one in none to the cluster that it fits
    and adds least to; empty clusters are filled with the blocks of largest cost. Then single moves
    may improve the labels.
    """
    labels = _nearest_cover(instance, columns)
    if not complete(instance, labels, k):
        return None
    _fill_empty(instance, labels, k)
    if improve:
        relocate(instance, labels, k)
    return labels


def _nearest_cover(instance: Instance, columns: np.ndarray) -> IntArray:
    mass, points = instance.mass, instance.points
    best = np.full(len(mass), np.inf)
    labels = np.full(len(mass), -1, dtype=np.int64)
    for t, column in enumerate(columns):
        mean = mass[column] @ points[column] / mass[column].sum()
        gap = np.where(column, ((points - mean) ** 2).sum(axis=1), np.inf)
        labels[gap < best] = t
        best = np.minimum(best, gap)
    return labels


def _fill_empty(instance: Instance, labels: IntArray, k: int) -> None:
    for empty in np.setdiff1d(np.arange(k), labels):
        mean = _means(instance, labels, k)
        cost = instance.mass * ((instance.points - mean[labels]) ** 2).sum(axis=1)
        alone = np.bincount(labels, minlength=k)[labels] == 1
        labels[np.argmax(np.where(alone, -1.0, cost))] = empty


@njit(cache=True, entry=True)
def _means(instance: Instance, labels: IntArray, k: int) -> FloatArray:
    s, d = instance.points.shape
    mean = np.zeros((k, d))
    mass = np.zeros(k)
    for b in range(s):
        if labels[b] >= 0:
            mass[labels[b]] += instance.mass[b]
            mean[labels[b]] += instance.mass[b] * instance.points[b]
    for j in range(k):
        if mass[j] > 0.0:
            mean[j] /= mass[j]
    return mean


@njit(cache=True)
def _state(
    instance: Instance, labels: IntArray, k: int
) -> tuple[np.ndarray, FloatArray, FloatArray, FloatArray]:
    """Return the blocks inside each cluster, its loads, its mean and its mass."""
    inside = np.zeros((k, len(labels)), dtype=np.bool_)
    load = np.zeros((k, len(instance.loads.limit)))
    mass = np.zeros(k)
    for b in range(len(labels)):
        if labels[b] >= 0:
            join(instance, inside[labels[b]], load[labels[b]], b)
            mass[labels[b]] += instance.mass[b]
    return inside, load, _means(instance, labels, k), mass


@njit(cache=True)
def complete(instance: Instance, labels: IntArray, k: int) -> bool:
    """Give every block without a label the cheapest cluster it fits; False if there is none."""
    inside, load, mean, mass = _state(instance, labels, k)
    for b in range(len(labels)):
        if labels[b] >= 0:
            continue
        best, where = np.inf, -1
        for j in range(k):
            if mass[j] > 0.0:
                gap = squared_distance(instance.points, b, mean[j])
                cost = instance.mass[b] * mass[j] / (instance.mass[b] + mass[j]) * gap
            else:
                cost = 0.0
            if cost < best and fits(instance, inside[j], load[j], b):
                best, where = cost, j
        if where < 0:
            return False
        labels[b] = where
        join(instance, inside[where], load[where], b)
        mass[where] += instance.mass[b]
        mean[where] += instance.mass[b] / mass[where] * (instance.points[b] - mean[where])
    return True


@njit(cache=True)
def relocate(instance: Instance, labels: IntArray, k: int) -> None:
    """Move single blocks to better clusters that they fit, until none helps."""
    inside, load, mean, mass = _state(instance, labels, k)
    least = 1e-13 * np.sum(instance.points**2)  # less than this is rounding
    moved = True
    while moved:
        moved = False
        for b in range(len(labels)):
            home, m = labels[b], instance.mass[b]
            if mass[home] <= m:
                continue
            saved = m * mass[home] / (mass[home] - m)
            saved *= squared_distance(instance.points, b, mean[home])
            where = -1
            for j in range(k):
                added = m * mass[j] / (mass[j] + m)
                added *= squared_distance(instance.points, b, mean[j])
                better = j != home and added < saved * (1.0 - 1e-9) - least
                if better and fits(instance, inside[j], load[j], b):
                    saved, where = added, j
            if where < 0:
                continue
            leave(instance, inside[home], load[home], b)
            join(instance, inside[where], load[where], b)
            mean[home] -= m / (mass[home] - m) * (instance.points[b] - mean[home])
            mean[where] += m / (mass[where] + m) * (instance.points[b] - mean[where])
            mass[home] -= m
            mass[where] += m
            labels[b] = where
            moved = True
