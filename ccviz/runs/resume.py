"""Opening a stored run as a stepper, and resuming it."""

from __future__ import annotations

from ccviz.errors import ArchiveError, UnsupportedError
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import stored_run
from ccviz.runs.limits import Limits
from ccviz.runs.stepper import Stepper, start
from ccviz.solvers import make_solver


def open_run(
    archive: Archive,
    run_id: str,
    resume: bool = False,
    workers: int | str = 1,
    earlier: str = "",
) -> Stepper:
    """Return a stepper for a stored run; a resumed one continues after its records.

    The caller chooses the workers. The stored ones are ignored: a run may come from another
    machine, and an address in it would be contacted. A new run may start from an ``earlier`` one.
    """
    info = archive.info(run_id)
    problem = archive.problem(run_id)
    return start(
        problem,
        make_solver(info.solver, **info.settings),
        seed=info.seed,
        workers=workers,
        history=archive.records(run_id) if resume else (),
        start=stored_run(archive, earlier) if earlier else None,
        **info.limits.given,
    )


def reopen(archive: Archive, run_id: str, limits: Limits) -> None:
    """Reopen a finished run, so that `open_run` can resume it under new limits.

    Parameters
    ----------
    archive : Archive
    run_id : str
    limits : Limits
        For the whole run, in place of the old ones.

    Raises
    ------
    ArchiveError
        If there is no such run, it is still running, or it has nothing left to do.
    UnsupportedError
        If its solver cannot resume from its events.
    """
    info = archive.info(run_id)
    solver = make_solver(info.solver, **info.settings)
    if info.state == "running":
        raise ArchiveError(f"the run {run_id} is still running.")
    if info.termination in {"proved", "converged"}:
        raise ArchiveError(f"the run {run_id} has finished; nothing is left to do.")
    if not solver.supports.resume:
        raise UnsupportedError(f"{solver.name} cannot resume a run; start a new one.")
    archive.reopen(run_id, limits)
