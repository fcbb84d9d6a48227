"""The price of a hard link: the rise of the optimum that it causes, between two proved bounds.

For a problem P and a link l of it the price is OPT(P) - OPT(P without l). With a clustering of cost
U and a lower bound L of both problems it lies

    between  max(0, L(P) - U(P without l))  and  U(P) - L(P without l).

A clustering for P without l comes from the one of P by a descent: it gives a first lower limit
within milliseconds. A proof gives the upper one. Links that cost nothing share a proof: with all
links of a group S left out, OPT(P without S) <= OPT(P without l) for each l of S, so one lower
bound limits all their prices. Only where it does not suffice the group is split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ccviz.api import solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError, UnsupportedError
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.solvers import Solver, check, make_solver

Kind = Literal["must", "cannot"]

PROVED_WIDTH = 5e-4
"""Distance of a price's two limits, as a share of the objective, up to which it counts as proved.

Two proofs with the default tolerance of 1e-4 leave a distance of at most 2e-4.
"""


@dataclass(frozen=True)
class LinkPrice:
    """The price of a link.

    Attributes
    ----------
    kind : {"must", "cannot"}
    i, j : int
        The points, the smaller first.
    lower, upper : float
        Limits of the price, in units of the objective.
    is_implied : bool
        Whether the other links imply it, so that it costs exactly 0.
    is_proved : bool
        Whether both limits agree within the tolerance of the proofs.
    """

    kind: Kind
    i: int
    j: int
    lower: float
    upper: float
    is_implied: bool = False
    is_proved: bool = False

    @property
    def words(self) -> str:
        """What is known of the price, in a few words."""
        if self.is_implied:
            return "0: implied by others"
        return f"{self.lower:.6g} {'proved' if self.is_proved else 'at least'}"


@dataclass(frozen=True, eq=False)
class Prices:
    """What is known of the prices of all hard links of a problem.

    Attributes
    ----------
    problem : Problem
    labels : (n,) int64
        The best clustering known.
    lower_bound : float
        Of the problem.
    is_must : (m,) bool
        The kind of each link, must-links first.
    pairs : (m, 2) int64
    implied : (m,) bool
    above, below : (m,) float64
        Cost of a clustering of the problem without each link, and a lower bound of that problem.
    todo : tuple of tuple of int
        Groups of links that still wait for a proof.
    """

    problem: Problem
    labels: IntArray
    lower_bound: float
    is_must: NDArray[np.bool_]
    pairs: IntArray
    implied: NDArray[np.bool_]
    above: FloatArray
    below: FloatArray
    todo: tuple[tuple[int, ...], ...] = ()

    @property
    def objective(self) -> float:
        """Cost of the best clustering known."""
        return Partition(self.problem, self.labels).wcss

    @property
    def rows(self) -> tuple[LinkPrice, ...]:
        """The prices, the highest first."""
        lower, upper = self._limits()
        proved = self._proved()
        order = np.lexsort((np.arange(len(lower)), -upper, -lower))
        return tuple(
            LinkPrice(
                "must" if self.is_must[row] else "cannot",
                int(self.pairs[row, 0]),
                int(self.pairs[row, 1]),
                float(lower[row]),
                float(upper[row]),
                bool(self.implied[row]),
                bool(proved[row]),
            )
            for row in order.tolist()
        )

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        lower = np.maximum(0.0, self.lower_bound - self.above)
        upper = np.maximum(lower, self.objective - self.below)
        return np.where(self.implied, 0.0, lower), np.where(self.implied, 0.0, upper)

    def _proved(self) -> NDArray[np.bool_]:
        lower, upper = self._limits()
        close: NDArray[np.bool_] = upper - lower <= PROVED_WIDTH * self.objective
        return close | self.implied

    def without(self, group: Sequence[int]) -> Problem:
        """Return the problem without a group of its links.

        Parameters
        ----------
        group : sequence of int
            Rows of `pairs`.
        """
        keep = np.ones(len(self.pairs), dtype=bool)
        keep[list(group)] = False
        return replace(
            self.problem,
            must_link=self.pairs[keep & self.is_must],  # type: ignore[arg-type]
            cannot_link=self.pairs[keep & ~self.is_must],  # type: ignore[arg-type]
            asked=None,
        )


def link_prices(
    run: Run, *, prove: bool = True, solver: str | Solver = "sdp", time_limit: float | None = None
) -> tuple[LinkPrice, ...]:
    """Return the price of each hard link of a run's problem, the highest first.

    Parameters
    ----------
    run : Run
        With a clustering and a lower bound.
    prove : bool
        Whether to prove both limits; otherwise the lower ones come from descents, at once.
    solver : str or Solver
        The exact solver that proves them.
    time_limit : float, optional
        Seconds for each proof.

    Returns
    -------
    tuple of LinkPrice

    Raises
    ------
    CcvizError
        If the run has no clustering that keeps the links, or no lower bound.
    UnsupportedError
        If the problem has soft links or rules, or the solver proves no bounds.
    """
    *_, last = price_steps(run, prove=prove, solver=solver, time_limit=time_limit)
    return last.rows


def price_steps(
    run: Run, *, prove: bool = True, solver: str | Solver = "sdp", time_limit: float | None = None
) -> Iterator[Prices]:
    """Yield what is known of the prices: first estimates, then again after each proof.

    Parameters
    ----------
    run : Run
    prove : bool
    solver : str or Solver
    time_limit : float, optional
        As for `link_prices`, and so are the errors.

    Yields
    ------
    Prices
    """
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    prices = estimated(run, chosen)
    yield prices
    while prove and prices.todo:
        prices = refined(prices, chosen, time_limit)
        yield prices


def estimated(run: Run, solver: Solver) -> Prices:
    """Return first prices of a run's links, with the proofs that they wait for.

    Parameters
    ----------
    run : Run
    solver : Solver
        That will prove them.

    Raises
    ------
    CcvizError
        As `link_prices`.
    """
    _check(run, solver)
    assert run.incumbent is not None
    problem = run.problem
    must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
    m = len(must) + len(cannot)
    start = Prices(
        problem=problem,
        labels=run.incumbent.labels,
        lower_bound=run.lower_bound,
        is_must=np.arange(m) < len(must),
        pairs=np.concatenate([must, cannot]),
        implied=np.zeros(m, dtype=bool),
        above=np.full(m, run.objective),
        below=np.zeros(m),
    )
    implied, above = start.implied.copy(), start.above.copy()
    for row in range(m):
        smaller = start.without([row])
        implied[row] = _asks_the_same(problem, smaller)
        if not implied[row]:
            above[row] = _cost_without(smaller, start.labels, above[row])
    prices = replace(start, implied=implied, above=above)
    return replace(prices, todo=_first_groups(prices))


def _check(run: Run, solver: Solver) -> None:
    problem = run.problem
    if run.incumbent is None or not run.incumbent.violations.none_hard:
        raise CcvizError("This run has no clustering that keeps the links, so no prices.")
    if problem.is_soft or problem.rules:
        raise UnsupportedError("Prices are those of hard links, without soft ones and rules.")
    if not np.isfinite(run.lower_bound):
        raise CcvizError("Prices need a lower bound: run an exact solver first.")
    if not solver.supports.exact:
        raise UnsupportedError(f"{solver.name} proves no optimum, so no price.")
    check(solver, problem)


def _asks_the_same(problem: Problem, smaller: Problem) -> bool:
    """Return whether a problem without a link has the same blocks and conflicts."""
    one, other = contract(problem), contract(smaller)
    return (
        one.s == other.s
        and bool((one.block_of == other.block_of).all())
        and np.array_equal(one.conflicts, other.conflicts)
    )


def _cost_without(smaller: Problem, labels: IntArray, cost: float) -> float:
    """Return the cost of a clustering without a link, by a descent from the one with it."""
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    found = repaired(smaller, labels, exchanges=True)
    if found is None:
        return cost
    partition = Partition(smaller, found)
    return min(cost, partition.wcss) if partition.violations.none_hard else cost


def _first_groups(prices: Prices) -> tuple[tuple[int, ...], ...]:
    """Return a group for each link with a price, the highest first, then one of all others."""
    lower, _ = prices._limits()
    is_open = ~prices._proved()
    costly = np.flatnonzero(is_open & (lower > 0.0))
    free = np.flatnonzero(is_open & (lower <= 0.0))
    singles = [(int(row),) for row in costly[np.argsort(-lower[costly], kind="stable")]]
    return (*singles, *([tuple(free.tolist())] if len(free) else []))


def refined(prices: Prices, solver: Solver, time_limit: float | None = None) -> Prices:
    """Return the prices after one more proof, that of the first group that waits.

    Parameters
    ----------
    prices : Prices
        With a group in ``todo``.
    solver : Solver
    time_limit : float, optional
        Seconds; a proof that takes longer leaves its limits where they are by then.
    """
    group, *rest = prices.todo
    smaller = prices.without(group)
    result = solve(smaller, solver, start=prices.labels, time_limit=time_limit, progress=False)
    below, above = prices.below.copy(), prices.above.copy()
    rows = list(group)
    below[rows] = np.maximum(below[rows], result.lower_bound)
    labels = prices.labels
    if result.labels is not None:
        for row in rows:
            if Partition(prices.without([row]), result.labels).violations.none_hard:
                above[row] = min(above[row], result.objective)
        whole = Partition(prices.problem, result.labels)
        if whole.violations.none_hard and whole.wcss < prices.objective:
            labels = result.labels  # the run had not proved its optimum
    prices = replace(prices, labels=labels, above=above, below=below, todo=tuple(rest))
    return replace(prices, todo=(*_split(prices, group, result.labels), *rest))


def _split(
    prices: Prices, group: tuple[int, ...], labels: IntArray | None
) -> list[tuple[int, ...]]:
    """Return the groups that a group without a sufficient bound falls into.

    The links that the better clustering breaks may cost something, and each gets a proof of its
    own; the others stay together.
    """
    proved = prices._proved()
    left = [row for row in group if not proved[row]]
    if len(group) == 1 or not left:
        return []
    if labels is not None:
        apart = labels[prices.pairs[left, 0]] != labels[prices.pairs[left, 1]]
        broken = apart == prices.is_must[left]
        singles = [(row,) for row, is_broken in zip(left, broken, strict=True) if is_broken]
        kept = tuple(row for row, is_broken in zip(left, broken, strict=True) if not is_broken)
        if singles:
            return [*singles, *([kept] if kept else [])]
    half = len(left) // 2
    return [tuple(part) for part in (left[:half], left[half:]) if part]
