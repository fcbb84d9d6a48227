"""Equal sizes: our k-means by min-cost flow beside the package k-means-constrained.

PYTHON is the interpreter of another environment that has k-means-constrained: its ortools cannot be
imported beside highspy. Both sides get the same blobs and run in a process of their own. Measured
are one assignment from the same random centres, costs computed, and whole fits of one start each;
CPU seconds without imports. WCSS is that of the unscaled points: the same data times 1e-6 and 1e9
must give the same. (The package minimises distances in its assignment, not their squares.)
"""

from __future__ import annotations

import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import _runner as runner
import numpy as np
from sklearn.datasets import make_blobs

from ccviz import Problem, solve
from ccviz.solvers.assignment import Structure, solve_assignment
from ccviz.solvers.assignment.centers import block_costs

CASES = ((1000, 10, 2), (5000, 10, 2), (20000, 10, 2), (20000, 10, 10))
UNITS = (1.0, 1e-6, 1e9)
SEEDS = (0, 1, 2)
RIVAL = """
import json, sys, time
import numpy as np
from k_means_constrained import KMeansConstrained
from k_means_constrained.k_means_constrained_ import _labels_constrained
X, k, seed = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
size = len(X) // k
model = KMeansConstrained(k, size_min=size, size_max=size, n_init=1, random_state=seed, n_jobs=1)
started = time.process_time()
centers = X[np.random.default_rng(seed).choice(len(X), k, replace=False)]
_labels_constrained(X, centers, size, size, np.empty(len(X)))
middle = time.process_time()
labels = model.fit_predict(X)
print(json.dumps([middle - started, time.process_time() - middle, labels.tolist()]))
"""


def ours(X: np.ndarray, k: int, seed: int) -> tuple[float, float, np.ndarray]:
    """Return our CPU seconds for an assignment and a fit, and the labels."""
    none, size = np.empty((0, 2), dtype=np.int64), np.full(k, len(X) // k)
    started = time.process_time()
    centers = X[np.random.default_rng(seed).choice(len(X), k, replace=False)]
    structure = Structure.from_edges(len(X), k, none, lower=size, upper=size)
    solve_assignment(block_costs(X, structure.mass, centers), structure)
    middle = time.process_time()
    result = solve(Problem(X, k, sizes=size), "blp-kmeans", seed=seed)
    return middle - started, time.process_time() - middle, result.partition.labels


def rival(python: str, X: np.ndarray, k: int, seed: int) -> tuple[float, float, np.ndarray] | None:
    """Return the package's, None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "X.npy"
        np.save(file, X)
        found = list(runner.answers([python, "-c", RIVAL, file, k, seed]))
    return (*found[0][:2], np.array(found[0][2])) if found else None


def wcss(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the objective, from the labels alone."""
    groups = (X[labels == j] for j in np.unique(labels))
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def cases(_: Namespace) -> Iterator[tuple[int, int, int, float]]:
    for case in CASES:
        yield from ((*case, unit) for unit in (UNITS if case == CASES[-1] else UNITS[:1]))


def measure(options: Namespace, n: int, k: int, d: int, unit: float) -> dict[str, object]:
    """Return mean seconds and best WCSS over the seeds, WCSS in the data's own unit."""
    plain = make_blobs(n, d, centers=k, cluster_std=3.0, random_state=0)[0]
    X, python = plain * unit, options.rival_python
    mine = [ours(X, k, seed) for seed in SEEDS]
    theirs = [found for seed in SEEDS if (found := rival(python, X, k, seed)) is not None]
    sizes = {int(size) for *_, labels in mine for size in np.bincount(labels, minlength=k)}
    row: dict[str, object] = {}
    for own, runs in (("", mine), ("rival_", theirs)):
        if runs:
            for place, name in enumerate(("assign", "fit")):
                row[f"{own}{name}_s"] = round(float(np.mean([run[place] for run in runs])), 4)
            row[f"{own}wcss"] = min(wcss(plain, labels) for *_, labels in runs)
    row["sizes_exact"] = sizes == {n // k}
    for name in ("assign", "fit") if theirs else ():
        row[f"{name}_ratio"] = round(row[f"rival_{name}_s"] / row[f"{name}_s"], 1)
    return row


if __name__ == "__main__":
    runner.run(
        __doc__, "sizes", ("n", "k", "d", "unit"), cases, measure, runner.whole_table,
        warm_up=lambda: ours(np.random.default_rng(0).normal(size=(2000, 2)), 4, 0),
        rival_python=str,
    )  # fmt: skip
