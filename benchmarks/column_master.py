"""The column master by four methods: its own interior-point method, the barrier, HiGHS, Clarabel.

    python benchmarks/column_master.py [--points N ...]

A column is a facility whose entries cost 0 and whose own cost is the column's, so the barrier
method of the facility master (`ccviz.solvers.colgen.master.barrier`) solves the column master too.
Each row is the column master of a run of column generation after some iterations, from points drawn
evenly in the square, at the relative accuracies of its first and last masters. CPU seconds of the
solution alone, best of three; ``error`` is the relative distance of the objective from HiGHS'
vertex.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import clarabel  # noqa: E402
import highspy  # noqa: E402
import numpy as np  # noqa: E402
from _cpu_clock import timed  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402
from scipy.sparse import csc_array, diags_array, eye_array, hstack, vstack  # noqa: E402

from ccviz import Problem  # noqa: E402
from ccviz.problem.blocks import contract  # noqa: E402
from ccviz.silent_highs import make_highs  # noqa: E402
from ccviz.solvers.colgen.master import interior  # noqa: E402
from ccviz.solvers.colgen.master.barrier import DualProgram, ascend  # noqa: E402
from ccviz.solvers.colgen.master.covering import Master  # noqa: E402
from ccviz.solvers.colgen.master.facilities import Facilities  # noqa: E402
from ccviz.solvers.colgen.params import Params  # noqa: E402
from ccviz.solvers.colgen.phases.columns import ColumnGeneration, ColumnPhase  # noqa: E402
from ccviz.solvers.colgen.phases.context import NodeContext, NodeInput  # noqa: E402
from ccviz.solvers.colgen.phases.opening import first_phase, pricer_of  # noqa: E402
from ccviz.solvers.colgen.phases.start import StartPhase, clustering  # noqa: E402
from ccviz.solvers.colgen.solver import Colgen  # noqa: E402
from ccviz.solvers.search.tree import Task  # noqa: E402

RESULTS = Path(__file__).parent / "results"
ACCURACIES = 1e-2, 1e-6
RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="*", default=[150, 300, 600])
    parser.add_argument("--size", type=int, default=10, help="points a cluster")
    parser.add_argument("--out", type=Path, default=RESULTS / "column_master.csv")
    options = parser.parse_args()
    for n in (40, *options.points):  # the first compiles
        master = master_of(n, max(2, n // options.size))
        vertex = master.solve_to_vertex().objective
        for accuracy in ACCURACIES:
            row = measure(master, vertex, accuracy)
            if n > 40:
                append_row(options.out, row)
    write_table(options.out)


def master_of(n: int, k: int) -> Master:
    """Return the column master after some iterations."""
    rng = np.random.default_rng(0)
    problem = Problem(rng.uniform(size=(n, 2)), k)
    blocks = contract(problem)
    found = tuple(clustering(blocks, rng) for _ in range(5))
    given = NodeInput(problem, Colgen(), Params(), Task(0))
    phase = first_phase(given, StartPhase(found))
    pricer = pricer_of(problem, blocks, Task(0))
    context = NodeContext(problem, Colgen(), Params(), Task(0), blocks, pricer, 1e-6, np.inf)
    generation = ColumnGeneration.of(context, ColumnPhase(phase.state))
    return generation.run(8).master


def measure(master: Master, vertex: float, accuracy: float) -> dict[str, object]:
    """Return the seconds and errors of all methods at one accuracy."""
    growth, order = master._growth, master.order
    columns, costs = master._ordered, master.costs * growth
    artificial, k = master._artificial_cost[order], master.k
    vertex *= growth
    solutions = {
        "own": lambda: by_interior(columns, costs, artificial, k, accuracy),
        "barrier": lambda: by_barrier(columns, costs, artificial, k, accuracy * abs(vertex)),
        "highs": lambda: by_highs(columns, costs, artificial, k, accuracy),
        "clarabel": lambda: by_clarabel(columns, costs, artificial, k, accuracy),
    }
    row: dict[str, object] = {
        "points": master.s, "clusters": k, "columns": len(costs),
        "entries": columns.nnz, "accuracy": f"{accuracy:.0e}",
    }  # fmt: skip
    for name, solve in solutions.items():
        answers = [timed(solve) for _ in range(RUNS)]
        objective = answers[0][0]
        row[f"{name}_s"] = f"{min(seconds for _, seconds in answers):.3f}"
        row[f"{name}_error"] = f"{abs(objective / vertex - 1.0):.1e}"
    return row


def by_interior(
    columns: csc_array, costs: np.ndarray, artificial: np.ndarray, k: int, accuracy: float
) -> float:
    point = interior.solve(columns, costs, artificial, k, accuracy)
    return float(point.duals[:-1].sum() + k * point.duals[-1])


def by_barrier(
    columns: csc_array, costs: np.ndarray, artificial: np.ndarray, k: int, error: float
) -> float:
    start, block = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    facilities = Facilities(start, block, np.zeros(len(block)))
    found = ascend(DualProgram(facilities, costs, artificial, k), 0.5 * artificial, 0.0, error)
    return float(found.row.sum()) - k * found.cardinality_dual


def by_highs(
    columns: csc_array, costs: np.ndarray, artificial: np.ndarray, k: int, accuracy: float
) -> float:
    s, m = columns.shape
    model = make_highs()
    for option, value in (
        ("solver", "ipm"), ("run_crossover", "off"), ("threads", 1),
        ("presolve", "off"), ("ipm_optimality_tolerance", max(accuracy, 1e-12)),
    ):  # fmt: skip
        model.setOptionValue(option, value)
    matrix = csc_array(
        vstack([hstack([columns, eye_array(s)]), np.repeat([1.0, 0.0], [m, s])[None]])
    )
    cost = np.append(costs, artificial)
    lower = np.append(np.ones(s), -highspy.kHighsInf)
    upper = np.append(np.full(s, highspy.kHighsInf), float(k))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = m + s, s + 1
    program.col_cost_, program.row_lower_, program.row_upper_ = cost, lower, upper
    program.col_lower_, program.col_upper_ = np.zeros(m + s), np.full(m + s, highspy.kHighsInf)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    model.passModel(program)
    model.run()
    return float(model.getObjectiveValue())


def by_clarabel(
    columns: csc_array, costs: np.ndarray, artificial: np.ndarray, k: int, accuracy: float
) -> float:
    s, m = columns.shape
    cover = hstack([-columns, -eye_array(s)])
    limit = np.repeat([1.0, 0.0], [m, s])[None]
    matrix = vstack([cover, csc_array(limit), -eye_array(m + s)]).tocsc()
    right = np.concatenate([-np.ones(s), [float(k)], np.zeros(m + s)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = accuracy
    nothing = diags_array(np.zeros(m + s)).tocsc()
    cones = [clarabel.NonnegativeConeT(len(right))]
    solver = clarabel.DefaultSolver(
        nothing, np.append(costs, artificial), matrix, right, cones, settings
    )
    return float(solver.solve().obj_val)


def write_table(out: Path) -> None:
    """Write the rows as a table."""
    rows = read_rows(out)
    lines = [
        "# The column master",
        "",
        "`python benchmarks/column_master.py`; its docstring says what is measured.",
        "",
        "| " + " | ".join(rows[0]) + " |",
        "|" + "---|" * len(rows[0]),
    ]
    lines += ["| " + " | ".join(row.values()) + " |" for row in rows]
    out.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
