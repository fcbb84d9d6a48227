"""Tables 2 to 5 of Baumann and Hochbaum (2022) on all sets that can be had, with all methods.

    python benchmarks/papers_soft.py [--limit 5] [--draws 6] [--sets ...] [--methods ...]

BH-kmeans (p = 1), DILS, k-means and LCVQE, several draws of random pairs a cell, each with a seed
of its own; standardised data. BH-kmeans and DILS end with their best after the CPU seconds, where
the paper gives them 1,800. Iris and Wine have the authors' own links, which are public and number
the rows as KEEL has them: only the seed of a run is another there. Monk2 is made exactly, as the
whole grid of its 432 combinations; the sets of `_keel.py` are read from two packages. A row is
added as each run ends; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _keel import SOURCES, glass, keel
from _rows import append_row, done_keys
from soft_published import BENCH, FRACTIONS, RESULTS, as_the_paper_has_it, draw_links, read
from soft_published import SETS as EIGHT

from ccviz import Problem
from ccviz.data.datasets import Dataset, standardise
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_table
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver

TABLES = {name.title(): name for name in ("ionosphere", "sonar", "zoo", "vehicle")}
ELSEWHERE = ("Banana", "Letter", *TABLES, *EIGHT)
KEEL = tuple(name for name in SOURCES if name not in ELSEWHERE)
SETS = ("Monk2", *KEEL, *TABLES, *EIGHT)
METHODS = ("bh-kmeans", "dils", "k-means", "lcvqe")
AUTHORS = ("Iris", "Wine")
"""Sets whose links the authors have published."""
FIELDS = ("dataset", "fraction_pct", "method", "links", "draw", "ari", "wcss", "broken", "cpu_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--limit", type=float, default=5.0)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS)
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_soft.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS[:5])
    for draw, name, fraction, method in product(
        range(options.draws), options.sets, FRACTIONS, options.methods
    ):
        source = "authors" if name in AUTHORS else "drawn"
        key = (name, str(fraction), method, source, str(draw))
        if key not in done:
            problem = linked(name, fraction, options.bench, draw)
            row = measure(problem, method, options.limit, draw)
            append_row(options.out, dict(zip(FIELDS, key, strict=False)) | row, FIELDS)


def dataset(name: str, bench: Path) -> Dataset:
    if name == "Monk2":
        return monk2()
    if name in (*KEEL, *AUTHORS):
        return keel(name)
    if name == "Glass":
        return glass()
    if name in TABLES:
        return read_table(bench / "classes" / f"{TABLES[name]}.csv", label="class")
    return as_the_paper_has_it(read(name, bench))


def monk2() -> Dataset:
    """Return all 432 combinations of six attributes; the class is that of the paper's WCSS."""
    grid = np.array([*product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2))])
    _, a2, _, a4, a5, _ = grid.T
    truth = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    return Dataset("Monk2", grid.astype(float), (), truth.astype(np.int64))


def linked(name: str, fraction: int, bench: Path, draw: int) -> Problem:
    """Return a standardised set with links of weight 1: the authors', or a draw."""
    data = dataset(name, bench)
    if name in AUTHORS:
        file = bench / "bh-kmeans" / "links" / f"{name.lower()}_{fraction / 100:g}.txt"
        links = read_links_file(file, len(data.X))
        must, cannot = np.array(links.must_link)[:, :2], np.array(links.cannot_link)[:, :2]
    else:
        drawn = draw_links(data.truth, fraction, "pairs", draw)
        must, cannot = drawn.must_link, drawn.cannot_link
    return Problem(
        standardise(data.X),
        len(np.unique(data.truth)),
        must_link=[(int(i), int(j), 1.0) for i, j in must],
        cannot_link=[(int(i), int(j), 1.0) for i, j in cannot],
        truth=data.truth,
    )


def measure(problem: Problem, method: str, limit: float, seed: int) -> dict[str, object]:
    """Run a method; those that cannot have soft links get hard ones, which they do not keep."""
    solver = make_solver(method)
    if not solver.supports.soft:
        problem = Problem(
            problem.X, problem.k, problem.must_link.pairs, problem.cannot_link.pairs,
            truth=problem.truth,
        )  # fmt: skip
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > limit else None

    found = Stepper(problem, solver, seed, criteria=[over]).result().partition
    broken = found.violations
    return {
        "ari": f"{found.scores['ari']:.3f}",
        "wcss": f"{found.wcss:.1f}",
        "broken": broken.must_link + broken.cannot_link,
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


if __name__ == "__main__":
    main()
