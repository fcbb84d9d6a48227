"""The clustering that `divide` begins with, where points are many: five starts, or crossing.

The best of five starts was the way before; `ccviz.solvers.start.staged` is the way now. Both with
k-means, without links. One thread, CPU seconds. The
certified lower bound is that of `divide.csv`, so the gaps show what a worse clustering would cost.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product
from statistics import mean
from typing import Any

import _runner as runner
from divide import points_of
from scipy.spatial.distance import cdist

from ccviz import Problem
from ccviz.arrays import FloatArray
from ccviz.problem.blocks import contract
from ccviz.solvers.base import never
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.start.staged import crossed_centers

SETS = ("urbanGB", "shuttle", "letter")


def cost(points: FloatArray, centers: FloatArray) -> float:
    return float(cdist(points, centers, "sqeuclidean").min(axis=1).sum())


HEAD = """# The clustering that divide begins with

Sums of squares over the seeds: the mean, and the worst. The gaps are of the worst, to the certified
lower bound of `divide.md`.

"""


def measure(_: Namespace, which: str, seed: int) -> dict[str, Any]:
    X, k = points_of(which)
    problem = Problem(X, k).centred()
    five, five_s = runner.timed(plain_kmeans, problem.X, k, seed, n_init=5)
    crossed, crossing_s = runner.timed(lambda: crossed_centers(contract(problem), seed, never))
    costs = [cost(problem.X, centers) for centers in (five.cluster_centers_, crossed)]
    return {
        "n": len(X), "k": k, "five": f"{costs[0]:.9g}", "crossing": f"{costs[1]:.9g}",
        "five_s": f"{five_s:.1f}", "crossing_s": f"{crossing_s:.1f}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    bounds = {
        row["set"]: float(row["objective"]) * (1.0 - float(row["verified_gap"]))
        for row in runner.results("divide", links="no")
    }
    lines = []
    for which in SETS:
        own = [row for row in rows if row["set"] == which]
        if not own:
            continue
        values = [[float(row[way]) for row in own] for way in ("five", "crossing")]
        lines.append(
            [which, own[0]["n"], own[0]["k"], len(own),
             *(f"{mean(each):.1f}, {max(each):.1f}" for each in values),
             *(f"{mean(float(row[way]) for row in own):.1f}" for way in ("five_s", "crossing_s")),
             *(f"{100 * (1 - bounds[which] / max(each)):.2f} %" for each in values)]
        )  # fmt: skip
    return HEAD + runner.markdown(
        "set | n | k | seeds | five starts | crossing | five starts, s | crossing, s "
        "| gap of five starts | gap of crossing",
        lines,
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "first_clustering", ("set", "seed"),
        lambda options: product(options.only, range(options.seeds)), measure, page,
        only=SETS, seeds=3,
    )  # fmt: skip
