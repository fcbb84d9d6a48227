"""The plane with many clusters: `colgen` on the sets of Sudoso and Aloise (2025).

`colgen` to a gap of 1e-4 unless the row says more, one thread; the rivals' seconds are those that
the paper prints (its column generation with dynamic constraint aggregation stops at 0.1 %, with a
commercial solver; so does the SOS-SDP it is compared with, or after a day). "links": n / 10 pairs
of points that one run of k-means put together are must-links, n / 10 that it kept apart are
cannot-links. The seconds are CPU seconds, and begin with the first clustering. Every proof is
checked by `ccviz.proof.verify` after the clock has stopped.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.random_links import random_pairs
from ccviz.solvers.common.seeding import plain_kmeans

TOLERANCE = 1e-4
ROWS = 30  # of the paper's table


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(300, 2))
    start(Problem(points, 30, cannot_link=[(0, 1)]), "colgen", tolerance=TOLERANCE).result()


def problem_of(which: str, k: int, links: str) -> Problem:
    X = np.loadtxt(runner.BENCH / "large" / "plane" / f"{which}.txt", skiprows=1)
    if links == "no":
        return Problem(X, k)
    must, cannot = drawn(X, k)
    return Problem(X, k, must_link=must, cannot_link=cannot)


def drawn(X: FloatArray, k: int) -> tuple[IntArray, IntArray]:
    """Return n / 10 random pairs of each kind, as one run of k-means says."""
    rng = np.random.default_rng(0)
    pairs = random_pairs(plain_kmeans(X, k, 0).labels_, k * len(X) // 4)
    each = len(X) // 10
    must, cannot = (
        rng.choice(kind, each, replace=False) for kind in (pairs.must_link, pairs.cannot_link)
    )
    return must, cannot


def is_proved(row: dict[str, str]) -> bool:
    """Whether the checker accepts the row's proof, to the row's tolerance."""
    return not row["verified_gap"].startswith("no proof")


def summary(rows: runner.Rows, links: str, tolerance: str) -> str:
    """Return a sentence on the rows proved to a tolerance, with or without links."""
    asked = [row for row in rows if (row["links"], row["tolerance"]) == (links, tolerance)]
    mine = [row for row in asked if is_proved(row)]
    if not mine:
        return ""
    ours, theirs = (sum(float(row[key]) for row in mine) for key in ("cpu_s", "cg_dca_s"))
    return (
        f"\nLinks: {links}. {len(mine)} of {ROWS} proved to {tolerance}: "
        f"{ours:.0f} CPU seconds; CG+DCA without links {theirs:.0f}.\n"
    )


def cases(options: Namespace) -> Iterator[tuple[str, str, str, runner.Row]]:
    """Yield the paper's rows, one a set and number of clusters, without links first."""
    published = runner.read_rows(runner.BENCH / "large" / "plane" / "published.csv")
    for links, row in product(options.links, published):
        which, k = row["instance"], row["k"]
        if which in (options.only or (which,)) and int(k) in (options.k or (int(k),)):
            yield which, k, links, row


def measure(options: Namespace, which: str, k: str, links: str, row: runner.Row) -> dict[str, Any]:
    problem, to = problem_of(which, int(k), links), options.tolerance
    cells, seconds = runner.proved(
        problem, "colgen", to, options.cpu_limit, work=options.work, gap=to
    )
    rivals = {"cg_dca_s": row["time_s_cg_dca"], "sos_sdp_s": row["time_s_sos_sdp"]}
    ratio = f"{float(row['time_s_cg_dca']) / seconds:.3g}"
    return {"n": problem.n, "tolerance": f"{to:g}", **cells, **rivals, "ratio": ratio}


def page(rows: runner.Rows) -> str:
    """Return the rows, and for those without links the sums over rows."""
    rows = sorted(rows, key=lambda row: (row["links"], int(row["n"]), int(row["k"])))
    text = runner.laid_out(
        "set (n) | k | links | to | status | gap | checked gap | CPU seconds | checking, s "
        "| CG+DCA, s | SOS-SDP, s | CG+DCA / ours",
        "{set} ({n}) | {k} | {links} | {tolerance} | {status} | {gap} | {verified_gap} | {cpu_s} "
        "| {verify_s} | {cg_dca_s} | {sos_sdp_s} | {times}",
        (row | {"times": f"{float(row['ratio']):,.0f}" if is_proved(row) else "–"} for row in rows),
    )
    for links, tolerance in product(("no", "yes"), sorted({row["tolerance"] for row in rows})):
        text += summary(rows, links, tolerance)
    return text


if __name__ == "__main__":
    runner.run(
        __doc__, "plane", ("set", "k", "links"), cases, measure, page, warm_up=warm_up,
        only=[str], k=[int], links=("no", "yes"), cpu_limit=3600.0, tolerance=TOLERANCE, work=120.0,
    )  # fmt: skip
