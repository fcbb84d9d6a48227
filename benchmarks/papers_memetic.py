"""Tables 2 to 4 and figure 3 of Mansueto and Schoen (2024), by the solutions processed.

    python benchmarks/papers_memetic.py [--bench DIR] [--limit 20] [--parts hg-means ...]

``synthetic`` (table 2): as in the paper, 100 solutions a method, each of at most 25 iterations: SG
with ten members for ten generations, as the authors run it, beside 100 random starts of BLP k-means
and of COP-k-means. The points in the plane, for the paper's seven numbers of links (for 500 points
three of them). ``large`` (figure 3): the same on banana, letter and shuttle. ``hg-means``
(table 4): SG beside HG-means, which believes every link, on the published instances; one compares
where HG-means breaks none. ``exact`` (table 3): SG on the published instances, beside their optima,
with centres drawn at points and parents matched to the third, as in the authors' code.

A run of one of the first two parts ends after ``--limit`` CPU seconds with the solutions that it
has processed till then, and an assignment after half a second with its best; the paper's runs have
no limit. A row is added as each run ends; a benchmark that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _keel import keel
from _memetic import BENCH, RESULTS, warm_up
from _profiles import draw
from _rows import append_row, done_keys, read_rows
from memetic_large import AS_RUN, STEP_LIMIT_S, in_order, read
from printed import MEMETIC

from ccviz import Problem
from ccviz.data.datasets import Dataset, standardise
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_table
from ccviz.events import Assigned, GenerationEnded, Restarted
from ccviz.runs.stepper import Stepper
from ccviz.runs.stop import Termination
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
FIELDS = ("part", "case", "method", "seed", "objective", "broken", "solutions", "iterations",
          "ended", "cpu_s")  # fmt: skip
Case = tuple[str, Problem, dict[str, Solver]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds a run")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of cases")
    parser.add_argument("--links", nargs="*", type=int, default=[0], help="seeds of link files")
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_memetic.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    for solver in (*BY_SOLUTIONS.values(), *TO_THE_END.values(), *AS_CODED.values()):
        warm_up(solver)
    for part in options.parts:
        limit = math.inf if part in ("hg-means", "exact") else options.limit
        for case, problem, methods in PARTS[part](options):
            if case.startswith(tuple(options.only)):
                for seed in options.seeds:
                    run_all((part, case), problem, methods, seed, limit, options.out)
    draw_profiles(read_rows(options.out), options.out.with_suffix(".png"))


def run_all(
    key: tuple[str, str], problem: Problem, methods: dict[str, Solver], seed: int, limit: float,
    out: Path,
) -> None:  # fmt: skip
    """Run what the table lacks."""
    done = done_keys(out, FIELDS[:4])
    for name, solver in methods.items():
        whole = (*key, name, str(seed))
        if whole not in done:
            row = dict(zip(FIELDS, whole, strict=False)) | measure(problem, solver, seed, limit)
            append_row(out, row, FIELDS)


def measure(problem: Problem, solver: Solver, seed: int, limit: float) -> dict[str, object]:
    """Run a solver to its end or until its CPU time is over."""
    began = time.process_time()

    def over(*_: object) -> Termination | None:
        return "time_limit" if time.process_time() - began > limit else None

    stepper = Stepper(problem, solver, seed, criteria=[over])
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


def synthetic(options: argparse.Namespace) -> Iterator[Case]:
    for path in in_order(options.bench / "s-mdeclust"):
        yield path.stem, read(path), BY_SOLUTIONS


def large(options: argparse.Namespace) -> Iterator[Case]:
    """Yield standardised sets with the authors' links."""
    for name in LARGE:
        data = shuttle(options.bench) if name == "shuttle" else keel(name.title())
        k = len(np.unique(data.truth))
        for count in LARGE_LINKS:
            file = options.bench / "s-mdeclust" / "real" / f"{name}_c{count}.json"
            links = read_links_file(file, len(data.X))
            problem = Problem(standardise(data.X), k, links.must_link, links.cannot_link)
            yield f"{name} {count}", problem, BY_SOLUTIONS


def shuttle(bench: Path) -> Dataset:
    """Return the set as the links number it: without its first row."""
    data = read_table(bench / "classes" / "shuttle.parquet", label="class")
    return replace(data, X=data.X[1:], truth=data.truth[1:])


def hg_means(options: argparse.Namespace) -> Iterator[Case]:
    for each in instances(options.bench / "pc-sos-sdp"):
        if each.dataset in SMALL and each.seed in options.links:
            yield each.name, each.problem(), TO_THE_END


def exact(options: argparse.Namespace) -> Iterator[Case]:
    for each in instances(options.bench / "pc-sos-sdp"):
        if each.dataset in MEMETIC and each.seed in options.links:
            yield each.name, each.problem(), AS_CODED


def draw_profiles(rows: list[dict[str, str]], target: Path) -> None:
    """Draw figure 3 on the large sets that all methods have done, where there are any."""
    cells = {
        (row["case"], row["seed"], row["method"]): row for row in rows if row["part"] == "large"
    }
    cases = sorted({key[:2] for key in cells if all((*key[:2], m) in cells for m in BY_SOLUTIONS)})
    if not cases:
        return
    objective, iterations = (
        {
            name: np.array([float(cells[(*case, name)][column]) for case in cases])
            for name in BY_SOLUTIONS
        }
        for column in ("objective", "iterations")
    )
    draw([("Objective", objective, 1.5), ("Iterations", iterations, 20.0)], target)


PARTS = {"exact": exact, "hg-means": hg_means, "synthetic": synthetic, "large": large}


if __name__ == "__main__":
    main()
