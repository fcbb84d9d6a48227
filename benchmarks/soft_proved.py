"""Proofs under soft links, and how far heuristics are from the optimum.

Links are drawn from the classes of sets of Piccialli et al. (2022), in per cent of which some have
the wrong kind. Each has a confidence c, drawn from 0.6 to 1 for a right link and from 0.5 to 0.8
for a wrong one; breaking it costs 2 c - 1 times the mean squared distance of a point to the mean of
all. Features are standardised. `sdp` to a gap of 1e-4, one thread, CPU seconds; `bh-kmeans` and
`pccc` with ten starts each. Every proof is checked by `ccviz.proof.verify`.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, solve
from ccviz.data.random_links import random_pairs
from ccviz.data.scaling import scale

SETS = ("iris", "wine", "seeds", "glass", "ecoli", "accent")
TOLERANCE = 1e-4
HEURISTICS = ("bh-kmeans", "pccc")
STARTS = 10


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(60, 2))
    problem = Problem(points, 3, must_link=[(0, 1, 0.5)], cannot_link=[(2, 3, 0.5)])
    for solver in ("sdp", *HEURISTICS):
        solve(problem, solver, progress=False)


def problem_of(which: str, links: int, wrong: int, seed: int) -> Problem:
    X, truth = runner.suite_set(which)
    X = scale(X, "standard")
    drawn = random_pairs(truth, links, wrong / 100, seed)
    rng = np.random.default_rng(seed)
    worth = float(((X - X.mean(axis=0)) ** 2).sum()) / len(X)
    given = [
        [(i, j, worth * confidence(rng, (truth[i] == truth[j]) == same)) for i, j in pairs.tolist()]
        for pairs, same in ((drawn.must_link, True), (drawn.cannot_link, False))
    ]
    k = len(np.unique(truth))
    return Problem(X, k, must_link=given[0], cannot_link=given[1], truth=truth)


def confidence(rng: np.random.Generator, is_right: bool) -> float:
    """Return 2 c - 1 of a link's confidence c."""
    return 2.0 * float(rng.uniform(0.6, 1.0) if is_right else rng.uniform(0.501, 0.8)) - 1.0


def percent(share: float) -> str:
    """Return a share in per cent; what rounds to nothing has no sign.

    The optimum is compared as written, in nine digits, so one that a heuristic finds too may look
    a few 1e-9 above it. A share below -0.005 % would still show its minus: a false proof.
    """
    return f"{round(100 * share, 2) + 0.0:.2f} %"


def measure(options: Namespace, *instance: Any) -> dict[str, Any]:
    problem = problem_of(*instance)
    cells, _ = runner.proved(problem, "sdp", TOLERANCE, options.cpu_limit, gap=1.0)
    for solver in HEURISTICS:
        found = solve(problem, solver, seed=0, n_init=STARTS, progress=False)
        cells[f"{solver}_above"] = f"{found.objective / float(cells['objective']) - 1.0:.2e}"
    return {"n": problem.n, "k": problem.k, **cells}


def page(rows: runner.Rows) -> str:
    above = "{bh-kmeans_above} | {pccc_above}"
    return runner.laid_out(
        "set | n, k | links | wrong | objective | status | gap | checked gap | CPU seconds "
        "| BH-kmeans above | PCCC above",
        "{set} | {n}, {k} | {links} | {wrong_percent} % | {objective} | {status} | {gap} "
        f"| {{verified_gap}} | {{cpu_s}} | {above}",
        (
            row | {name: percent(float(row[name])) for name in row if name.endswith("_above")}
            for row in rows
        ),
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "soft_proved", ("set", "links", "wrong_percent", "seed"),
        lambda given: product(given.only, given.links, given.wrong, given.seeds), measure, page,
        warm_up=warm_up, only=SETS, links=[50, 100, 150], wrong=[0, 10, 20], seeds=[0],
        cpu_limit=300.0,
    )  # fmt: skip
