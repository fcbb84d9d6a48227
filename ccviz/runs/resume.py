"""A run in the archive as a run that goes on."""

from __future__ import annotations

from ccviz.errors import ArchiveError, UnsupportedError
from ccviz.runs.archive import Archive
from ccviz.runs.limits import Limits
from ccviz.runs.stepper import Stepper, start
from ccviz.solvers import make_solver


def open_run(
    archive: Archive, run_id: str, resume: bool = False, workers: int | str = 1
) -> Stepper:
    """Return a stepper for a run as the archive describes it, after its records if resumed.

    Where it works is for the caller to say. What the archive says of it is past: a run may have
    come from elsewhere, and an address in it would be called up.
    """
    info = archive.info(run_id)
    return start(
        archive.problem(run_id),
        make_solver(info.solver, **info.settings),
        seed=info.seed,
        workers=workers,
        history=archive.records(run_id) if resume else (),
        **info.limits.given,
    )


def reopen(archive: Archive, run_id: str, limits: Limits) -> None:
    """Take back a run's end, so that `open_run` can resume it under new limits.

    Parameters
    ----------
    archive : Archive
    run_id : str
    limits : Limits
        For the whole run; the old ones do not hold any more.

    Raises
    ------
    ArchiveError
        If there is no such run, it still goes on, or nothing is left to do.
    UnsupportedError
        If its solver cannot go on from its events.
    """
    info = archive.info(run_id)
    solver = make_solver(info.solver, **info.settings)
    if info.state == "running":
        raise ArchiveError(f"the run {run_id} still goes on.")
    if info.termination in {"proved", "converged"}:
        raise ArchiveError(f"the run {run_id} has come to its end; nothing is left to do.")
    if not solver.supports.resume:
        raise UnsupportedError(f"{solver.name} cannot go on where it stopped; start a new run.")
    archive.reopen(run_id, limits)
