"""Fewest questions: the agreement with the known classes after a number of answers about pairs.

    python benchmarks/questions.py --rival-python PYTHON [--seeds 20] [--noise 0,0.1] [--sets iris]

PYTHON is the interpreter of another environment with numpy < 2, cobras_ts and
active-semi-supervised-clustering; without it the rivals are left out, and the table says so. All
methods get the same points, features scaled to 0 to 1, the k of the classes, and an oracle that
answers by the class, wrong at the rate of the noise, drawn again for each question. Rivals that
only choose pairs are clustered by PCK-means of the same package, as their papers do; its loops over
points and links run as arrays here, which changes none of its choices. `min-max`, `npu` and
`cobras` are the methods of these papers in ccviz, `prototypes` is the strategy of this project for
many classes and not counted as a rival. CPU seconds are of 200 questions and five
clusterings, without imports. A learner that has enough asks no more, and keeps its clustering.
Seeds go from 0 to 19, or until a method has used up BUDGET CPU seconds on a set at a rate of
noise; a run that takes longer than LIMIT is left out. The table goes on where it stopped, and the
number of seeds says how far it has come. Rows of the assc packages without a value at 200
questions were measured with the package's own loops, and ended at 100. Means stand over the seeds
named, and methods are compared over the seeds that both have. Sets that are not scikit-learn's
are read from the folder CCVIZ_BENCH.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

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
OTHERS = ("cobras", "min-max", "npu")
ALSO_OURS = ("prototypes",)  # in the tables, and no rival
LIMIT = 120  # CPU seconds of one run
TOGETHER = 5  # seeds of every method on every set, before the next ones
BUDGET = 120.0  # CPU seconds of a method on a set at a rate of noise
LETTERS = 1000  # of 20,000 points

FEW = 4  # seeds from which on quartiles are drawn
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
COLUMNS = tuple(f"ari_{mark}" for mark in MARKS)

TRIED = Path(__file__).parent / "questions_tried.md"

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
) -> Iterator[Found]:
    """Yield the same of a rival, a seed each, until one fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set.npz"
        np.savez(file, X=X, y=y)
        words = [method, str(file), json.dumps(seeds), str(noise), json.dumps(MARKS), str(LIMIT)]
        with subprocess.Popen([python, str(RIVAL), *words], stdout=subprocess.PIPE) as ran:
            try:
                for labels, seconds in map(json.loads, ran.stdout or ()):
                    yield [np.array(each) for each in labels], seconds
                yield [], LIMIT  # one that failed, unless it was the last
            finally:
                ran.kill()


def measure(
    name: str, method: str, seeds: list[int], noise: float, python: str | None, folder: Path
) -> Generator[dict[str, object], None, None]:
    """Yield a row a seed: ARI at every mark, and CPU seconds; none where a rival gave none."""
    from sklearn.metrics import adjusted_rand_score

    X, y = points(name, folder)
    if method in RIVALS:
        all_found = rival(str(python), method, X, y, seeds, noise)
    else:
        all_found = (ours(method, X, y, seed, noise) for seed in seeds)
    for seed, (labels, seconds) in zip(seeds, all_found, strict=False):
        row: dict[str, object] = {"set": name, "noise": noise, "method": method, "seed": seed}
        row |= dict.fromkeys(COLUMNS, "")
        for column, found in zip(COLUMNS, labels, strict=False):
            row[column] = f"{adjusted_rand_score(y, found):.4f}"
        yield row | {"cpu_s": f"{seconds:.2f}"}


def lacking(
    path: Path,
    name: str,
    method: str,
    seeds: range,
    noise: float,
    python: str | None,
    folder: Path,
) -> Iterator[dict[str, object]]:
    """Yield the rows that the table lacks, until the method has used up its seconds."""
    mine = (name, str(noise), method)
    rows = [row for row in read_rows(path) if (row["set"], row["noise"], row["method"]) == mine]
    spent, known = sum(float(row["cpu_s"] or 0) for row in rows), {int(row["seed"]) for row in rows}
    left = [seed for seed in seeds if seed not in known]
    if not left or spent >= BUDGET:
        return
    with closing(measure(name, method, left, noise, python, folder)) as found:
        for row in found:
            yield row
            spent += float(str(row["cpu_s"]))
            if spent >= BUDGET:
                return


def summary(rows: list[dict[str, str]]) -> str:
    """Return means and quartiles as tables, ours against the best rival, and paired tests."""
    table = _table(rows)
    text = ["# Questions asked", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    text += [TRIED.read_text()]
    for noise, part in table.groupby("noise"):
        text += [f"## {noise:.0%} wrong answers: mean ARI (quartiles)", ""]
        text += ["| set | method | seeds | " + " | ".join(map(str, MARKS)) + " | CPU s |"]
        text += ["|---" * (4 + len(MARKS)) + "|"]
        groups = dict(iter(part.groupby(["set", "method"])))
        for name, method in sorted(groups, key=lambda key: tuple(map(_place, key))):
            group = groups[name, method]
            cells = [_cell(group[mark].dropna()) for mark in COLUMNS]
            row = f"| {name} | {method} | {group[COLUMNS[0]].count()} | "
            text.append(row + " | ".join([*cells, f"{group['cpu_s'].mean():.1f}"]) + " |")
        text += ["", *_verdict(part), "", *_areas(part), ""]
    return "\n".join(text)


def _table(rows: list[dict[str, str]]) -> Any:
    import pandas as pd

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
    from scipy.stats import wilcoxon

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


def draw(rows: list[dict[str, str]]) -> None:
    """Draw a figure a set, as SVG: means and quartiles over the questions, no answer wrong."""
    table = _table(rows)
    folder = RESULTS / "questions"
    folder.mkdir(exist_ok=True)
    for name, part in table[table["noise"] == 0].groupby("set"):
        methods = sorted(part["method"].unique(), key=_place)
        curves = "".join(
            _curve(part[part["method"] == method], method, place)
            for place, method in enumerate(methods)
        )
        axis = "".join(
            f'<text x="{_across(mark):.0f}" y="236" text-anchor="middle">{mark}</text>'
            for mark in MARKS
        ) + "".join(
            f'<text x="4" y="{_down(ari) + 4:.0f}">{ari:g}</text>'
            f'<path d="M30 {_down(ari):.0f}H330" stroke="#ddd"/>'
            for ari in (0.0, 0.25, 0.5, 0.75, 1.0)
        )
        (folder / f"{name}.svg").write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 250" '
            'font-family="sans-serif" '
            f'font-size="11"><text x="30" y="14">{name}: ARI after 10 to 200 questions '
            "(seeds)</text>"
            f"{axis}{curves}</svg>\n"
        )


def _across(mark: float) -> float:
    return 40 + 280 * float(np.log(mark / MARKS[0]) / np.log(MARKS[-1] / MARKS[0]))


def _down(ari: float) -> float:
    return 220 - 195 * ari


def _curve(rows: Any, method: str, place: int) -> str:
    color = COLORS[place % len(COLORS)]
    values = rows[list(COLUMNS)].dropna(axis="columns", how="all")
    marks = [mark for mark, column in zip(MARKS, COLUMNS, strict=True) if column in values]
    spots = _spots(marks, values.mean())
    band = _spots(marks, values.quantile(0.25)) + _spots(marks, values.quantile(0.75))[::-1]
    shade = f'<polygon points="{" ".join(band)}" fill="{color}" opacity="0.12"/>'
    return (
        f"{shade if len(values) >= FEW else ''}"
        f'<polyline points="{" ".join(spots)}" fill="none" stroke="{color}" stroke-width="2"/>'
        f'<text x="340" y="{30 + 16 * place}" fill="{color}">{method} ({len(values)})</text>'
    )


def _spots(marks: list[int], values: Any) -> list[str]:
    pairs = zip(marks, values, strict=True)
    return [f"{_across(mark):.1f},{_down(value):.1f}" for mark, value in pairs]


def speed() -> str:
    """Return a line a size: CPU seconds of the first question, of what comes after it, and later.

    The page prepares the second question in a thread while a person thinks about the first one.
    """
    from ccviz.active.learner import Learner
    from ccviz.data.datasets import blobs

    lines = ["## Time a question, blobs, 10 clusters", ""]
    for n in (1000, 20000):
        data = blobs(n, 10, 2.0, seed=0)
        learner = Learner(data.X, 10)
        first, prepared = _timed(learner.question), _timed(learner.prepare)
        later = []
        for _ in range(99):
            i, j = learner.question() or (0, 0)
            if i == j:
                break
            learner.answer(bool(data.truth[i] == data.truth[j]))
            later.append(_timed(learner.question))
        lines.append(
            f"- {n} points: the first {first:.2f} CPU s, what is prepared after it {prepared:.2f} "
            f"CPU s, the slowest of {len(later)} later ones {max(later):.3f} CPU s."
        )
    return "\n".join([*lines, ""])


def _timed(action: Any) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rival-python", help="python with the rivals")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--noise", default="0,0.05,0.1,0.2")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join((OURS, *ALSO_OURS, "min-max", *RIVALS)))
    asked = parser.parse_args()
    folder = Path(os.environ.get("CCVIZ_BENCH", "bench"))
    methods = [m for m in asked.methods.split(",") if asked.rival_python or m not in RIVALS]
    if not asked.rival_python:
        print("No --rival-python: the rivals are left out.", file=sys.stderr)
    path, noises, names = RESULTS / "questions.csv", asked.noise.split(","), asked.sets.split(",")
    stops = range(TOGETHER, asked.seeds + TOGETHER, TOGETHER)
    for stop, noise, method, name in product(stops, noises, methods, names):
        seeds = range(min(stop, asked.seeds))
        for row in lacking(path, name, method, seeds, float(noise), asked.rival_python, folder):
            append_row(path, row)
            print(*row.values(), flush=True)
    rows = read_rows(path)
    (RESULTS / "questions.md").write_text("\n".join((summary(rows), speed())))
    draw(rows)


if __name__ == "__main__":
    main()
