"""Agreement with the classes on features as they are, standardised, and weighted by links.

    python benchmarks/learned_metric.py

`blp-kmeans` keeps the same links on each kind of features, with ten starts; each cell is the mean
of five draws of links. Cells that the table has are not measured again.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz import Problem, solve
from ccviz.arrays import FloatArray
from ccviz.data import learn_metric, load, random_pairs, scale, weighted
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition

RESULTS = Path(__file__).parent / "results" / "learned_metric.md"
SETS = ("iris", "wine", "breast_cancer", "digits", "wine with noise")
LINKS = (10, 25, 50, 100)
DRAWS = 5
HEAD = """# Weights of features learned from links

Agreement with the known classes (ARI, mean of five draws) of what `blp-kmeans` finds under random
links with ten starts, on features as they are, standardised, and with weights learned from the same
links by `ccviz.data.learn_metric`. *wine with noise* has thirteen more features of noise, each as
wide as one of wine's. CPU seconds are those of learning once.

| data | links | as they are | standardised | learned | CPU s |
|---|---|---|---|---|---|
"""


def main() -> None:
    rows = RESULTS.read_text("utf-8").splitlines() if RESULTS.exists() else []
    rows = [row for row in rows if row.startswith("| ") and row.split(" | ")[0][2:] in SETS]
    known = {tuple(row.split(" | ")[:2]) for row in rows}
    for name in SETS:
        data = data_of(name)
        for many in LINKS:
            if (f"| {name}", str(many)) in known:
                continue
            cells = np.mean([measure(data, many, seed) for seed in range(DRAWS)], axis=0)
            words = [*(f"{cell:.2f}" for cell in cells[:3]), f"{cells[3]:.3f}"]
            rows.append(f"| {name} | {many} | " + " | ".join(words) + " |")
            RESULTS.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
            print(rows[-1], flush=True)


def data_of(name: str) -> Dataset:
    """Return a data set of ccviz, with noise if it is to have some."""
    if not name.endswith(" with noise"):
        return load(name)
    data = load(name.removesuffix(" with noise"))
    X = np.random.default_rng(0).permuted(data.X, axis=0)
    features = (*data.features, *(f"noise {at}" for at in range(X.shape[1])))
    return Dataset(name, np.hstack([data.X, X]), features, data.truth)


def measure(data: Dataset, many: int, seed: int) -> list[float]:
    """Return three agreements, and the CPU seconds of learning."""
    assert data.truth is not None
    k = int(data.truth.max()) + 1
    links = random_pairs(data.truth, many, seed=seed)
    began = time.process_time()
    weights = learn_metric(data.X, k, links.must_link, links.cannot_link)
    spent = time.process_time() - began

    def agreement(X: FloatArray) -> float:
        problem = Problem(X, k, links.must_link, links.cannot_link)
        found = solve(problem, "blp-kmeans", seed=seed, n_init=10, progress=False).partition
        return float(adjusted_rand_score(data.truth, labels_of(found)))

    ways = (data.X, scale(data.X, "standard"), scale(data.X, weighted(weights)))
    return [*map(agreement, ways), spent]


def labels_of(found: Partition | None) -> np.ndarray:
    """Return the labels of a clustering that must be there."""
    assert found is not None
    return found.shown


if __name__ == "__main__":
    main()
