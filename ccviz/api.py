"""`solve` a problem: run to the end, and return the result."""

from __future__ import annotations

from typing import Any

from ccviz.problem.problem import Problem
from ccviz.runs.progress import drain, somebody_watches
from ccviz.runs.run import Result
from ccviz.runs.stepper import start
from ccviz.solvers import Solver


def solve(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    progress: bool | None = None,
    **options: Any,
) -> Result:
    """Solve a problem and return the result.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver
    progress : bool, optional
        Whether to show a progress bar once half a second has passed; by default in a terminal and
        in a notebook.
    **options
        Those of `start`.

    Returns
    -------
    Result

    Raises
    ------
    ParameterError
        If the solver or a parameter does not exist.
    UnsupportedError
        If the solver cannot handle the problem.

    Examples
    --------
    >>> from ccviz import Problem, solve
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> solve(Problem(X, k=2, must_link=[(0, 3)]), seed=1).partition.violations.must_link
    0
    """
    stepper = start(problem, solver, **options)
    watched = somebody_watches() if progress is None else progress
    return drain(stepper) if watched else stepper.result()
