"""Which of the two exact solvers is faster, by the points a cluster holds: n/k.

    python benchmarks/colgen_against_sdp.py [--time-limit SECONDS] [--budget SECONDS]

Seeded blobs in the plane, n = 50 to 300 points, k = 2 to 50 clusters, n/5 links that follow the
blobs; both solvers to the same gap, one process each, CPU seconds. Cases of many points a cluster
and few points come first. A row is added as each run ends; a run that was stopped goes on where it
was. ``--table`` only writes the table and the plot.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _profiles import photograph  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402
from bokeh.embed import file_html  # noqa: E402
from bokeh.models import Span  # noqa: E402
from bokeh.palettes import Viridis6  # noqa: E402
from bokeh.plotting import figure  # noqa: E402
from bokeh.resources import INLINE  # noqa: E402
from sklearn.datasets import make_blobs  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.bounds import relative_gap  # noqa: E402
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened  # noqa: E402
from ccviz.solvers import Context, make_solver  # noqa: E402

POINTS = (50, 100, 150, 200, 300)
CLUSTERS = (2, 3, 5, 10, 20, 50)
SOLVERS = ("sdp", "colgen")
TOLERANCE = 1e-5
RESULTS = Path(__file__).parent / "results" / "colgen_against_sdp.csv"
FIELDS = ("n", "k", "solver", "limit_s", "objective", "gap", "nodes", "cpu_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--budget", type=float, default=float("inf"))
    parser.add_argument("--table", action="store_true", help="only write the table and the plot")
    options = parser.parse_args()
    if not options.table:
        measure_all(options)
    rows = read_rows(RESULTS)
    write_table(rows)
    draw(rows)


def measure_all(options: argparse.Namespace) -> None:
    for solver in SOLVERS:  # load compiled code once
        start(blobs(40, 3), solver).result()
    done = done_keys(RESULTS, ("n", "k", "solver"))
    for n, k, solver in grid():
        if time.process_time() > options.budget:
            return
        if (str(n), str(k), solver) not in done:
            append_row(RESULTS, measure(n, k, solver, options.time_limit), FIELDS)


def grid() -> Iterator[tuple[int, int, str]]:
    for n in POINTS:
        for k in CLUSTERS:
            if 2 * k <= n:
                yield from ((n, k, solver) for solver in SOLVERS)


def blobs(n: int, k: int) -> Problem:
    """Draw overlapping blobs and links between random pairs, must-link if of one blob."""
    X, classes = make_blobs(n, 2, centers=k, cluster_std=1.5, random_state=n + k)
    pairs = np.random.default_rng(n + k).choice(n, size=(n // 5, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def measure(n: int, k: int, solver: str, limit_s: float) -> dict[str, Any]:
    """Run a solver for a number of CPU seconds, since other work on the machine must not count."""
    objective, bound, nodes = np.inf, 0.0, 0
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
    row = {
        "n": n,
        "k": k,
        "solver": solver,
        "limit_s": f"{limit_s:g}",
        "objective": f"{objective:.9g}",
        "gap": f"{relative_gap(objective, bound):.1e}",
        "nodes": nodes,
        "cpu_s": f"{time.process_time() - began:.2f}",
    }
    print(*row.values(), file=sys.stderr, flush=True)
    return row


def proved(row: dict[str, str]) -> bool:
    return float(row["gap"]) <= TOLERANCE


def pairs_of(rows: list[dict[str, str]]) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the two solvers' rows on the same problem, those with more points a cluster last."""
    table = {(int(row["n"]), int(row["k"]), row["solver"]): row for row in rows}
    cases = {(n, k) for n, k, _ in table}
    for n, k in sorted(cases, key=lambda case: (case[0] / case[1], case[0])):
        if all((n, k, solver) in table for solver in SOLVERS):
            yield table[n, k, "sdp"], table[n, k, "colgen"]


def write_table(rows: list[dict[str, str]]) -> None:
    lines = [
        "# Column generation against the SDP solver",
        "",
        f"Seeded blobs in the plane, n/5 links, both to a gap of {TOLERANCE:g}; CPU seconds of one",
        "process. A time in brackets is that of a run its limit ended, with the gap it came to.",
        "",
        "| n/k | n | k | SDP s | column generation s | SDP / column generation |",
        "|---|---|---|---|---|---|",
    ]
    for sdp, colgen in pairs_of(rows):
        n, k = int(sdp["n"]), int(sdp["k"])
        ratio = float(sdp["cpu_s"]) / float(colgen["cpu_s"])
        mark = "" if proved(sdp) and proved(colgen) else ">" if proved(colgen) else "<"
        mark = "" if not (proved(sdp) or proved(colgen)) else mark
        shown = f"{mark}{ratio:.2g}" if proved(sdp) or proved(colgen) else "neither"
        lines.append(f"| {n / k:.3g} | {n} | {k} | {cell(sdp)} | {cell(colgen)} | {shown} |")
    RESULTS.with_suffix(".md").write_text("\n".join([*lines, "", *verdict(rows)]) + "\n")


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


def draw(rows: list[dict[str, str]]) -> None:
    """Draw the ratio of the times over n/k; triangles where one ran into its limit."""
    plot = figure(
        width=900,
        height=460,
        title="Above the line column generation is faster",
        x_axis_type="log",
        y_axis_type="log",
        x_axis_label="points a cluster, n/k",
        y_axis_label="SDP seconds / column generation seconds",
        toolbar_location=None,
    )
    plot.add_layout(Span(location=1.0, dimension="width", line_color="#444444"))
    for n, colour in zip(POINTS, Viridis6, strict=False):
        for shape, words in SHAPES.items():
            x, y = marks(rows, n, shape)
            if x:
                plot.scatter(
                    x, y, marker=shape, size=10, color=colour, legend_label=f"n = {n}{words}"
                )
    plot.xaxis.ticker = [2, 3, 5, 10, 20, 30, 50, 100, 150]
    plot.add_layout(plot.legend[0], "right")
    photograph(file_html(plot, INLINE), RESULTS.with_suffix(".png"), 916, 476)


SHAPES = {
    "circle": "",
    "triangle": ", only column generation proved it",
    "inverted_triangle": ", only the SDP solver proved it",
}


def marks(rows: list[dict[str, str]], n: int, shape: str) -> tuple[list[float], list[float]]:
    """Return n/k and the ratio of the times where the runs ended as the shape says."""
    ended = {
        (True, True): "circle",
        (False, True): "triangle",
        (True, False): "inverted_triangle",
        (False, False): "",
    }
    found = [
        (n / int(sdp["k"]), float(sdp["cpu_s"]) / float(colgen["cpu_s"]))
        for sdp, colgen in pairs_of(rows)
        if int(sdp["n"]) == n and ended[proved(sdp), proved(colgen)] == shape
    ]
    return [x for x, _ in found], [y for _, y in found]


if __name__ == "__main__":
    main()
