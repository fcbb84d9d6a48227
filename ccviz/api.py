"""`solve` a problem: run to the end, and return the result."""

from __future__ import annotations

import math
import sys
from typing import Any

from ccviz.compiled import compiling_said
from ccviz.numbers import number, percent
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result, Run
from ccviz.runs.stepper import Stepper, start
from ccviz.solvers import Solver

__all__ = ["solve"]

# --- A progress bar for a plain `ccviz.solve` -----------------------------------------------------


_DELAY_S = 0.5
_EVERY_S = 0.1


def is_interactive() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return sys.stderr.isatty() or type(shell).__name__ == "ZMQInteractiveShell"


def drain(stepper: Stepper) -> Result:
    """Run to the end under a progress bar, which comes after half a second and then goes away."""
    from tqdm.auto import tqdm

    with tqdm(
        desc=stepper.solver.name, unit=" events", delay=_DELAY_S, mininterval=_EVERY_S, leave=False
    ) as bar:

        def show(run: Run) -> None:
            bar.set_postfix_str(_state(run), refresh=False)
            bar.update()

        with compiling_said(bar.set_postfix_str):
            return stepper.result(show)


def _state(run: Run) -> str:
    parts = []
    if math.isfinite(run.objective):
        parts.append(f"objective {number(run.objective)}")
    if math.isfinite(run.gap):
        parts.append(f"gap {percent(run.gap)}")
    if len(run.tree) > 1:
        parts.append(f"{len(run.tree)} nodes")
    if run.parts:
        parts.append(f"{len(run.parts_done):,} of {run.parts:,} parts")
    return ", ".join(parts)


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
    progress : bool, optional
        Whether to show a progress bar once half a second has passed; by default in a terminal and
        in a notebook.
    **options
        Those of `start`.

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
    watched = is_interactive() if progress is None else progress
    return drain(stepper) if watched else stepper.result()
