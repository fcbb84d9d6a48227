"""The defaults of the k-means under sizes, and of PCK-means, over many seeds.

    python benchmarks/defaults.py [--rival-python PYTHON] [--seeds 20]

Sizes: every cluster gets four fifths to six fifths of n / k points; BLP k-means with its default
first centres (``auto``) and with plain k-means++, one start each, beside the package
k-means-constrained with one start. PYTHON is the interpreter of another environment that has the
package; its columns are empty without. Links: 60 pairs drawn from the classes, PCK-means with its
default price and with the two it could have. Mean and worst are over the seeds, relative to the
best WCSS of any column; CPU seconds are means of one process. Tables: ``results/defaults.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import timed  # noqa: E402
from sklearn.datasets import load_digits, make_blobs  # noqa: E402

from ccviz import Partition, Problem, solve  # noqa: E402
from ccviz.data import load, random_pairs  # noqa: E402
from ccviz.data.scaling import scale  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "defaults.md"
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

Measured = tuple[list[float], float]  # WCSS of each seed, CPU seconds a run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rival-python")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    lines = [f"`python benchmarks/defaults.py`, {options.seeds} seeds.", "", *SIZES_HEAD]
    for name, X, k in sets():
        lines.append(sizes_row(name, X, k, options.seeds, options.rival_python))
        print(lines[-1], flush=True)
    lines += ["", *LINKS_HEAD]
    for name, kind in (("iris", "none"), ("wine", "standard"), ("breast_cancer", "standard")):
        lines += links_rows(name, kind, options.seeds)
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


SIZES_HEAD = (
    "| Set | n | k | Best WCSS | auto: mean, worst | CPU s | k-means++: mean, worst | CPU s "
    "| k-means-constrained: mean, worst | CPU s |",
    "|---|---|---|---|---|---|---|---|---|---|",
)
LINKS_HEAD = (
    "| Set | Price of a link | WCSS, least to most | Broken of 60, median | ARI, median |",
    "|---|---|---|---|---|",
)


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


def sizes_row(name: str, X: np.ndarray, k: int, seeds: int, python: str | None) -> str:
    """Return the row of one set under sizes."""
    low, high = int(0.8 * len(X) / k), -int(-1.2 * len(X) // k)
    problem = Problem(X, k, sizes=([low] * k, [high] * k))
    measured = [ours(problem, seeds, init) for init in ("auto", "k-means++")]
    if python is not None:
        measured.append(rival(python, X, k, low, high, seeds))
    best = min(min(found) for found, _ in measured)
    cells = [name, f"{len(X):,}", str(k), f"{best:.6g}"]
    for found, cpu in measured:
        over = 100 * (np.array(found) / best - 1)
        cells += [f"+{over.mean():.2f} %, +{over.max():.2f} %", f"{cpu:.3f}"]
    cells += ["", ""] * (3 - len(measured))
    return f"| {' | '.join(cells)} |"


def ours(problem: Problem, seeds: int, init: str) -> Measured:
    """Return what BLP k-means finds from one start a seed."""
    solve(problem, "blp-kmeans", init=init, progress=False)  # compiled before it is timed
    runs = [
        timed(solve, problem, "blp-kmeans", init=init, seed=seed, progress=False)
        for seed in range(seeds)
    ]
    return [result.objective for result, _ in runs], sum(cpu for _, cpu in runs) / seeds


def rival(python: str, X: np.ndarray, k: int, low: int, high: int, seeds: int) -> Measured:
    """Return what the package finds from one start a seed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "X.npy"
        np.save(file, X)
        words = [python, "-c", RIVAL, str(file), *map(str, (k, low, high, seeds))]
        labels, cpu = json.loads(subprocess.check_output(words, text=True))
    return [Partition(Problem(X, k), each).wcss for each in labels], cpu


def links_rows(name: str, kind: str, seeds: int) -> list[str]:
    """Return the rows of one set under links."""
    data = load(name)
    links = random_pairs(data.truth, 60, seed=0)
    problem = Problem(
        scale(data.X, kind), data.k, must_link=links.must_link, cannot_link=links.cannot_link,
        truth=data.truth,
    )  # fmt: skip
    rows = []
    for words, settings in PRICES.items():
        parts = [
            solve(problem, "pck-means", seed=seed, progress=False, **settings).partition
            for seed in range(seeds)
        ]
        wcss = [part.wcss for part in parts]
        broken = [part.violations.must_link + part.violations.cannot_link for part in parts]
        ari = [part.scores["ari"] for part in parts]
        rows.append(
            f"| {name} ({kind}) | {words} | {min(wcss):.6g} to {max(wcss):.6g} "
            f"| {np.median(broken):g} | {np.median(ari):.3f} |"
        )
    return rows


if __name__ == "__main__":
    main()
