"""Bounds and statuses against exact optima, of small problems whose numbers lie far apart.

Problems of 3 to 7 points with ratios to 1e30 (`tests/extreme.py`): tight groups far apart, single
numbers of all sizes, points far off, points that coincide, whole numbers; half of them with hard
links, a quarter with k = n - 1. Exact optima are the least of all set partitions in whole numbers
of Python. Wrong are a bound above the exact optimum at any moment, *optimal* where the clustering
is not within the gap, *infeasible* where there is a clustering or the reverse, and a recomputed
objective off by over 1e-13.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from typing import Any

import _runner as runner

from tests.extreme import extreme_problem, flaws

PROBLEMS = {"rbba": 14_000, "divide": 4_000, "colgen": 500, "sdp": 750, "ipc-kmeans": 750}
STATUSES = ("optimal", "feasible", "infeasible", "unknown")
WRONG = ("bound", "status", "feasible", "infeasible", "objective")
CHUNK = 250
FIELDS = ("solver", "first", "problems", *STATUSES, *(f"wrong_{each}" for each in WRONG), "seeds",
          "cpu_s")  # fmt: skip


def cases(options: Namespace) -> Iterator[tuple[str, int]]:
    for solver in options.solvers:
        yield from ((solver, first) for first in range(0, PROBLEMS[solver], CHUNK))


def measure(_: Namespace, solver: str, first: int) -> dict[str, Any]:
    """Return the counts of some problems, and the seeds of those with a wrong answer."""
    began = time.process_time()
    statuses, wrong, seeds = Counter[str](), Counter[str](), []
    for seed in range(first, first + CHUNK):
        status, found = flaws(extreme_problem(seed), solver)
        statuses[status] += 1
        wrong.update(found)
        seeds += [str(seed)] if found else []
    counts = {status: statuses[status] for status in STATUSES}
    counts |= {f"wrong_{each}": wrong[each] for each in WRONG}
    spent = f"{time.process_time() - began:.1f}"
    return {"problems": CHUNK, **counts, "seeds": " ".join(seeds), "cpu_s": spent}


HEAD = """# Bounds of problems whose numbers lie far apart

Problems of 3 to 7 points with ratios to 1e30, against exact optima in whole numbers
(`benchmarks/extreme_bounds.py`). `sdp` and `ipc-kmeans` stop after half a second. Where
doubles about the mean do not hold the digits that the optimum lies in, a clustering is
*feasible* with the gap that is left.

"""


def page(rows: runner.Rows) -> str:
    lines = []
    for solver in (*PROBLEMS, ""):
        members = [row for row in rows if solver in ("", row["solver"])]
        sums = {name: sum(int(row[name]) for row in members) for name in FIELDS[2:12]}
        statuses = sum(sums[f"wrong_{each}"] for each in ("status", "feasible", "infeasible"))
        numbers = (
            sums["problems"], sums["optimal"], sums["feasible"] + sums["unknown"],
            sums["infeasible"], sums["wrong_bound"], statuses, sums["wrong_objective"],
        )  # fmt: skip
        lines.append([solver or "**all**", *(f"{number:,}" for number in numbers)])
    return HEAD + runner.markdown(
        "solver | problems | optimal | feasible | infeasible | bounds above the optimum "
        "| wrong statuses | wrong objectives",
        lines,
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "extreme_bounds", FIELDS[:2], cases, measure, page, fields=FIELDS, solvers=PROBLEMS
    )
