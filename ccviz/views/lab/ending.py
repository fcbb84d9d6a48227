"""Notices about the end of a run, and about dead ends during it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.views.draft import Draft
from ccviz.views.lab.playback import Playback
from ccviz.views.lab.player import Player, Shot
from ccviz.views.lab.runner import Runner
from ccviz.views.lab.suiting import gave_up, impossible
from ccviz.views.lab.words import Worded


class Ending:
    """Watches the run shown: marks dead ends on the plot, and adds a notice.

    Parameters
    ----------
    told : Worded
        Who has the notice and the points that are lit.
    draft : callable
        Returns the current problem.
    player : Player
    playback : Playback
    runner : Runner
    """

    def __init__(
        self,
        told: Worded,
        draft: Callable[[], Draft],
        player: Player,
        playback: Playback,
        runner: Runner,
    ) -> None:
        self._worded, self._draft = told, draft
        self._playback, self._runner = playback, runner
        self._ringed: tuple[int, ...] = ()
        self._told = ""
        player.param.watch(self._look, "shot")

    def _look(self, event: Any) -> None:
        self._ring(event.new)
        if event.new is not None:
            self._tell(event.new)

    def _ring(self, shot: Shot | None) -> None:
        """Light up the point at which a start died, until something else happens."""
        point = self._playback.dead_end(shot) if shot else None
        before, self._ringed = self._ringed, () if point is None else (point,)
        if self._ringed or (before and self._worded.lit == before):
            self._worded.lit = self._ringed

    def _tell(self, shot: Shot) -> None:
        """Report once that a run which has just ended found no clustering, and what to try."""
        run = shot.run
        fresh = shot.info.id == self._runner.run_id != self._told
        if not fresh or run.finished is None or run.status != "unknown":
            return
        self._told = shot.info.id
        if run.finished.termination in _ON_PURPOSE:
            return
        draft = self._draft()
        told = impossible(draft) if run.problem.asks_the_same(draft.problem) else None
        self._worded.notice = told[0] if told else gave_up(draft, run)


_ON_PURPOSE = {"interrupted", "failed"}
"""Ends that a person chose, or that another notice reports."""
