"""Proofs on tables with classes, with links drawn from them; and on more points than 4,000.

`sdp` to a gap of 1e-4, one thread: digits, breast cancer and vehicle with 500 random pairs linked
as the classes say; Abalone as Croella et al. have it, without links, where `divide` comes first.
The seconds are CPU seconds. Every proof is checked by `ccviz.proof.verify` after the clock has
stopped; what is not proved says so.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import _runner as runner
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from ccviz import Problem, start
from ccviz.data.random_links import random_pairs
from ccviz.data.read_table import read_data
from ccviz.data.scaling import scale
from ccviz.problem.blocks import contract

SETS = ("breast cancer", "vehicle", "Abalone", "digits")
ABALONE_K = 3
LINKS, TOLERANCE = 500, 1e-4


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(80, 2))
    start(Problem(points, 3, cannot_link=[(0, 1)]), "sdp").result()
    start(Problem(points, 3), "divide", part_size=20).result()


def problem_of(which: str) -> Problem:
    """Return a set with its links; digits and Abalone as they are, the others standardised."""
    if which == "Abalone":
        return Problem(
            np.loadtxt(runner.BENCH / "large" / "avoc" / "Abalone.txt", skiprows=1), ABALONE_K
        )
    if which == "vehicle":
        data = read_data(str(runner.BENCH / "classes" / "vehicle.csv"), label="class")
        X, truth = data.X, data.truth
    else:
        X, truth = (load_digits if which == "digits" else load_breast_cancer)(return_X_y=True)
    assert truth is not None
    links = random_pairs(truth, LINKS)
    k = len(np.unique(truth))
    X = X if which == "digits" else scale(X, "standard")
    return Problem(X, k, must_link=links.must_link, cannot_link=links.cannot_link)


def measure(options: Namespace, which: str) -> dict[str, Any]:
    problem = problem_of(which)
    cells, _ = runner.proved(problem, "sdp", TOLERANCE, options.cpu_limit, gap=1.0)
    links = len(problem.must_link) + len(problem.cannot_link)
    size = {"n": problem.n, "d": problem.X.shape[1], "k": problem.k, "links": links}
    return size | {"blocks": contract(problem).s} | cells


def page(rows: runner.Rows) -> str:
    return runner.laid_out(
        "set | n, d, k | links | blocks | status | gap | checked gap | CPU seconds | checking, s",
        "{set} | {n}, {d}, {k} | {links} | {blocks} | {status} | {gap} | {verified_gap} | {cpu_s} "
        "| {verify_s}",
        sorted(rows, key=lambda row: SETS.index(row["set"])),
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "classes_proved", ("set",), lambda options: zip(options.only), measure, page,
        warm_up=warm_up, only=SETS, cpu_limit=900.0,
    )  # fmt: skip
