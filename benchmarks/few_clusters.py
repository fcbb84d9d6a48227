"""Groups of people by `colgen`: all clusters listed, or priced as before.

The tables of `people` in the folder of the instances, and twenty points in fives under a share of a
word; one thread. Both are stopped after the CPU seconds given.
"""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Callable, Iterator

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened, NodePruned
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules

WAYS = {"listed": 50_000, "priced": 0}


def table(options: Namespace, name: str) -> dict[str, np.ndarray]:
    """Return the columns of numbers of a table."""
    with (options.bench / "people" / f"{name}.csv").open() as file:
        rows = [*csv.DictReader(file)]
    return {name: np.array([float(r[name]) for r in rows]) for name in rows[0] if name != "name"}


def ruled(problem: Problem, columns: dict[str, np.ndarray], *rules: str) -> Problem:
    return with_rules(
        problem, [read_asked(rule, None, columns.__getitem__) for rule in rules], True
    )


def crew(options: Namespace) -> Problem:
    """Return 12 people in threes, a driver and a medic in each."""
    columns = table(options, "crew12")
    X = np.column_stack([columns["x"], columns["y"]])
    return ruled(Problem(X, 4, sizes=[3] * 4), columns, "sum(driver)>=1", "sum(medic)>=1")


def wishes(options: Namespace) -> Problem:
    """Return 24 pupils in fours with wishes and nothing else; of two wishes the greater counts."""
    found: dict[str, dict[tuple[int, int], float]] = {"ML": {}, "CL": {}}
    for line in (options.bench / "people" / "wishes24_links.txt").read_text().splitlines():
        if line[:2] in found:
            kind, i, j, weight = line.split()
            pair = min(int(i), int(j)), max(int(i), int(j))
            found[kind][pair] = max(float(weight), found[kind].get(pair, 0.0))
    links = [[(*pair, weight) for pair, weight in each.items()] for each in found.values()]
    return Problem(np.ones((24, 1)), 6, *links, sizes=[4] * 6)


def areas(options: Namespace) -> Problem:
    """Return 16 areas in four districts of 190 to 260 people."""
    columns = table(options, "areas16")
    X = np.column_stack([columns["x"], columns["y"]])
    return ruled(Problem(X, 4), columns, "sum(pop)>=190", "sum(pop)<=260")


def fair(_: Namespace) -> Problem:
    """Return 20 points in fives, 30 to 70 % of each cluster with one of two words."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    word = np.where(X[:, 0] + 0.5 * rng.normal(size=20) > 0.0, "a", "b")
    problem = Problem(X, 4, sizes=[5] * 4)
    return ruled(problem, {"word": word}, "share(word=a)>=30%", "share(word=a)<=70%")


CASES: dict[str, Callable[[Namespace], Problem]] = {
    "12 with skills": crew, "24 with wishes": wishes, "16 areas": areas, "20 fair": fair,
}  # fmt: skip


def warm_up() -> None:
    X = np.random.default_rng(0).normal(size=(8, 2))
    for listed in WAYS.values():
        start(Problem(X, 2, [(0, 1, 0.1)], sizes=[4, 4]), "colgen", listed=listed).result()


def cases(_: Namespace) -> Iterator[tuple[str, str]]:
    for name in CASES:
        yield from ((name, way) for way in WAYS)


def measure(options: Namespace, name: str, way: str) -> dict[str, str]:
    stepper = start(CASES[name](options), "colgen", listed=WAYS[way])
    nodes, clusters, spent = 0, 0, 0.0
    upper, lower = np.inf, -np.inf
    for event, seconds in runner.events_within(stepper, options.cpu_limit):
        spent = seconds
        nodes += isinstance(event, NodeOpened)
        if isinstance(event, IncumbentFound):
            upper = min(upper, event.objective)
        elif isinstance(event, BoundImproved):
            lower = event.lower_bound
        elif isinstance(event, NodePruned) and "listed" in event.certificate:
            clusters = max(clusters, int(event.certificate["listed"][0]))
    gap = (upper - lower) / upper if np.isfinite(upper) else np.inf
    return {
        "objective": f"{upper:.6g}", "gap": f"{max(gap, 0.0):.1e}", "nodes": str(nodes),
        "clusters": str(clusters), "cpu_s": f"{spent:.1f}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    """Return a line for each run."""
    names = ["problem", "way", "objective", "gap", "nodes", "clusters", "cpu_s"]
    head = ["problem", "clusters are", "objective", "gap", "nodes", "most in a leaf", "CPU s"]
    return runner.markdown(head, [[row[name] for name in names] for row in rows]) + "\n"


if __name__ == "__main__":
    runner.run(
        __doc__, "few_clusters", ("problem", "way"), cases, measure, page, warm_up=warm_up,
        bench=runner.BENCH, cpu_limit=60.0,
    )  # fmt: skip
