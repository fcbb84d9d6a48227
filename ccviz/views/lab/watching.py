"""Solver settings that make a run report more for the page."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers import solver_class

MOST_BLOCKS = 300
"""Most blocks whose matrix is sent to the page after every round."""


def watched_settings(solver: str, problem: Problem) -> dict[str, Any]:
    """Return the settings by which a solver shows more of itself than it does unasked.

    Parameters
    ----------
    solver : str
        Its name.
    problem : Problem
        The relaxation's matrix is shown if it has at most `MOST_BLOCKS` blocks.
    """
    if "show_relaxation" not in {each.name for each in fields(solver_class(solver))}:
        return {}
    return {"show_relaxation": contract(problem).s <= MOST_BLOCKS}
