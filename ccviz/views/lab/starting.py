"""The run that the next one may start from."""

from __future__ import annotations

from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.solvers import Solver
from ccviz.views.frames.after_edit import after_edit


def run_to_start_from(
    run: Run | None, run_id: str, archive: Archive, solver: Solver, problem: Problem
) -> str:
    """Return the id of the run shown if something of it holds for an edited problem; else nothing.

    Only an exact solver takes it, and only after an edit: the same problem is solved again from
    nothing.

    Parameters
    ----------
    run : Run or None
        The one shown, as far as it is played.
    run_id : str
    archive : Archive
    solver : Solver
        The one that is to run.
    problem : Problem
        As it is now.
    """
    if run is None or not solver.supports.exact:
        return ""
    if archive.is_in_library(run_id):
        return ""
    if run.finished is None:
        run = archive.load(run_id)  # it may have ended before the player has shown that
    if run.termination != "proved":
        return ""
    edited = after_edit(run, problem)
    return run_id if edited is not None and edited.holding != "nothing" else ""
