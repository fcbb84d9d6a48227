"""Tables 6 to 8 of Babaki, Guns and Nijssen (2014) with the columns of COP-k-means.

    python benchmarks/papers_columns.py [--parts cop start own] [--sets iris ...] [--draws 6]

``cop``: 500 runs of COP-k-means a case, the share of them that keeps all links and the best.
``start``: the proof from first columns that are the best of those 500 runs, as in the paper.
``own``: the proof from the solver's own first columns. Each case has several draws of links
(`colgen_protocol.py`). Soybean's small form cannot be had; points like it stand in for it. A run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import product
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
KEY = ("part", "case", "k", "links", "draw")
FIELDS = (*KEY, "sat_pct", "objective", "status", "cpu_s")
SETS = ("iris", "wine", "like soybean")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="*", default=list(MEASURES), choices=list(MEASURES))
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_columns.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    for measure in MEASURES.values():  # The first run loads compiled code.
        measure(with_links(*like_soybean(), k=5, count=80))
    done = done_keys(options.out, KEY)
    for draw, name, part in product(range(options.draws), options.sets, options.parts):
        for k, links, problem in cases(name, draw):
            key = (part, name, str(k), str(links), str(draw))
            if key not in done:
                row = dict(zip(KEY, key, strict=True)) | MEASURES[part](problem)
                append_row(options.out, row, FIELDS)


def cases(name: str, draw: int) -> Iterator[tuple[int, int, Problem]]:
    """Yield the numbers of clusters and of links of a set, with a draw of links."""
    if name == "like soybean":
        X, classes = like_soybean()
        sizes, counts = (3, 4, 5), SOYBEAN_LINKS
    else:
        X, classes = (load_iris if name == "iris" else load_wine)(return_X_y=True)
        sizes, counts = (3, 5), LINKS[name]
    for k, links in product(sizes, counts):
        yield k, links, with_links(X, classes, k, links, draw)


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
    return proof(problem, first="cop-kmeans", starts=RUNS)


def proof(problem: Problem, **settings: object) -> dict[str, object]:
    """Return what column generation comes to, within the limit."""
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > LIMIT_S else None

    solver = make_solver("colgen", **settings)
    result = Stepper(problem, solver, 0, criteria=[over]).result()
    return {
        "objective": f"{result.objective:.9g}",
        "status": result.status,
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


MEASURES = {"cop": cop, "start": from_cop, "own": proof}


if __name__ == "__main__":
    main()
