"""Many runs at one press: the batch of a session, in processes beside the page."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import param
from threadpoolctl import threadpool_limits

from ccviz.errors import CcvizError
from ccviz.events import TERMINATION_SENTENCES, Termination
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import Limits
from ccviz.runs.priority import RUN, stand_back
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver
from ccviz.studies.batch import Cell, carry_out, outcomes, plan
from ccviz.views.draft import Draft
from ccviz.views.lab.personal_archive import personal_archive
from ccviz.views.lab.queue import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall
from ccviz.views.person import Person

_IN_A_ROW = 10
"""Runs after which a batch goes to the end of the server's line again: others wait there, too."""

MOST_RUNS = 1000
"""Of one batch."""

_LOOK_S = 0.5
"""Seconds between two looks at the archive: the list of all runs is long."""

_BROKE_OFF = "The process of the batch broke off."


class Batch(param.Parameterized):
    """The batch of one session; its runs stand in the archive like all others.

    Parameters
    ----------
    archive : Archive
    queue : RunQueue
    person : Person
        Owner of the runs.
    pool : WorkerPool, optional
        Its fork server forks the processes of the runs.

    Attributes
    ----------
    done, total : int
        Runs that have ended, and runs in all.
    at : str
        The run that goes on, in words; empty while none does.
    busy : bool
        Whether a run goes on, or waits for its turn.
    left_out : tuple of LeftOut
        What the newest batch does not run.
    outcomes : tuple of Outcome
        What came of its runs so far, by solver and number of clusters.
    """

    done = param.Integer(default=0)
    total = param.Integer(default=0)
    at = param.String(default="")
    busy = param.Boolean(default=False)
    left_out = param.Parameter(default=())
    outcomes = param.Parameter(default=())

    def __init__(
        self, archive: Archive, queue: RunQueue, person: Person, pool: WorkerPool | None = None
    ) -> None:
        super().__init__()
        self._archive, self._queue, self._person, self._pool = archive, queue, person, pool
        self._todo: list[Cell] = []
        self._row: list[Cell] = []
        self._ran: list[RunInfo] = []
        self._about: tuple[Any, ...] = ()
        self._ticket: Ticket | None = None
        self._call: SandboxedCall | None = None
        self._began = self._looked = 0.0

    def start(
        self,
        draft: Draft,
        solvers: Sequence[Solver],
        seeds: Iterable[int],
        ks: Iterable[int],
        limits: Limits,
    ) -> None:
        """Begin a batch on a problem's points and links; sizes hold for its own k only.

        Parameters
        ----------
        draft : Draft
        solvers : sequence of Solver
        seeds, ks : iterable of int
        limits : Limits
            Of each run.

        Raises
        ------
        CcvizError
            If there is nothing to run, or too much.
        """
        problem_of = Problems(draft)
        cells, left_out = plan(problem_of, solvers, seeds, ks)
        self.left_out = tuple(left_out)
        if not cells:
            raise CcvizError("Nothing is left to run: tick a solver that supports the problem.")
        if len(cells) > MOST_RUNS:
            raise CcvizError(f"{len(cells):,} runs are more than {MOST_RUNS:,}, the most at once.")
        self.stop()
        self._todo, self._about = cells, (draft, limits)
        self._ran = []
        self.param.update(done=0, total=len(cells), outcomes=())
        self._wait()

    def _wait(self) -> None:
        self._ticket = self._queue.join()
        self.param.update(at="waiting in the queue", busy=True)

    def tick(self) -> None:
        """Look after the batch: begin the next runs when their turn comes, count those that ended.

        Raises
        ------
        CcvizError
            If a run was refused; the batch is then over.
        """
        if self._call is not None:
            self._follow(self._call)
        elif self._ticket is not None and self._ticket.waiting == 0:
            self._row, self._todo = self._todo[:_IN_A_ROW], self._todo[_IN_A_ROW:]
            person, (draft, limits) = self._person, self._about
            self._began = time.time()
            self._call = SandboxedCall(
                _carry_out, (self._archive.path, person, self._row, draft, limits), math.inf,
                person.quota.worker_bytes or None, self._pool,
            )  # fmt: skip

    def _follow(self, call: SandboxedCall) -> None:
        if time.monotonic() < self._looked + _LOOK_S:
            return
        self._looked = time.monotonic()
        over = call.done  # asked before the archive: what ended later is counted next time
        runs = self._runs_of(call)
        ended = sum(info.state == "finished" for info in runs)
        before = self.total - len(self._todo) - len(self._row)
        self.done = before + ended
        self.at = str(self._row[ended]) if ended < len(self._row) else ""
        self.outcomes = tuple(outcomes([*self._ran, *runs]))
        if over:
            self._take(call, runs, ended)

    def _runs_of(self, call: SandboxedCall) -> list[RunInfo]:
        """Return the runs of a process; others may have had its number before."""
        known = self._archive.runs()
        return [each for each in known if each.pid == call.pid and each.created >= self._began]

    def _take(self, call: SandboxedCall, runs: list[RunInfo], ended: int) -> None:
        """Take the results of a process, and continue with the remaining runs."""
        self._call = None
        try:
            refused = call.answer()
        except CcvizError:  # it ended in the middle of a run: that one is given up
            self._close(runs, "failed", _BROKE_OFF)
            self._todo = [*self._row[ended + 1 :], *self._todo]
            self.done = self.total - len(self._todo)
        else:
            if refused:
                self.stop()
                raise CcvizError(refused)
        self._sum_up(runs)
        self._leave()
        if self._todo:
            self._wait()

    def _sum_up(self, runs: list[RunInfo]) -> None:
        """Add a process's runs, as they ended, to what came of the batch."""
        ids = {info.id for info in runs}
        self._ran += [info for info in self._archive.runs() if info.id in ids]
        self.outcomes = tuple(outcomes(self._ran))

    def _close(self, runs: list[RunInfo], how: Termination, why: str) -> None:
        for info in runs:
            if info.state != "finished":
                self._archive.finish(info.id, how, why)

    def _leave(self) -> None:
        if self._ticket is not None:
            self._ticket.release()
        self._ticket, self._row = None, []
        self.param.update(at="", busy=False)

    def stop(self) -> None:
        """End the batch; its results stay."""
        call, self._call, self._todo = self._call, None, []
        if call is not None:
            call.close()
            runs = self._runs_of(call)
            self._close(runs, "interrupted", TERMINATION_SENTENCES["interrupted"])
            self._sum_up(runs)
        self._leave()

    close = stop


class Problems:
    """A draft's problem for other numbers of clusters.

    Parameters
    ----------
    draft : Draft
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def __call__(self, k: int, keeps_rules: bool) -> Any:
        """Return the problem for k clusters, for a solver that keeps rules by itself or not."""
        draft = self._draft if k == self._draft.k else self._draft.with_k(k)
        return draft.keeping if keeps_rules else draft.problem


def _carry_out(path: Path, person: Person, cells: list[Cell], draft: Draft, limits: Limits) -> str:
    """Do some runs in the process that was begun for them; return why no more could be stored."""
    stand_back(RUN)
    with threadpool_limits(1), Archive(path) as archive:
        personal = personal_archive(archive, person)
        try:
            for _ in carry_out(
                personal, cells, Problems(draft), limits, dataset=draft.data.name,
                scaling=draft.scaling,
            ):  # fmt: skip
                pass
        except CcvizError as refused:
            return str(refused)
    return ""
