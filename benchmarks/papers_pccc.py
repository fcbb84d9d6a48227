"""PCCC on the collections of its authors' appendix: measure what `_pccc_page.py` lays out.

    python benchmarks/papers_pccc.py [--collections COL1 ...] [--draws 20]

P. Baumann, D. S. Hochbaum: An algorithm for clustering with confidence-based must-link and
cannot-link constraints (2025). Data and links are those of `_pccc_data.py`. Links are hard, those
of the noisy tables soft. A run ends after the CPU seconds, where the paper has 1,800 or 3,600, with
its best answer; without one its cells are empty. A row is added as each run ends; a run that was
stopped goes on. The tables are `results/papers_pccc.md`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _cpu_clock import count_cpu_seconds
from _memetic import BENCH, RESULTS
from _pccc_data import NAMES, Cell, cells_of, points_of, problem_of
from _pccc_page import page
from _rows import append_row, done_keys, read_rows

from ccviz import Partition, Problem
from ccviz.arrays import FloatArray
from ccviz.data import learn_metric
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver
from ccviz.solvers.assignment.milp import milp_assignment

SOLVERS = {
    "PCCC": ("pccc", {"reposition": False}),
    "PCCC-R": ("pccc", {}),
    "PCCC-R by HiGHS": ("pccc", {"step_limit": 2.0}),
    "s-mdeclust": ("s-mdeclust", {"restarts": 0}),
    "blp-kmeans x 10": ("blp-kmeans", {"n_init": 10}),
    "s-mdeclust, learned": ("s-mdeclust", {"restarts": 0}),
    "k-means x 60": ("k-means", {"n_init": 60}),
    "PCCC-S": ("pccc", {}),
    "PCCC-W": ("pccc", {}),
    "PCCC-W x 10": ("pccc", {"n_init": 10}),
    "log-odds": ("pccc", {"n_init": 10}),
}
METHODS = {
    "COL1": ("s-mdeclust", "s-mdeclust, learned", "PCCC-R", "PCCC", "PCCC-R by HiGHS"),
    "noisy": ("log-odds", "PCCC-W x 10", "PCCC-W", "PCCC-S"),
    "COL2": ("s-mdeclust", "PCCC-R"),
    "COL3": ("s-mdeclust", "PCCC-R"),
    "COL4": ("blp-kmeans x 10", "s-mdeclust", "PCCC-R"),
}
NO_LINKS = {"COL4": ("k-means x 60",)}
"""Methods besides, for cells without links."""

LIMITS = {"COL1": 2.0, "noisy": 0.5, "COL2": 0.5, "COL3": 2.0, "n5000": 10.0, "COL4": 20.0}
"""CPU seconds of a run, by collection or by the beginning of a set's name."""

SUREST = 0.99
"""The weight from which on the log-odds of a link rise no more."""

FIELDS = ("collection", "dataset", "percent", "lower_bound", "method", "draw")
MEASURED = ("ari", "wcss", "cpu_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--collections", nargs="*", default=list(NAMES), choices=NAMES)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--methods", nargs="*", default=list(SOLVERS), choices=SOLVERS)
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_pccc.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS)
    for draw in range(options.draws):
        for cell, method in asked(options):
            key = (*vars(cell).values(), method, str(draw))
            if key not in done:
                given = problem(cell, draw, options.bench)
                row = measure(given, method, draw, limit_of(cell))
                append_row(
                    options.out, dict(zip(FIELDS, key, strict=True)) | row, FIELDS + MEASURED
                )
    text = page(read_rows(options.out), read_rows(options.bench / "pccc" / "published.csv"))
    options.out.with_suffix(".md").write_text(text, encoding="utf-8")


def asked(options: argparse.Namespace) -> Iterator[tuple[Cell, str]]:
    """Yield the cells and methods of the command line."""
    for collection in options.collections:
        for cell in cells_of(collection):
            if options.sets is None or cell.dataset in options.sets:
                more = NO_LINKS.get(collection, ()) if cell.percent == "0" else ()
                for method in (*METHODS[collection], *more):
                    if method in options.methods:
                        yield cell, method


def limit_of(cell: Cell) -> float:
    return LIMITS.get(cell.dataset.split("-")[0], LIMITS[cell.collection])


data_of = lru_cache(maxsize=None)(points_of)


def problem(cell: Cell, draw: int, bench: Path) -> Problem:
    return problem_of(cell, data_of(cell.dataset, bench), draw)


def measure(given: Problem, method: str, seed: int, limit: float) -> dict[str, object]:
    """Run a method; without an answer that keeps all hard links, its cells are empty."""
    name, settings = SOLVERS[method]
    with highs() if method.endswith("HiGHS") else nullcontext():
        began = time.process_time()

        def over(*_: object) -> str | None:
            return "time_limit" if time.process_time() - began > limit else None

        changed = CHANGES.get(method, lambda problem: problem)(given)
        found = Stepper(changed, make_solver(name, **settings), seed, criteria=[over]).result()
        spent = time.process_time() - began
    kept = found.partition is not None and found.partition.violations.none_hard
    return {
        "ari": f"{found.partition.scores['ari']:.3f}" if kept else "",
        "wcss": f"{Partition(given, found.partition.labels).wcss:.1f}" if kept else "",
        "cpu_s": f"{spent:.3f}",
    }


def with_equal_weights(given: Problem) -> Problem:
    """Return the problem with the weight 1 for every soft link."""
    return _weighted(given, np.ones_like)


def with_log_odds(given: Problem) -> Problem:
    """Return the problem with a quarter of the log-odds that a link is right for its weight.

    A confidence c has the weight w = 2 (c - 0.5), and the log-odds log c / (1 - c) are 2 artanh w.
    """
    return _weighted(given, lambda weights: np.arctanh(np.minimum(weights, SUREST)) / 2)


def _weighted(given: Problem, change: Callable[[FloatArray], FloatArray]) -> Problem:
    links = (given.must_link, given.cannot_link)
    must, cannot = (np.column_stack([each.pairs, change(each.weights)]) for each in links)
    return replace(given, must_link=must, cannot_link=cannot)


def with_learned_weights(given: Problem) -> Problem:
    """Return the problem with features weighted as its links say, no link lost."""
    weights = learn_metric(given.X, given.k, given.must_link, given.cannot_link)
    return replace(given, X=given.X * np.sqrt(weights))


CHANGES = {
    "PCCC-S": with_equal_weights,
    "log-odds": with_log_odds,
    "s-mdeclust, learned": with_learned_weights,
}
"""What a method does to the problem first."""


@contextmanager
def highs() -> Iterator[None]:
    """Solve every assignment step as one model of HiGHS, in place of our own code."""
    with patch("ccviz.solvers.assignment.solve_assignment", milp_assignment):
        yield


if __name__ == "__main__":
    main()
