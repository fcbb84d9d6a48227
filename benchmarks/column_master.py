"""The column master by four methods: its own interior-point method, the barrier, HiGHS, Clarabel.

A column is a facility whose entries cost 0 and whose own cost is the column's, so the barrier
method of the facility master (`ccviz.solvers.colgen.master.barrier`) solves the column master too.
Each row is the column master of a run of column generation after some iterations, from points drawn
evenly in the square, at the relative accuracies of its first and last masters. CPU seconds of the
solution alone, best of three; ``error`` is the relative distance of the objective from HiGHS'
vertex.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

import _runner as runner
import clarabel
import highspy
import numpy as np
from scipy.sparse import csc_array, diags_array, eye_array, hstack, vstack

from ccviz import Problem
from ccviz.highs_output import make_highs
from ccviz.problem.blocks import contract
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.master import interior
from ccviz.solvers.colgen.master.barrier import DualProgram, ascend
from ccviz.solvers.colgen.master.covering import Master
from ccviz.solvers.colgen.master.facilities import Facilities
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.phases.generation import ColumnGeneration, ColumnPhase
from ccviz.solvers.colgen.phases.opening import first_phase, pricer_of
from ccviz.solvers.colgen.phases.start import StartPhase, clustering
from ccviz.solvers.colgen.state import NodeContext, NodeInput
from ccviz.solvers.search.tree import Task

ACCURACIES = 1e-2, 1e-6
RUNS = 3


def master_of(n: int, k: int) -> Master:
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


def measure(options: Namespace, points: int) -> Iterator[dict[str, object]]:
    """Yield the seconds and errors of all methods at each accuracy."""
    master = master_of(points, max(2, points // options.size))
    growth, order, k = master._growth, master.order, master.k
    vertex = master.solve_to_vertex().objective * growth
    program = master._ordered, master.costs * growth, master._artificial_cost[order], k
    size = {"clusters": k, "columns": len(master.costs), "entries": program[0].nnz}
    for accuracy in ACCURACIES:
        row: dict[str, object] = size | {"accuracy": f"{accuracy:.0e}"}
        for name, solve in METHODS.items():
            error = accuracy * abs(vertex) if name == "barrier" else accuracy
            answers = [runner.timed(solve, *program, error) for _ in range(RUNS)]
            row[f"{name}_s"] = f"{min(seconds for _, seconds in answers):.3f}"
            row[f"{name}_error"] = f"{abs(answers[0][0] / vertex - 1.0):.1e}"
        yield row


METHODS = {"own": by_interior, "barrier": by_barrier, "highs": by_highs, "clarabel": by_clarabel}
HEAD = """# The column master

`python benchmarks/column_master.py`; its docstring says what is measured.

"""

if __name__ == "__main__":
    runner.run(
        __doc__, "column_master", ("points",), lambda options: zip(options.points), measure,
        lambda rows: HEAD + runner.whole_table(rows),
        warm_up=lambda: list(measure(Namespace(size=10), 40)), points=[150, 300, 600], size=10,
    )  # fmt: skip
