"""Every cell of the matrix of solvers and constraints, against brute force.

Problems of 4 to 9 points with one kind of constraint each (`tests/constrained.py`), for every
solver that takes it (`ccviz.solvers.advice`): many where it gives bounds, a few where it is a
heuristic, which then stops after half a second. Wrong are a bound above the optimum, an objective
below it, *optimal* or *infeasible* said of what is not, a clustering that breaks what is hard, and
a run of an exact solver that ends without a proof.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import _runner as runner

from ccviz.solvers import make_solver
from ccviz.solvers.advice import KINDS, matrix
from tests.constrained import faults, problem_of

MANY, FEW = 88, 10
HEURISTIC_S = 0.5


def cases(_: Namespace) -> Iterator[tuple[str, str, str]]:
    for solver, row in matrix().items():
        for kind, cell in row.items():
            if cell.level != "no":
                yield solver, kind, cell.level


def measure(_: Namespace, solver: str, kind: str, level: str) -> dict[str, Any]:
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
    counts = {"level": level, "problems": runs, "wrong": len(wrong), "seeds": " ".join(wrong)}
    return counts | {"cpu_s": f"{time.process_time() - began:.1f}"}


def page(rows: runner.Rows) -> str:
    problems, wrong, seconds = (
        sum(float(row[name]) for row in rows) for name in ("problems", "wrong", "cpu_s")
    )
    known = {(row["solver"], row["kind"]): f"{row['wrong']} / {row['problems']}" for row in rows}
    names = [kind.name for kind in KINDS]
    text = runner.markdown(
        ["solver", *names],
        [
            [f"`{solver}`", *(known.get((solver, kind), "·") for kind in names)]
            for solver in dict.fromkeys(row["solver"] for row in rows)
        ],
    )
    return (
        "# Solvers and constraints against brute force\n\n"
        f"Runs over {problems:,.0f} problems of 4 to 9 points, of which {wrong:,.0f} say something "
        "wrong\n(`benchmarks/matrix.py`): *wrong / problems* of each cell that is not a refusal.\n"
        f"\n{text}\n{seconds:,.0f} CPU seconds on one thread.\n"
    )


if __name__ == "__main__":
    runner.run(__doc__, "matrix", ("solver", "kind"), cases, measure, page)
