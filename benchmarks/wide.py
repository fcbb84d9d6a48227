"""Fifty points of twenty thousand features, by every solver.

    python benchmarks/wide.py [--features D] [--limit SECONDS]

Each solver works in a process of its own, with its defaults; CPU seconds include compiled code's
loading, memory is the most that the process had beyond what it had with the problem in it. A matrix
of features by features would take 3.2 GB.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.solvers import SOLVERS  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "wide.md"
POINTS = 50
HEAD = """# Many features

{points} points of {features:,} features in three clusters, four links; every solver with its
defaults and a limit of {limit:.0f} seconds. Memory is what it took beyond the problem; a matrix of
features by features would take {square:,.0f} MB.

| solver | CPU s | MB | status |
|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=20_000)
    parser.add_argument("--limit", type=float, default=120.0)
    options = parser.parse_args()
    rows = []
    for solver in SOLVERS:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(measure, (solver.name, options.features, options.limit))
        rows.append("| `{}` | {:.1f} | {:.0f} | {} |".format(*row))
        print(*row, file=sys.stderr, flush=True)
    square = 8 * options.features**2 / 1e6
    head = HEAD.format(points=POINTS, square=square, **vars(options))
    RESULTS.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


def measure(name: str, features: int, limit: float) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    classes = np.arange(POINTS) % 3
    X = 3.0 * rng.normal(size=(3, features))[classes] + rng.normal(size=(POINTS, features))
    problem = Problem(X, 3, must_link=[(0, 3), (1, 4)], cannot_link=[(0, 1), (4, 8)])
    before, began = peak(), time.process_time()
    status = start(problem, name, time_limit=limit).result().status
    return name, time.process_time() - began, peak() - before, status


def peak() -> float:
    """Return the most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
