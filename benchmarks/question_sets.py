"""Questions over sets beside questions about pairs: links and agreement for each answer.

The same points, classes and strategy (`fields`) as in `questions.py`; a question is about a pair,
or about a set of five: which of them do not belong with the others? The classes answer, without an
error. Links are those that the answers name; a link that follows from others is not counted. ARI is
of the clustering with the classes after a number of answers, mean of the seeds.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product
from typing import Any

import _runner as runner
import numpy as np
from questions import SETS, points
from sklearn.metrics import adjusted_rand_score

from ccviz.active import Learner
from ccviz.active.learner import next_set, tell_set
from ccviz.active.oracles import KnownClasses
from ccviz.active.oracles.question import set_question_about
from ccviz.data.datasets import Dataset

SIZES, MARKS = (2, 5), (5, 10, 25, 50)


def _cells(mean: np.ndarray) -> str:
    return " | ".join([f"{mean[0]:.1f}", *(f"{value:.3f}" for value in mean[1:])])


def measure(_: Namespace, seed: int, name: str, size: int) -> dict[str, Any]:
    """Return links for each answer, and the ARI at every mark."""
    X, y = points(name)
    names = tuple(f"x{number}" for number in range(X.shape[1]))
    data = Dataset(name=name, X=X, features=names, truth=y)
    learner, classes = Learner(X, len(set(y)), seed=seed), KnownClasses(y)
    row: dict[str, Any] = {}
    answers = 0
    for number in range(1, MARKS[-1] + 1):
        some = next_set(learner, X, size)
        if some is not None:
            tell_set(learner, some, classes.odd(set_question_about(data, number, some)).odd)
            answers += 1
        if number in MARKS:
            row[f"ari_{number}"] = round(adjusted_rand_score(y, learner.labels), 4)
    return row | {"links_per_answer": round(len(learner.answers.log) / answers, 2)}


def page(rows: runner.Rows) -> str:
    """Return the means of each set, and those over all sets."""
    columns = ["links_per_answer", *(f"ari_{mark}" for mark in MARKS)]
    means: dict[int, list[np.ndarray]] = {size: [] for size in SIZES}
    lines: list[list[object]] = []
    for name, size in product(SETS, SIZES):
        some = [row for row in rows if (row["set"], row["size"]) == (name, str(size))]
        if some:
            mean = np.mean([[float(row[column]) for column in columns] for row in some], axis=0)
            means[size].append(mean)
            lines.append([name, size, len(some), *_cells(mean)])
    lines += [
        ["all", size, "", *_cells(np.mean(found, axis=0))] for size, found in means.items() if found
    ]
    about = (__doc__ or "").split("\n\n")[1].replace("\n", " ")
    header = ["set", "points", "seeds", "links an answer", *map(str, MARKS)]
    return f"# Questions over sets\n\n{about}\n\n{runner.markdown(header, lines)}"


def _cells(mean: np.ndarray) -> list[str]:
    return [f"{mean[0]:.1f}", *(f"{value:.3f}" for value in mean[1:])]


if __name__ == "__main__":
    runner.run(
        __doc__, "question_sets", ("seed", "set", "size"),
        lambda options: product(range(options.seeds), options.sets, SIZES), measure, page,
        fields=("set", "size", "seed", *(f"ari_{mark}" for mark in MARKS), "links_per_answer"),
        seeds=5, sets=SETS,
    )  # fmt: skip
