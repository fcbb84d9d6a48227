"""Agreement with the classes on features as they are, standardised, and weighted by links.

`blp-kmeans` keeps the same links on each kind of features, with ten starts; each cell is the mean
of five draws of links. Cells that the table has are not measured again.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product

import _runner as runner
import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz import Problem, solve
from ccviz.arrays import FloatArray
from ccviz.data import learn_metric, load, random_pairs, scale, weighted
from ccviz.data.datasets import Dataset

SETS = ("iris", "wine", "breast_cancer", "digits", "wine with noise")
LINKS = (10, 25, 50, 100)
DRAWS = 5


def data_of(name: str) -> Dataset:
    if not name.endswith(" with noise"):
        return load(name)
    data = load(name.removesuffix(" with noise"))
    X = np.random.default_rng(0).permuted(data.X, axis=0)
    features = (*data.features, *(f"noise {at}" for at in range(X.shape[1])))
    return Dataset(name, np.hstack([data.X, X]), features, data.truth)


HEAD = """# Weights of features learned from links

Agreement with the known classes (ARI, mean of five draws) of what `blp-kmeans` finds under random
links with ten starts, on features as they are, standardised, and with weights learned from the same
links by `ccviz.data.learn_metric`. *wine with noise* has thirteen more features of noise, each as
wide as one of wine's. CPU seconds are those of learning once.

"""


def measure(_: Namespace, name: str, many: int) -> dict[str, str]:
    """Return three agreements, and the CPU seconds of learning."""
    data = data_of(name)
    cells = np.mean([drawn(data, many, seed) for seed in range(DRAWS)], axis=0)
    words = [*(f"{cell:.2f}" for cell in cells[:3]), f"{cells[3]:.3f}"]
    return dict(zip(("as they are", "standardised", "learned", "CPU s"), words, strict=True))


def drawn(data: Dataset, many: int, seed: int) -> list[float]:
    k = int(data.truth.max()) + 1
    links = random_pairs(data.truth, many, seed=seed)
    pairs = links.must_link, links.cannot_link
    weights, spent = runner.timed(learn_metric, data.X, k, *pairs)

    def agreement(X: FloatArray) -> float:
        given = {"seed": seed, "n_init": 10, "progress": False}
        found = solve(Problem(X, k, *pairs), "blp-kmeans", **given).partition
        return float(adjusted_rand_score(data.truth, found.shown))

    ways = (data.X, scale(data.X, "standard"), scale(data.X, weighted(weights)))
    return [*map(agreement, ways), spent]


if __name__ == "__main__":
    runner.run(
        __doc__, "learned_metric", ("data", "links"), lambda _: product(SETS, LINKS), measure,
        lambda rows: HEAD + runner.whole_table(rows),
    )  # fmt: skip
