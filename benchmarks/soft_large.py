"""BH-kmeans on 20,000 points, 100 clusters and 10,000 soft links, to convergence.

    python benchmarks/soft_large.py [--n 20000] [--k 100] [--links 10000]

Gaussian clouds that overlap; half of the links join a cloud, half join two, and a share of each
has the wrong kind.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from itertools import product
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from ccviz import Problem, start  # noqa: E402

RESULTS = Path(__file__).parent / "results"
D, SPREAD = 10, 3.0
NOISES, PENALTIES = (0.0, 0.1, 0.2), (0.2, 1.0)


def clouds(n: int, k: int, links: int, noise: float, seed: int = 0) -> Problem:
    """Return the problem of a seed."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = SPREAD * rng.normal(size=(k, D))[truth] + 1.5 * rng.normal(size=(n, D))
    wanted = np.arange(links) % 2 == 0  # whether the link joins a cloud
    first = rng.integers(n, size=links)
    second = np.array(
        [
            rng.choice(np.flatnonzero((truth == truth[i]) == joins))
            for i, joins in zip(first, wanted, strict=True)
        ]
    )
    first, second = first[first != second], second[first != second]
    same = (truth[first] == truth[second]) ^ (rng.random(len(first)) < noise)
    soft = np.column_stack([first, second, np.ones(len(first))])
    return Problem(X, k, must_link=soft[same], cannot_link=soft[~same], truth=truth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--links", type=int, default=10_000)
    asked = parser.parse_args()
    start(clouds(500, 5, 100, 0.1), "bh-kmeans").result()  # compiles
    rows = []
    for noise, p in product(NOISES, PENALTIES):
        problem = clouds(asked.n, asked.k, asked.links, noise)
        wall, cpu = time.perf_counter(), time.process_time()
        stepper = start(problem, "bh-kmeans", p=p, step_limit=10.0)
        result = stepper.result()
        broken = result.partition.violations
        rows.append(
            {
                "n": asked.n,
                "k": asked.k,
                "links": len(problem.must_link) + len(problem.cannot_link),
                "noise": noise,
                "p": p,
                "termination": result.termination,
                "iterations": stepper.run.iteration,
                "not_proved_steps": len(stepper.run.notes),
                "ari": round(result.partition.scores["ari"], 3),
                "broken_links": broken.must_link + broken.cannot_link,
                "cpu_s": round(time.process_time() - cpu, 2),
                "wall_s": round(time.perf_counter() - wall, 2),
            }
        )
        print(rows[-1], flush=True)
    with (RESULTS / "soft_large.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
