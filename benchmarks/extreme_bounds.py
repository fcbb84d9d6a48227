"""Bounds and statuses against exact optima, of small problems whose numbers lie far apart.

    python benchmarks/extreme_bounds.py [--solvers NAME ...]

Problems of 3 to 7 points with ratios to 1e30 (`tests/extreme.py`): tight groups far apart, single
numbers of all sizes, points far off, points that coincide, whole numbers; half of them with hard
links, a quarter with k = n - 1. Exact optima are the least of all set partitions in whole numbers
of Python. Wrong are a bound above the exact optimum at any moment, *optimal* where the clustering
is not within the gap, *infeasible* where there is a clustering or the reverse, and a recomputed
objective off by over 1e-13. A row is added for each 250 problems; a stopped benchmark continues.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _rows import append_row, read_rows  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.extreme import extreme_problem, flaws  # noqa: E402

RESULTS = Path(__file__).parent / "results"
PROBLEMS = {"rbba": 14_000, "divide": 4_000, "colgen": 500, "sdp": 750, "ipc-kmeans": 750}
STATUSES = ("optimal", "feasible", "infeasible", "unknown")
WRONG = ("bound", "status", "feasible", "infeasible", "objective")
CHUNK = 250
FIELDS = ("solver", "first", "problems", *STATUSES, *(f"wrong_{each}" for each in WRONG), "seeds",
          "cpu_s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solvers", nargs="*", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--out", type=Path, default=RESULTS / "extreme_bounds.csv")
    options = parser.parse_args()
    done = {(row["solver"], int(row["first"])) for row in read_rows(options.out)}
    for solver in options.solvers:
        for first in range(0, PROBLEMS[solver], CHUNK):
            if (solver, first) not in done:
                append_row(options.out, measure(solver, first), FIELDS)
                write_table(options.out)


def measure(solver: str, first: int) -> dict[str, Any]:
    """Return the counts of some problems, and the seeds of those with a wrong answer."""
    began = time.process_time()
    statuses: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    seeds = []
    for seed in range(first, first + CHUNK):
        status, found = flaws(extreme_problem(seed), solver)
        statuses[status] += 1
        wrong.update(found)
        seeds += [str(seed)] if found else []
    row = {
        "solver": solver,
        "first": first,
        "problems": CHUNK,
        **{status: statuses[status] for status in STATUSES},
        **{f"wrong_{each}": wrong[each] for each in WRONG},
        "seeds": " ".join(seeds),
        "cpu_s": f"{time.process_time() - began:.1f}",
    }
    print(*row.values(), file=sys.stderr, flush=True)
    return row


def write_table(source: Path) -> None:
    rows = read_rows(source)
    lines = [
        "# Bounds of problems whose numbers lie far apart",
        "",
        "Problems of 3 to 7 points with ratios to 1e30, against exact optima in whole numbers",
        "(`benchmarks/extreme_bounds.py`). `sdp` and `ipc-kmeans` stop after half a second. Where",
        "doubles about the mean do not hold the digits that the optimum lies in, a clustering is",
        "*feasible* with the gap that is left.",
        "",
        "| solver | problems | optimal | feasible | infeasible | bounds above the optimum "
        "| wrong statuses | wrong objectives |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for solver in [*PROBLEMS, ""]:
        members = [row for row in rows if solver in ("", row["solver"])]
        sums = {name: sum(int(row[name]) for row in members) for name in FIELDS[2:12]}
        statuses = sum(sums[f"wrong_{each}"] for each in ("status", "feasible", "infeasible"))
        cells = [
            solver or "**all**", sums["problems"], sums["optimal"],
            sums["feasible"] + sums["unknown"], sums["infeasible"], sums["wrong_bound"],
            statuses, sums["wrong_objective"],
        ]  # fmt: skip
        texts = [f"{cell:,}" if isinstance(cell, int) else cell for cell in cells]
        lines.append("| " + " | ".join(texts) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
