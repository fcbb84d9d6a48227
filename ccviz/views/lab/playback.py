"""A worker and the player that follows it: the actions of the buttons under the plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.events import (
    CutsAdded,
    DeadEnded,
    Event,
    Finished,
    IncumbentFound,
    NodeBranched,
    NodePruned,
    PartBounded,
)
from ccviz.runs.archive import Archive
from ccviz.views.draft import Draft
from ccviz.views.lab.notice import ReportsErrors, gave_up, impossible
from ccviz.views.lab.player import Player, PlayerState
from ccviz.views.lab.runner import Runner, RunRequest

MILESTONES: tuple[type[Event], ...] = (
    IncumbentFound, NodeBranched, NodePruned, PartBounded, Finished,
)  # fmt: skip
"""Steps of a proof: a better clustering, a node that is branched or closed, a part, the end."""


class Playback:
    """Keeps the player in step with the run that a session has under way."""

    def __init__(self, archive: Archive, runner: Runner, player: Player) -> None:
        self._archive, self._runner, self._player = archive, runner, player
        self._awaited = False
        self._stopping = False
        self._resumed = False
        self._followed = ""
        self._opened = ""

    def start(self, request: RunRequest, paused: bool) -> None:
        """Queue a run, and show it from its beginning.

        Raises `UnsupportedError` if the solver cannot handle the problem; what was shown stays.
        """
        self._runner.start(request, paused)
        self._player.close()
        self._stopping = self._awaited = self._resumed = False
        self._follow()

    def show(self, run_id: str) -> None:
        """Show a stored run at its end."""
        self._player.open(run_id, playing=False)
        self._player.end()

    def join(self, run_id: str) -> None:
        """Show a run that goes on, and control it if another page of this server does."""
        self.show(run_id)
        if self._runner.join(run_id):
            self._followed = self._opened = run_id
            self._stopping = self._awaited = self._resumed = False
        self._player.playing = self._runner.state != "paused"

    def resume(self, run_id: str) -> None:
        """Resume a stored run, and show it from its last event on.

        Raises `ArchiveError`, `UnsupportedError` if it has nothing left to do, or its solver cannot
        go on.
        """
        self._resumed = True
        self._runner.resume(run_id)
        self._follow()

    @property
    def waits(self) -> bool:
        """Whether a worker is paused, or the player is stopped before the end of a running one."""
        if self._runner.state == "paused":
            return True
        return self._runner.busy and self.halted

    @property
    def halted(self) -> bool:
        """Whether a run is shown that does not play and is not at its end."""
        shot = self._player.shot
        return shot is not None and not (self._player.playing or shot.at_end or shot.seq < 0)

    def go_on(self) -> None:
        """Continue the worker and the player after a pause."""
        self._runner.go_on()
        if self._player.shot is not None:
            self._player.playing = self._player.shot.run.finished is None

    def pause(self) -> None:
        """Hold both the player and the worker."""
        self._player.playing = False
        self._runner.pause()

    def step(self) -> None:
        """One event more; where the archive has none, the worker is asked for it."""
        self.pause()
        if self._player.shot is None or not self._player.step():
            self._runner.step()
            self._awaited = self._runner.busy

    def back(self) -> None:
        """One event back; the worker is paused."""
        if self._player.shot is not None:
            self.pause()
            self._player.back()

    def leap(self, steps: int) -> None:
        """Go to the next step of the proof, or the one before; at the end, let the solver go on."""
        shot = self._player.shot
        if shot is None:
            return
        self.pause()
        kinds = [kind.__name__ for kind in MILESTONES]
        if steps > 0:
            found = self._archive.records(shot.info.id, shot.seq, kinds=kinds, limit=1)
        else:
            found = self._archive.records(shot.info.id, upto=shot.seq - 1, kinds=kinds)[-1:]
        if found:
            self._player.seek(found[0].seq)
        elif steps > 0:
            self.step()

    def seek(self, seq: int) -> None:
        """Show the run up to a record."""
        if self._player.shot is not None and seq != self._player.shot.seq:
            self._player.seek(seq)

    def stop(self) -> None:
        """End the run; its result stays, and is shown."""
        self._runner.stop()
        self._stopping = True

    def tick(self, elapsed_s: float) -> PlayerState | None:
        """Advance the worker's state and the player; return the end of a run that failed."""
        self._runner.tick()
        self._follow()
        self._player.tick(elapsed_s)
        return self._catch_up()

    def _follow(self) -> None:
        run_id = self._runner.run_id
        if not run_id or (run_id == self._opened and not self._resumed):
            return
        self._followed = self._opened = run_id
        self._player.open(run_id, playing=self._runner.state != "paused")
        if self._resumed:
            self._player.end()
            self._player.playing = True
        self._resumed = False

    def _catch_up(self) -> PlayerState | None:
        """Show the step that the worker was asked for, and its end."""
        shot = self._player.shot
        if shot is None or shot.info.id != self._followed:
            return None
        if self._awaited:
            self._awaited = not self._player.step()
        if not shot.info.termination:
            return None
        self._followed = ""
        failed = shot.info.termination == "failed"
        if self._stopping or failed:
            self._player.end()
        self._awaited = self._stopping = False
        return shot if failed else None

    @property
    def needs_tick(self) -> bool:
        """Whether something is busy, so that `tick` must be called."""
        return self._runner.busy or self._player.playing or self._stopping

    def dead_end(self, shot: PlayerState) -> int | None:
        """Return the point of the dead end that is shown, or that a run without an answer met."""
        if isinstance(shot.event, DeadEnded):
            return shot.event.point
        if not isinstance(shot.event, Finished) or shot.run.incumbent is not None:
            return None
        met = self._archive.records(shot.info.id, kinds=[DeadEnded.__name__])
        last = met[-1].event if met else None
        return last.point if isinstance(last, DeadEnded) else None

    def close(self) -> None:
        """End the worker and show nothing."""
        self._runner.close()
        self._player.close()


# --- Notices about the end of a run, and about dead ends during it --------------------------------


class Ending:
    """Watches the run shown: marks dead ends on the plot, and adds a notice."""

    def __init__(
        self,
        shown: ReportsErrors,
        draft: Callable[[], Draft],
        player: Player,
        playback: Playback,
        runner: Runner,
    ) -> None:
        self._shown, self._draft = shown, draft
        self._playback, self._runner = playback, runner
        self._ringed: tuple[int, ...] = ()
        self._reported = ""
        player.param.watch(self._look, "shot")

    def _look(self, event: Any) -> None:
        self._ring(event.new)
        if event.new is not None:
            self._report(event.new)

    def _ring(self, shot: PlayerState | None) -> None:
        """Light up a new separator, or the point at which a start died, until the next event."""
        point = self._playback.dead_end(shot) if shot else None
        before, self._ringed = self._ringed, () if point is None else (point,)
        if shot is not None and isinstance(shot.event, CutsAdded):
            self._ringed = shot.event.separator
        if self._ringed or (before and self._shown.lit == before):
            self._shown.lit = self._ringed

    def _report(self, shot: PlayerState) -> None:
        """Report once that a run which has just ended found no clustering, and what to try."""
        run = shot.run
        fresh = shot.info.id == self._runner.run_id != self._reported
        if not fresh or run.finished is None or run.status != "unknown":
            return
        self._reported = shot.info.id
        if run.finished.termination in _ON_PURPOSE:
            return
        draft = self._draft()
        found = impossible(draft) if run.problem.asks_the_same(draft.problem) else None
        self._shown.notice = found[0] if found else gave_up(draft, run)


_ON_PURPOSE = {"interrupted", "failed"}
"""Ends that a person chose, or that another notice reports."""
