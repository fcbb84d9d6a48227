"""Many runs at one press: the batch of a session, in processes beside the page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import param
from threadpoolctl import threadpool_limits

from ccviz.errors import CcvizError
from ccviz.events import TERMINATION_SENTENCES, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.stop import Limits
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver
from ccviz.studies.batch import Cell, carry_out, outcomes, plan
from ccviz.system import RUN, lower_priority
from ccviz.views.draft import Draft
from ccviz.views.lab.personal_archive import personal_archive
from ccviz.views.lab.queued_call import QueuedCall
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.sandboxed_call import SandboxedCall
from ccviz.views.person import Person

_IN_A_ROW = 10
"""Runs after which a batch goes to the end of the server's line again: others wait there, too."""

MOST_RUNS = 1000
"""Of one batch."""

_LOOK_S = 0.5
"""Seconds between two looks at the archive: the list of all runs is long."""

_STOPPED = "The batch stopped unexpectedly."


class Batch(QueuedCall):
    """The batch of one session; its runs are in the archive like all others."""

    done = param.Integer(default=0)
    total = param.Integer(default=0)
    at = param.String(default="")  # The run that goes on, in words; empty while none does
    left_out = param.Parameter(default=())  # What the newest batch does not run
    # What came of its runs so far, by solver and number of clusters.
    outcomes = param.Parameter(default=())

    def __init__(
        self, archive: Archive, queue: RunQueue, person: Person, pool: WorkerPool | None = None
    ) -> None:
        super().__init__(person.quota, pool, queue)
        self._archive, self._person = archive, person
        self._todo: list[Cell] = []
        self._row: list[Cell] = []
        self._ran: list[RunInfo] = []
        self._about: tuple[Any, ...] = ()
        self._runs: list[RunInfo] = []
        self._looked = 0.0

    def start(
        self,
        drafts: Draft | Mapping[str, Draft],
        solvers: Sequence[Solver],
        seeds: Iterable[int],
        ks: Iterable[int],
        limits: Limits,
    ) -> None:
        """Begin a batch on a problem's points and links; sizes hold for its own k only.

        `drafts`: Several by the names of their sets of links.
        Raises `CcvizError` if there is nothing to run, or too much.
        """
        sets = dict(drafts) if isinstance(drafts, Mapping) else {"": drafts}
        cells, left_out = plan(_problems(sets), solvers, seeds, ks)
        self.left_out = tuple(left_out)
        if not cells:
            raise CcvizError("Choose at least one solver that supports these constraints.")
        if len(cells) > MOST_RUNS:
            raise CcvizError(f"{len(cells):,} runs are more than {MOST_RUNS:,}, the most at once.")
        self.stop()
        self._todo, self._about = cells, (sets, limits)
        self._ran = []
        self.param.update(done=0, total=len(cells), outcomes=())
        self._go_on()

    def _go_on(self) -> None:
        """Wait for a turn with the next runs."""
        self._row, self._todo = self._todo[:_IN_A_ROW], self._todo[_IN_A_ROW:]
        person, self._runs = self._person, []
        self._begin_call(
            _carry_out, (self._archive.path, person, self._row, *self._about), math.inf,
            memory=person.quota.worker_bytes or None,
        )  # fmt: skip
        self.at = "waiting in the queue"

    def _look(self, call: SandboxedCall, done: bool) -> None:
        """Count the runs that have ended."""
        if not done and time.monotonic() < self._looked + _LOOK_S:
            return
        self._looked = time.monotonic()
        self._runs = self._runs_of(call)
        ended = sum(info.state == "finished" for info in self._runs)
        self.done = self.total - len(self._todo) - len(self._row) + ended
        self.at = str(self._row[ended]) if ended < len(self._row) else ""
        self.outcomes = tuple(outcomes([*self._ran, *self._runs]))

    def _runs_of(self, call: SandboxedCall) -> list[RunInfo]:
        """Return the runs of a process; others may have had its number before."""
        known = self._archive.runs()
        return [each for each in known if each.pid == call.pid and each.created >= self._began]

    def _take(self, answer: str) -> None:
        """Take the results of a process, and continue with the remaining runs.

        Raises `CcvizError` if no more could be stored; the batch is then over.
        """
        if answer:
            self.stop()
            raise CcvizError(answer)
        self._sum_up()
        if self._todo:
            self._go_on()

    def _fail(self, failed: CcvizError) -> None:
        """Give up the run in the middle of which a process has ended."""
        self._close("failed", _STOPPED)
        ended = sum(info.state == "finished" for info in self._runs)
        self._todo = [*self._row[ended + 1 :], *self._todo]
        self.done = self.total - len(self._todo)
        self._take("")

    def _sum_up(self) -> None:
        """Add a process's runs, as they ended, to what came of the batch."""
        ids = {info.id for info in self._runs}
        self._ran += [info for info in self._archive.runs() if info.id in ids]
        self.outcomes = tuple(outcomes(self._ran))

    def _close(self, how: Termination, why: str) -> None:
        for info in self._runs:
            if info.state != "finished":
                self._archive.finish(info.id, how, why)

    def _leave(self) -> None:
        super()._leave()
        self.at = ""

    def stop(self) -> None:
        """End the batch; its results stay."""
        call, self._todo = self._call, []
        super().stop()
        if call is not None:
            self._runs = self._runs_of(call)
            self._close("interrupted", TERMINATION_SENTENCES["interrupted"])
            self._sum_up()


def _problem(draft: Draft, k: int, keeps_rules: bool) -> Problem:
    """Return a draft's problem for k clusters, for a solver that keeps rules by itself or not."""
    draft = draft if k == draft.k else draft.with_k(k)
    return draft.keeping if keeps_rules else draft.problem


def _problems(sets: Mapping[str, Draft]) -> dict[str, Callable[[int, bool], Problem]]:
    return {name: partial(_problem, draft) for name, draft in sets.items()}


def _carry_out(
    path: Path, person: Person, cells: list[Cell], sets: Mapping[str, Draft], limits: Limits
) -> str:
    """Do some runs in the process that was begun for them; return why no more could be stored."""
    lower_priority(RUN)
    draft = next(iter(sets.values()))
    with threadpool_limits(1), Archive(path) as archive:
        personal = personal_archive(archive, person)
        try:
            for _ in carry_out(
                personal, cells, _problems(sets), limits, dataset=draft.data.name,
                scaling=draft.scaling,
            ):  # fmt: skip
                pass
        except CcvizError as refused:
            return str(refused)
    return ""
