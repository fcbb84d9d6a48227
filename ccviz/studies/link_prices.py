"""The price of a link: the rise of the optimum that it causes, between two proved bounds.

For a problem P and a link l of it the price is OPT(P) - OPT(P without l). With a clustering of cost
U and a lower bound L of both problems it lies

    between  max(0, L(P) - U(P without l))  and  U(P) - L(P without l).

A clustering for P without l comes from the one of P by a descent: it gives a first lower limit
within milliseconds. A proof gives the upper one. Links that cost nothing share a proof: with all
links of a group S left out, OPT(P without S) <= OPT(P without l) for each l of S, so one lower
bound limits all their prices. Only where it does not suffice the group is split. A proof begins
with the multipliers of an earlier one, and ends at the gap that a proved price allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from math import inf

import numpy as np

from ccviz.api import solve
from ccviz.arrays import IntArray
from ccviz.bounds import relative_gap
from ccviz.errors import CcvizError
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import Start
from ccviz.runs.kept_tree import Earlier, goes_on, kept_tree
from ccviz.runs.run import Result, Run
from ccviz.solvers import Solver
from ccviz.studies.near_problem import check_bounded, descended
from ccviz.studies.price_table import PROVED_WIDTH, LinkPrice, Prices, unpriced

_SAFE = 0.9
"""Share of the width up to which a price is proved that the gaps may take up."""


def link_prices(
    run: Run, *, prove: bool = True, solver: str | Solver = "sdp", time_limit: float | None = None
) -> tuple[LinkPrice, ...]:
    """Return the price of each link of a run's problem, the highest first.

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

    Raises
    ------
    CcvizError
        If the run has no clustering that keeps the links, or no lower bound.
    UnsupportedError
        If the problem has rules, or the solver proves no bounds.
    """
    *_, last = price_steps(run, prove=prove, solver=solver, time_limit=time_limit)
    return last.rows


def price_steps(
    run: Run,
    *,
    prove: bool = True,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
    known: Prices | None = None,
) -> Iterator[Prices]:
    """Yield what is known of the prices: first estimates, then again after each proof.

    It takes what `link_prices` takes, and what was known before, without which the estimates are
    made first; the errors are the same.
    """
    chosen = check_priced(run, solver)
    prices = known or estimated(run)
    yield prices
    before: Result | None = None
    while prove and prices.todo:
        prices, result = refined(prices, chosen, time_limit, before)
        yield prices
        if result.nodes == 1:  # multipliers help the next proof, decisions made for this one do not
            before = result


def group_price(
    run: Run,
    must_link: Iterable[Sequence[int]] = (),
    cannot_link: Iterable[Sequence[int]] = (),
    *,
    prove: bool = True,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
) -> tuple[float, float]:
    """Return limits of what several links raise the optimum by together, in its units.

    It is the optimum less that without all of them, and no sum of their prices. The run and how to
    prove are given as for `link_prices`, and the errors are the same.

    Parameters
    ----------
    must_link, cannot_link : iterable of (i, j)
        Pairs of the run's links.

    Raises
    ------
    CcvizError
        If the run has no such link.
    """
    chosen = check_priced(run, solver)
    whole = unpriced(run)
    links = zip(
        np.where(whole.is_must, "must", "cannot").tolist(), whole.pairs.tolist(), strict=True
    )
    place = {(kind, *pair): at for at, (kind, pair) in enumerate(links)}
    asked = {("must", *sorted(pair)) for pair in must_link}
    asked |= {("cannot", *sorted(pair)) for pair in cannot_link}
    for kind, i, j in sorted(asked - place.keys()):
        raise CcvizError(f"the run has no {kind}-link {i}-{j}.")
    smaller = whole.without(rows := [place[link] for link in asked])
    above, below = _cost_without(smaller, whole.labels), 0.0
    if prove:
        start = Start(whole.labels)
        found = solve(
            smaller, _no_closer(chosen, whole), start=start, time_limit=time_limit, progress=False
        )
        above, below = min(above, found.objective), max(below, found.lower_bound)
    lower = max(0.0, whole.lower_bound - above)
    # Without soft links a clustering is cheaper by their weights at most.
    upper = min(whole.objective - below, float(whole.weights[rows].sum()))
    return lower, max(lower, upper)


def estimated(run: Run) -> Prices:
    """Return first prices of a checked run's links, with the proofs that they wait for."""
    start = unpriced(run)
    links = (start.problem.must_link, start.problem.cannot_link)
    is_hard = np.concatenate([each.is_hard for each in links])
    implied, above = start.implied.copy(), start.above.copy()
    for row in range(len(above)):
        smaller = start.without([row])
        implied[row] = is_hard[row] and _asks_the_same(start.problem, smaller)
        if not implied[row]:
            above[row] = _cost_without(smaller, start.labels)
    prices = replace(start, implied=implied, above=above)
    return replace(prices, todo=_first_groups(prices))


def check_priced(run: Run, solver: str | Solver) -> Solver:
    """Return the solver that is to prove prices of a run; the errors are those of `link_prices`."""
    no_rules = "Links have prices only where no rules are kept beside them."
    return check_bounded(run, solver, "price", no_rules)


def _asks_the_same(problem: Problem, smaller: Problem) -> bool:
    """Return whether a problem without a hard link has the same blocks and conflicts."""
    one, other = contract(problem), contract(smaller)
    return (
        one.s == other.s
        and bool((one.block_of == other.block_of).all())
        and np.array_equal(one.conflicts, other.conflicts)
    )


def _cost_without(smaller: Problem, labels: IntArray) -> float:
    """Return the cost of a clustering without a link, by a descent from the one with it."""
    cost = Partition(smaller, labels).objective  # less its weight, if it is soft and broken
    found = descended(smaller, labels)
    return cost if found is None else min(cost, found.objective)


def _first_groups(prices: Prices) -> tuple[tuple[int, ...], ...]:
    """Return a group for each link with a price, the highest first, then one of all others."""
    lower, _ = prices.limits()
    is_open = ~prices.is_proved()
    costly = np.flatnonzero(is_open & (lower > 0.0))
    free = np.flatnonzero(is_open & (lower <= 0.0))
    singles = [(int(row),) for row in costly[np.argsort(-lower[costly], kind="stable")]]
    return (*singles, *([tuple(free.tolist())] if len(free) else []))


def refined(
    prices: Prices,
    solver: Solver,
    time_limit: float | None = None,
    before: Result | None = None,
) -> tuple[Prices, Result]:
    """Return the prices after one more proof, that of the first group that waits, and the proof.

    Parameters
    ----------
    time_limit : float, optional
        Seconds; a proof that takes longer leaves its limits where they are by then.
    before : Result, optional
        A proof of the problem without another group: its tree goes on in this one.
    """
    group, *rest = prices.todo
    smaller = prices.without(group)
    solver = _no_closer(solver, prices)
    start = _start(prices, smaller, solver, before)
    result = solve(smaller, solver, start=start, time_limit=time_limit, progress=False)
    below, above = prices.below.copy(), prices.above.copy()
    rows = list(group)
    below[rows] = np.maximum(below[rows], result.lower_bound)
    labels = prices.labels
    if result.labels is not None:
        for row in rows:
            found = Partition(prices.without([row]), result.labels)
            if found.violations.none_hard:
                above[row] = min(above[row], found.objective)
        whole = Partition(prices.problem, result.labels)
        if whole.violations.none_hard and whole.objective < prices.objective:
            labels = result.labels  # the run had not proved its optimum
    prices = replace(prices, labels=labels, above=above, below=below, todo=tuple(rest))
    return replace(prices, todo=(*_split(prices, group, result.labels), *rest)), result


def _no_closer(solver: Solver, prices: Prices) -> Solver:
    """Return the solver with the widest gap that proves a price, if it has a tolerance.

    The distance of the two limits is at most the gap of the whole problem plus that of the other.
    """
    allowed = _SAFE * PROVED_WIDTH - relative_gap(prices.objective, prices.lower_bound)
    settings = asdict(solver)
    if settings.get("tolerance", allowed) >= allowed:
        return solver
    return replace(solver, tolerance=allowed)  # type: ignore[call-arg]  # it has one


def _start(prices: Prices, smaller: Problem, solver: Solver, before: Result | None) -> Start:
    """Return what a proof begins with: a clustering, and the tree of the proof before."""
    if before is None:
        return Start(prices.labels)
    earlier = Earlier(before.run, tuple(each.event for each in before.records()))
    if not goes_on(smaller, solver, earlier):
        return Start(prices.labels)
    objective = Partition(smaller, prices.labels).objective
    return Start(prices.labels, tree=kept_tree(smaller, solver, earlier, objective, -inf))


def _split(
    prices: Prices, group: tuple[int, ...], labels: IntArray | None
) -> list[tuple[int, ...]]:
    """Return the groups that a group without a sufficient bound falls into.

    The links that the better clustering breaks may cost something, and each gets a proof of its
    own; the others stay together.
    """
    proved = prices.is_proved()
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
