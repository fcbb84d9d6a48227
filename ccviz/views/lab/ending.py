"""What the end of a run, or a dead end on its way, has to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ccviz.views.lab.suiting import gave_up, impossible

if TYPE_CHECKING:
    from ccviz.views.lab.player import Shot
    from ccviz.views.lab.session import Session


class Ending:
    """Watches what is shown: rings dead ends, and says where a solver gave up.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ringed: tuple[int, ...] = ()
        self._told = ""
        session.player.param.watch(self._look, "shot")

    def _look(self, event: Any) -> None:
        self._ring(event.new)
        if event.new is not None:
            self._tell(event.new)

    def _ring(self, shot: Shot | None) -> None:
        """Light up the point at which a start died, until something else happens."""
        session = self._session
        point = session.playback.dead_end(shot) if shot else None
        before, self._ringed = self._ringed, () if point is None else (point,)
        if self._ringed or (before and session.lit == before):
            session.lit = self._ringed

    def _tell(self, shot: Shot) -> None:
        """Say once that a run which was just made came to nothing, and what to try."""
        session, run = self._session, shot.run
        fresh = shot.info.id == session.runner.run_id != self._told
        if not fresh or run.finished is None or run.status != "unknown":
            return
        self._told = shot.info.id
        if run.finished.termination in _ON_PURPOSE:
            return
        same = run.problem.asks_the_same(session.draft.problem)
        told = impossible(session.draft) if same else None
        session.notice = told[0] if told else gave_up(session.draft, run)


_ON_PURPOSE = {"interrupted", "failed"}
"""Ends that somebody wanted, or that are told otherwise."""
