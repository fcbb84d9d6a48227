"""Wrong links by their prices: twelve sets, 100 links from the classes, 5 or 10 % of them wrong.

Columns are standardised, and what is missing is the median. A draw whose links cannot be kept is
drawn again. The links are ordered by their prices and by four rivals: by distance (long must-links,
short cannot-links), by what they would cost at the centres of a clustering without links, by a
sweep of penalties (how high a weight still leaves the link broken by pccc), and by chance. A row
holds how many wrong links are among the first ten of each order. On the first six sets both limits
of each price are proved in the first ``--proved`` draws, until one has taken two minutes; in the
others, and on the other sets, the order is that of the first estimates, from the root node alone.
Draws take turns over the sets, one thread, CPU seconds. The last row of a draw counts, so that a
draw of estimates can be proved in a later run.
"""

from __future__ import annotations

import statistics
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import _runner as runner
import numpy as np
from sklearn.datasets import load_breast_cancer

from ccviz import Problem, solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.data import random_pairs
from ccviz.data.read_table import read_table
from ccviz.data.scaling import scale
from ccviz.errors import ContradictionError
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.links import Links
from ccviz.studies.link_prices import price_steps

PROVED = ("iris", "wine", "seeds", "glass", "ecoli", "accent")
ESTIMATED = ("ionosphere", "sonar", "zoo", "soybean", "vehicle", "breast cancer")
SETS = PROVED + ESTIMATED
WRONG = (0.05, 0.1)
LINKS, TOP, ASKED = 100, 10, 3.0
COLD_S, PROOF_S, DRAW_S = 300.0, 60.0, 120.0
"""Limits in seconds: of a cold proof and of a price's, by the clock, and of a draw, CPU."""
WEIGHTS = tuple(2.0**power for power in range(-4, 6))
"""Penalties of the sweep, as multiples of the mean squared distance to a centre."""
ORDERS = ("price", "distance", "centres", "sweep")


@dataclass(frozen=True, eq=False)
class Draw:
    """A problem with drawn links, and which of them are wrong, must-links first."""

    problem: Problem
    is_wrong: np.ndarray

    @property
    def pairs(self) -> IntArray:
        """(m, 2) int64."""
        return np.concatenate([self.problem.must_link.pairs, self.problem.cannot_link.pairs])

    @property
    def is_must(self) -> np.ndarray:
        """(m,) bool."""
        return np.arange(len(self.pairs)) < len(self.problem.must_link)


def points_of(name: str) -> tuple[FloatArray, IntArray]:
    if name == "breast cancer":
        X, truth = load_breast_cancer(return_X_y=True)
    elif name in PROVED:
        X, truth = runner.suite_set(name)
    else:
        path = runner.BENCH / "classes" / f"{name}.csv"
        last = path.open().readline().strip().split(",")[-1].strip('"')
        data = read_table(str(path), path.name, label=last, missing="median")
        X, truth = data.X, data.truth
    return scale(X, "standard"), np.unique(truth, return_inverse=True)[1]


def next_draw(X: FloatArray, truth: IntArray, wrong: float, seed: int) -> tuple[Draw, int]:
    """Return the first draw from a seed on whose links can be kept, and its seed."""
    while True:
        links = random_pairs(truth, LINKS, wrong, seed)
        try:
            problem = Problem(X, int(truth.max()) + 1, links.must_link, links.cannot_link)
        except ContradictionError:
            seed += 1
            continue
        if not check_feasibility(problem).feasible:
            seed += 1
            continue
        same = [truth[pairs[:, 0]] == truth[pairs[:, 1]]
                for pairs in (links.must_link, links.cannot_link)]  # fmt: skip
        return Draw(problem, np.concatenate([~same[0], same[1]])), seed


def _farness(drawn: Draw) -> FloatArray:
    """Return the share of all pairs that are nearer (must) or farther (cannot)."""
    X = drawn.problem.X
    square = (X**2).sum(axis=1)
    everywhere = square[:, None] + square[None, :] - 2.0 * X @ X.T
    every = np.sort(everywhere[np.triu_indices(len(X), 1)])
    i, j = drawn.pairs.T
    nearer = np.searchsorted(every, everywhere[i, j]) / len(every)
    return np.where(drawn.is_must, nearer, 1.0 - nearer)


def by_centres(drawn: Draw) -> IntArray:
    """Order links by the least rise at the fixed centres of a clustering without links."""
    problem = drawn.problem
    free = solve(Problem(problem.X, problem.k), "hg-means", progress=False)
    centers = np.stack([problem.X[free.labels == c].mean(axis=0) for c in range(problem.k)])
    cost = ((problem.X[:, None, :] - centers) ** 2).sum(axis=2)
    rises = []
    for (i, j), is_must in zip(drawn.pairs.tolist(), drawn.is_must.tolist(), strict=True):
        both = cost[i][:, None] + cost[j][None, :]
        allowed = np.diag(both) if is_must else both[~np.eye(problem.k, dtype=bool)]
        rises.append(allowed.min() - both.min())
    return np.lexsort((-_farness(drawn), -np.array(rises)))


def by_sweep(drawn: Draw) -> IntArray:
    """Order links by the highest penalty at which they are still broken."""
    problem = drawn.problem
    unit = float(((problem.X - problem.X.mean(axis=0)) ** 2).sum(axis=1).mean())
    highest = np.zeros(len(drawn.pairs))
    for weight in WEIGHTS:
        must, cannot = (
            Links(links.pairs, np.full(len(links), weight * unit))
            for links in (problem.must_link, problem.cannot_link)
        )
        soft = replace(problem, must_link=must, cannot_link=cannot, asked=None)
        labels = solve(soft, "pccc", progress=False).labels
        if labels is not None:
            apart = labels[drawn.pairs[:, 0]] != labels[drawn.pairs[:, 1]]
            highest[apart == drawn.is_must] = weight
    return np.lexsort((-_farness(drawn), -highest))


def by_distance(drawn: Draw) -> IntArray:
    """Order links by how far apart (must) or near (cannot) their points are among all pairs."""
    return np.argsort(-_farness(drawn), kind="stable")


def measure(options: Namespace) -> None:
    """Add the rows that are missing, a draw of each set at a time."""
    points = {name: points_of(name) for name in options.only}
    last = {(name, wrong): -1 for name in options.only for wrong in WRONG}
    for number in range(options.draws):
        for (name, wrong), seed in last.items():
            drawn, last[name, wrong] = next_draw(*points[name], wrong, seed + 1)
            priced = name in PROVED and number < options.proved
            row = latest_rows().get((name, str(wrong), str(number)))
            if row is None or (priced and not row["proved"]):
                key = {"set": name, "wrong": wrong, "draw": number}
                runner.append_row(ROWS, key | row_of(drawn, priced))


ROWS = runner.RESULTS / "living_wrong.csv"


def latest_rows() -> dict[tuple[str, str, str], runner.Row]:
    """Return the last row of each draw, by its set, its part of wrong links and its number."""
    return {(row["set"], row["wrong"], row["draw"]): row for row in runner.read_rows(ROWS)}


def row_of(drawn: Draw, priced: bool) -> dict[str, Any]:
    """Return the row of a draw, with proved prices or with estimates."""
    limits = {"time_limit": COLD_S, "node_limit": None if priced else 1, "progress": False}
    result, cold = runner.timed(solve, drawn.problem, "sdp", **limits)
    began, first = time.process_time(), 0.0
    for step in price_steps(result.run, prove=priced, time_limit=PROOF_S):
        known = step
        first = first or time.process_time() - began
        if time.process_time() - began > DRAW_S:
            break
    whole = time.process_time() - began
    lower, upper = known.limits()
    orders = {
        "price": np.lexsort((known.above, -upper, -lower)),
        "distance": by_distance(drawn),
        "centres": by_centres(drawn),
        "sweep": by_sweep(drawn),
    }
    return {
        "n": drawn.problem.n, "k": drawn.problem.k, "gap": round(result.run.gap, 6),
        "cold_s": round(cold, 2), "first_s": round(first, 2),
        "all_s": round(whole, 2) if priced else "", "links": LINKS,
        "proved": int(known.is_proved().sum()) if priced else "",
        "wrong_links": int(drawn.is_wrong.sum()),
        **{order: int(drawn.is_wrong[rows[:TOP]].sum()) for order, rows in orders.items()},
    }  # fmt: skip


HEAD = f"""# Wrong links by their prices

{TOP} first links of {LINKS}; `python benchmarks/living_prices.py`. Chance is the number \
of wrong links that a random order puts there. Rate: wrong links by price over those by \
chance, at least {ASKED:g} asked. Proved: prices of which both limits are, and in how \
many draws; the others have estimates.

"""


def page(rows: runner.Rows) -> str:
    """Return the table, per set and share over the draws, and a verdict."""
    cells = {
        (wrong, name): found
        for name, wrong in product(SETS, WRONG)
        if (found := [row for row in rows if (row["set"], row["wrong"]) == (name, str(wrong))])
    }
    table = runner.markdown(
        "set | wrong | draws | chance | price | distance | centres | sweep | rate | proved "
        "| cold gap | cold, s | first limits, s | all limits, s",
        [_line(name, wrong, found) for (wrong, name), found in cells.items()],
    )
    return "\n".join([HEAD + table, *_verdict(cells)]) + "\n"


def _values(rows: runner.Rows, column: str) -> list[float]:
    return [float(row[column]) for row in rows]


def _mean(rows: runner.Rows, column: str) -> float:
    return statistics.fmean(_values(rows, column))


def _chance(rows: runner.Rows) -> float:
    return TOP * _mean(rows, "wrong_links") / LINKS


def _line(name: str, wrong: float, rows: runner.Rows) -> list[object]:
    priced = [row for row in rows if row["proved"]]
    gap, cold, first = (
        statistics.median(_values(rows, column)) for column in ("gap", "cold_s", "first_s")
    )
    return [
        name, f"{wrong:.0%}", len(rows), f"{_chance(rows):.2f}",
        *(f"{_mean(rows, order):.2f}" for order in ORDERS),
        f"{_mean(rows, 'price') / _chance(rows):.1f}",
        f"{_mean(priced, 'proved'):.1f} % in {len(priced)}" if priced else "estimates",
        f"{gap:.1e}", f"{cold:.1f}", f"{first:.2f}",
        f"{statistics.median(_values(priced, 'all_s')):.1f}" if priced else "",
    ]  # fmt: skip


def _verdict(cells: dict[tuple[float, str], runner.Rows]) -> Iterator[str]:
    """Yield how often the rate is reached, and what beats the prices."""
    for wrong in WRONG:
        own = {name: found for (share, name), found in cells.items() if share == wrong}
        reached = [n for n, c in own.items() if _mean(c, "price") >= ASKED * _chance(c)]
        yield f"- {wrong:.0%} wrong: {ASKED:g} times chance on {len(reached)} of {len(own)} sets."
        for order in ORDERS[1:]:
            better = [n for n, c in own.items() if _mean(c, order) > _mean(c, "price")]
            if better:
                yield f"  - *{order}* finds more on {', '.join(better)}."


if __name__ == "__main__":
    options = runner.parse(__doc__, only=SETS, draws=20, proved=2, table=False)
    if not options.table:
        measure(options)
    runner.write_page("living_wrong", page(list(latest_rows().values())))
