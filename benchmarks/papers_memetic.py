"""Tables 2 to 4 and figure 3 of Mansueto and Schoen (2024), by the solutions processed.

``synthetic`` (table 2): as in the paper, 100 solutions a method, each of at most 25 iterations: SG
with ten members for ten generations, as the authors run it, beside 100 random starts of BLP k-means
and of COP-k-means. The points in the plane, for the paper's seven numbers of links (for 500 points
three of them). ``large`` (figure 3): the same on banana, letter and shuttle. ``hg-means`` (table
4): SG beside HG-means, which believes every link, on the published instances; one compares where
HG-means breaks none. ``exact`` (table 3): SG on the published instances, beside their optima, with
centres drawn at points and parents matched to the third, as in the authors' code.

A run of one of the first two parts ends after ``--limit`` CPU seconds with the solutions that it
has processed till then, and an assignment after half a second with its best; the paper's runs have
no limit.
"""

from __future__ import annotations

import math
import time
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from _keel import keel
from _memetic import warm_up
from _profiles import draw
from memetic_large import AS_RUN, STEP_LIMIT_S, in_order, read
from printed import MEMETIC

from ccviz import Problem
from ccviz.data.datasets import Dataset, standardise
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_table
from ccviz.events import Assigned, GenerationEnded, Restarted
from ccviz.solvers.base import Solver
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.hg_means import HgMeans
from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.studies.suite import instances

SOLUTIONS, LONGEST = 100, 25
BY_SOLUTIONS: dict[str, Solver] = {
    "SG": SMdeClust(
        **AS_RUN, restarts=0, population=10, generations=9, local_iterations=LONGEST,
        step_limit=STEP_LIMIT_S,
    ),
    "BLP": BlpKMeans(SOLUTIONS, LONGEST, "random", STEP_LIMIT_S),
    "COP": CopKMeans(SOLUTIONS, LONGEST, "random"),
}  # fmt: skip
"""The first population and nine generations after it are ten times ten solutions."""
TO_THE_END: dict[str, Solver] = {"SG": SMdeClust(**AS_RUN, restarts=0), "HG-means": HgMeans()}
AS_CODED: dict[str, Solver] = {
    "SG": SMdeClust(**AS_RUN, restarts=0, draws="points", matching="third")
}
LARGE, LARGE_LINKS = ("banana", "letter", "shuttle"), (100, 200, 500, 1000)
SMALL = ("iris", "seeds", "glass", "accent", "ecoli")
Case = tuple[str, Problem, dict[str, Solver]]


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for part in options.parts:
        for case, problem, methods in PARTS[part](options):
            if case.startswith(tuple(options.only or [""])):
                for seed, (method, solver) in product(options.seeds, methods.items()):
                    yield part, case, method, seed, problem, solver


def measure(options: Namespace, part: str, *case: Any) -> dict[str, object]:
    """Run a solver to its end or until its CPU time is over."""
    _, _, seed, problem, solver = case
    began = time.process_time()
    limit = math.inf if part in ("hg-means", "exact") else options.limit
    stepper = runner.stepper_within(problem, solver, limit, seed)
    solutions = iterations = 0
    for record in stepper:
        if isinstance(record.event, GenerationEnded):
            solutions, iterations = record.event.local_searches, record.event.iterations
        elif isinstance(record.event, Restarted):
            solutions += 1
        elif isinstance(record.event, Assigned):
            iterations += 1
    found = stepper.result().partition
    return {
        "objective": f"{found.wcss if found else math.inf:.9g}",
        "broken": found.violations.hard if found else "",
        "solutions": solutions,
        "iterations": iterations,
        "ended": "limit" if stepper.run.termination == "time_limit" else "all",
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


def synthetic(_: Namespace) -> Iterator[Case]:
    return ((path.stem, read(path), BY_SOLUTIONS) for path in in_order())


def large(_: Namespace) -> Iterator[Case]:
    """Yield standardised sets with the authors' links."""
    for name, count in product(LARGE, LARGE_LINKS):
        data = large_set(name)
        links = read_links_file(large_links(name, count), len(data.X))
        k = len(np.unique(data.truth))
        problem = Problem(standardise(data.X), k, links.must_link, links.cannot_link)
        yield f"{name} {count}", problem, BY_SOLUTIONS


@cache
def large_set(name: str) -> Dataset:
    """Return a set as the links number it: shuttle without its first row."""
    if name != "shuttle":
        return keel(name.title())
    data = read_table(runner.BENCH / "classes" / "shuttle.parquet", label="class")
    return replace(data, X=data.X[1:], truth=data.truth[1:])


def large_links(name: str, count: int) -> Path:
    return runner.BENCH / "s-mdeclust" / "real" / f"{name}_c{count}.json"


def published(
    sets: Collection[str], methods: dict[str, Solver], options: Namespace
) -> Iterator[Case]:
    for each in instances(runner.SUITE):
        if each.dataset in sets and each.seed in options.links:
            yield each.name, each.problem(), methods


def page(rows: runner.Rows) -> None:
    """Draw figure 3 on the large sets that all methods have done, where there are any."""
    large_rows = [row for row in rows if row["part"] == "large"]
    cells = {(row["case"], row["seed"], row["method"]): row for row in large_rows}
    done = sorted({key[:2] for key in cells if all((*key[:2], m) in cells for m in BY_SOLUTIONS)})
    panels = [
        (title, {name: np.array([float(cells[(*case, name)][title.lower()]) for case in done])
                 for name in BY_SOLUTIONS}, most)
        for title, most in (("Objective", 1.5), ("Iterations", 20.0))
    ]  # fmt: skip
    if done:
        draw(panels, runner.RESULTS / "papers_memetic.png")


PARTS: dict[str, Callable[[Namespace], Iterator[Case]]] = {
    "exact": partial(published, MEMETIC, AS_CODED),
    "hg-means": partial(published, SMALL, TO_THE_END),
    "synthetic": synthetic,
    "large": large,
}


def prepare() -> None:
    for solver in (*BY_SOLUTIONS.values(), *TO_THE_END.values(), *AS_CODED.values()):
        warm_up(solver)


if __name__ == "__main__":
    runner.run(
        __doc__, "papers_memetic", ("part", "case", "method", "seed"), cases, measure, page,
        warm_up=prepare, cpu_clock=True, limit=20.0, seeds=[0], parts=PARTS, only=[str], links=[0],
    )  # fmt: skip
