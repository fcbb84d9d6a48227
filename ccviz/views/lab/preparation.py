"""Sentences for the page about the compiling beside a new server."""

from __future__ import annotations

import atexit

from ccviz.runs.kernels import compiled
from ccviz.runs.warm import start_compiling
from ccviz.solvers import SOLVERS
from ccviz.views.lab.session import Session


class Preparation:
    """What this server still compiles, once on this machine; shared by all its sessions."""

    def __init__(self) -> None:
        self._lanes = start_compiling()
        if self._lanes:
            atexit.register(self.close)

    @property
    def missing(self) -> tuple[str, ...]:
        """The solvers that are not ready yet, by name; none once compiling has ended."""
        if not any(lane.poll() is None for lane in self._lanes):
            self._lanes = []
        return tuple(s.name for s in SOLVERS if not compiled(s.name)) if self._lanes else ()

    def words(self, awaited: str = "") -> str:
        """Return the progress as a sentence, or nothing.

        Parameters
        ----------
        awaited : str
            Name of the solver whose run is about to start, if there is one.
        """
        if awaited and not compiled(awaited):
            return (
                f"The run compiles the inner loops of {awaited} that it needs, once on this "
                "machine: up to a minute."
            )
        if missing := self.missing:
            ready = len(SOLVERS) - len(missing)
            return (
                f"Compiling the solvers, once on this machine: {ready} of {len(SOLVERS)} are ready."
            )
        return ""

    def close(self) -> None:
        """End what still compiles."""
        for lane in self._lanes:
            lane.terminate()


def awaited_solver(session: Session) -> str:
    """Return the solver of the run that a session waits for, while its worker has said nothing."""
    shot = session.player.shot
    return shot.info.solver if session.runner.busy and shot is not None and shot.last < 0 else ""
