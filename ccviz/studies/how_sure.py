"""How sure a decision is: the rise of the optimum under the opposite one, between two bounds.

For a problem P with a clustering of cost U and a lower bound L, and P' that is P with two points of
one cluster apart (or two of different clusters together), the margin OPT(P') - OPT(P) lies

    between  max(0, L(P') - U)  and  U(P') - L.

A clustering for P' comes from a descent within milliseconds, and limits every other decision that
it contradicts. A lower bound of P' comes from the relaxation at the root, warm from the
multipliers of P's own root. A whole proof of P' follows only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ccviz.api import solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError, ContradictionError, ProblemError
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract, refine
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.solvers import Solver, solver_class
from ccviz.solvers.advice import advice, obstacle
from ccviz.studies.margin_table import Margin, Margins, unsure
from ccviz.studies.moves import Moves, Opposite
from ccviz.studies.near_problem import check_bounded, descended

if TYPE_CHECKING:
    from ccviz.studies.opposite_root import Root

_NO_PAIRS = np.empty((0, 2), dtype=np.int64)


def how_sure(
    run: Run, *, prove: bool = False, solver: str | Solver = "sdp", time_limit: float | None = None
) -> Margins:
    """Return the margin of each point of a run: what it costs to part it from its cluster.

    Parameters
    ----------
    run : Run
        With a clustering and a lower bound.
    prove : bool
        Whether a whole proof follows where the bound of the root leaves the limits apart.
    solver : str or Solver
        The exact solver of these proofs.
    time_limit : float, optional
        Seconds for each of them.

    Raises
    ------
    CcvizError
        If the run has no clustering that keeps the links, or no lower bound.
    UnsupportedError
        If the problem has rules, or the solver proves no bounds.
    """
    *_, last = margin_steps(run, prove=prove, solver=solver, time_limit=time_limit)
    return last


def margin_steps(
    run: Run,
    *,
    prove: bool = False,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
    known: Margins | None = None,
) -> Iterator[Margins]:
    """Yield what is known of the margins: upper limits first, then again after each bound.

    It takes what `how_sure` takes, and what was known before; the errors are the same.
    """
    chosen = check_margins(run, solver)
    margins = known or first_margins(run)
    yield margins
    opposites = Opposites(margins.problem, margins.labels, margins.lower_bound)
    if known is None:
        margins = replace(margins, joined=_joined(opposites, margins))
        yield margins
    while margins.todo:
        point, *rest = margins.todo
        pair = (point, int(margins.other[point]))
        bound = opposites.root_bound(*pair, float(margins.above[point]))
        margins = replace(_limited(margins, point, Limits(bound)), todo=tuple(rest))
        if prove and not margins.of(point).is_proved:
            proof = opposites.proved(*pair, margins.labels, chosen, time_limit)
            margins = _limited(margins, point, proof)
        yield margins


def pair_margin(
    run: Run,
    i: int,
    j: int,
    *,
    prove: bool = True,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
) -> Margin:
    """Return the margin of the decision about two points: together or apart.

    It takes what `how_sure` takes.

    Raises
    ------
    CcvizError
        As for `how_sure`, and if these are no two points.
    """
    chosen = check_margins(run, solver)
    n = run.problem.n
    if i == j or not (0 <= i < n and 0 <= j < n):
        raise CcvizError(f"{i} and {j} are no two of the points 0 to {n - 1}.")
    assert run.incumbent is not None
    labels, low, high = run.incumbent.labels, run.lower_bound, run.objective
    opposites = Opposites(run.problem, labels, low)
    limits = opposites.at_root(i, j)
    found = _margin_of(i, j, labels, low, high, limits)
    if prove and not found.is_proved:
        start = labels if limits.labels is None else limits.labels
        limits = limits.with_both(opposites.proved(i, j, start, chosen, time_limit))
        found = _margin_of(i, j, labels, low, high, limits)
    return found


def price_of_pair(run: Run, i: int, j: int, time_limit: float = 10.0) -> Opposite:
    """Return what the opposite decision about two points costs more than a run's clustering.

    Unlike `pair_margin` it needs no bound of the run, and takes rules. It is proved as far as the
    time goes.

    Raises
    ------
    CcvizError
        If the run has no clustering that keeps the links, or these are no two points.
    """
    if run.incumbent is None or not run.incumbent.violations.none_hard:
        raise CcvizError("This run has no clustering that keeps the links.")
    problem, labels, cost = run.problem, run.incumbent.labels, run.incumbent.objective
    known = Moves(run.incumbent.in_order()).opposite(i, j)
    if problem.outliers:
        return known  # a link says that its points are not left out
    none = replace(known, lower=np.inf)
    try:
        opposite = refine(problem, *_opposite_pair(labels, i, j))
        found = check_feasibility(opposite, time_limit=time_limit, with_sums=True)
        exact = [each for each in _PROVING if not obstacle(solver_class(each), opposite)]
    except (ContradictionError, ProblemError) as excluded:
        return replace(none, reason=str(excluded))
    if found.feasible is False:
        return replace(none, reason=found.reason)
    known = replace(known, lower=run.lower_bound - cost)
    if not exact:
        return known
    solver, *other = exact
    if other and (advised := advice(opposite, seconds=time_limit).solver) in other:
        solver = advised
    begin = labels if known.labels is None else known.labels
    result = solve(opposite, solver, start=begin, time_limit=time_limit, progress=False)
    if result.status == "infeasible":
        return replace(none, reason=result.message)
    known = replace(known, lower=max(known.lower, result.lower_bound - cost))
    if result.objective - cost < known.upper:
        return replace(known, upper=result.objective - cost, labels=result.labels, moved=())
    return known


_PROVING = ("sdp", "colgen")
"""Solvers that prove the price of a pair."""


@dataclass(frozen=True, eq=False)
class Limits:
    """What is known of a problem with one more decision.

    Attributes
    ----------
    below : float
        A lower bound; infinite if no clustering has the decision.
    labels : (n,) int64 or None
        A clustering that has it.
    above : float
        Its cost.
    """

    below: float
    labels: IntArray | None = None
    above: float = np.inf

    def with_both(self, other: Limits) -> Limits:
        """Return the better limits of two."""
        best = self if self.above <= other.above else other
        return Limits(max(self.below, other.below), best.labels, best.above)


@dataclass(frozen=True, eq=False)
class Opposites:
    """A problem with the opposite of a decision that its clustering takes.

    Attributes
    ----------
    labels : (n,) int64
    lower_bound : float
        Of the problem.
    """

    problem: Problem
    labels: IntArray
    lower_bound: float

    def of(self, i: int, j: int) -> Problem | None:
        """Return the problem with two points apart that are together, or the other way round.

        None if it has no clustering.
        """
        try:
            opposite = refine(self.problem, *_opposite_pair(self.labels, i, j))
        except (ContradictionError, ProblemError):
            return None
        return None if check_feasibility(opposite).feasible is False else opposite

    def at_once(self, i: int, j: int) -> Limits:
        """Return limits from a descent alone."""
        opposite = self.of(i, j)
        return Limits(np.inf) if opposite is None else self._descended(opposite)

    def at_root(self, i: int, j: int) -> Limits:
        """Return limits from a descent and from the relaxation, warm from that of the problem."""
        found = self.at_once(i, j)
        if np.isinf(found.below):
            return found
        return replace(found, below=self.root_bound(i, j, found.above))

    def root_bound(self, i: int, j: int, above: float) -> float:
        """Return a lower bound from the relaxation, warm from that of the problem.

        There is a clustering of the opposite decision, and the best one known costs ``above``.
        """
        if self._root is None:
            return self.lower_bound
        return max(self.lower_bound, self._root.bound(_opposite_pair(self.labels, i, j), above))

    def proved(
        self, i: int, j: int, start: IntArray, solver: Solver, time_limit: float | None = None
    ) -> Limits:
        """Return limits from a whole proof.

        Parameters
        ----------
        start : (n,) int64
            A clustering to begin with, which is repaired where it lacks the opposite decision.
        time_limit : float, optional
            Seconds.
        """
        opposite = self.of(i, j)
        if opposite is None:
            return Limits(np.inf)
        if solver.supports.missing(opposite):
            return self._descended(opposite)
        result = solve(opposite, solver, start=start, time_limit=time_limit, progress=False)
        below = max(self.lower_bound, result.lower_bound)
        return Limits(below, result.labels, result.objective)

    def _descended(self, opposite: Problem) -> Limits:
        found = descended(opposite, self.labels)
        if found is None:
            return Limits(self.lower_bound)
        return Limits(self.lower_bound, found.labels, found.objective)

    @cached_property
    def _root(self) -> Root | None:
        from ccviz.studies.opposite_root import root_of

        return root_of(self.problem, Partition(self.problem, self.labels).objective)


def _opposite_pair(labels: IntArray, i: int, j: int) -> tuple[IntArray, IntArray]:
    """Return the must-links and cannot-links that say the opposite of a clustering on a pair."""
    pair = np.array([(min(i, j), max(i, j))], dtype=np.int64)
    return (_NO_PAIRS, pair) if labels[i] == labels[j] else (pair, _NO_PAIRS)


def first_margins(run: Run) -> Margins:
    """Return upper limits of the margins of a checked run by descents, and the order of the bounds.

    The least sure points come first.
    """
    margins = unsure(run)
    opposites = Opposites(margins.problem, margins.labels, margins.lower_bound)
    first = np.unique(contract(margins.problem).block_of, return_index=True)[1]
    todo = first[margins.other[first] >= 0]
    for point in todo.tolist():
        limits = opposites.at_once(point, int(margins.other[point]))
        margins = _limited(margins, point, limits)
    todo = todo[np.isfinite(margins.below[todo])]
    order = np.argsort(margins.above[todo], kind="stable")
    return replace(margins, todo=tuple(todo[order].tolist()))


def _joined(opposites: Opposites, margins: Margins) -> FloatArray:
    """Return (k, k) lower bounds with the centres of two clusters together."""
    joined = margins.joined.copy()
    known = np.flatnonzero(margins.center >= 0).tolist()
    for a, b in combinations(known, 2):
        i, j = (int(margins.center[c]) for c in (a, b))
        joined[a, b] = joined[b, a] = opposites.at_root(i, j).below
    return joined


def check_margins(run: Run, solver: str | Solver) -> Solver:
    """Return the solver that is to prove margins of a run; the errors are those of `how_sure`."""
    no_rules = "Margins are known only where no rules are kept."
    return check_bounded(run, solver, "margin", no_rules)


def _limited(margins: Margins, point: int, limits: Limits) -> Margins:
    """Return the margins with the limits of a block's point, which hold for the whole block.

    A clustering that is found limits all points from above that it parts from theirs.
    """
    block_of = contract(margins.problem).block_of
    same = (block_of == block_of[point]) & ~margins.is_light
    same[point] = True
    below = np.where(same, np.maximum(margins.below, limits.below), margins.below)
    if limits.labels is None:
        return replace(margins, below=below)
    parted = limits.labels != limits.labels[margins.other]
    parted &= margins.other >= 0
    above = np.where(parted, np.minimum(margins.above, limits.above), margins.above)
    return replace(margins, above=above, below=below)


def _margin_of(i: int, j: int, labels: IntArray, low: float, high: float, limits: Limits) -> Margin:
    lower = max(0.0, limits.below - high)
    upper = max(lower, limits.above - low)
    return Margin(i, j, bool(labels[i] == labels[j]), lower, upper, high)
