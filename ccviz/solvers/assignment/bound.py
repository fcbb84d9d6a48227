"""Candidates that a lower bound rules out, and good assignments found on the way.

With a bound from `_dual` and the cost of any assignment, a pair of block and centre can go if
no assignment with it is as cheap. This is what makes the models for HiGHS small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.feasibility.repair import Graph
from ccviz.solvers.assignment.centers import Deadline, keeps_sizes, objective_of
from ccviz.solvers.assignment.greedy import greedy_assignment
from ccviz.solvers.assignment.kernels.dual import (
    Charges,
    Multipliers,
    ascend,
    clique_cover,
    new_multipliers,
)
from ccviz.solvers.assignment.kernels.moves import anneal, anneal_moves
from ccviz.solvers.assignment.kernels.search import SOLVED, assign
from ccviz.solvers.assignment.structure import Structure

ASCENT = 300  # Iterations of the dual for a bound

DIVE_ASCENT, DIVE_NODES = 15, 500
"""Iterations of the dual after each decision of the dive; nodes of a try to finish it."""

MOVES, HOTTEST, COLDEST = 200_000, 10.0, 0.03
"""Moves of the annealing, and its temperatures in units of a block's mean regret or price."""

ROUNDS, SWEEPS, WARMEST = 2, 20, 0.5
"""Annealing where no proof is tried: rounds, each colder, and their sweeps over the blocks."""

_STRIP = 1 << 14  # Blocks whose regrets are looked for together
SLACK = 1e-9  # Relative room for rounding before a candidate counts as ruled out


@dataclass(frozen=True, eq=False)
class Reduced:
    """What is left of an assignment problem."""

    # (s, k): Candidates that an assignment cheaper than ``objective`` may use, and those of
    # ``labels``.
    allowed: NDArray[np.bool_]
    labels: IntArray | None  # (s,): The best assignment known
    objective: float  # Its cost, inf without one
    bound: float


def reduce_by_bound(
    cost: FloatArray,
    structure: Structure,
    nonempty: bool,
    known: IntArray | None,
    deadline: Deadline,
) -> Reduced:
    """Bound an assignment problem, look for good assignments, and rule candidates out.

    `nonempty`: Whether every cluster must get a block. `known` (s,): An assignment at hand; it need
    not be feasible.
    """
    charges = charges_of(structure, nonempty, deadline)
    multipliers = new_multipliers(charges, structure.k)
    best = _Best(cost, structure, nonempty, known)
    bound, theta = _bound(cost, structure, charges, multipliers, best.target(), deadline)
    for order in _orders(structure, theta):
        best.offer(greedy_assignment(theta, structure, order, nonempty=nonempty).labels)
    if not structure.is_sized and not nonempty:
        if best.labels is None:
            best.offer(_dive(cost, structure, charges, deadline))
        if best.labels is not None:
            best.offer(_annealed(cost, structure, best.labels, deadline))
    if best.labels is not None:
        again, charged = _bound(cost, structure, charges, multipliers, best.objective, deadline)
        if again > bound:
            bound, theta = again, charged
    return best.reduced(bound, theta)


def improve(
    cost: FloatArray, structure: Structure, labels: IntArray, deadline: Deadline
) -> IntArray:
    """Improve a feasible assignment of many linked blocks, as long as that pays or time is left."""
    linked, labels = structure.linked, relabelled(cost, labels)
    paid = cost if len(linked) == structure.s else cost[linked]
    warmest, rng = WARMEST * _unit(paid, structure), np.random.default_rng(0)
    for _ in range(ROUNDS):
        gained, better = anneal_moves(paid, structure.graph, labels[linked], SWEEPS, warmest, rng)
        if gained < 0:
            labels[linked] = better
        if deadline.left == 0.0:
            break
        warmest /= 4
    return labels


def relabelled(cost: FloatArray, labels: IntArray) -> IntArray:
    """Return the same clusters at their cheapest centres, which keeps all conflicts."""
    k = cost.shape[1]
    paid = np.stack([np.bincount(labels, column, k) for column in cost.T], axis=1)
    if not np.isfinite(paid).all():
        return labels.copy()
    return scipy.optimize.linear_sum_assignment(paid)[1][labels]


def _annealed(
    cost: FloatArray, structure: Structure, labels: IntArray, deadline: Deadline
) -> IntArray:
    """Improve labels, at temperatures relative to the average regret or price of a soft link."""
    paid = cost[structure.linked]
    unit = _unit(paid, structure)
    if unit == 0.0:
        return labels
    better = labels.copy()
    better[structure.linked] = anneal(
        paid,
        structure.graph,
        labels[structure.linked],
        MOVES,
        HOTTEST * unit,
        COLDEST * unit,
        np.random.default_rng(0),
        deadline.passed,
    )
    return better


def _unit(paid: FloatArray, structure: Structure) -> float:
    """Return the larger of the average regret and the average price of a soft link."""
    regret = _regrets(paid)
    regret = regret[np.isfinite(regret)]
    soft = np.abs(structure.price[np.isfinite(structure.price)])
    return max((float(values.mean()) for values in (regret, soft) if len(values)), default=0.0)


def _regrets(cost: FloatArray) -> FloatArray:
    """Return (s,) the extra cost of the second cheapest centre; 0 if there is only one.

    A block with one centre left has the regret inf, one with none NaN.
    """
    regret = np.zeros(len(cost))
    for at in range(0, len(cost) if cost.shape[1] > 1 else 0, _STRIP):
        two = np.partition(cost[at : at + _STRIP], 1, axis=1)[:, :2]
        with np.errstate(invalid="ignore"):
            regret[at : at + _STRIP] = two[:, 1] - two[:, 0]
    return regret


def _bound(
    cost: FloatArray,
    structure: Structure,
    charges: Charges,
    multipliers: Multipliers,
    target: float,
    deadline: Deadline,
) -> tuple[float, FloatArray]:
    """Return a lower bound on the objective and the charged costs behind it."""
    target -= structure.offset
    bound, theta = ascend(cost, charges, multipliers, target, ASCENT, deadline.passed)
    return bound + structure.offset, theta


class _Best:
    """The best assignment so far and its true cost."""

    def __init__(
        self, cost: FloatArray, structure: Structure, nonempty: bool, known: IntArray | None
    ) -> None:
        self.cost, self.structure, self.nonempty = cost, structure, nonempty
        self.labels: IntArray | None = None
        self.objective = np.inf
        if known is not None:
            self.offer(known)

    def offer(self, labels: IntArray) -> None:
        """Take an assignment if it is complete, keeps the sizes and is better."""
        if (labels < 0).any() or not keeps_sizes(labels, self.structure, self.nonempty):
            return
        objective = objective_of(labels, self.cost, self.structure)
        if objective < self.objective:
            self.labels, self.objective = labels, objective

    def target(self) -> float:
        """Return what the dual may aim at: the best cost, or a guess."""
        return self.objective if np.isfinite(self.objective) else _guess(self.cost)

    def reduced(self, bound: float, theta: FloatArray) -> Reduced:
        """Keep what a better assignment may use; where nothing is known, everything."""
        above = theta - theta.min(axis=1, keepdims=True)
        room = self.objective - bound + SLACK * (abs(self.objective) + abs(theta).max())
        allowed = np.isfinite(self.cost) & (above <= room if np.isfinite(room) else True)
        if self.labels is not None:
            allowed[np.arange(len(allowed)), self.labels] = True
        return Reduced(allowed, self.labels, self.objective, bound)


def _guess(cost: FloatArray) -> float:
    """Return a cost somewhat above what the blocks pay without links."""
    least = cost.min(axis=1)
    most = np.where(np.isfinite(cost), cost, least[:, None]).max(axis=1)
    return float(least.sum() + 0.1 * (most - least).sum())


def charges_of(structure: Structure, nonempty: bool, deadline: Deadline) -> Charges:
    """Return what the dual charges for: cliques, soft links, sizes."""
    hard = np.isinf(structure.price)
    cannot, must = ~hard & (structure.price > 0), structure.price < 0
    start, member = clique_rows(structure, deadline)
    pairs = structure.pairs[cannot]
    k, mass = structure.k, structure.mass
    lower, upper = structure.lower, structure.upper
    if lower is None or upper is None:
        lower, upper, mass = np.zeros(k), np.full(k, np.inf), freeze(np.ones(structure.s))
    return Charges(
        np.concatenate([start, start[-1] + 2 * np.arange(1, len(pairs) + 1)]),
        np.concatenate([member, pairs.ravel()]),
        np.concatenate([np.full(len(start) - 1, np.inf), structure.price[cannot]]),
        structure.pairs[must].astype(np.int64),
        -structure.price[must] / 2,
        mass,
        np.maximum(lower, 1.0) if nonempty else lower,
        upper,
    )


def clique_rows(structure: Structure, deadline: Deadline) -> tuple[IntArray, IntArray]:
    """Return a cover of the conflicts by cliques of blocks, as compressed sparse rows.

    Conflicts that are left at the deadline are cliques of two.
    """
    graph = structure.graph
    hard = np.isinf(graph.price)
    source = np.repeat(np.arange(len(structure.linked)), np.diff(graph.start))[hard]
    degree = np.bincount(source, minlength=len(structure.linked))
    conflicts = Graph(
        np.concatenate([[0], np.cumsum(degree)]), graph.neighbour[hard], graph.price[hard]
    )
    first, member = clique_cover(conflicts.start, conflicts.neighbour, deadline.passed)
    return first, structure.linked[member]


def _orders(structure: Structure, theta: FloatArray) -> list[IntArray]:
    """Return orders for the greedy assignment: heavy blocks first, or large regret first."""
    regret = _regrets(theta)
    degree = np.bincount(structure.pairs.ravel(), minlength=structure.s)
    return [
        np.lexsort((-regret, -structure.mass)),
        np.lexsort((-regret, -degree)),
        np.argsort(-regret, kind="stable"),
    ]


def _dive(cost: FloatArray, structure: Structure, charges: Charges, deadline: Deadline) -> IntArray:
    """Decide blocks one by one, most conflicts first, with a new dual after each decision.

    The compiled search tries to finish from time to time. Labels of -1 if the dive ends dead.
    """
    cost = cost.copy()
    multipliers = new_multipliers(charges, structure.k)
    degree = np.diff(structure.graph.start)
    target = _guess(cost)
    nothing = np.full(structure.s, -1)
    for position, v in enumerate(np.argsort(-degree, kind="stable")):
        bound, theta = ascend(cost, charges, multipliers, target, DIVE_ASCENT, deadline.passed)
        if bound == np.inf or deadline.passed():
            return nothing
        target = max(target, bound + 0.1 * abs(bound))
        _decide(cost, structure, v, int(theta[structure.linked[v]].argmin()))
        if position % 10 == 9:
            outcome, labels, _ = assign(
                cost, structure.linked, structure.graph, nothing, DIVE_NODES
            )
            if outcome == SOLVED:
                return labels
    return nothing


def _decide(cost: FloatArray, structure: Structure, v: int, centre: int) -> None:
    """Leave block v only one centre and bar its conflicting neighbours from it."""
    graph, block = structure.graph, structure.linked[v]
    kept = cost[block, centre]
    cost[block] = np.inf
    cost[block, centre] = kept
    edges = slice(graph.start[v], graph.start[v + 1])
    others = graph.neighbour[edges][np.isinf(graph.price[edges])]
    cost[structure.linked[others], centre] = np.inf
