"""Certified gaps under equal sizes at n = 2,000 and 20,000.

Blobs, a set that Mansueto and Schoen (2025) drew and two real tables, standardised: random rows, in
k sizes that differ by at most one. `sdp` keeps the sizes in its bound and takes 2,000 points;
`divide` leaves them out and takes both. One thread, CPU seconds. Every proof is checked by
`ccviz.proof.verify` after the clock has stopped.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, solve
from ccviz.arrays import FloatArray
from ccviz.data.read_table import read_data
from ccviz.data.scaling import scale

CLUSTERS = {"blobs": 20, "n20000_k20": 20, "letter": 26, "shuttle": 7}
LARGEST_SDP = 2_000
TOLERANCE = 1e-4


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(80, 2))
    for sizes in ([20] * 4, [27, 27, 26]):
        solve(Problem(points, len(sizes), sizes=sizes), "sdp", progress=False)
    solve(Problem(points, 4, sizes=[20] * 4), "divide", part_size=20, progress=False)


def points_of(which: str, n: int) -> FloatArray:
    """Return n points of a set, at random where it has more."""
    rng = np.random.default_rng(0)
    if which == "blobs":
        centers = rng.uniform(-10.0, 10.0, (CLUSTERS[which], 5))
        return centers[rng.integers(len(centers), size=n)] + 1.5 * rng.normal(size=(n, 5))
    folder = "s-mdeclust" if which.startswith("n") else "classes"
    path = next((runner.BENCH / folder).glob(f"{which}.[cp]*"))
    X = read_data(str(path), label="class").X
    return scale(X[np.sort(rng.permutation(len(X))[:n])], "standard")


def cases(options: Namespace) -> Iterator[tuple[str, int, str]]:
    for n, which in product(options.points, options.only):
        for solver in ("sdp", "divide") if n <= LARGEST_SDP else ("divide",):
            yield which, n, solver


def measure(options: Namespace, which: str, n: int, solver: str) -> dict[str, Any]:
    X, k = points_of(which, n), CLUSTERS[which]
    problem = Problem(X, k, sizes=runner.equal_sizes(n, k))
    cells, _ = runner.proved(problem, solver, TOLERANCE, options.cpu_limit, gap=1.0)
    return {"d": X.shape[1], "k": k, **cells}


def page(rows: runner.Rows) -> str:
    return runner.laid_out(
        "set | n, d, k | solver | objective | gap | checked gap | CPU seconds",
        "{set} | {points}, {d}, {k} | `{solver}` | {objective} | {gap} | {verified_gap} | {cpu_s}",
        (row | {"points": f"{int(row['n']):,}"} for row in rows),
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "sizes_large", ("set", "n", "solver"), cases, measure, page, warm_up=warm_up,
        cpu_clock=True, only=CLUSTERS, points=[2_000, 20_000], cpu_limit=120.0,
    )  # fmt: skip
