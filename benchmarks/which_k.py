"""*Which k?* for 2,000 and 20,000 points: when rows come, and how tight their bounds are.

    python benchmarks/which_k.py

Five Gaussians in ten dimensions whose clusters touch, k from 1 to 8, at most ten seconds for each
bound; the functions of the page's sweep in its order, in this process. The figures are CPU seconds
since the beginning: on the page a process of each group of numbers adds its start. The ten seconds
are those of a clock, of which a busy machine gives less.
"""

from __future__ import annotations

import csv
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.studies.elbow import Step, bounded_by_more, find_elbow
from ccviz.views.draft import draft_of
from ccviz.views.lab.elbow import _REFERENCES, _bounded, _clustered, _measured

RESULTS = Path(__file__).parent / "results"
SIZES = (2_000, 20_000)
CLASSES, FEATURES, LOW, HIGH, BOUND_S = 5, 10, 1, 8, 10.0


def points(n: int) -> np.ndarray:
    """Return Gaussians whose clusters touch."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.normal(size=(CLASSES, FEATURES))
    return centers[rng.integers(CLASSES, size=n)] + rng.normal(size=(n, FEATURES))


def sweep(n: int) -> list[dict[str, object]]:
    """Return a row for each k: the CPU seconds until its clustering and its bound, and the gap."""
    draft = draft_of(Dataset("gaussians", points(n), tuple(map(str, range(FEATURES))), None))
    numbers = [_measured(draft, k) for k in range(LOW, HIGH + 1)]
    began, found, proved = time.process_time(), [], []
    steps: list[Step] = []
    for each in numbers:
        steps += _clustered([each], 0, _REFERENCES)
        found.append(time.process_time() - began)
    for at, (each, step) in enumerate(zip(numbers, steps, strict=True)):
        (steps[at],) = _bounded([replace(each, step=step)], 0, BOUND_S)
        proved.append(time.process_time() - began)
    known = bounded_by_more(numbers[0].problem, steps)
    best = find_elbow(known)
    return [
        {"n": n, "k": step.k, "clustering_cpu_s": f"{found[at]:.2f}",
         "bound_cpu_s": f"{proved[at]:.2f}", "objective": f"{step.objective:.9g}",
         "lower_bound": f"{max(0.0, step.lower_bound):.9g}",
         "gap": f"{1 - max(0.0, step.lower_bound) / step.objective:.2e}",
         "elbow": best is not None and step.k == best.k}
        for at, step in enumerate(known)
    ]  # fmt: skip


def _gap(share: str) -> str:
    return "no bound in that time" if float(share) == 1.0 else f"{100 * float(share):.2f} %"


def main() -> None:
    sweep(200)  # a server has loaded and compiled everything
    rows = [row for n in SIZES for row in sweep(n)]
    with (RESULTS / "which_k.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    lines = [
        "| n | k | clustering after, CPU s | bound after, CPU s | gap | elbow |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['n']:,} | {row['k']} | {row['clustering_cpu_s']} | {row['bound_cpu_s']} "
        f"| {_gap(str(row['gap']))} | {'yes' if row['elbow'] else ''} |"
        for row in rows
    ]  # fmt: skip
    (RESULTS / "which_k.md").write_text("\n".join([*lines, ""]))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
