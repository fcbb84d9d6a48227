"""Questions over sets beside questions about pairs: links and agreement for each answer.

    python benchmarks/question_sets.py [--seeds 5] [--sets iris,wine] [--table]

The same points, classes and strategy (`fields`) as in `questions.py`; a question is about a pair,
or about a set of five: which of them do not belong with the others? The classes answer, without an
error. Links are those that the answers name; a link that follows from others is not counted. ARI is
of the clustering with the classes after a number of answers, mean of the seeds.

A row is added as each run ends; `--table` only writes the summary.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse  # noqa: E402
from itertools import product  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402
from questions import SETS, points  # noqa: E402

from ccviz.active import Learner  # noqa: E402
from ccviz.active.oracles import KnownClasses  # noqa: E402
from ccviz.active.oracles.question import set_question_about  # noqa: E402
from ccviz.active.sets import next_set, tell_set  # noqa: E402
from ccviz.data.datasets import Dataset  # noqa: E402

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "question_sets.csv"
KEY = ("set", "size", "seed")
SIZES, MARKS = (2, 5), (5, 10, 25, 50)


def measure(name: str, size: int, seed: int, folder: Path) -> dict[str, Any]:
    """Return a row: links for each answer, and the ARI at every mark."""
    from sklearn.metrics import adjusted_rand_score

    X, y = points(name, folder)
    names = tuple(f"x{number}" for number in range(X.shape[1]))
    data = Dataset(name=name, X=X, features=names, truth=y)
    learner, classes = Learner(X, len(set(y)), seed=seed), KnownClasses(y)
    row: dict[str, Any] = {"set": name, "size": size, "seed": seed}
    answers = 0
    for number in range(1, MARKS[-1] + 1):
        some = next_set(learner, X, size)
        if some is not None:
            tell_set(learner, some, classes.odd(set_question_about(data, number, some)).odd)
            answers += 1
        if number in MARKS:
            row[f"ari_{number}"] = round(adjusted_rand_score(y, learner.labels), 4)
    return row | {"links_per_answer": round(len(learner.answers.log) / answers, 2)}


def write_table() -> None:
    """Write the means of each set, and those over all sets."""
    rows = read_rows(TABLE)
    head = (__doc__ or "").split("\n\n")[2].replace("\n", " ")
    lines = ["# Questions over sets", "", head, ""]
    lines += ["| set | points | seeds | links an answer | " + " | ".join(map(str, MARKS)) + " |"]
    lines += ["|" + " --- |" * (4 + len(MARKS))]
    names = [name for name in SETS if any(row["set"] == name for row in rows)]
    columns = ["links_per_answer", *(f"ari_{mark}" for mark in MARKS)]
    means: dict[int, list[np.ndarray]] = {size: [] for size in SIZES}
    for name, size in product(names, SIZES):
        some = [row for row in rows if (row["set"], row["size"]) == (name, str(size))]
        if not some:
            continue
        mean = np.mean([[float(row[column]) for column in columns] for row in some], axis=0)
        means[size].append(mean)
        lines.append(f"| {name} | {size} | {len(some)} | {_cells(mean)} |")
    for size, found in means.items():
        if found:
            lines.append(f"| all | {size} | | {_cells(np.mean(found, axis=0))} |")
    TABLE.with_suffix(".md").write_text("\n".join(lines) + "\n")


def _cells(mean: np.ndarray) -> str:
    return " | ".join([f"{mean[0]:.1f}", *(f"{value:.3f}" for value in mean[1:])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    folder = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
    names = options.sets.split(",") if not options.table else []
    done = done_keys(TABLE, KEY)
    for seed, name, size in product(range(options.seeds), names, SIZES):
        if (name, str(size), str(seed)) not in done:
            append_row(TABLE, measure(name, size, seed, folder))
    write_table()


if __name__ == "__main__":
    main()
