"""The defaults of the k-means under sizes, and of PCK-means, over many seeds.

Sizes: every cluster gets four fifths to six fifths of n / k points; BLP k-means with its default
first centres (``auto``) and with plain k-means++, one start each, beside the package
k-means-constrained with one start. PYTHON is the interpreter of another environment that has the
package; its columns are empty without. Links: 60 pairs drawn from the classes, PCK-means with its
default price and with the two it could have. Mean and worst are over the seeds, relative to the
best WCSS of any column; CPU seconds are means of one process. Tables: ``results/defaults.md``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import _runner as runner
import numpy as np
from sklearn.datasets import load_digits, make_blobs

from ccviz import Partition, Problem, solve
from ccviz.data import load, random_pairs
from ccviz.data.scaling import scale

PRICES = {
    "default": {},
    "scale=data, w=0.2": {"scale": "data", "w": 0.2},
    "scale=one, w=1": {"scale": "one", "w": 1.0},
}
RIVAL = """
import json, sys, time
import numpy as np
from k_means_constrained import KMeansConstrained
X, k, low, high, seeds = np.load(sys.argv[1]), *map(int, sys.argv[2:])
fit = lambda seed: KMeansConstrained(
    k, size_min=low, size_max=high, n_init=1, random_state=seed, n_jobs=1).fit_predict(X)
fit(0)
began = time.process_time()
labels = [fit(seed).tolist() for seed in range(seeds)]
print(json.dumps([labels, (time.process_time() - began) / seeds]))
"""


def sets() -> Iterator[tuple[str, np.ndarray, int]]:
    """Yield name, points and number of clusters."""
    for name, k in (("iris", 3), ("wine", 3), ("breast_cancer", 2)):
        yield name, scale(load(name).X, "standard"), k
    yield "digits", load_digits().data, 10
    rng = np.random.default_rng(0)
    yield "uniform, 12 teams", rng.random((240, 8)), 12
    yield "uniform, 5 teams", rng.random((200, 2)), 5
    for n, k, d in ((1000, 10, 2), (1000, 20, 5), (2000, 40, 10), (5000, 20, 5), (5000, 10, 2)):
        yield f"blobs, d = {d}", make_blobs(n, centers=k, n_features=d, random_state=0)[0], k
    turn = np.linspace(0, 2 * np.pi, 1200)
    yield "circle", np.column_stack([np.cos(turn), np.sin(turn)]), 8


def ours(problem: Problem, seeds: int, init: str) -> Measured:
    """Return what BLP k-means finds from one start a seed."""
    solve(problem, "blp-kmeans", init=init, progress=False)  # compiled before it is timed
    runs = [
        runner.timed(solve, problem, "blp-kmeans", init=init, seed=seed, progress=False)
        for seed in range(seeds)
    ]
    return [result.objective for result, _ in runs], sum(cpu for _, cpu in runs) / seeds


Measured = tuple[list[float], float]  # WCSS of each seed, CPU seconds a run


def sizes_row(name: str, X: np.ndarray, k: int, seeds: int, python: str | None) -> list[object]:
    low, high = int(0.8 * len(X) / k), -int(-1.2 * len(X) // k)
    problem = Problem(X, k, sizes=([low] * k, [high] * k))
    measured = [ours(problem, seeds, init) for init in ("auto", "k-means++")]
    if python is not None:
        measured.append(rival(python, X, k, low, high, seeds))
    best = min(min(found) for found, _ in measured)
    cells = [name, f"{len(X):,}", k, f"{best:.6g}"]
    for found, cpu in measured:
        over = 100 * (np.array(found) / best - 1)
        cells += [f"+{over.mean():.2f} %, +{over.max():.2f} %", f"{cpu:.3f}"]
    return cells + ["", ""] * (3 - len(measured))


def rival(python: str, X: np.ndarray, k: int, *numbers: int) -> Measured:
    """Return what the package finds from one start a seed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "X.npy"
        np.save(file, X)
        ((labels, cpu),) = runner.answers([python, "-c", RIVAL, file, k, *numbers])
    return [Partition(Problem(X, k), each).wcss for each in labels], cpu


def links_rows(name: str, kind: str, seeds: int) -> Iterator[list[object]]:
    data = load(name)
    links = random_pairs(data.truth, 60, seed=0)
    X, pairs = scale(data.X, kind), (links.must_link, links.cannot_link)
    problem = Problem(X, data.k, *pairs, truth=data.truth)
    for words, settings in PRICES.items():
        parts = [
            solve(problem, "pck-means", seed=seed, progress=False, **settings).partition
            for seed in range(seeds)
        ]
        wcss = [part.wcss for part in parts]
        broken = [part.violations.must_link + part.violations.cannot_link for part in parts]
        middle = np.median(broken), np.median([part.scores["ari"] for part in parts])
        yield [f"{name} ({kind})", words, f"{min(wcss):.6g} to {max(wcss):.6g}",
               f"{middle[0]:g}", f"{middle[1]:.3f}"]  # fmt: skip


def main() -> None:
    options = runner.parse(__doc__, rival_python=str, seeds=20)
    seeds = options.seeds
    under_sizes = runner.markdown(
        "Set | n | k | Best WCSS | auto: mean, worst | CPU s | k-means++: mean, worst | CPU s "
        "| k-means-constrained: mean, worst | CPU s",
        (sizes_row(*each, seeds, options.rival_python) for each in sets()),
    )
    linked = (("iris", "none"), ("wine", "standard"), ("breast_cancer", "standard"))
    under_links = runner.markdown(
        "Set | Price of a link | WCSS, least to most | Broken of 60, median | ARI, median",
        (row for each in linked for row in links_rows(*each, seeds)),
    )
    about = f"`python benchmarks/defaults.py`, {seeds} seeds."
    runner.write_page("defaults", f"{about}\n\n{under_sizes}\n{under_links}")


if __name__ == "__main__":
    main()
