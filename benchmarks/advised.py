"""Which exact solver `auto` should take: the gap of sdp, colgen and divide by the seconds given.

Seeded Gaussians whose clusters touch, n from 200 to 4,000, few clusters, with and without n / 5
links of the classes; each solver with its own settings, one thread. The gap is that of the best
clustering and bound so far after 5 and after 20 CPU seconds.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.bounds import relative_gap
from ccviz.data.random_links import random_pairs
from ccviz.events import BoundImproved, IncumbentFound

SOLVERS = ("sdp", "colgen", "divide")
SIZES = (200, 500, 1000, 2000, 4000)
CLUSTERS = (3, 8)
EARLY_S = 5.0


def warm_up() -> None:
    for solver in SOLVERS:
        start(problem_of(60, 3, 12), solver).result()
    start(problem_of(80, 3, 0), "divide", part_size=20).result()


def problem_of(n: int, k: int, links: int) -> Problem:
    """Return k Gaussians in four dimensions whose centres are drawn, too, with links."""
    rng = np.random.default_rng(k)
    classes = rng.integers(k, size=n)
    X = 2.5 * rng.normal(size=(k, 4))[classes] + rng.normal(size=(n, 4))
    found = random_pairs(classes, links)
    return Problem(X, k, must_link=found.must_link, cannot_link=found.cannot_link)


def as_cell(row: dict[str, str]) -> str:
    gaps = [percent(row[name]) for name in ("early_gap", "gap")]
    return f"{gaps[0]}, {gaps[1]}, {row['cpu_s']} s"


def percent(gap: str) -> str:
    return f"{100 * float(gap):.2g} %" if np.isfinite(float(gap)) else "none"


def cases(options: Namespace) -> Iterator[tuple[int, int, int, str]]:
    for n, k in product(options.sizes, options.clusters):
        yield from ((n, k, *rest) for rest in product((0, n // 5), options.solvers))


def measure(options: Namespace, n: int, k: int, links: int, solver: str) -> dict[str, str]:
    stepper = start(problem_of(n, k, links), solver)
    upper, lower, early, spent = np.inf, -np.inf, np.inf, 0.0
    for event, spent in runner.events_within(stepper, options.cpu_limit):
        if isinstance(event, IncumbentFound):
            upper = event.objective
        elif isinstance(event, BoundImproved):
            lower = event.lower_bound
        if spent <= EARLY_S:
            early = relative_gap(upper, lower)
    result = stepper.result()
    gaps = {"early_gap": f"{early:.1e}", "gap": f"{result.gap:.1e}"}
    return {"status": result.status, **gaps, "cpu_s": f"{spent:.1f}"}


def page(rows: runner.Rows) -> str:
    """Return a line for each problem: each solver's gap after 5 s and in the end, its seconds."""
    known = {(row["n"], row["k"], row["links"], row["solver"]): as_cell(row) for row in rows}
    asked = sorted({key[:3] for key in known}, key=lambda each: tuple(map(int, each)))
    lines = [[*case, *(known.get((*case, solver), "–") for solver in SOLVERS)] for case in asked]
    note = "Gap after 5 CPU seconds, gap in the end, seconds in all (stopped at 20)."
    return f"{runner.markdown(['n', 'k', 'links', *SOLVERS], lines)}\n{note}\n"


if __name__ == "__main__":
    runner.run(
        __doc__, "advised", ("n", "k", "links", "solver"), cases, measure, page, warm_up=warm_up,
        sizes=list(SIZES), clusters=list(CLUSTERS), solvers=SOLVERS, cpu_limit=20.0,
    )  # fmt: skip
