"""BLP k-means where tables are large: a million points, and PCCC's instances with many links.

    python benchmarks/scale.py

CPU seconds of one thread from arrays to the answer: the problem's checks, blocks and events are in
them; each case has a process of its own, its code compiled before. Memory is what the process needs
at most above what it held before, in multiples of the points' own.

Without links the rival is scikit-learn here: k-means++ and Lloyd's iterations from the same first
centres to the same end (tolerance 0). For letter and shuttle it is PCCC, whose seconds and ARI (of
two variants for letter with most links) are those that Baumann and Hochbaum publish
(arXiv 2212.14437, with Gurobi, standardised data): as many random pairs of all points as 1 and 5
per cent of the points have among each other, all hard. Ours are means of five draws.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import time  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from math import ceil, comb  # noqa: E402
from multiprocessing import get_context  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from assignment import as_markdown  # noqa: E402
from sklearn.cluster import KMeans, kmeans_plusplus  # noqa: E402
from sklearn.datasets import make_blobs  # noqa: E402

from ccviz import Problem, solve, start  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.data.scaling import scale  # noqa: E402
from ccviz.events import CentersMoved  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))

POINTS, FEATURES, CLUSTERS = 1_000_000, 10, 20
LINKS = (0, 100_000, 1_000_000)
SIZED = (23_000, 50, 10)

DRAWS = range(5)
PUBLISHED = {  # seconds and ARI of PCCC
    ("letter", 0.01): ("79.4", ".162"),
    ("letter", 0.05): ("127.5; 640", ".587; .730"),
    ("shuttle", 0.01): ("13.3", ".956"),
    ("shuttle", 0.05): ("24.2", ".998"),
}


class Meter:
    """CPU seconds and memory since it was made."""

    def __init__(self) -> None:
        # Linux only: forget the peak of what came before.
        Path("/proc/self/clear_refs").write_text("5")
        self._before, self._started = _memory("VmRSS"), time.process_time()

    def row(self, X: np.ndarray) -> dict[str, Any]:
        """Return what was used so far, beside the points."""
        seconds = time.process_time() - self._started
        return {
            "cpu_s": round(seconds, 1),
            "memory_in_points": round((_memory("VmHWM") - self._before) / X.nbytes, 1),
        }


def _memory(kind: str) -> int:
    """Return the memory held now (VmRSS) or at most (VmHWM), in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(kind))


def warm_up() -> None:
    """Load, or compile, all that is measured."""
    X, y = make_blobs(3000, FEATURES, centers=5, random_state=0)
    links = random_pairs(y, 30_000, seed=0)
    solve(Problem(X, 5, links.must_link, links.cannot_link), seed=0)
    solve(Problem(X, 5, sizes=[600] * 5), seed=0)
    solve(Problem(X, 5), seed=0)
    KMeans(5, n_init=1).fit(X)


def blobs(links: int) -> dict[str, Any]:
    """Measure a million points with true links, half of each kind."""
    warm_up()
    X, y = make_blobs(POINTS, FEATURES, centers=CLUSTERS, cluster_std=3.0, random_state=0)
    pairs = _true_pairs(y, links)
    meter = Meter()
    stepper = start(Problem(X, CLUSTERS, *pairs), seed=1)
    centers, first_s = None, 0.0
    for record in stepper:
        if centers is None and isinstance(record.event, CentersMoved):
            centers = record.event.centers
        if not first_s and stepper.run.incumbent is not None:
            first_s = meter.row(X)["cpu_s"]
    run = stepper.run
    row = {
        "case": f"blobs {POINTS:,} x {FEATURES}, k = {CLUSTERS}, {links:,} links",
        **meter.row(X),
        "first_answer_s": first_s,
        "kept": run.incumbent.violations.none_hard,
        "objective": round(run.objective),
    }
    return row if links else {**row, **_scikit_learn(X, centers, row["cpu_s"])}


def _scikit_learn(X: np.ndarray, centers: np.ndarray, ours_s: float) -> dict[str, Any]:
    meter = Meter()
    kmeans_plusplus(X, CLUSTERS, random_state=0)
    rival = KMeans(CLUSTERS, init=centers, n_init=1, tol=0.0).fit(X)
    seconds = meter.row(X)["cpu_s"]
    return {
        "rival": "scikit-learn",
        "rival_s": seconds,
        "rival_objective": round(rival.inertia_),
        "ratio": round(ours_s / seconds, 2),
    }


def _true_pairs(truth: np.ndarray, number: int) -> list[np.ndarray]:
    """Return must-links and cannot-links that the truth keeps, half of the number each."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(truth), (20 * number, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return [pairs[same][: number // 2], pairs[~same][: number // 2]]


def published(name: str, share: float) -> dict[str, Any]:
    """Measure an instance of PCCC's paper, five draws of its links."""
    warm_up()
    table = pd.read_parquet(BENCH / "classes" / f"{name}.parquet")
    truth = table.pop("class").to_numpy()
    X = scale(table.to_numpy(dtype=np.float64), "standard")
    rows, kept, agreement = [], True, []
    for draw in DRAWS:
        links = random_pairs(truth, comb(ceil(share * len(X)), 2), seed=draw)
        meter = Meter()
        problem = Problem(X, len(np.unique(truth)), links.must_link, links.cannot_link)
        result = solve(problem, seed=draw)
        rows.append(meter.row(X))
        assert result.partition is not None
        kept &= result.partition.violations.none_hard
        agreement.append(_ari(truth, result.labels))
    seconds, ari = PUBLISHED[name, share]
    return {
        "case": f"{name}, {len(links.must_link):,} / {len(links.cannot_link):,} links",
        **{key: round(float(np.mean([row[key] for row in rows])), 1) for key in ("cpu_s",)},
        "slowest_s": max(row["cpu_s"] for row in rows),
        "kept": kept,
        "ari": round(float(np.mean(agreement)), 3),
        "least_ari": round(min(agreement), 3),
        "rival": "PCCC, published",
        "rival_s": seconds,
        "rival_ari": ari,
    }


def _ari(truth: np.ndarray, labels: np.ndarray | None) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(truth, labels))


def sized() -> dict[str, Any]:
    """Measure equal sizes."""
    warm_up()
    n, d, k = SIZED
    X, _ = make_blobs(n, d, centers=k, cluster_std=5.0, random_state=0)
    meter = Meter()
    result = solve(Problem(X, k, sizes=[n // k] * k), seed=0)
    assert result.partition is not None
    return {
        "case": f"blobs {n:,} x {d}, k = {k}, equal sizes",
        **meter.row(X),
        "kept": result.partition.violations.none_hard,
        "objective": round(result.objective),
    }


def main() -> None:
    cases = [(published, key) for key in PUBLISHED]
    cases += [(sized, ()), *((blobs, (links,)) for links in LINKS)]
    rows = []
    for measure, key in cases:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
            rows.append(own.submit(measure, *key).result())
        print(rows[-1], flush=True)
        table = pd.DataFrame(rows)
        table.to_csv(RESULTS / "scale.csv", index=False)
        (RESULTS / "scale.md").write_text(as_markdown(table))


if __name__ == "__main__":
    main()
