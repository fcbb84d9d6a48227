"""Every cell of the matrix of solvers and constraints, against brute force.

    python benchmarks/matrix.py

Problems of 4 to 9 points with one kind of constraint each (`tests/constrained.py`), for every
solver that takes it (`ccviz.solvers.matrix`): many where it gives bounds, a few where it is a
heuristic, which then stops after half a second. Wrong are a bound above the optimum, an objective
below it, *optimal* or *infeasible* said of what is not, a clustering that breaks what is hard, and
a run of an exact solver that ends without a proof. A row is added for each cell; a stopped
benchmark continues.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _rows import append_row, done_keys, read_rows  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))
from ccviz.solvers import make_solver  # noqa: E402
from ccviz.solvers.matrix import KINDS, matrix  # noqa: E402
from tests.constrained import faults, problem_of  # noqa: E402

TABLE = Path(__file__).parent / "results" / "matrix.csv"
MANY, FEW = 88, 10
HEURISTIC_S = 0.5


def main() -> None:
    done = done_keys(TABLE, ("solver", "kind"))
    for solver, row in matrix().items():
        for kind, cell in row.items():
            if cell.level != "no" and (solver, kind) not in done:
                append_row(TABLE, measure(solver, kind, cell.level))
                write_table()


def measure(solver: str, kind: str, level: str) -> dict[str, Any]:
    """Return how many runs of a cell say something wrong, and of which seeds."""
    began, seed, runs = time.process_time(), 0, 0
    proved = level in ("bound", "proof")
    wrong, keeps_rules = [], make_solver(solver).supports.rules
    while runs < (MANY if proved else FEW):
        problem = problem_of(kind, seed, keeps_rules)
        if problem is not None:
            runs += 1
            found = list(faults(problem, solver, level, None if proved else HEURISTIC_S))
            for fault in found:
                print(solver, kind, seed, fault, file=sys.stderr)
            wrong += [str(seed)] if found else []
        seed += 1
    return {
        "solver": solver, "kind": kind, "level": level, "problems": runs, "wrong": len(wrong),
        "seeds": " ".join(wrong), "cpu_s": f"{time.process_time() - began:.1f}",
    }  # fmt: skip


def write_table() -> None:
    rows = read_rows(TABLE)
    problems, wrong = (sum(int(row[name]) for row in rows) for name in ("problems", "wrong"))
    lines = [
        "# Solvers and constraints against brute force",
        "",
        f"Runs over {problems:,} problems of 4 to 9 points, of which {wrong:,} say something wrong",
        "(`benchmarks/matrix.py`): *wrong / problems* of each cell that is not a refusal.",
        "",
        "| solver | " + " | ".join(kind.name for kind in KINDS) + " |",
        "|---" * (1 + len(KINDS)) + "|",
    ]
    known = {(row["solver"], row["kind"]): f"{row['wrong']} / {row['problems']}" for row in rows}
    for solver in dict.fromkeys(row["solver"] for row in rows):
        cells = (known.get((solver, kind.name), "·") for kind in KINDS)
        lines.append(f"| `{solver}` | " + " | ".join(cells) + " |")
    seconds = sum(float(row["cpu_s"]) for row in rows)
    lines += ["", f"{seconds:,.0f} CPU seconds on one thread."]
    TABLE.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
