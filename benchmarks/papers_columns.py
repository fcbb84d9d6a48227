"""Tables 6 to 8 of Babaki, Guns and Nijssen (2014) with the columns of COP-k-means.

    python benchmarks/papers_columns.py [--parts cop start]

``cop``: 500 runs of COP-k-means a case, the share of them that keeps all links and the best; the
optima stand in `colgen.csv`, for the same links (`colgen_protocol.py`). ``start``: the proof from
first columns that are the best of those 500 runs, as in the paper. Soybean's small form cannot be
had; points like it stand in for it. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from _cpu_clock import count_cpu_seconds
from _rows import append_row, done_keys
from colgen_protocol import LINKS, RESULTS, like_soybean, with_links
from sklearn.datasets import load_iris, load_wine

from ccviz import Problem, start
from ccviz.events import DeadEnded
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver

RUNS, LIMIT_S = 500, 30.0
SOYBEAN_LINKS = (2, 10, 20, 40, 60, 80)
FIELDS = ("part", "case", "k", "links", "sat_pct", "objective", "status", "cpu_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="*", default=["cop", "start"])
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_columns.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS[:4])
    for part in options.parts:
        for name, k, links, problem in cases():
            key = (part, name, str(k), str(links))
            if key not in done:
                row = dict(zip(FIELDS, key, strict=False)) | MEASURES[part](problem)
                append_row(options.out, row, FIELDS)


def cases() -> Iterator[tuple[str, int, int, Problem]]:
    for name, data in (("iris", load_iris()), ("wine", load_wine())):
        for k in (3, 5):
            for links in LINKS[name]:
                yield name, k, links, with_links(data.data, data.target, k, links)
    X, classes = like_soybean()
    for k in (3, 4, 5):
        for links in SOYBEAN_LINKS:
            yield "like soybean", k, links, with_links(X, classes, k, links)


def cop(problem: Problem) -> dict[str, object]:
    """Return the share of feasible runs and the best of them."""
    began = time.process_time()
    stepper = start(problem, "cop-kmeans", n_init=RUNS)
    dead = sum(isinstance(record.event, DeadEnded) for record in stepper)
    return {
        "sat_pct": f"{100 * (RUNS - dead) / RUNS:.1f}",
        "objective": f"{stepper.run.objective:.9g}",
        "status": stepper.run.status,
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


def from_cop(problem: Problem) -> dict[str, object]:
    """Return what column generation comes to from there."""
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > LIMIT_S else None

    solver = make_solver("colgen", first="cop-kmeans", starts=RUNS)
    result = Stepper(problem, solver, 0, criteria=[over]).result()
    return {
        "objective": f"{result.objective:.9g}",
        "status": result.status,
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


MEASURES = {"cop": cop, "start": from_cop}


if __name__ == "__main__":
    main()
