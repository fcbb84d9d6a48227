"""Tables 5 to 11 and figure 4 of Piccialli, Russo Russo and Sudoso (2022), on their link files.

``rbba``: repetitive branch and bound on the four small sets, a limit of CPU seconds an instance
(tables 5 to 7); the times of `sdp` stand in `sdp_published.csv`. ``heuristics``: IPC-k-means as
printed beside the best of 100 starts of BLP k-means and COP-k-means, from k-means++, and of
post-processing (table 8, figure 4), each for a minute of CPU time at most. ``starts``: single ones
of the two, for what the printed rates mean. ``scores``: ARI and AMI without links, by
post-processing and at the optimum, on the sets whose classes can be had or follow from the links
(tables 9 to 11). The paper has five link files a cell, of which three are at hand.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from ccviz import Problem
from ccviz.arrays import IntArray
from ccviz.data.read_table import read_table
from ccviz.problem.blocks import contract
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


Case = tuple[Any, ...]
"""Part, method, numbers of the link file, problem, optimum, solver, seed and settings."""


def cases(options: Namespace) -> Iterator[Case]:
    found = [
        each
        for each in instances(runner.SUITE)
        if each.seed in options.links and each.dataset in (options.sets or (each.dataset,))
    ]
    for part in options.parts:
        for each, method, *how in PARTS[part](found, options):
            yield part, method, each.dataset, each.ml, each.cl, each.seed, each, *how


def measure(options: Namespace, part: str, *case: Any) -> dict[str, str]:
    instance, problem, solver, settings, seed = case[5:]
    limit = options.limit if part == "rbba" else HEURISTIC_LIMIT_S
    stepper = runner.stepper_within(problem or instance.problem(), solver, limit, seed, **settings)
    result, cpu_s = runner.timed(stepper.result)
    found = result.partition
    scores = found.scores if found else {}
    # The paper has the adjusted mutual information over the larger entropy.
    ami = scores and adjusted_mutual_info_score(
        found.problem.truth, found.labels, average_method="max"
    )
    return {
        "status": result.status, "objective": f"{result.objective:.9g}",
        "gap": f"{result.objective / instance.published_f - 1.0:.2e}", "cpu_s": f"{cpu_s:.3f}",
        "broken": found.violations.hard if found else "",
        "ari": f"{scores['ari']:.4f}" if scores else "", "ami": f"{ami:.4f}" if scores else "",
    }  # fmt: skip


def rbba(found: list[Instance], _: Namespace) -> Iterator[Case]:
    for each in found:
        if each.dataset in SMALL:
            yield each, "RBBA", None, "rbba", {"tolerance": 1e-4}, 0


def heuristics(found: list[Instance], options: Namespace) -> Iterator[Case]:
    for method, each in product(options.methods, found):
        if each.dataset in MEDIUM:
            yield each, method, None, *HEURISTICS[method], 0


def starts(found: list[Instance], _: Namespace) -> Iterator[Case]:
    for method, each, seed in product(ONCE, found, range(STARTS)):
        if each.dataset in SMALL:
            solver, settings = HEURISTICS[method]
            yield each, f"{method}, seed {seed}", None, solver, settings | {"n_init": 1}, seed


def scores(found: list[Instance], _: Namespace) -> Iterator[Case]:
    for each in found:
        if each.dataset in LABELLED:
            problem, truth = each.problem(), classes(each.dataset, runner.SUITE)
            linked, free = replace(problem, truth=truth), Problem(problem.X, problem.k, truth=truth)
            yield each, "MSSC", free, "s-mdeclust", {}, 0
            yield each, "PP", linked, "post-process", {"n_init": 100}, 0
            yield each, "optimum", linked, "s-mdeclust", {}, 0


@cache
def classes(dataset: str, bench: Path) -> np.ndarray:
    """Return the known classes, numbered; connectionist is sonar, row by row."""
    if dataset == "connectionist":
        return read_table(bench.parent / "classes" / "sonar.csv", label="class").truth
    if dataset in LINKED:
        return two_classes(each.problem() for each in instances(bench, f"{dataset}/*"))
    labels = np.loadtxt(bench / "labels" / f"{dataset}.txt", dtype=np.int64)
    return np.unique(labels, return_inverse=True)[1]


def two_classes(problems: Iterable[Problem]) -> IntArray:
    """Return the two classes of points, where the links of all problems together settle them.

    With two clusters a cannot-link leaves no choice, so all links make two blocks of the points.
    """
    given = list(problems)
    must, cannot = (
        np.concatenate([getattr(each, kind).pairs for each in given])
        for kind in ("must_link", "cannot_link")
    )
    blocks = contract(Problem(given[0].X, 2, must_link=must, cannot_link=cannot))
    if blocks.s != 2:
        raise ValueError("These links do not settle the classes of all points.")
    return blocks.block_of


PARTS = {"scores": scores, "heuristics": heuristics, "starts": starts, "rbba": rbba}

if __name__ == "__main__":
    runner.run(
        __doc__, "papers_exact", ("part", "method", "dataset", "ml", "cl", "links"), cases, measure,
        cpu_clock=True, links=[0], limit=20.0, parts=PARTS, sets=[str], methods=HEURISTICS,
    )  # fmt: skip
