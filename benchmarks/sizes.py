"""Equal sizes: our k-means by min-cost flow beside the package k-means-constrained.

    python benchmarks/sizes.py --rival-python PYTHON

PYTHON is the interpreter of another environment that has k-means-constrained: its ortools cannot be
imported beside highspy. Both sides get the same blobs and run in a process of their own. Measured
are one assignment from the same random centres, costs computed, and whole fits of one start each;
CPU seconds without imports. WCSS is that of the unscaled points: the same data times 1e-6 and 1e9
must give the same. (The package minimises distances in its assignment, not their squares.)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

RESULTS = Path(__file__).parent / "results"
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
    from ccviz import Problem, solve
    from ccviz.solvers.assignment import Structure, solve_assignment
    from ccviz.solvers.assignment.centers import block_costs

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
        ran = subprocess.run(
            [python, "-c", RIVAL, str(file), str(k), str(seed)],
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode:
        print(ran.stderr.strip().split("\n")[-1], file=sys.stderr)
        return None
    assign_s, fit_s, labels = json.loads(ran.stdout)
    return assign_s, fit_s, np.array(labels)


def wcss(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the objective, from the labels alone."""
    groups = (X[labels == j] for j in np.unique(labels))
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def measure(python: str, n: int, k: int, d: int, unit: float) -> dict[str, object]:
    """Return one row: mean seconds and best WCSS over the seeds, WCSS in the data's own unit."""
    from sklearn.datasets import make_blobs

    plain = make_blobs(n, d, centers=k, cluster_std=3.0, random_state=0)[0]
    X = plain * unit
    mine = [ours(X, k, seed) for seed in SEEDS]
    theirs = [found for seed in SEEDS if (found := rival(python, X, k, seed)) is not None]
    sizes = {int(size) for *_, labels in mine for size in np.bincount(labels, minlength=k)}
    row = {
        "n": n,
        "k": k,
        "d": d,
        "unit": unit,
        "assign_s": mean_of(mine, 0),
        "fit_s": mean_of(mine, 1),
        "wcss": min(wcss(plain, labels) for *_, labels in mine),
        "sizes_exact": sizes == {n // k},
    }
    if theirs:
        row |= {
            "rival_assign_s": mean_of(theirs, 0),
            "rival_fit_s": mean_of(theirs, 1),
            "rival_wcss": min(wcss(plain, labels) for *_, labels in theirs),
            "assign_ratio": round(mean_of(theirs, 0) / mean_of(mine, 0), 1),
            "fit_ratio": round(mean_of(theirs, 1) / mean_of(mine, 1), 1),
        }
    return row


def mean_of(runs: list[tuple[float, float, np.ndarray]], place: int) -> float:
    """Return the mean seconds of the seeds."""
    return round(float(np.mean([run[place] for run in runs])), 4)


def main() -> None:
    import pandas as pd
    from assignment import as_markdown

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rival-python", required=True, help="python with k-means-constrained")
    python = parser.parse_args().rival_python
    ours(np.random.default_rng(0).normal(size=(2000, 2)), 4, 0)  # compiles
    rows = []
    for n, k, d in CASES:
        for unit in UNITS if (n, k, d) == CASES[-1] else UNITS[:1]:
            rows.append(measure(python, n, k, d, unit))
            print(rows[-1], flush=True)
            table = pd.DataFrame(rows)
            table.to_csv(RESULTS / "sizes.csv", index=False)
            (RESULTS / "sizes.md").write_text(as_markdown(table))


if __name__ == "__main__":
    main()
