"""S-MDEClust beside restarts of BLP k-means and COP-k-means, on equal CPU time.

The 2-D instances with up to 10,000 links. Each method has 1 s of CPU time and 1 s more for every
10,000 points, and works on until they are over: populations follow each other, and so do restarts
from random points. An assignment of the methods that make them exactly ends after half a second
with its best. What a method needs to its next look at the clock it takes beyond; the table says how
much it used. Methods by name:

- ``default``: our s-mdeclust as it is.
- ``SG``: the authors' variant without mutation, as they run it (`ccviz.solvers.s_mdeclust`).
- ``BLP``, ``COP``: restarts of BLP k-means and COP-k-means.

The paper's own comparison, by the number of solutions processed, is in `papers_memetic.py`.
"""

from __future__ import annotations

import math
import re
import time
from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from _memetic import AS_RUN, warm_up

from ccviz import Problem
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_data
from ccviz.events import Restarted
from ccviz.solvers.base import Solver
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.s_mdeclust import SMdeClust

MANY, STEP_LIMIT_S = 10**6, 0.5
METHODS: dict[str, Solver] = {
    "default": SMdeClust(restarts=MANY),
    "SG": SMdeClust(**AS_RUN, restarts=MANY, step_limit=STEP_LIMIT_S),
    "BLP": BlpKMeans(MANY, 300, "random", STEP_LIMIT_S),
    "COP": CopKMeans(MANY, 300, "random"),
}


def numbers(name: str) -> tuple[int, ...]:
    """Return n, k and the number of links of an instance."""
    return tuple(int(number) for number in re.findall(r"\d+", name))


def read(path: Path) -> Problem:
    n, k, _ = numbers(path.stem)
    data = read_data(path.with_name(f"n{n}_k{k}.csv"))
    given = read_links_file(path, n)
    return Problem(data.X[:, :2], k, given.must_link, given.cannot_link)  # type: ignore[arg-type]


def in_order() -> list[Path]:
    """Return the link files, small instances first."""
    folder = runner.BENCH / "s-mdeclust"
    return sorted(folder.glob("*.json"), key=lambda path: numbers(path.stem))


def cases(options: Namespace) -> Iterator[tuple[str, str, int, Problem]]:
    for path in in_order():
        if path.stem.startswith(tuple(options.only or [""])):
            problem = read(path)
            for seed, name in product(options.seeds, METHODS):
                yield path.stem, name, seed, problem


def measure(_: Namespace, _instance: str, method: str, *case: Any) -> dict[str, object]:
    """Run a solver until its CPU time is over."""
    seed, problem = case
    began = time.process_time()
    stepper = runner.stepper_within(problem, METHODS[method], 1.0 + problem.n / 10_000, seed)
    begun = sum(isinstance(record.event, Restarted) for record in stepper)
    found = stepper.result().partition
    return {
        "objective": f"{found.wcss if found else math.inf:.9g}",
        "cpu_s": f"{time.process_time() - began:.2f}",
        "begun": begun,
        "broken": found.violations.hard if found else 0,
    }


def page(rows: runner.Rows) -> str:
    """Return medians by instance and method."""
    grouped, lines = medians(rows), []
    for instance, cells in grouped.items():
        best = min(value for value, _, _ in cells.values())
        line: list[object] = [instance, cells["SG"][2]]
        for value, seconds, _ in (cells[name] for name in METHODS):
            bold = "**" * is_same(value, best)
            line += [f"{bold}{value:.6g}{bold}", f"{seconds:.1f}"]
        lines.append(line)
    header = ["instance", "seeds", *(cell for name in METHODS for cell in (name, "s"))]
    return (
        "Median objective of the seeds, and the CPU seconds used at most; inf where a seed found\n"
        "no clustering. In bold what is within 1e-9 of the best.\n\n"
        f"{runner.markdown(header, lines)}\n{summary(rows, grouped)}\n"
    )


def is_same(value: float, best: float) -> bool:
    return value <= best * (1 + 1e-9)


Medians = dict[str, dict[str, tuple[float, float, int]]]
"""Median objective, most seconds and number of seeds by instance and method."""


def medians(rows: runner.Rows) -> Medians:
    found: Medians = {}
    for instance in sorted({row["instance"] for row in rows}, key=numbers):
        for name in METHODS:
            own = [row for row in rows if (row["instance"], row["method"]) == (instance, name)]
            if own:
                median = float(np.median([float(row["objective"]) for row in own]))
                cells = median, max(float(row["cpu_s"]) for row in own), len(own)
                found.setdefault(instance, {})[name] = cells
    return {name: cells for name, cells in found.items() if len(cells) == len(METHODS)}


def summary(rows: runner.Rows, grouped: Medians) -> str:
    best = [min(value for value, _, _ in cells.values()) for cells in grouped.values()]
    first, none = [], []
    for name in METHODS:
        own = [cells[name][0] for cells in grouped.values()]
        first.append(f"{name} {sum(map(is_same, own, best))}")
        lost = sum(row["method"] == name and row["objective"] == "inf" for row in rows)
        none.append(f"{name} {lost}")
    broken = sum(int(row["broken"]) for row in rows)
    return (
        f"Best median of {len(grouped)} instances: {', '.join(first)}. Runs without any "
        f"clustering: {', '.join(none)}. {broken} hard links broken."
    )


def prepare() -> None:
    for solver in (SMdeClust(), SMdeClust(**AS_RUN), BlpKMeans(), CopKMeans()):
        warm_up(solver)


if __name__ == "__main__":
    runner.run(
        __doc__, "memetic_large", ("instance", "method", "seed"), cases, measure, page,
        warm_up=prepare, cpu_clock=True, only=[str], seeds=[0, 1, 2],
    )  # fmt: skip
