"""PCCC on the collections of its authors' appendix: measure what `_pccc_page.py` lays out.

P. Baumann, D. S. Hochbaum: An algorithm for clustering with confidence-based must-link and
cannot-link constraints (2025). Data and links are those of `_pccc_data.py`. Links are hard, those
of the noisy tables soft. A run ends after the CPU seconds, where the paper has 1,800 or 3,600, with
its best answer; without one its cells are empty. The tables are `results/papers_pccc.md`.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any
from unittest.mock import patch

import _runner as runner
import numpy as np
from _pccc_data import NAMES, cells_of, points_of, problem_of
from _pccc_page import page

from ccviz import Partition, Problem
from ccviz.arrays import FloatArray
from ccviz.data import learn_metric
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


def _weighted(given: Problem, change: Callable[[FloatArray], FloatArray]) -> Problem:
    links = (given.must_link, given.cannot_link)
    must, cannot = (np.column_stack([each.pairs, change(each.weights)]) for each in links)
    return replace(given, must_link=must, cannot_link=cannot)


def with_learned_weights(given: Problem) -> Problem:
    """Return the problem with features weighted as its links say, no link lost."""
    weights = learn_metric(given.X, given.k, given.must_link, given.cannot_link)
    return replace(given, X=given.X * np.sqrt(weights))


CHANGES = {
    "PCCC-S": lambda problem: _weighted(problem, np.ones_like),
    # A confidence c has the weight w = 2 (c - 0.5), and its log-odds are 2 artanh w: a quarter.
    "log-odds": lambda problem: _weighted(
        problem, lambda weights: np.arctanh(np.minimum(weights, SUREST)) / 2
    ),
    "s-mdeclust, learned": with_learned_weights,
}
"""What a method does to the problem first."""


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for draw, collection in product(range(options.draws), options.collections):
        for cell in cells_of(collection):
            if cell.dataset in (options.sets or (cell.dataset,)):
                more = NO_LINKS.get(collection, ()) if cell.percent == "0" else ()
                for method in (*METHODS[collection], *more):
                    if method in options.methods:
                        yield *vars(cell).values(), method, draw, cell


data_of = cache(points_of)


def measure(_: Namespace, *case: Any) -> dict[str, str]:
    """Run a method; without an answer that keeps all hard links, its cells are empty."""
    method, seed, cell = case[4:]
    limit = LIMITS.get(cell.dataset.split("-")[0], LIMITS[cell.collection])
    given = problem_of(cell, data_of(cell.dataset), seed)
    name, settings = SOLVERS[method]
    by_highs = patch("ccviz.solvers.assignment.solve_assignment", milp_assignment)
    with by_highs if method.endswith("HiGHS") else nullcontext():
        began = time.process_time()
        changed = CHANGES.get(method, lambda problem: problem)(given)
        left = limit - (time.process_time() - began)
        found = runner.stepper_within(changed, name, left, seed, **settings).result().partition
        spent = time.process_time() - began
    if found is None or not found.violations.none_hard:
        return {"ari": "", "wcss": "", "cpu_s": f"{spent:.3f}"}
    scores = f"{found.scores['ari']:.3f}", f"{Partition(given, found.labels).wcss:.1f}"
    return {"ari": scores[0], "wcss": scores[1], "cpu_s": f"{spent:.3f}"}


def tables(rows: runner.Rows) -> str:
    return page(rows, runner.read_rows(runner.BENCH / "pccc" / "published.csv"))


if __name__ == "__main__":
    runner.run(
        __doc__, "papers_pccc",
        ("collection", "dataset", "percent", "lower_bound", "method", "draw"), cases, measure,
        tables, cpu_clock=True, collections=NAMES, draws=20, sets=[str], methods=SOLVERS,
    )  # fmt: skip
