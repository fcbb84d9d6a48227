"""What studies of a run's problem and of problems near to it share: a check, a descent, bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
import numpy as np

from ccviz.api import solve
from ccviz.arrays import IntArray
from ccviz.errors import ArchiveError, CcvizError, UnsupportedError
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.solvers import Solver, check, make_solver


def check_bounded(run: Run, solver: str | Solver, what: str, no_rules: str) -> Solver:
    """Return a solver that can prove the problem of a run, which has a clustering and a bound.

    Raises `CcvizError` if the run has no clustering that keeps the links, or no lower bound. Raises
    `UnsupportedError` if the problem has rules, outliers or fixed centres, or the solver proves no
    bounds.
    """
    solver = make_solver(solver) if isinstance(solver, str) else solver
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
    return solver


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


# --- What is known of a run as bytes: the fields that its problem does not give -------------------

Known = TypeVar("Known")
Stored = TypeVar("Stored", bound=msgspec.Struct)


def packed(known: Any, kind: type[Stored]) -> bytes:
    """Return as bytes the fields of what is known that a struct names, its arrays as lists."""
    values = [getattr(known, name) for name in kind.__struct_fields__]
    plain = [each.ravel().tolist() if isinstance(each, np.ndarray) else each for each in values]
    return msgspec.msgpack.encode(plain)


def unpacked(
    data: bytes, kind: type[Stored], blank: Known, what: str, fits: Callable[[Stored], bool]
) -> Known:
    """Return what is known with the stored fields; `ArchiveError` if they do not fit the blank one.

    `fits`: Whether the numbers of points, clusters and rows in it are valid.
    """
    try:
        stored = msgspec.msgpack.decode(data, type=kind)
        if not fits(stored):
            raise ValueError
        found = {}
        for name in kind.__struct_fields__:
            value, before = getattr(stored, name), getattr(blank, name)
            if isinstance(before, np.ndarray):
                value = np.array(value, dtype=before.dtype).reshape(before.shape)
            found[name] = value
    except (msgspec.MsgspecError, ValueError, OverflowError):
        raise ArchiveError(f"the stored {what} of this run cannot be read.") from None
    return replace(blank, **found)  # type: ignore[type-var]
