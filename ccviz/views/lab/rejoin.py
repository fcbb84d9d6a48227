"""Returning to a run after the connection to the server was lost."""

from __future__ import annotations

from contextlib import suppress

from ccviz.errors import ParameterError
from ccviz.runs.info import RunInfo
from ccviz.solvers import solver_class
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session


def rejoin(session: Session, run_id: str, *, keeps_problem: bool = False) -> None:
    """Show a run to who comes back to it, and say what became of it.

    Parameters
    ----------
    session : Session
    run_id : str
    keeps_problem : bool
        Whether the current problem stays: it may have been edited since the run.

    Raises
    ------
    ArchiveError
        If there is no such run.
    """
    info = session.archive.info(run_id)
    if not keeps_problem:
        session.open_run(run_id)
    if info.state == "running" and session.person.owns(info):
        session.playback.join(run_id)
    elif keeps_problem:
        session.playback.show(run_id)
    if info.state == "running" and session.runner.state != "paused":
        session.player.playing = True
    if session.notice is None or session.notice.kind != "error":
        session.notice = Notice(
            "info", f"The page has come back. {_became(info)}", title="welcome back"
        )


def _became(info: RunInfo) -> str:
    """Report what became of a run in the meantime."""
    if info.state == "running":
        return f"The run {info.name} goes on."
    later = ""
    with suppress(ParameterError):  # a solver of another version
        later = " Under Runs it can go on." if solver_class(info.solver).supports.resume else ""
    if info.state == "lost":
        return f"The run {info.name} was broken off, and what it had found is kept.{later}"
    if info.termination == "interrupted":
        return f"The run {info.name} was stopped, and what it had found is kept.{later}"
    return f"The run {info.name} has ended: {info.message}"
