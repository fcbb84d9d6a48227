"""Fewest questions: the agreement with the known classes after so many answers about pairs.

    python benchmarks/questions.py --rival-python PYTHON [--seeds 5] [--noise 0.1] [--sets iris]

PYTHON is the interpreter of another environment with numpy < 2, cobras_ts and
active-semi-supervised-clustering; without it the rivals are left out, and the table says so. All
methods get the same points, features scaled to 0 to 1, the k of the classes, and an oracle that
answers by the class, wrong at the rate of the noise. Rivals that only choose pairs are clustered by
PCK-means of the same package, as their papers do. CPU seconds are of a hundred questions and four
clusterings, without imports; rows without seconds are of this script's first draft, which gave the
same figures wherever both ran. A run that takes longer than LIMIT seconds is left out. The table
goes on where it stopped. Sets that are not scikit-learn's are read from the folder CCVIZ_BENCH.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

RESULTS = Path(__file__).parent / "results"
RIVAL = Path(__file__).parent / "_questions_rival.py"
MARKS = (10, 25, 50, 100, 200)
SETS = (
    *("iris", "wine", "seeds", "glass", "ecoli", "accent", "ionosphere", "sonar", "zoo"),
    *("vehicle", "pima", "digits", "letter"),
)
OURS = "fields"
RIVALS = ("cobras_ts", "assc MinMax", "assc NPU")
LIMIT = 150
LETTERS = 1000  # of 20,000 points
TOGETHER = 5  # seeds in one go

Found = tuple[list[np.ndarray], float]
"""Clusterings at every mark, and CPU seconds."""

def points(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return a set's points, features scaled to 0 to 1, and its classes."""
    from ccviz.data import datasets
    from ccviz.data.files import read_data
    from ccviz.data.scaling import scale

    published = folder / "pc-sos-sdp" / "data" / f"{name}.txt"
    if name == "letter":
        whole = read_data(str(folder / "classes" / "letter.parquet"), label="class")
        some = np.sort(np.random.default_rng(0).choice(len(whole.X), LETTERS, replace=False))
        X, y = whole.X[some], whole.truth[some]
    elif published.exists():
        X = np.loadtxt(published, skiprows=1)
        y = np.loadtxt(folder / "pc-sos-sdp" / "labels" / f"{name}.txt", dtype=str)
    elif (folder / "classes" / f"{name}.csv").exists():
        with (folder / "classes" / f"{name}.csv").open(newline="") as file:
            rows = list(csv.reader(file))[1:]
        X, y = np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows])
    else:
        known = datasets.load(name)
        X, y = known.X, known.truth
    return scale(X, "range"), np.unique(y, return_inverse=True)[1]


def ours(strategy: str, X: np.ndarray, y: np.ndarray, seed: int, noise: float) -> Found:
    """Return the clusterings of one of our strategies, and its CPU seconds."""
    from ccviz.active.learner import Learner

    wrong = np.random.default_rng(seed + 1000)
    started = time.process_time()
    learner = Learner(X, len(set(y)), strategy, seed, noise)
    labels = []
    for number in range(1, MARKS[-1] + 1):
        pair = learner.question()
        if pair is not None:
            learner.answer(bool(y[pair[0]] == y[pair[1]]) != (wrong.random() < noise))
        if number in MARKS:
            labels.append(learner.labels)
    return labels, time.process_time() - started


def rival(
    python: str, method: str, X: np.ndarray, y: np.ndarray, seeds: list[int], noise: float
) -> list[Found | None]:
    """Return the same of a rival, a seed each; None where it fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set.npz"
        np.savez(file, X=X, y=y)
        words = [method, str(file), json.dumps(seeds), str(noise), json.dumps(MARKS)]
        ran = subprocess.Popen(
            [python, str(RIVAL), *words], stdout=subprocess.PIPE, text=True
        )
        late = threading.Timer(LIMIT * len(seeds), ran.kill)
        late.start()
        assert ran.stdout is not None
        lines = list(ran.stdout)
        late.cancel()
    found: list[Found | None] = [
        ([np.array(each) for each in labels], seconds)
        for labels, seconds in map(json.loads, lines)
    ]
    return found + [None] * (len(seeds) - len(found))


def measure(
    name: str, method: str, seeds: list[int], noise: float, python: str | None, folder: Path
) -> Iterator[dict[str, object]]:
    """Yield a row a seed: ARI at every mark, empty where a rival gave none."""
    from sklearn.metrics import adjusted_rand_score

    X, y = points(name, folder)
    if method in RIVALS:
        all_found = rival(str(python), method, X, y, seeds, noise)
    else:
        all_found = (ours(method, X, y, seed, noise) for seed in seeds)
    for seed, found in zip(seeds, all_found, strict=True):
        labels, seconds = found or ([], float("nan"))
        row: dict[str, object] = {"set": name, "noise": noise, "method": method, "seed": seed}
        for place, mark in enumerate(MARKS):
            row[f"ari_{mark}"] = f"{adjusted_rand_score(y, labels[place]):.4f}" if labels else ""
        yield row | {"cpu_s": f"{seconds:.2f}"}


def summary(rows: list[dict[str, str]]) -> str:
    """Return means as tables, and how often ours is at least the best rival's mean."""
    import pandas as pd

    table = pd.DataFrame(rows)
    marks = [f"ari_{mark}" for mark in MARKS]
    for column in (*marks, "cpu_s", "noise"):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    text = ["# Questions asked", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    for noise, part in table.groupby("noise"):
        text += [f"## {noise:.0%} wrong answers: mean ARI", ""]
        text += ["| set | method | seeds | " + " | ".join(map(str, MARKS)) + " | CPU s |"]
        text += ["|---" * (4 + len(MARKS)) + "|"]
        mean = part.groupby(["set", "method"])[[*marks, "cpu_s"]].mean()
        mean = mean.sort_index(key=lambda level: level.map(_place))
        seeds = part.dropna(subset=marks).groupby(["set", "method"]).size()
        for (name, method), values in mean.iterrows():
            figures = [f"{values[mark]:.3f}" for mark in marks] + [_or_dash(values["cpu_s"])]
            count = seeds.get((name, method), 0)
            text.append(" | ".join([f"| {name} | {method} | {count}", *figures]) + " |")
        text += ["", *_verdict(mean[marks]), ""]
    return "\n".join(text)


def _place(word: str) -> int:
    """Return where a set or a method stands in the tables."""
    order = (*SETS, OURS, *RIVALS)
    return order.index(word) if word in order else len(order)


def _or_dash(seconds: float) -> str:
    return "-" if seconds != seconds else f"{seconds:.1f}"


def _verdict(mean: object) -> list[str]:
    """Return a line a mark: on how many sets ours is at least the best of the rivals there."""
    lines = []
    for mark in MARKS:
        column = mean[f"ari_{mark}"].unstack()  # type: ignore[index]
        there = [method for method in RIVALS if method in column]
        if OURS not in column or not there:
            return ["No rival was there."]
        lead = (column[OURS] - column[there].max(axis=1)).dropna()
        behind = ", ".join(f"{name} {short:.3f}" for name, short in lead.items() if short < 0)
        won = int((lead >= 0).sum())
        lines.append(
            f"- After {mark} questions `{OURS}` is at least the best rival on {won} of "
            f"{len(lead)} sets" + (f"; behind on {behind}." if behind else ".")
        )
    return lines


def speed() -> str:
    """Return a line a size: CPU seconds of the first question, and the slowest of 99 more."""
    from ccviz.active.learner import Learner
    from ccviz.data.datasets import blobs

    lines = ["## Time a question, blobs, 10 clusters", ""]
    for n in (1000, 20000):
        data = blobs(n, 10, 2.0, seed=0)
        learner, seconds = Learner(data.X, 10), []
        while len(seconds) < MARKS[-1]:
            started = time.process_time()
            pair = learner.question()
            seconds.append(time.process_time() - started)
            if pair is not None:
                learner.answer(bool(data.truth[pair[0]] == data.truth[pair[1]]))
        lines.append(
            f"- {n} points: the first {seconds[0]:.2f} CPU s with what is prepared once, "
            f"the slowest later one {max(seconds[1:]):.3f} CPU s."
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rival-python", help="python with the rivals")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join((OURS, "cobras", "min-max", *RIVALS)))
    asked = parser.parse_args()
    folder = Path(os.environ.get("CCVIZ_BENCH", "bench"))
    methods = [m for m in asked.methods.split(",") if asked.rival_python or m not in RIVALS]
    if not asked.rival_python:
        print("No --rival-python: the rivals are left out.", file=sys.stderr)
    path = RESULTS / "questions.csv"
    done = {(row["set"], row["noise"], row["method"], row["seed"]) for row in read_rows(path)}
    chunks = [range(asked.seeds)[at : at + TOGETHER] for at in range(0, asked.seeds, TOGETHER)]
    for chunk, method, name in product(chunks, methods, asked.sets.split(",")):
        known = (name, str(asked.noise), method)
        seeds = [seed for seed in chunk if (*known, str(seed)) not in done]
        if seeds:
            for row in measure(name, method, seeds, asked.noise, asked.rival_python, folder):
                append_row(path, row)
                print(*row.values(), flush=True)
    (RESULTS / "questions.md").write_text("\n".join((summary(read_rows(path)), speed())))


if __name__ == "__main__":
    main()
