"""Quality and similarity of clusterings by questions, beside REACT (ICTAI 2024).

REACT's protocol on its data sets: all begin with k-means with the true k on the raw columns, and
ask ten times ten questions, answered by the classes without error. Quality is the agreement with
the classes after 0, 1, ... 10 times, similarity that of each clustering with the one before; both
are areas under the curve by trapezoids, at most 1 for quality and 0.9 for similarity, means over
seeds. Ours ask the questions of *Ask me* (`ccviz.active.Learner`, which `ccviz ask` runs), on
columns scaled to 0 to 1. `ask` is its clustering. `run` is that of BLP-k-means with the answers as
links, and `stay` the one that `least_change` finds between it and the last one, at most 1 % above
its cost, as on the page with the switch beside Run; `stay10` allows 10 %. Of the set with two
spaces (treecut1917) ours see the first alone. The set with 20,000 points is clustered by `ask`.
Sets take turns over seeds, one thread, CPU seconds of all questions and clusterings.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from statistics import fmean
from typing import Any

import _runner as runner
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, fowlkes_mallows_score

from ccviz import Problem, solve
from ccviz.active.learner import Learner
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.read_table import read_data
from ccviz.data.scaling import scale
from ccviz.studies.least_change import least_change

SETS = (
    "iris", "wine", "glass", "ionosphere", "aniso", "varied", "blobs", "circles", "halfmoons",
    "target", "yeast", "treecut1917", "engytime", "letters",
)  # fmt: skip
ROUNDS, QUESTIONS = 10, 10
SLACKS = {"stay": 0.01, "stay10": 0.1}
RUN_S = 10.0
"""Time limit of a clustering with the answers as links, in seconds."""
MOST = 5000
"""Largest number of points that are clustered with the answers as links."""
OURS = ("ask", "run", *SLACKS)
REACT = ("CHAC_convex", "CHAC_rectangle", "CHAC_proximity")
OTHERS = ("FFQS", "MMFFQS", "NPU")
SCORES: dict[str, Callable[[IntArray, IntArray], float]] = {
    "ARI": adjusted_rand_score,
    "AMI": adjusted_mutual_info_score,
    "FMI": fowlkes_mallows_score,
}
KINDS = ("quality", "similarity")


def points_of(name: str) -> tuple[FloatArray, IntArray]:
    """Return a set's raw points and its classes."""
    path = runner.BENCH / "active" / "react" / f"{name}.csv"
    if name == "letters":
        path = runner.BENCH / "classes" / "letter.parquet"
    data = read_data(str(path), label="class")
    assert data.truth is not None
    return data.X, np.unique(data.truth, return_inverse=True)[1]


def rows_of(X: FloatArray, truth: IntArray, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each of ours."""
    k = int(truth.max()) + 1
    start = KMeans(k, n_init=10, random_state=9).fit_predict(X).astype(np.int64)
    ours = OURS if len(X) <= MOST else OURS[:1]
    found, spent = {method: [start] for method in ours}, dict.fromkeys(ours, 0.0)
    learner = Learner(scale(X, "range"), k, seed=seed)
    for _ in range(ROUNDS):
        began = time.process_time()
        asked(learner, truth)
        found["ask"].append(learner.labels)
        spent["ask"] += time.process_time() - began
        if "run" in ours:
            began = time.process_time()
            problem = answered(scale(X, "range"), k, learner)
            found["run"].append(clustered(problem, found["run"][-1]))
            once = time.process_time() - began
            spent["run"] += once
            for method, slack in SLACKS.items():
                began = time.process_time()
                near = least_change(problem, found["run"][-1], found[method][-1], slack)
                found[method].append(near.partition.labels)
                spent[method] += once + time.process_time() - began
    for method in ours:
        areas = areas_of(found[method], truth)
        yield {"method": method, "questions": learner.asked, **areas,
               "cpu_s": round(spent[method], 2)}  # fmt: skip


def asked(learner: Learner, truth: IntArray) -> None:
    for _ in range(QUESTIONS):
        pair = learner.question()
        if pair is None:
            return
        learner.answer(bool(truth[pair[0]] == truth[pair[1]]))


def answered(X: FloatArray, k: int, learner: Learner) -> Problem:
    """Return the problem with the answers as hard links."""
    pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for answer in learner.answers.log:
        pairs[bool(answer.together)].append(answer.pair)
    return Problem(X, k, must_link=pairs[True], cannot_link=pairs[False])  # type: ignore[arg-type]


def clustered(problem: Problem, last: IntArray) -> IntArray:
    """Return a clustering that keeps the answers: of two descents, from anywhere and the last."""
    tried = (
        solve(problem, "blp-kmeans", start=start, time_limit=RUN_S, seed=0, progress=False)
        for start in (None, last)
    )
    best = min(tried, key=lambda each: each.objective)
    assert best.labels is not None
    return best.labels


def areas_of(found: list[IntArray], truth: IntArray) -> dict[str, float]:
    """Return the areas under the curves of quality and of similarity."""
    areas = {}
    for name, score in SCORES.items():
        quality = [score(truth, labels) for labels in found]
        similarity = [score(*pair) for pair in pairwise(found)]
        for kind, curve in zip(KINDS, (quality, similarity), strict=True):
            areas[f"{kind}_{name}"] = round(float(np.trapezoid(curve, dx=1 / ROUNDS)), 4)
    return areas


def _ours(rows: list[dict[str, str]], method: str, column: str) -> float:
    values = [float(row[column]) for row in rows if row["method"] == method]
    return fmean(values) if values else float("nan")


def _theirs(
    rows: list[dict[str, str]], name: str, methods: tuple[str, ...], kind: str, score: str
) -> float:
    """Return the best of some methods' plain areas."""
    return max(
        float(row["aubc_plain"])
        for row in rows
        if (row["dataset"], row["kind"], row["metric"]) == (name, kind, score)
        and row["method"] in methods
    )


def _counts(rows: list[dict[str, str]], theirs: list[dict[str, str]], kind: str) -> Iterator[str]:
    """Yield on how many sets each of ours is at least REACT's best shape."""
    for method in OURS:
        parts = []
        for score in SCORES:
            leads = {
                name: value - _theirs(theirs, name, REACT, kind, score)
                for name in SETS
                if not np.isnan(
                    value := _ours(
                        [row for row in rows if row["set"] == name], method, f"{kind}_{score}"
                    )
                )
            }
            won = sum(lead >= 0.0 for lead in leads.values())
            mean = fmean(leads.values()) if leads else float("nan")
            parts.append(f"by {score} on {won} of {len(leads)} sets ({mean:+.3f} in the mean)")
        yield f"- `{method}` is at least the best of REACT {', '.join(parts)}."


def measure(_: Namespace, seed: int, name: str) -> Iterator[dict[str, Any]]:
    X, truth = points_of(name)
    return ({"n": len(X), **row} for row in rows_of(X, truth, seed))


HEAD = """# Questions: quality and similarity

`python benchmarks/living_questions.py`; its first lines say what was measured. REACT: \
the best of its three shapes, rivals: the best of FFQS, MMFFQS and NPU, both as its \
authors' raw files give them, each chosen by the figure that it stands beside. A method \
that comes near the classes in one round pays for that round in similarity.
"""


def page(rows: runner.Rows) -> str:
    """Return the tables: ours, REACT's three and its rivals."""
    theirs = runner.read_rows(runner.BENCH / "active" / "react.csv")
    parts = [HEAD]
    for kind, most in zip(KINDS, ("1", "0.9"), strict=True):
        parts += [f"## {kind.capitalize()} by ARI, at most {most}\n", _table(rows, theirs, kind)]
        parts += [*_counts(rows, theirs, kind), ""]
    return "\n".join(parts)


def _table(rows: runner.Rows, theirs: runner.Rows, kind: str) -> str:
    lines = []
    for name in SETS:
        mine = [row for row in rows if row["set"] == name]
        if not mine:
            continue
        cells = [_ours(mine, method, f"{kind}_ARI") for method in OURS]
        cells += [_theirs(theirs, name, methods, kind, "ARI") for methods in (REACT, OTHERS)]
        cpu = [_ours(mine, method, "cpu_s") for method in OURS]
        seeds = sum(row["method"] == "ask" for row in mine)
        words = ["-" if np.isnan(cell) else f"{cell:.3f}" for cell in cells]
        spent = ", ".join("-" if np.isnan(each) else f"{each:.1f}" for each in cpu)
        lines.append([name, mine[0]["n"], seeds, *words, spent])
    header = ["set", "n", "seeds", *OURS, "REACT", "rivals", "CPU s of ours, in order"]
    return runner.markdown(header, lines)


if __name__ == "__main__":
    runner.run(
        __doc__, "living_questions", ("seed", "set"),
        lambda options: product(range(options.seeds), options.only), measure, page,
        only=SETS, seeds=10,
    )  # fmt: skip
