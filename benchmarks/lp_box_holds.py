"""What holds the ℓp-box splitting at a random start: its coupling, at each first penalty.

    python benchmarks/lp_box_holds.py [--bench DIR] [--seeds 2]

The paper's sets scaled to [-1, 1], no constraints, the penalty as printed times 1.1 every five
iterations, 250 of them. ``printed``: x = Pw ⊙ Cx as one more penalised constraint; ``box``: the
means of the box's copy, which is ours. How many labels are not those of the start, and the ARI.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from lp_box import SETS, scaled
from sklearn.metrics import adjusted_rand_score
from soft_published import BENCH, RESULTS

from ccviz.solvers.lp_box.admm import CoupledSplitting, Splitting
from ccviz.solvers.lp_box.solver import DIVERGED

WAYS = {"printed": CoupledSplitting, "box": Splitting}
PENALTIES, ITERATIONS, GROWTH, EVERY = (0.1, 0.5, 2.0, 10.0, 20.0), 250, 1.1, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for name in SETS:
        X, truth = scaled(name, options.bench)
        for rho in PENALTIES:
            for way in WAYS:
                for seed in range(options.seeds):
                    figures = run(X, truth, way, rho, seed)
                    rows.append({"dataset": name, "rho": rho, "way": way, "seed": seed, **figures})
    pd.DataFrame(rows).to_csv(RESULTS / "lp_box_holds.csv", index=False)


def run(X: np.ndarray, truth: np.ndarray, way: str, rho: float, seed: int) -> dict[str, object]:
    """Iterate from random labels; say how far points lay from their nearest mean, and who moved."""
    k, none = truth.max() + 1, np.zeros((0, 2), dtype=np.int64)
    start = np.random.default_rng(seed).integers(k, size=len(X))
    splitting = WAYS[way](X - X.mean(axis=0), np.eye(k)[start], none, none, None, rho)
    distances = splitting.distances
    nearer = distances[np.arange(len(X)), start] - distances.min(axis=1)
    diverged = False
    for iteration in range(1, ITERATIONS + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it overflows as it diverges
            splitting.iterate()
        diverged = not splitting.primal_residual < DIVERGED * len(X)
        if diverged:
            break
        if iteration % EVERY == 0:
            splitting.rho *= GROWTH
    labels = splitting.x.argmax(axis=1)
    return {
        "delta_mean": round(float(nearer.mean()), 3),
        "delta_most": round(float(nearer.max()), 3),
        "diverged": diverged,
        "iterations": iteration,
        "moved": "" if diverged else int((labels != start).sum()),
        "ari": "" if diverged else round(adjusted_rand_score(truth, labels), 3),
    }


if __name__ == "__main__":
    main()
