"""*Which k?* for 2,000 and 20,000 points: when rows come, and how tight their bounds are.

    python benchmarks/which_k.py

Five Gaussians in ten dimensions whose clusters touch, k from 1 to 8, at most five seconds for each
bound; the functions of the page's sweep in its order, in this process. The figures are CPU seconds
since the beginning: on the page a process of each group of numbers adds its start, a tenth of a
second. The five seconds are CPU seconds, too.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds

from ccviz.data.datasets import Dataset
from ccviz.studies.elbow import bounded_by_more, find_elbow
from ccviz.studies.elbow_step import Step, bound, cluster, compare
from ccviz.views.draft import draft_of
from ccviz.views.lab.elbow import finder

RESULTS = Path(__file__).parent / "results"
SIZES = (2_000, 20_000)
CLASSES, FEATURES, LOW, HIGH, BOUND_S, REFERENCES = 5, 10, 1, 8, 5.0, 3


def points(n: int) -> np.ndarray:
    """Return Gaussians whose clusters touch."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.normal(size=(CLASSES, FEATURES))
    return centers[rng.integers(CLASSES, size=n)] + rng.normal(size=(n, FEATURES))


def sweep(n: int) -> list[dict[str, object]]:
    """Return a row for each k: the CPU seconds until its clustering and its bound, and the gaps."""
    draft = draft_of(Dataset("gaussians", points(n), tuple(map(str, range(FEATURES))), None))
    solver = finder(draft)
    problems = [draft.with_k(k).problem_for(solver) for k in range(LOW, HIGH + 1)]
    began, found, proved = time.process_time(), [], []
    steps: list[Step] = []
    for problem in problems:
        steps.append(cluster(problem, solver))
        found.append(time.process_time() - began)
    first = bounded_by_more(problems[0], steps)
    steps = [compare(*each, REFERENCES) for each in zip(problems, steps, strict=True)]
    for at, problem in enumerate(problems):
        steps[at] = bound(problem, steps[at], BOUND_S)
        proved.append(time.process_time() - began)
    known = bounded_by_more(problems[0], steps)
    best = find_elbow(known)
    return [
        {"n": n, "k": step.k, "clustering_cpu_s": f"{found[at]:.2f}", "first_gap": _gap(first[at]),
         "bound_cpu_s": f"{proved[at]:.2f}", "objective": f"{step.objective:.9g}",
         "lower_bound": f"{max(0.0, step.lower_bound):.9g}", "gap": _gap(step),
         "elbow": best is not None and step.k == best.k}
        for at, step in enumerate(known)
    ]  # fmt: skip


def _gap(step: Step) -> str:
    return f"{1 - max(0.0, step.lower_bound) / step.objective:.2e}"


def _in_words(share: object) -> str:
    return "no bound" if float(str(share)) == 1.0 else f"{100 * float(str(share)):.2f} %"


def main() -> None:
    count_cpu_seconds()
    time.perf_counter = time.process_time  # by which runs keep their time limits
    sweep(200)  # a server has loaded and compiled everything
    rows = [row for n in SIZES for row in sweep(n)]
    with (RESULTS / "which_k.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    lines = [
        "| n | k | clustering after, CPU s | gap at once | bound after, CPU s | gap | elbow |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['n']:,} | {row['k']} | {row['clustering_cpu_s']} | {_in_words(row['first_gap'])} "
        f"| {row['bound_cpu_s']} | {_in_words(row['gap'])} | {'yes' if row['elbow'] else ''} |"
        for row in rows
    ]  # fmt: skip
    (RESULTS / "which_k.md").write_text("\n".join([*lines, ""]))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
