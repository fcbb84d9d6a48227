"""Which of the two exact solvers is faster, by the points a cluster holds: n/k.

Seeded blobs in the plane, n = 50 to 300 points, k = 2 to 50 clusters, n/5 links that follow the
blobs; both solvers to the same gap, one process each, CPU seconds. Cases of many points a cluster
and few points come first.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner
import numpy as np
from sklearn.datasets import make_blobs

from ccviz import Problem, start
from ccviz.bounds import relative_gap
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened
from ccviz.solvers import Context, make_solver

POINTS = (50, 100, 150, 200, 300)
CLUSTERS = (2, 3, 5, 10, 20, 50)
SOLVERS = ("sdp", "colgen")
TOLERANCE = 1e-5


def blobs(n: int, k: int) -> Problem:
    """Draw overlapping blobs and links between random pairs, must-link if of one blob."""
    X, classes = make_blobs(n, 2, centers=k, cluster_std=1.5, random_state=n + k)
    pairs = np.random.default_rng(n + k).choice(n, size=(n // 5, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def proved(row: dict[str, str]) -> bool:
    return float(row["gap"]) <= TOLERANCE


def pairs_of(rows: list[dict[str, str]]) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the two solvers' rows on the same problem, those with more points a cluster last."""
    table = {(int(row["n"]), int(row["k"]), row["solver"]): row for row in rows}
    cases = {(n, k) for n, k, _ in table}
    for n, k in sorted(cases, key=lambda case: (case[0] / case[1], case[0])):
        if all((n, k, solver) in table for solver in SOLVERS):
            yield table[n, k, "sdp"], table[n, k, "colgen"]


def cell(row: dict[str, str]) -> str:
    return row["cpu_s"] if proved(row) else f"({row['cpu_s']}, {row['gap']})"


def verdict(rows: list[dict[str, str]]) -> list[str]:
    """Say how often each was first, by points a cluster."""
    lines = []
    for low, high in ((2, 6), (6, 12), (12, 26), (26, 60), (60, 151)):
        wins = {"sdp": 0, "colgen": 0}
        for sdp, colgen in pairs_of(rows):
            if low <= int(sdp["n"]) / int(sdp["k"]) < high and (proved(sdp) or proved(colgen)):
                wins[first(sdp, colgen)] += 1
        if sum(wins.values()):
            lines.append(
                f"- {low} <= n/k < {high}: column generation first in {wins['colgen']} of "
                f"{sum(wins.values())}."
            )
    return lines


def first(sdp: dict[str, str], colgen: dict[str, str]) -> str:
    if proved(sdp) != proved(colgen):
        return "sdp" if proved(sdp) else "colgen"
    return "colgen" if float(colgen["cpu_s"]) < float(sdp["cpu_s"]) else "sdp"


def cases(_: Namespace) -> Iterator[tuple[int, int, str]]:
    return (case for case in product(POINTS, CLUSTERS, SOLVERS) if 2 * case[1] <= case[0])


def measure(options: Namespace, n: int, k: int, solver: str) -> dict[str, Any]:
    """Run a solver for a number of CPU seconds, since other work on the machine must not count."""
    objective, bound, nodes, limit_s = np.inf, 0.0, 0, options.time_limit
    began = time.process_time()
    context = Context(stop=lambda: time.process_time() - began > limit_s)
    for event in make_solver(solver, tolerance=TOLERANCE).steps(blobs(n, k), context):
        match event:
            case IncumbentFound():
                objective = event.objective
            case BoundImproved():
                bound = event.lower_bound
            case NodeOpened():
                nodes += 1
    found = {"limit_s": f"{limit_s:g}", "objective": f"{objective:.9g}"}
    found |= {"gap": f"{relative_gap(objective, bound):.1e}", "nodes": nodes}
    return found | {"cpu_s": f"{time.process_time() - began:.2f}"}


HEAD = f"""# Column generation against the SDP solver

Seeded blobs in the plane, n/5 links, both to a gap of {TOLERANCE:g}; CPU seconds of one
process. A time in brackets is that of a run its limit ended, with the gap it came to.

"""


def page(rows: runner.Rows) -> str:
    lines = []
    for sdp, colgen in pairs_of(rows):
        n, k = int(sdp["n"]), int(sdp["k"])
        ended = proved(sdp), proved(colgen)
        mark = {(True, True): "", (False, True): ">", (True, False): "<"}.get(ended)
        shown = "neither" if mark is None else f"{mark}{ratio(sdp, colgen):.2g}"
        lines.append([f"{n / k:.3g}", n, k, cell(sdp), cell(colgen), shown])
    table = runner.markdown(
        "n/k | n | k | SDP s | column generation s | SDP / column generation", lines
    )
    return HEAD + "\n".join([table, *verdict(rows)]) + "\n"


def ratio(sdp: runner.Row, colgen: runner.Row) -> float:
    return float(sdp["cpu_s"]) / float(colgen["cpu_s"])


def warm_up() -> None:
    for solver in SOLVERS:
        start(blobs(40, 3), solver).result()


if __name__ == "__main__":
    runner.run(
        __doc__, "colgen_against_sdp", ("n", "k", "solver"), cases, measure, page,
        warm_up=warm_up, time_limit=60.0,
    )  # fmt: skip
