"""Tables 6 to 8 of Babaki, Guns and Nijssen (2014) with the columns of COP-k-means.

``cop``: 500 runs of COP-k-means a case, the share of them that keeps all links and the best.
``start``: the proof from first columns that are the best of those 500 runs, as in the paper.
``own``: the proof from the solver's own first columns. Each case has several draws of links
(`colgen_protocol.py`). Soybean's small form cannot be had; points like it stand in for it.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from itertools import product

import _runner as runner
from colgen_protocol import LINKS, like_soybean, with_links
from sklearn.datasets import load_iris, load_wine

from ccviz import Problem, start
from ccviz.events import DeadEnded

RUNS, LIMIT_S = 500, 30.0
SOYBEAN_LINKS = (2, 10, 20, 40, 60, 80)
SETS = {
    "iris": ((3, 5), LINKS["iris"]),
    "wine": ((3, 5), LINKS["wine"]),
    "like soybean": ((3, 4, 5), SOYBEAN_LINKS),
}


def cases(options: Namespace) -> Iterator[tuple[str, str, int, int, int]]:
    for draw, name, part in product(range(options.draws), options.sets, options.parts):
        sizes, counts = SETS[name]
        yield from ((part, name, k, links, draw) for k, links in product(sizes, counts))


def measure(_: Namespace, part: str, name: str, *numbers: int) -> dict[str, str]:
    k, links, draw = numbers
    X, classes = like_soybean() if name == "like soybean" else LOADED[name](return_X_y=True)
    return MEASURES[part](with_links(X, classes, k, links, draw))


def cop(problem: Problem) -> dict[str, str]:
    """Return the share of feasible runs and the best of them."""
    began = time.process_time()
    stepper = start(problem, "cop-kmeans", n_init=RUNS)
    dead = sum(isinstance(record.event, DeadEnded) for record in stepper)
    found = {"objective": f"{stepper.run.objective:.9g}", "status": stepper.run.status}
    spent = f"{time.process_time() - began:.2f}"
    return {"sat_pct": f"{100 * (RUNS - dead) / RUNS:.1f}", **found, "cpu_s": spent}


def proof(problem: Problem, **settings: object) -> dict[str, str]:
    """Return the answer of column generation within the limit."""
    stepper = runner.stepper_within(problem, "colgen", LIMIT_S, **settings)
    result, cpu_s = runner.timed(stepper.result)
    found = {"objective": f"{result.objective:.9g}", "status": result.status}
    return found | {"cpu_s": f"{cpu_s:.2f}"}


LOADED = {"iris": load_iris, "wine": load_wine}
MEASURES = {"cop": cop, "start": partial(proof, first="cop-kmeans", starts=RUNS), "own": proof}


def warm_up() -> None:
    for measure_one in MEASURES.values():
        measure_one(with_links(*like_soybean(), k=5, count=80))


KEY = ("part", "case", "k", "links", "draw")

if __name__ == "__main__":
    runner.run(
        __doc__, "papers_columns", KEY, cases, measure,
        fields=(*KEY, "sat_pct", "objective", "status", "cpu_s"), warm_up=warm_up, cpu_clock=True,
        parts=MEASURES, sets=SETS, draws=6,
    )  # fmt: skip
