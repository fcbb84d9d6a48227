"""Fewest questions: the agreement with the known classes after a number of answers about pairs.

PYTHON is the interpreter of another environment with numpy < 2, cobras_ts and
active-semi-supervised-clustering; without it the rivals are left out, and the table says so. All
methods get the same points, features scaled to 0 to 1, the k of the classes, and an oracle that
answers by the class, wrong at the rate of the noise, drawn again for each question. Rivals that
only choose pairs are clustered by PCK-means of the same package, as their papers do; its loops over
points and links run as arrays here, which changes none of its choices. `min-max`, `npu` and
`cobras` are the methods of these papers in ccviz, `prototypes` is the strategy of this project for
many classes and not counted as a rival. CPU seconds are of 200 questions and five clusterings,
without imports. A learner that has enough asks no more, and keeps its clustering. Seeds go from 0
to 19, or until a method has used up BUDGET CPU seconds on a set at a rate of noise; a run that
takes longer than LIMIT is left out. The table goes on where it stopped, and the number of seeds
says how far it has come. Rows of the assc packages without a value at 200 questions were measured
with the package's own loops, and ended at 100. Means stand over the seeds named, and methods are
compared over the seeds that both have. Sets that are not scikit-learn's are read from the folder
CCVIZ_BENCH.
"""

from __future__ import annotations

import csv
import json
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.metrics import adjusted_rand_score

from ccviz.active.learner import Learner
from ccviz.data import datasets
from ccviz.data.read_table import read_data
from ccviz.data.scaling import scale

MARKS = (10, 25, 50, 100, 200)
SETS = (
    *("iris", "wine", "seeds", "glass", "ecoli", "accent", "ionosphere", "sonar", "zoo"),
    *("vehicle", "pima", "digits", "letter"),
)
OURS = "fields"
RIVALS = ("cobras_ts", "assc MinMax", "assc NPU")
OTHERS = ("cobras", "min-max", "npu")
ALSO_OURS = ("prototypes",)  # in the tables, and no rival
LIMIT = 120  # CPU seconds of one run
TOGETHER = 5  # seeds of every method on every set, before the next ones
BUDGET = 120.0  # CPU seconds of a method on a set at a rate of noise
LETTERS = 1000  # of 20,000 points
COLUMNS = tuple(f"ari_{mark}" for mark in MARKS)
Found = tuple[list[np.ndarray], float]
"""Clusterings at every mark, and CPU seconds."""


def ours(strategy: str, X: np.ndarray, y: np.ndarray, seed: int, noise: float) -> Found:
    """Return the clusterings of one of our strategies, and its CPU seconds."""
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


def _table(rows: list[dict[str, str]]) -> Any:
    table = pd.DataFrame(rows)
    for column in (*COLUMNS, "cpu_s", "noise"):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    widths = np.diff(MARKS)
    values = table[list(COLUMNS)].to_numpy()
    table["area"] = ((values[:, 1:] + values[:, :-1]) / 2 * widths).sum(axis=1) / widths.sum()
    return table


def _cell(values: Any) -> str:
    if not len(values):
        return "-"
    low, high = values.quantile(0.25), values.quantile(0.75)
    return f"{values.mean():.3f} ({low:.2f} to {high:.2f})"


def _place(word: str) -> int:
    """Return where a set or a method stands in the tables."""
    order = (*SETS, OURS, *ALSO_OURS, *RIVALS, *OTHERS)
    return order.index(word) if word in order else len(order)


def _paired(part: Any, method: str) -> Any:
    """Return ours beside another method, a row for each set and seed that both have."""
    keys, mine = ["set", "seed"], part[part["method"] == OURS]
    other = part[part["method"] == method]
    return mine.merge(other, on=keys, suffixes=("", "_other"))


def _verdict(part: Any) -> list[str]:
    """Return a line a mark: on how many sets ours is at least the best of the others there.

    Means are compared over the seeds that both have.
    """
    lines = []
    others = set(part["method"]) - {OURS, *ALSO_OURS}
    for mark, column in zip(MARKS, COLUMNS, strict=True):
        leads: dict[str, float] = {}
        for method in others:
            both = _paired(part, method)
            for name, rows in both.dropna(subset=f"{column}_other").groupby("set"):
                lead = float((rows[column] - rows[f"{column}_other"]).mean())
                leads[name] = min(lead, leads.get(name, lead))
        if not leads:
            return ["No rival was there."]
        behind = {name: lead for name, lead in leads.items() if round(lead, 3) < 0}
        told = ", ".join(f"{name} {behind[name]:.3f}" for name in sorted(behind, key=_place))
        won = len(leads) - len(behind)
        lines.append(
            f"- After {mark} questions `{OURS}` is at least the best rival on {won} of "
            f"{len(leads)} sets" + (f"; behind on {told}." if behind else ".")
        )
    return lines


def _areas(part: Any) -> list[str]:
    """Return a line a rival: Wilcoxon's signed-rank test of the areas under the curves."""
    lines = []
    for method in sorted(set(part["method"]) - {OURS, *ALSO_OURS}, key=_place):
        both = _paired(part, method).dropna(subset=["area", "area_other"])
        if len(both) < 6:
            continue
        lead = both["area"] - both["area_other"]
        lines.append(
            f"- Area under the curve, 10 to 200 questions, against {method}: {lead.mean():+.3f} in "
            f"the mean over {len(both)} pairs of set and seed, larger in {(lead > 0).mean():.0%} "
            f"of them (Wilcoxon signed-rank, p = {wilcoxon(lead).pvalue:.1g})."
        )
    return lines


@cache
def points(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a set's points, features scaled to 0 to 1, and its classes."""
    published, table = runner.SUITE / "data" / f"{name}.txt", runner.BENCH / "classes" / name
    if name == "letter":
        whole = read_data(str(table.with_suffix(".parquet")), label="class")
        some = np.sort(np.random.default_rng(0).choice(len(whole.X), LETTERS, replace=False))
        X, y = whole.X[some], whole.truth[some]
    elif published.exists():
        X, y = runner.suite_set(name)
    elif table.with_suffix(".csv").exists():
        with table.with_suffix(".csv").open(newline="") as file:
            rows = list(csv.reader(file))[1:]
        X, y = np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows])
    else:
        known = datasets.load(name)
        X, y = known.X, known.truth
    return scale(X, "range"), np.unique(y, return_inverse=True)[1]


def rivals(
    python: str, method: str, X: np.ndarray, y: np.ndarray, seeds: list[int], noise: float
) -> Iterator[Found]:
    """Yield the same of a rival, a seed each, until one fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        file, program = Path(folder) / "set.npz", Path(__file__).with_name("_questions_rival.py")
        np.savez(file, X=X, y=y)
        given = map(json.dumps, (seeds, noise, MARKS, LIMIT))
        for labels, seconds in runner.answers([python, program, method, file, *given]):
            yield [np.array(each) for each in labels], seconds
    yield [], LIMIT  # one that failed, unless it was the last


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    """Yield the seeds of a method on a set until it has used up its seconds."""
    stops = range(TOGETHER, options.seeds + TOGETHER, TOGETHER)
    for stop, noise, method, name in product(stops, options.noise, options.methods, options.sets):
        if method in RIVALS and not options.rival_python:
            continue
        mine = {"set": name, "noise": str(noise), "method": method}
        rows = [row for row in runner.read_rows(options.out) if mine.items() <= row.items()]
        known = {int(row["seed"]) for row in rows}
        left = [seed for seed in range(min(stop, options.seeds)) if seed not in known]
        if method in RIVALS:
            python = options.rival_python
            found = rivals(python, method, *points(name), left, noise) if left else iter(())
        else:
            found = (ours(method, *points(name), seed, noise) for seed in left)
        spent = sum(float(row["cpu_s"] or 0) for row in rows)
        for seed in left if spent < BUDGET else ():
            labels, seconds = next(found, ([], 0.0))
            yield name, noise, method, seed, labels, seconds
            spent += seconds
            if spent >= BUDGET:
                break


def measure(_: Namespace, name: str, *case: Any) -> dict[str, str]:
    """Return the ARI at every mark, and CPU seconds; none where a rival gave none."""
    labels, seconds = case[-2:]
    scores = [f"{adjusted_rand_score(points(name)[1], each):.4f}" for each in labels]
    row = dict.fromkeys(COLUMNS, "") | dict(zip(COLUMNS, scores, strict=False))
    return row | {"cpu_s": f"{seconds:.2f}"}


def page(rows: runner.Rows) -> str:
    """Return means and quartiles as tables, ours against the best rival, and paired tests."""
    about = " ".join((__doc__ or "").split("\n\n")[1].split())
    tried = Path(__file__).with_name("questions_tried.md").read_text()
    text = f"# Questions asked\n\n{about}\n\n{tried}"
    for noise, part in _table(rows).groupby("noise"):
        groups, lines = dict(iter(part.groupby(["set", "method"]))), []
        for name, method in sorted(groups, key=lambda key: tuple(map(_place, key))):
            group = groups[name, method]
            cells = [_cell(group[mark].dropna()) for mark in COLUMNS]
            seconds = f"{group['cpu_s'].mean():.1f}"
            lines.append([name, method, group[COLUMNS[0]].count(), *cells, seconds])
        table = runner.markdown(["set", "method", "seeds", *map(str, MARKS), "CPU s"], lines)
        title = f"## {noise:.0%} wrong answers: mean ARI (quartiles)"
        verdicts = "\n".join([*_verdict(part), "", *_areas(part)])
        text += f"\n{title}\n\n{table}\n{verdicts}\n"
    return f"{text}\n{speed()}"


def speed() -> str:
    """Return a line a size: CPU seconds of the first question, of what comes after it, and later.

    The page prepares the second question in a thread while a person thinks about the first one.
    """
    lines = ["## Time a question, blobs, 10 clusters", ""]
    for n in (1000, 20000):
        data = datasets.blobs(n, 10, 2.0, seed=0)
        learner, later = Learner(data.X, 10), []
        first, prepared = (runner.timed(of)[1] for of in (learner.question, learner.prepare))
        while len(later) < 99 and (pair := learner.question()):
            learner.answer(bool(data.truth[pair[0]] == data.truth[pair[1]]))
            later.append(runner.timed(learner.question)[1])
        lines.append(
            f"- {n} points: the first {first:.2f} CPU s, what is prepared after it {prepared:.2f} "
            f"CPU s, the slowest of {len(later)} later ones {max(later):.3f} CPU s."
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    runner.run(
        __doc__, "questions", ("set", "noise", "method", "seed"), cases, measure, page,
        rival_python=str, seeds=20, noise=[0.0, 0.05, 0.1, 0.2], sets=SETS,
        methods=[OURS, *ALSO_OURS, "min-max", *RIVALS],
    )  # fmt: skip
