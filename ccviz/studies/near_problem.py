"""What studies of a run's problem and of problems near to it share: a check, and a descent."""

from __future__ import annotations

import numpy as np

from ccviz.api import solve
from ccviz.arrays import IntArray
from ccviz.errors import CcvizError, UnsupportedError
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.solvers import Solver, check, make_solver


def check_bounded(run: Run, solver: Solver, what: str, no_rules: str) -> None:
    """Check that a run has a clustering and a bound, and a problem that a solver can prove.

    Raises `CcvizError` if the run has no clustering that keeps the links, or no lower bound. Raises
    `UnsupportedError` if the problem has rules, outliers or fixed centres, or the solver proves no
    bounds.
    """
    if run.incumbent is None or not run.incumbent.violations.none_hard:
        raise CcvizError(f"This run has no clustering that keeps the links, so no {what}s.")
    if run.problem.rules:
        raise UnsupportedError(no_rules)
    left_out, fixed = run.problem.outliers_asked, run.problem.fixed
    for asked, words in ((left_out, "outliers"), (fixed, "fixed centres")):
        if asked:
            raise UnsupportedError(f"{what.capitalize()}s are not known beside {words}.")
    if not np.isfinite(run.lower_bound):
        elsewhere = (
            " Without one, the column 'why' of --table has what the next best cluster of each row "
            "would cost, and the report lists those nearest to another cluster."
        )
        raise CcvizError(
            f"{what.capitalize()}s need a lower bound: run an exact solver first."
            f"{elsewhere if what == 'margin' else ''}"
        )
    if not solver.supports.exact:
        raise UnsupportedError(f"{solver.name} proves no optimum, so no {what}.")
    check(solver, run.problem)


def cost_without_constraints(partition: Partition, starts: int = 4) -> float:
    """Return the least cost that is found without constraints: the optimum without them is no more.

    `starts`: Of k-means; the first one begins with the clustering itself. Raises `UnsupportedError`
    beside outliers or fixed centres.
    """
    problem = partition.problem
    if problem.outliers or problem.fixed:
        raise UnsupportedError(
            "Costs without constraints are not known beside outliers or centres."
        )
    free = Problem(problem.X, problem.k, weights=problem.weights)
    solver = make_solver("k-means", n_init=starts)
    found = solve(free, solver, start=partition.labels, progress=False)
    return min(found.objective, partition.wcss)


def descended(problem: Problem, labels: IntArray) -> Partition | None:
    """Return a clustering by a descent from labels; None if it keeps not all hard constraints.

    `labels` (n,): Which may break constraints.
    """
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    found = repaired(problem, labels, exchanges=True)
    if found is None:
        return None
    partition = Partition(problem, found)
    return partition if partition.violations.none_hard else None
