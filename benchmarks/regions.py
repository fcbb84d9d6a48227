"""Connected clusters of real areas, proved by `sdp`: separators in the bound.

    python benchmarks/regions.py --examples libpysal/examples [--sets mexico columbus] [--k 3 5 8]

The folder is that of the wheel of libpysal, whose areas come with neighbours. Three columns, each
standardised: INC, HOVAL and CRIME of columbus (49 areas), PCGDP of 1940, 1970 and 2000 of mexico
(32). One thread; CPU seconds. Every proof is checked by `ccviz verify`. *Without neighbours* is
the optimum of `sdp` for the same areas without connectedness.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _runner import laid_out, proved, run  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.data.neighbors import read_neighbors_text  # noqa: E402

COLUMNS = {
    "mexico": ("pcgdp1940", "pcgdp1970", "pcgdp2000"),
    "columbus": ("INC", "HOVAL", "CRIME"),
}


def problem_of(examples: Path, name: str, k: int) -> Problem:
    """Return the areas of a set with their neighbours."""
    folder = examples / name
    if name == "columbus":
        areas = json.loads((folder / "columbus.json").read_text(encoding="utf-8"))
        rows = [each["properties"] for each in areas["features"]]
    else:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    X = np.array([[float(row[column]) for column in COLUMNS[name]] for row in rows])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Problem(X, k, neighbors=read_neighbors_text(str(folder / f"{name}.gal"), X))


def cases(options):
    return ((name, k) for name in options.sets for k in options.k)


def measure(options, name, k):
    """Return the proof of a set's connected clustering, and what it costs without."""
    problem = problem_of(options.examples, name, k)
    cells, _ = proved(problem, "sdp", 1e-4, options.cpu_limit)
    free = solve(Problem(problem.X, k), "sdp", time_limit=60, progress=False)
    return {"n": problem.n, **cells, "free": f"{free.objective:.6g}"}


def page(rows):
    header = (
        "set | areas | k | objective | gap | verified gap | CPU s | check, s | without neighbours"
    )
    cells = (
        "{set} | {n} | {k} | {objective} | {gap} | {verified_gap} | {cpu_s} | {verify_s} | {free}"
    )
    return f"# Connected areas\n\n{__doc__.split(chr(10), 1)[0]}\n\n{laid_out(header, cells, rows)}"


def warm_up():
    X = np.random.default_rng(0).normal(size=(9, 2))
    solve(Problem(X, 3, neighbors=[(i, i + 1) for i in range(8)]), "sdp", progress=False)


if __name__ == "__main__":
    run(
        __doc__, "regions", ("set", "k"), cases, measure, page, warm_up=warm_up,
        examples=Path("libpysal/examples"), sets=list(COLUMNS), k=[3, 5, 8], cpu_limit=600.0,
    )  # fmt: skip
