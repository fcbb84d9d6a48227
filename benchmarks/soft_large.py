"""BH-kmeans on 20,000 points, 100 clusters and 10,000 soft links, to convergence.

Gaussian clouds that overlap; half of the links join a cloud, half join two, and a share of each has
the wrong kind.
"""

from __future__ import annotations

import time
from argparse import Namespace
from itertools import product

import _runner as runner
import numpy as np

from ccviz import Problem, start

D, SPREAD = 10, 3.0
NOISES, PENALTIES = (0.0, 0.1, 0.2), (0.2, 1.0)


def clouds(n: int, k: int, links: int, noise: float, seed: int = 0) -> Problem:
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


def measure(options: Namespace, noise: float, p: float) -> dict[str, object]:
    problem = clouds(options.n, options.k, options.links, noise)
    wall, stepper = time.perf_counter(), start(problem, "bh-kmeans", p=p, step_limit=10.0)
    result, cpu_s = runner.timed(stepper.result)
    broken = result.partition.violations
    return {
        "n": options.n, "k": options.k,
        "links": len(problem.must_link) + len(problem.cannot_link),
        "termination": result.termination, "iterations": stepper.run.iteration,
        "not_proved_steps": len(stepper.run.notes), "ari": round(result.partition.scores["ari"], 3),
        "broken_links": broken.must_link + broken.cannot_link, "cpu_s": round(cpu_s, 2),
        "wall_s": round(time.perf_counter() - wall, 2),
    }  # fmt: skip


if __name__ == "__main__":
    runner.run(
        __doc__, "soft_large", ("noise", "p"), lambda _: product(NOISES, PENALTIES), measure,
        warm_up=lambda: start(clouds(500, 5, 100, 0.1), "bh-kmeans").result(),
        n=20_000, k=100, links=10_000,
    )  # fmt: skip
