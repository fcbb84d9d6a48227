"""PCCC on collection COL1 of its authors' appendix, cell by cell, beside all printed rivals.

    python benchmarks/papers_pccc.py [--bench DIR] [--draws 2] [--limit 2] [--sets ...]

P. Baumann, D. S. Hochbaum: An algorithm for clustering with confidence-based must-link and
cannot-link constraints (2025), tables of 25 sets and four numbers of links, none wrong; the data
are those of `papers_soft.py`. Their links are not published for most sets; the numbers of both
kinds are not those of all pairs among a share of the points, so random pairs are drawn as there,
several times. Links are hard. A run ends after the CPU seconds, where the paper has 1,800, with its
best answer, and *infeasible* are runs without one. A row is added as each run ends; a run that was
stopped goes on. The table is `results/papers_pccc.md`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from itertools import product
from pathlib import Path

from _cells import NO_ANSWER, NO_TIME, Rows, table
from _cpu_clock import count_cpu_seconds
from _memetic import BENCH, RESULTS
from _rows import append_row, done_keys, read_rows
from papers_soft import SETS, dataset
from soft_published import FRACTIONS, draw_links

from ccviz import Problem
from ccviz.data.datasets import standardise
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver

METHODS = {
    "PCCC": ("pccc", {"reposition": False}),
    "PCCC-R": ("pccc", {}),
    "s-mdeclust": ("s-mdeclust", {"restarts": 0}),
}
RIVALS = ("PCCC", "PCCC-R", "COPKM", "CSC", "DILS", "LCC")
FIELDS = ("dataset", "fraction_pct", "method", "draw", "ari", "wcss", "cpu_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS)
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_pccc.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS[:4])
    names = [name for name in options.sets if name != "Ecoli"]
    for draw, name, fraction in product(range(options.draws), names, FRACTIONS):
        for method in options.methods:
            key = (name, str(fraction), method, str(draw))
            if key not in done:
                row = measure(
                    problem_of(name, fraction, draw, options.bench), method, draw, options
                )
                append_row(options.out, dict(zip(FIELDS, key, strict=False)) | row, FIELDS)
    text = page(read_rows(options.out), read_rows(options.bench / "pccc" / "published.csv"))
    options.out.with_suffix(".md").write_text(text, encoding="utf-8")


def problem_of(name: str, fraction: int, draw: int, bench: Path) -> Problem:
    data = dataset(name, bench)
    links = draw_links(data.truth, fraction, "pairs", draw)
    k = int(data.truth.max()) + 1
    return Problem(
        standardise(data.X), k, links.must_link, links.cannot_link, truth=data.truth
    )  # fmt: skip


def measure(
    problem: Problem, method: str, seed: int, options: argparse.Namespace
) -> dict[str, object]:
    """Run a method; without an answer that keeps all links, its cells are empty."""
    name, settings = METHODS[method]
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > options.limit else None

    found = Stepper(problem, make_solver(name, **settings), seed, criteria=[over]).result()
    kept = found.partition is not None and found.partition.violations.none_hard
    return {
        "ari": f"{found.partition.scores['ari']:.3f}" if kept else "",
        "wcss": f"{found.partition.wcss:.1f}" if kept else "",
        "cpu_s": f"{time.process_time() - began:.3f}",
    }


def page(rows: Rows, published: Rows) -> str:
    """Return the tables of ARI and seconds, printed and ours, and how often ours is best."""
    parts = [
        "# PCCC, collection COL1, cell by cell",
        "",
        "Left of | printed, right of it ours: means over draws of links (and standard deviations",
        "for the ARI); the last column has runs without an answer. Seconds are of other machines.",
        "Ecoli and the small soybean are left out: our copies are not theirs. A blank printed cell",
        "is a hyphen there: no result within the limit. `papers_pccc.py` makes this page.",
    ]
    for metric, column in (("ARI", "ari"), ("CPU", "cpu_s")):
        parts += ["", f"## {'ARI' if metric == 'ARI' else 'CPU seconds'}", ""]
        parts += [one_table(rows, published, metric, column)]
    return "\n".join([*parts, "", summary(rows, published), ""])


def one_table(rows: Rows, published: Rows, metric: str, column: str) -> str:
    lines = []
    for name, fraction in cells_of(rows):
        printed = values_of(published, metric, name, fraction)
        cells: list[object] = [name, f"{fraction} %", *(printed.get(each, "-") for each in RIVALS)]
        failed = 0
        for method in METHODS:
            own = [r for r in rows if key_of(r) == (name, fraction) and r["method"] == method]
            failed += sum(row["ari"] == "" for row in own)
            cells.append(spread([float(row[column]) for row in own if row[column]], own, metric))
        lines.append([*cells, failed])
    header = ["set", "links", *RIVALS, *(f"\\| {name}" for name in METHODS), "none"]
    return table(header, lines)


def spread(values: list[float], own: Rows, metric: str) -> str:
    if not values:
        return NO_ANSWER if own else NO_TIME
    middle = f"{statistics.mean(values):.3f}"
    return (
        f"{middle} ± {statistics.stdev(values):.3f}" if metric == "ARI" and values[1:] else middle
    )


def summary(rows: Rows, published: Rows) -> str:
    """Return in how many cells each of ours is at least as good as the best printed one."""
    parts = []
    for method in METHODS:
        done = [row for row in rows if row["method"] == method]
        cells = cells_of(done)
        best = within = 0
        seconds = theirs = 0.0
        for cell in cells:
            own = [row for row in done if key_of(row) == cell]
            aris = [float(row["ari"] or 0.0) for row in own]  # none counts as 0, as there
            printed = [float(v) for v in values_of(published, "ARI", *cell).values() if v]
            best += statistics.mean(aris) >= max(printed)
            within += statistics.mean(aris) + 0.02 >= max(printed)
            seconds += statistics.mean(float(row["cpu_s"]) for row in own)
            theirs += float(values_of(published, "CPU", *cell).get("PCCC") or 0.0)
        if cells:
            parts.append(
                f"- {method}: the mean ARI is at least the best of the six printed in {best} of "
                f"{len(cells)} cells, and at most 0.02 below it in {within}; "
                f"{seconds:.0f} CPU s for a run of each, where {theirs:.0f} s are printed for PCCC."
            )
    return "\n".join(parts)


def cells_of(rows: Rows) -> list[tuple[str, str]]:
    return sorted({key_of(row) for row in rows}, key=lambda cell: (cell[0], int(cell[1])))


def key_of(row: dict[str, str]) -> tuple[str, str]:
    return row["dataset"], row["fraction_pct"]


def values_of(published: Rows, metric: str, name: str, fraction: str) -> dict[str, str]:
    return {
        row["algorithm"]: row["value"]
        for row in published
        if (row["collection"], row["noisy"], row["metric"], row["dataset"], row["percent"])
        == ("COL1", "0", metric, name, fraction)
        and row["algorithm"] in RIVALS
    }


if __name__ == "__main__":
    main()
