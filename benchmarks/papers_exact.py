"""Tables 5 to 11 and figure 4 of Piccialli, Russo Russo and Sudoso (2022), on their link files.

    python benchmarks/papers_exact.py [--bench DIR] [--links 0] [--parts rbba ...] [--sets ...]

``rbba``: repetitive branch and bound on the four small sets, a limit of CPU seconds an instance
(tables 5 to 7); the times of `sdp` stand in `sdp_published.csv`. ``heuristics``: IPC-k-means as
printed beside the best of 100 starts of BLP k-means and COP-k-means, from k-means++, and of
post-processing (table 8, figure 4), each for a minute of CPU time at most. ``starts``: single ones
of the two, for what the printed rates mean. ``scores``: ARI and AMI without links, by
post-processing and at the optimum, on the sets whose classes can be had or follow from the links
(tables 9 to 11). The paper has five link files a cell, of which three are at hand. A row is added
as each run ends; a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _linked_classes import two_classes
from _memetic import BENCH, RESULTS
from _rows import append_row, read_rows
from sklearn.metrics import adjusted_mutual_info_score

from ccviz import Partition, Problem
from ccviz.data.read_table import read_table
from ccviz.runs.run import Result
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver
from ccviz.studies.suite import Instance, instances

SMALL = ("iris", "wine", "connectionist", "seeds")
MEDIUM = (*SMALL, "glass", "heart", "vertebral", "accent", "ecoli", "ECG5000", "computers")
LINKED = ("heart", "vertebral", "computers")
"""Sets of two classes, which their link files settle."""
LABELLED = (*SMALL, "glass", "accent", "ecoli", *LINKED)
HEURISTICS = {
    "IPC-k-means": ("ipc-kmeans", {"algorithm": "printed"}),
    "BLPKM++": ("blp-kmeans", {"n_init": 100, "init": "k-means++"}),
    "PP": ("post-process", {"n_init": 100}),
    "COP-k-means": ("cop-kmeans", {"n_init": 100, "init": "k-means++"}),
}
HEURISTIC_LIMIT_S = 60.0
ONCE, STARTS = ("BLPKM++", "COP-k-means"), 5
FIELDS = ("part", "method", "dataset", "ml", "cl", "links", "status", "objective", "gap", "cpu_s",
          "broken", "ari", "ami")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "pc-sos-sdp")
    parser.add_argument("--links", nargs="*", type=int, default=[0], help="seeds of the files")
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds of a proof")
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--sets", nargs="*", default=None, help="only these data sets")
    parser.add_argument("--methods", nargs="*", default=list(HEURISTICS), help="of table 8")
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_exact.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    chosen = [
        each
        for each in instances(options.bench)
        if each.seed in options.links and (options.sets is None or each.dataset in options.sets)
    ]
    for part in options.parts:
        PARTS[part](chosen, options)


def one(
    part: str, method: str, instance: Instance, problem: Problem, options: argparse.Namespace,
    solver: str, seed: int = 0, **settings: object,
) -> None:  # fmt: skip
    """Run what the table lacks, and add its row."""
    key = (part, method, *map(str, (instance.dataset, instance.ml, instance.cl, instance.seed)))
    if key in {tuple(row[name] for name in FIELDS[:6]) for row in read_rows(options.out)}:
        return
    limit = options.limit if part == "rbba" else HEURISTIC_LIMIT_S
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > limit else None

    result = Stepper(problem, make_solver(solver, **settings), seed, criteria=[over]).result()
    append_row(options.out, row_of(key, result, instance, time.process_time() - began), FIELDS)


def row_of(key: tuple[str, ...], result: Result, instance: Instance, cpu_s: float) -> dict:
    found = result.partition
    scores = found.scores if found else {}
    return {
        **dict(zip(FIELDS, key, strict=False)),
        "status": result.status,
        "objective": f"{result.objective:.9g}",
        "gap": f"{result.objective / instance.published_f - 1.0:.2e}",
        "cpu_s": f"{cpu_s:.3f}",
        "broken": found.violations.hard if found else "",
        "ari": f"{scores['ari']:.4f}" if scores else "",
        "ami": f"{information(found):.4f}" if scores else "",
    }


def information(found: Partition) -> float:
    """Return the adjusted mutual information as the paper has it, over the larger entropy."""
    truth = found.problem.truth
    return float(adjusted_mutual_info_score(truth, found.labels, average_method="max"))


def rbba(chosen: list[Instance], options: argparse.Namespace) -> None:
    for each in chosen:
        if each.dataset in SMALL:
            one("rbba", "RBBA", each, each.problem(), options, "rbba", tolerance=1e-4)


def heuristics(chosen: list[Instance], options: argparse.Namespace) -> None:
    for method in options.methods:
        solver, settings = HEURISTICS[method]
        for each in chosen:
            if each.dataset in MEDIUM:
                one("heuristics", method, each, each.problem(), options, solver, **settings)


def starts(chosen: list[Instance], options: argparse.Namespace) -> None:
    for method in ONCE:
        solver, settings = HEURISTICS[method]
        for each in chosen:
            for seed in range(STARTS):
                if each.dataset in SMALL:
                    alone = settings | {"n_init": 1}
                    name = f"{method}, seed {seed}"
                    one("starts", name, each, each.problem(), options, solver, seed, **alone)


def scores(chosen: list[Instance], options: argparse.Namespace) -> None:
    for each in chosen:
        if each.dataset not in LABELLED:
            continue
        problem, truth = each.problem(), classes(each.dataset, options.bench)
        linked = Problem(problem.X, problem.k, problem.must_link, problem.cannot_link, truth=truth)
        free = Problem(problem.X, problem.k, truth=truth)
        one("scores", "MSSC", each, free, options, "s-mdeclust")
        one("scores", "PP", each, linked, options, "post-process", n_init=100)
        one("scores", "optimum", each, linked, options, "s-mdeclust")


@cache
def classes(dataset: str, bench: Path) -> np.ndarray:
    """Return the known classes, numbered; connectionist is sonar, row by row."""
    if dataset == "connectionist":
        return read_table(bench.parent / "classes" / "sonar.csv", label="class").truth
    if dataset in LINKED:
        return two_classes(each.problem() for each in instances(bench, f"{dataset}/*"))
    labels = np.loadtxt(bench / "labels" / f"{dataset}.txt", dtype=np.int64)
    return np.unique(labels, return_inverse=True)[1]


PARTS = {"scores": scores, "heuristics": heuristics, "starts": starts, "rbba": rbba}


if __name__ == "__main__":
    main()
