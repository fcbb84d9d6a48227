"""What holds the ℓp-box splitting at a random start: its coupling, at each first penalty.

The paper's sets scaled to [-1, 1], no constraints, the penalty as printed times 1.1 every five
iterations, 250 of them. ``printed``: x = Pw ⊙ Cx as one more penalised constraint; ``box``: the
means of the box's copy, which is ours. How many labels are not those of the start, and the ARI.
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from itertools import product

import _runner as runner
import numpy as np
from lp_box import SETS, scaled
from sklearn.metrics import adjusted_rand_score

from ccviz.solvers.lp_box import DIVERGED, CoupledSplitting, Splitting

WAYS = {"printed": CoupledSplitting, "box": Splitting}
PENALTIES, ITERATIONS, GROWTH, EVERY = (0.1, 0.5, 2.0, 10.0, 20.0), 250, 1.1, 5


def measure(_: Namespace, name: str, rho: float, way: str, seed: int) -> dict[str, object]:
    """Iterate from random labels; say how far points lay from their nearest mean, and who moved."""
    X, truth = scaled(name)
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
    held = {"delta_mean": round(float(nearer.mean()), 3), "delta_most": round(nearer.max(), 3)}
    return held | {
        "diverged": diverged,
        "iterations": iteration,
        "moved": "" if diverged else int((labels != start).sum()),
        "ari": "" if diverged else round(adjusted_rand_score(truth, labels), 3),
    }


if __name__ == "__main__":
    runner.run(
        __doc__, "lp_box_holds", ("dataset", "rho", "way", "seed"),
        lambda options: product(SETS, PENALTIES, WAYS, range(options.seeds)), measure, seeds=2,
    )  # fmt: skip
