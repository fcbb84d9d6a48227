"""Proofs under cluster sizes: the eleven sets of Piccialli et al. (2022), with and without links.

`sdp` to a gap of 1e-4, one thread, CPU seconds: all sets in equal sizes, and the six with labels in
the sizes of their classes. ``--links`` names how many must-links and cannot-links a published file
has; sets without such files are left out. Every proof is checked by `ccviz.proof.verify` after the
clock has stopped. Beside it is the bound of the same time without sizes, which holds with them too.
Where links and sizes cannot all be kept the row has a smallest conflict.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, solve
from ccviz.data.link_files import read_links_file
from ccviz.errors import CcvizError
from ccviz.feasibility.conflict import explain_conflict

CLUSTERS = {
    "iris": 3, "wine": 3, "seeds": 3, "glass": 6, "connectionist": 2, "heart": 2, "vertebral": 2,
    "accent": 6, "ecoli": 8, "ECG5000": 5, "computers": 3,
}  # fmt: skip
TOLERANCE = 1e-4
_EXPLAIN_S = 60.0
"""Time limit in seconds of the search for a smallest conflict."""


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(60, 2))
    for sizes in (None, [20, 20, 20], [10, 20, 30]):
        solve(Problem(points, 3, cannot_link=[(0, 1)], sizes=sizes), "sdp", progress=False)


def links_file(which: str, links: str, file: int) -> Path:
    """Return the published file of a number of must-links and one of cannot-links."""
    must, cannot = links.split("+")
    return runner.SUITE / "constraints" / which / f"ml_{must}_cl_{cannot}_{file}.txt"


def class_sizes() -> dict[str, list[int]]:
    """Return the sizes of the classes of the sets that have labels."""
    rows = runner.read_rows(runner.BENCH / "sizes" / "class_sizes.csv")
    return {
        row["set"]: [int(size) for size in row["sizes"].split()]
        for row in rows
        if row["source"] == "pc-sos-sdp"
    }


def cases(options: Namespace) -> Iterator[tuple[str, str, str, int]]:
    """Yield set, kind of sizes, number of links and file of each instance."""
    labelled = class_sizes()
    for links, which in product(options.links, options.only):
        kinds = [kind for kind in options.sizes if kind == "equal" or which in labelled]
        for kind, file in product(kinds, [0] if links == "none" else options.files):
            if links == "none" or links_file(which, links, file).exists():
                yield which, kind, links, file


def measure(
    options: Namespace, which: str, kind: str, links: str, file: int
) -> dict[str, Any] | None:
    X = np.loadtxt(runner.SUITE / "data" / f"{which}.txt", skiprows=1)
    k, given = CLUSTERS[which], {}
    sizes = class_sizes()[which] if kind == "classes" else runner.equal_sizes(len(X), k)
    if links != "none":
        found = read_links_file(links_file(which, links, file), len(X))
        given = {"must_link": found.must_link, "cannot_link": found.cannot_link}
    try:
        problem = Problem(X, k, sizes=sizes, **given)
    except CcvizError as impossible:
        print(which, kind, links, file, impossible, file=sys.stderr, flush=True)
        return None
    size = {"n": problem.n, "k": k}
    conflict, seconds = runner.timed(explain_conflict, problem, _EXPLAIN_S)
    if conflict is not None:
        none = dict.fromkeys(("objective", "gap", "verify_s", "gap_without_sizes"), "")
        found = {"verified_gap": conflict.reason, "cpu_s": f"{seconds:.1f}"}
        return size | {"status": "infeasible"} | none | found
    cells, seconds = runner.proved(problem, "sdp", TOLERANCE, options.cpu_limit, gap=1.0)
    free = Problem(X, k, **given)
    without, _ = runner.proved(free, "sdp", TOLERANCE, max(1.0, seconds), gap=1.0)
    bound = float(without["objective"]) * (1.0 - float(without["gap"]))
    gap = 1.0 - bound / float(cells["objective"])
    return size | cells | {"gap_without_sizes": f"{gap:.2e}"}


def page(rows: runner.Rows) -> str:
    def links(row: runner.Row) -> str:
        return "none" if row["links"] == "none" else f"{row['links']}, file {row['file']}"

    return runner.laid_out(
        "set | n, k | sizes | links | objective | status | gap | checked gap | CPU seconds "
        "| gap of the bound without sizes",
        "{set} | {n}, {k} | {sizes} | {links} | {objective} | {status} | {gap} | {verified_gap} "
        "| {cpu_s} | {gap_without_sizes}",
        (row | {"links": links(row)} for row in rows),
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "sizes_proved", ("set", "sizes", "links", "file"), cases, measure, page,
        warm_up=warm_up, only=CLUSTERS, sizes=("equal", "classes"), links=["none"], files=[0],
        cpu_limit=60.0,
    )  # fmt: skip
