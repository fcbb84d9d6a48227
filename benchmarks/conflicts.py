"""Conflicts of two and three kinds of constraint, planted among many points.

Points are uniform in a square of side 100, in clusters of about 20. One thread; `explain` is given
10 s for the conflict and the cures together.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator

import _runner as runner
import numpy as np

from ccviz import Problem
from ccviz.errors import ProblemError
from ccviz.feasibility.cure import explain
from ccviz.problem.asked import AnyAsked, read_asked
from ccviz.problem.reduction import with_rules

Made = tuple[dict[str, object], dict[str, np.ndarray], list[str]]
"""Arguments of the problem, columns, and rules in words."""


def heavy_block(n: int, k: int, rng: np.random.Generator) -> Made:
    weight = rng.integers(1, 5, n).astype(float)
    most = int(2.0 * weight.sum() / k)
    weight[:3] = most / 2
    return {"must_link": [(0, 1), (1, 2)]}, {"w": weight}, [f"sum(w)<={most}"]


def large_block(_n: int, _k: int, _rng: np.random.Generator) -> Made:
    return {"must_link": [(0, i) for i in range(1, 40)], "sizes": "10-35"}, {}, []


def lonely(_n: int, _k: int, _rng: np.random.Generator) -> Made:
    return {"far": 3, "sizes": "5-60"}, {}, ["diameter<=120"]


def photo(n: int, k: int, _rng: np.random.Generator) -> Made:
    column = np.arange(n) % (n // (k + 1))  # k + 1 rows of each photo
    return {}, {"photo": column.astype(float)}, ["apart(photo)"]


def few_drivers(n: int, k: int, _rng: np.random.Generator) -> Made:
    driver = (np.arange(n) < k + 1).astype(float)
    links = {"must_link": [(0, 1), (1, 2)]}
    return links, {"driver": driver}, ["sum(driver)>=1"]


def near_and_apart(_n: int, _k: int, _rng: np.random.Generator) -> Made:
    return {"near": True, "cannot_link": [(0, 1)]}, {}, ["separation>=0.5"]


def together_and_sizes(n: int, _k: int, _rng: np.random.Generator) -> Made:
    column = np.arange(n) // 8
    column[:50] = 0
    return {"sizes": "10-45"}, {"house": column.astype(float)}, ["together(house)"]


CASES: dict[str, Callable[[int, int, np.random.Generator], Made]] = {
    "must-links, sum": heavy_block,
    "must-links, sizes": large_block,
    "diameter, sizes": lonely,
    "apart, k": photo,
    "must-links, least sum, k": few_drivers,
    "separation, cannot-link": near_and_apart,
    "together, sizes": together_and_sizes,
}
SIZES = (200, 500, 1000)


def problem_of(name: str, n: int) -> tuple[Problem, list[AnyAsked]]:
    """Return a problem and rules that no clustering keeps together."""
    rng, k = np.random.default_rng(n), n // 20
    given, columns, texts = CASES[name](n, k, rng)
    X = rng.uniform(0.0, 100.0, (n, 2))
    for at in range(int(given.pop("far", 0))):  # type: ignore[call-overload]
        X[at] = 1000.0 * (at + 1)
    if given.pop("near", False):
        X[1] = X[0] + 0.1
    problem = Problem(X, k, **given)  # type: ignore[arg-type]
    return problem, [read_asked(text, columns.get, columns.get) for text in texts]


def cases(_: Namespace) -> Iterator[tuple[str, str]]:
    for name in CASES:
        yield from ((name, str(n)) for n in SIZES)


def measure(_: Namespace, name: str, n: str) -> dict[str, str]:
    problem, rules = problem_of(name, int(n))
    began = time.perf_counter()
    refused = ""
    try:
        problem, more = with_rules(problem, rules, False), []
    except ProblemError as wrong:
        refused, more = str(wrong), rules
    conflict, cures = explain(problem, 10.0, more)
    seconds = time.perf_counter() - began
    said = conflict.reason if conflict is not None else refused
    return {
        "conflict": said[:90], "minimal": str(conflict is not None and conflict.is_minimal),
        "cures": str(len(cures.found)), "unknown": cures.unknown, "s": f"{seconds:.1f}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    """Return a line for each conflict."""
    names = ["kinds", "n", "s", "minimal", "cures", "conflict"]
    head = ["kinds", "n", "seconds", "minimal", "cures", "the conflict"]
    return runner.markdown(head, [[row[name] for name in names] for row in rows]) + "\n"


if __name__ == "__main__":
    runner.run(__doc__, "conflicts", ("kinds", "n"), cases, measure, page)
