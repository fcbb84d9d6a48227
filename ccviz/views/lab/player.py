"""A cursor over the records of a run: play, pause, step, back, scrub, at any speed.

The worker runs at full speed into the archive; the player follows at its own pace. So a run of
ten milliseconds can be watched for ten seconds, and a live run and an old one play alike.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace

import param

from ccviz.errors import ArchiveError
from ccviz.events import Assigned, Event, IncumbentFound, Record, TreeKept
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.run import Run

# --- States of a run kept on the way, so that going back does not mean starting over --------------


_SPACING = 200
_MOST = 32


class Checkpoints:
    """Copies of a run at growing record numbers, thinned out when there are many."""

    def __init__(self) -> None:
        self._spacing = _SPACING
        self._runs: list[Run] = []

    def keep(self, run: Run) -> None:
        """Keep a copy if the last one is far enough back."""
        # A copy costs as much as the tree has nodes: the more there are, the rarer it is.
        spacing = max(self._spacing, len(run.tree))
        if run.seq < (self._runs[-1].seq if self._runs else -1) + spacing:
            return
        self._runs.append(copy_run(run))
        if len(self._runs) > _MOST:
            del self._runs[::2]
            self._spacing *= 2

    def before(self, seq: int) -> Run | None:
        """Return a copy of the last state kept at a record or before it, None without one."""
        place = bisect_right(self._runs, seq, key=lambda run: run.seq)
        return copy_run(self._runs[place - 1]) if place else None


def copy_run(run: Run) -> Run:
    """Return a copy that can be advanced alone; arrays are shared, since they are read-only."""
    tree = {number: copy(node) for number, node in run.tree.items()}
    for node in tree.values():
        node.children = list(node.children)
    return replace(run, tree=tree, history=list(run.history), notes=list(run.notes))


PACES = {
    "Auto": 0.0,
    "1 / s": 1.0,
    "3 / s": 3.0,
    "10 / s": 10.0,
    "30 / s": 30.0,
    "100 / s": 100.0,
    "Live": math.inf,
}
"""Events a second by name; Auto is slow enough to watch, and never far behind."""

_AUTO_SLOWEST = 8.0
_AUTO_LAG_S = 2.5
_MOST_A_TICK = 1000
_FAR = 3000
_BEFORE_PICTURE = 12


@dataclass(frozen=True, eq=False)
class PlayerState:
    """What the player shows at one moment."""

    run: Run  # The run's state up to the cursor
    event: Event | None
    seq: int
    last: int
    info: RunInfo  # The run in the archive, as far as it has come there
    since: int  # The cursor from which `fresh` goes on
    # The records that were folded on the way here; after a jump there may be none.
    fresh: list[Record]

    @property
    def at_end(self) -> bool:
        """Whether everything has been shown and nothing more will come."""
        return self.run.finished is not None


class Player(param.Parameterized):
    """Plays one run from the archive."""

    shot = param.Parameter(default=None)  # A new one whenever what is shown changes
    playing = param.Boolean(default=False)  # Whether `tick` moves the cursor
    pace = param.Selector(default="Auto", objects=list(PACES))

    def __init__(self, archive: Archive) -> None:
        super().__init__()
        self._archive = archive
        self.run_id = ""  # of the run that is open; empty if none is
        self._later: list[str] = []
        self._due = 0.0
        self._since = -1
        self._fresh: list[Record] = []

    def open(self, run_id: str, playing: bool = True) -> None:
        """Show a run from before its first record."""
        self._later = []
        self._open(run_id, playing)

    def _open(self, run_id: str, playing: bool) -> None:
        self.run_id = run_id
        self._run = Run(self._archive.problem(run_id))
        self._checkpoints = Checkpoints()
        self._due = 0.0
        self._since, self._fresh = -1, []
        self.playing = playing
        self._show(None, self._archive.info(run_id))

    def close(self) -> None:
        """Show nothing."""
        self.run_id = ""
        self.param.update(shot=None, playing=False)

    def tick(self, elapsed_s: float) -> None:
        """Look for new records and, when playing, move on as far as the pace says."""
        if not self.run_id:
            return
        try:
            info = self._archive.info(self.run_id)
        except ArchiveError:
            self.close()  # it was deleted elsewhere
            raise
        event = None
        if self.playing:
            event = self._advance(self._allowance(elapsed_s, info.last_seq), info.last_seq)
            self.playing = self._run.finished is None
        if event is not None or info.last_seq != self.shot.last:
            self._show(event or self.shot.event, info)

    def _allowance(self, elapsed_s: float, last: int) -> int:
        """Return how many records are due."""
        pace = PACES[self.pace]
        backlog = last - self._run.seq
        at_once = 0
        if pace == 0.0:
            pace = max(_AUTO_SLOWEST, backlog / _AUTO_LAG_S)
            at_once = self._upto_picture(last)
        if math.isinf(pace):
            return backlog
        self._due = min(self._due + pace * elapsed_s, float(backlog))
        due = int(self._due)
        self._due -= due
        return max(at_once, min(due, _MOST_A_TICK))

    def _upto_picture(self, last: int) -> int:
        """Return how many records lead to the first that gives points their clusters.

        Earlier records draw nothing, so they are folded at once. 0 if none of the next records is
        such a one.
        """
        if (folded := self._folded()) > self._run.seq:
            return min(folded, last) - self._run.seq
        if self._run.labels is not None or self._run.seq >= _BEFORE_PICTURE:
            return 0
        records = self._archive.records(self.run_id, self._run.seq, limit=_BEFORE_PICTURE)
        kinds = [isinstance(each.event, Assigned | IncumbentFound) for each in records]
        return records[kinds.index(True)].seq - self._run.seq if any(kinds) else 0

    def step(self) -> bool:
        """Show one more record; False if there is none yet."""
        self.playing = False
        info = self._archive.info(self.run_id)
        if self._run.finished is not None and self._later:
            self._open(self._later.pop(), playing=False)
            self.seek(self._folded())
            return True
        event = self._advance(1, info.last_seq)
        if event is not None:
            self._show(event, info)
        return event is not None

    def back(self) -> None:
        """Show the record before; before an edit over which a tree went on, the run before it."""
        kept = self._run.kept_tree
        if kept is not None and kept.run and self._run.seq <= self._folded():
            later = [*self._later, self.run_id]
            with suppress(ArchiveError):  # the earlier run was deleted
                self._archive.info(kept.run)
                self._open(kept.run, playing=False)
                self._later = later
                self.end()
                return
        self.seek(self._run.seq - 1)

    def _folded(self) -> int:
        """Return the record that shows the tree of an earlier run whole; -1 without one.

        Before it come the start, the first clustering, the summary and the other nodes.
        """
        kept = self._run.kept_tree
        if kept is None and self._run.seq < 2:
            records = self._archive.records(self.run_id, limit=3)
            found = (each.event for each in records if isinstance(each.event, TreeKept))
            kept = next(found, None)
        return -1 if kept is None else 2 + kept.following

    def end(self) -> None:
        """Show the last record there is."""
        if self.run_id:
            self.seek(self._archive.info(self.run_id).last_seq)

    def seek(self, seq: int) -> None:
        """Show a record, and pause; one that is out of range means the first or the last."""
        self.playing = False
        info = self._archive.info(self.run_id)
        self._show(self._jump(min(max(seq, -1), info.last_seq)), info)

    def _jump(self, target: int) -> Event | None:
        if target < self._run.seq:
            self._run = self._checkpoints.before(target) or Run(self._run.problem)
            self._since = self._run.seq
            event = self._event_at(self._run.seq)
        else:
            event = self.shot.event
        if target - self._run.seq > _FAR:
            self._archive.load(self.run_id, upto=target, run=self._run)
            self._since = self._run.seq
            event = self._event_at(self._run.seq) or event
        return self._fold(self._archive.records(self.run_id, self._run.seq, target)) or event

    def _event_at(self, seq: int) -> Event | None:
        records = self._archive.records(self.run_id, after=seq - 1, upto=seq)
        return records[0].event if records else None

    def _advance(self, many: int, last: int) -> Event | None:
        """Fold a number of records and return the last event, None if there was none."""
        if many > _FAR:
            return self._jump(last)
        # A busy worker's archive has gaps: passing states that were replaced by newer ones.
        event = None
        upto = self._run.seq
        while event is None and many and upto < last:
            upto = min(upto + many, last)
            event = self._fold(self._archive.records(self.run_id, self._run.seq, upto))
        return event

    def _fold(self, records: list[Record]) -> Event | None:
        for record in records:
            self._run.apply(record)
            self._checkpoints.keep(self._run)
        self._fresh += records
        return records[-1].event if records else None

    def _show(self, event: Event | None, info: RunInfo) -> None:
        since, fresh = self._since, self._fresh
        self._since, self._fresh = self._run.seq, []
        self.shot = PlayerState(self._run, event, self._run.seq, info.last_seq, info, since, fresh)
