"""Wrong links by their prices: twelve sets, 100 links from the classes, 5 or 10 % of them wrong.

    python benchmarks/living_prices.py [--bench DIR] [--only NAME ...] [--draws 20] [--proved 2]
                                       [--table]

Columns are standardised, and what is missing is the median. A draw whose links cannot be kept is
drawn again. The links are ordered by their prices and by four rivals: by distance (long must-links,
short cannot-links), by what they would cost at the centres of a clustering without links, by a
sweep of penalties (how high a weight still leaves the link broken by pccc), and by chance. A row
holds how many wrong links are among the first ten of each order. On the first six sets both limits
of each price are proved in the first ``--proved`` draws, until one has taken two minutes; in the
others, and on the other sets, the order is that of the first estimates, from the root node alone.
Draws take turns over the sets, one thread, CPU seconds. The last row of a draw counts, so that a
draw of estimates can be proved in a later run.
`--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402
from sklearn.datasets import load_breast_cancer  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.arrays import FloatArray, IntArray  # noqa: E402
from ccviz.data import random_pairs  # noqa: E402
from ccviz.data.read_table import read_table  # noqa: E402
from ccviz.data.scaling import scale  # noqa: E402
from ccviz.errors import ContradictionError  # noqa: E402
from ccviz.feasibility.check import check_feasibility  # noqa: E402
from ccviz.problem.links import Links  # noqa: E402
from ccviz.studies.link_prices import price_steps  # noqa: E402

RESULTS = Path(__file__).parent / "results"
ROWS = RESULTS / "living_wrong.csv"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
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


def main() -> None:
    """Measure what is not in the table yet, and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets")
    parser.add_argument("--only", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--proved", type=int, default=2, help="draws whose prices are proved")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    asked = parser.parse_args()
    if not asked.table:
        measure(asked)
    (RESULTS / "living_wrong.md").write_text(summary(), encoding="utf-8")


def measure(asked: argparse.Namespace) -> None:
    """Add the rows that are missing, a draw of each set at a time."""
    points = {name: points_of(name, asked.bench) for name in asked.only}
    last = {(name, wrong): -1 for name in asked.only for wrong in WRONG}
    for number in range(asked.draws):
        for (name, wrong), seed in last.items():
            drawn, last[name, wrong] = next_draw(*points[name], wrong, seed + 1)
            priced = name in PROVED and number < asked.proved
            row = latest_rows().get((name, str(wrong), str(number)))
            if row is None or (priced and not row["proved"]):
                append_row(ROWS, row_of(name, wrong, number, drawn, priced))


def latest_rows() -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the last row of each draw, by its set, its part of wrong links and its number."""
    return {(row["set"], row["wrong"], row["draw"]): row for row in read_rows(ROWS)}


def points_of(name: str, bench: Path) -> tuple[FloatArray, IntArray]:
    """Return a set's standardised points and its classes."""
    if name == "breast cancer":
        X, truth = load_breast_cancer(return_X_y=True)
    elif name in PROVED:
        folder = bench / "pc-sos-sdp"
        X = np.loadtxt(folder / "data" / f"{name}.txt", skiprows=1)
        truth = np.loadtxt(folder / "labels" / f"{name}.txt", dtype=np.int64)
    else:
        path = bench / "classes" / f"{name}.csv"
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


def row_of(name: str, wrong: float, number: int, drawn: Draw, priced: bool) -> dict[str, Any]:
    """Return the row of a draw, with proved prices or with estimates."""
    began = time.process_time()
    nodes = None if priced else 1
    run = solve(drawn.problem, "sdp", time_limit=COLD_S, node_limit=nodes, progress=False).run
    cold = time.process_time() - began
    began, first = time.process_time(), 0.0
    for step in price_steps(run, prove=priced, time_limit=PROOF_S):
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
        "set": name, "wrong": wrong, "draw": number, "n": drawn.problem.n, "k": drawn.problem.k,
        "gap": round(run.gap, 6), "cold_s": round(cold, 2), "first_s": round(first, 2),
        "all_s": round(whole, 2) if priced else "", "links": LINKS,
        "proved": int(known.is_proved().sum()) if priced else "",
        "wrong_links": int(drawn.is_wrong.sum()),
        **{order: int(drawn.is_wrong[rows[:TOP]].sum()) for order, rows in orders.items()},
    }  # fmt: skip


def by_distance(drawn: Draw) -> IntArray:
    """Order links by how far apart (must) or near (cannot) their points are among all pairs."""
    return np.argsort(-_farness(drawn), kind="stable")


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


def summary() -> str:
    """Return the table as Markdown: per set and share, totals over the draws."""
    rows = list(latest_rows().values())
    lines = [
        "# Wrong links by their prices", "",
        f"{TOP} first links of {LINKS}; `python benchmarks/living_prices.py`. Chance is the number "
        "of wrong links that a random order puts there. Rate: wrong links by price over those by "
        f"chance, at least {ASKED:g} asked. Proved: prices of which both limits are, and in how "
        "many draws; the others have estimates.", "",
        "| set | wrong | draws | chance | price | distance | centres | sweep | rate | proved "
        "| cold gap | cold, s | first limits, s | all limits, s |",
        f"|{'---|' * 14}",
    ]  # fmt: skip
    lines += [
        _line(name, wrong, found)
        for name in SETS
        for wrong in WRONG
        if (found := [r for r in rows if r["set"] == name and r["wrong"] == str(wrong)])
    ]
    lines += ["", *_verdict(rows), ""]
    return "\n".join(lines)


def _mean(rows: list[dict[str, str]], column: str) -> float:
    return statistics.fmean(float(row[column]) for row in rows)


def _chance(rows: list[dict[str, str]]) -> float:
    return TOP * _mean(rows, "wrong_links") / LINKS


def _line(name: str, wrong: float, rows: list[dict[str, str]]) -> str:
    orders = " | ".join(f"{_mean(rows, order):.2f}" for order in ORDERS)
    rate = _mean(rows, "price") / _chance(rows)
    priced = [row for row in rows if row["proved"]]
    proved = f"{_mean(priced, 'proved'):.1f} % in {len(priced)}" if priced else "estimates"
    gap = statistics.median(float(row["gap"]) for row in rows)
    whole = f"{_median(priced, 'all_s'):.1f}" if priced else ""
    return (
        f"| {name} | {wrong:.0%} | {len(rows)} | {_chance(rows):.2f} | {orders} | {rate:.1f} "
        f"| {proved} | {gap:.1e} | {_median(rows, 'cold_s'):.1f} | {_median(rows, 'first_s'):.2f} "
        f"| {whole} |"
    )


def _median(rows: list[dict[str, str]], column: str) -> float:
    return statistics.median(float(row[column]) for row in rows)


def _verdict(rows: list[dict[str, str]]) -> list[str]:
    """Return how often the rate is reached, and what beats the prices."""
    lines = []
    for wrong in WRONG:
        cells = {
            name: found
            for name in SETS
            if (found := [r for r in rows if r["set"] == name and r["wrong"] == str(wrong)])
        }
        reached = [n for n, c in cells.items() if _mean(c, "price") >= ASKED * _chance(c)]
        lines.append(
            f"- {wrong:.0%} wrong: {ASKED:g} times chance on {len(reached)} of {len(cells)} sets."
        )
        for order in ORDERS[1:]:
            better = [n for n, c in cells.items() if _mean(c, order) > _mean(c, "price")]
            if better:
                lines.append(f"  - *{order}* finds more on {', '.join(better)}.")
    return lines


if __name__ == "__main__":
    main()
