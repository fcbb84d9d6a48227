"""Calls in processes of their own, each at its turn: files, and studies of the run shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import param

from ccviz.errors import CcvizError, UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.archive import Archive
from ccviz.runs.database import Study
from ccviz.runs.info import RunInfo
from ccviz.runs.run import Run
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, check, make_solver
from ccviz.studies.how_sure import check_margins
from ccviz.studies.link_prices import check_priced
from ccviz.studies.margin_table import decode_margins
from ccviz.studies.price_table import decode_prices
from ccviz.studies.stored import margins_in_process, price_in_process
from ccviz.views.lab.player import Player
from ccviz.views.lab.runner import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall


class QueuedCall(param.Parameterized):
    """At most one call, begun now or at its turn in a queue, and looked after by `tick`.

    `pool`: Its fork server forks the process. `queue`: Where a call waits; it begins at once where
    there is none.
    """

    busy = param.Boolean(default=False)  # Whether a call goes on, or waits for its turn

    def __init__(
        self, quota: Quota, pool: WorkerPool | None = None, queue: RunQueue | None = None
    ) -> None:
        super().__init__()
        self._quota, self._pool, self._queue = quota, pool, queue
        self._ticket: Ticket | None = None
        self._waiting: Callable[[], SandboxedCall] | None = None
        self._call: SandboxedCall | None = None
        self._began = 0.0

    def _begin_call(
        self, work: Callable[..., Any], args: tuple[Any, ...], seconds: float, **rights: Any
    ) -> None:
        """Have a function called, see `SandboxedCall`, in the memory of a call by default."""
        rights = {"memory": self._quota.call_bytes, "pool": self._pool} | rights
        self._waiting = partial(SandboxedCall, work, args, seconds, **rights)
        if self._queue is None:
            self._launch()
        elif self._ticket is None:
            self._ticket = self._queue.join()
        self.busy = True

    def _launch(self) -> None:
        if self._waiting is not None:
            make, self._began, self._waiting = self._waiting, time.time(), None
            self._call = make()

    def tick(self) -> None:
        """Begin the call when its turn comes, and take its answer once it is there.

        Raises `CcvizError` if it was refused or has failed.
        """
        if self._call is not None:
            self._follow(self._call)
        if self._ticket is not None and self._ticket.waiting == 0:
            self._launch()

    def _follow(self, call: SandboxedCall) -> None:
        done = call.done  # asked first: what it stored last is seen, too
        self._look(call, done)
        if not done:
            return
        self._call = None
        self._leave()
        try:
            answer = call.answer()
        except CcvizError as failed:
            self._fail(failed)
        else:
            self._take(answer)

    def _look(self, call: SandboxedCall, done: bool) -> None:
        """Look at what a call has stored so far."""

    def _take(self, answer: Any) -> None:
        """Take what a call has returned; nothing where all of it is stored."""

    def _fail(self, failed: CcvizError) -> None:
        raise failed

    def _leave(self) -> None:
        """Leave the queue."""
        if self._ticket is not None:
            self._ticket.release()
        self._ticket, self.busy = None, False

    def stop(self) -> None:
        """End the call, or wait no more for its turn."""
        call, self._call, self._waiting = self._call, None, None
        if call is not None:
            call.close()
        self._leave()

    def close(self) -> None:
        """End it for good: the session ends."""
        self.stop()


# --- Reading and writing one file at a time without blocking the page -----------------------------


_SMALL_BYTES = 100_000
"""Size in bytes up to which a file is read in the server: starting a process takes longer."""


class FileJobs(QueuedCall):
    """Reads and writes files for one session."""

    def take(
        self,
        read: Callable[..., Any],
        content: bytes,
        *about: Any,
        then: Callable[[Any], None],
        may_swell: bool = False,
        archive: str = "",
    ) -> None:
        """Read a file and pass its content to ``then``, now or in a later `tick`.

        `read`: A module-level function of the file content and ``about``. `may_swell`: Whether a
        small file may expand (a compressed one); it is then read in a process. `archive`: The
        archive that this process may read and write; empty if none. Raises `CcvizError` if the file
        is refused, or another file job is in progress.
        """
        self._quota.check_file(len(content))
        small = len(content) <= _SMALL_BYTES and not may_swell
        self.do(read, content, *about, then=then, at_once=small, archive=archive)

    def do(
        self,
        work: Callable[..., Any],
        *args: Any,
        then: Callable[[Any], None],
        at_once: bool,
        archive: str = "",
    ) -> None:
        """Call ``work`` here or in a process of its own, and pass its result to ``then``.

        `work`: A module-level function. `at_once`: Whether to call it here: it takes less time than
        starting a process. `archive`: The archive that this process may read and write.
        Raises `CcvizError` if the work raises one, or another file job is in progress.
        """
        if self.busy:
            raise CcvizError("The previous file is still being read or written.")
        if at_once:
            then(work(*args))
            return
        quota = self._quota
        self._then = then
        self._begin_call(
            work, args, quota.reading_s, memory=quota.reading_bytes, confined=True, archive=archive
        )

    def _take(self, answer: Any) -> None:
        self._then(answer)


# --- A study of the run that is shown, made in a process of its own and kept with the run ---------


WHOLE_S = 3600.0
"""Time in seconds after which no other proof begins."""


class BackgroundStudy(QueuedCall):
    """What a study knows of one run, which its process stores in the archive after each proof."""

    known = param.Parameter(default=None)
    study: ClassVar[Study]
    # What raises if a solver cannot study a run; what studies a stored one; what decodes that.
    _functions: ClassVar[tuple[
        Callable[[Run, Solver], object], Callable[..., Any], Callable[[bytes, Run], Any]
    ]]  # fmt: skip
    _settings: ClassVar[tuple[float, ...]] = ()  # what the study is given before its time limit
    _last_s: ClassVar[float]  # time in seconds that goes on beyond that limit

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        quota: Quota,
        player: Player,
        pool: WorkerPool | None = None,
    ) -> None:
        super().__init__(quota, pool, queue)
        self._archive, self._player = archive, player
        self._run_id, self._seen = "", b""
        self._checked = "", ""  # The run that was looked at, and why it cannot be studied
        player.param.watch(self._on_shot, "shot")

    @property
    def may_start(self) -> bool:
        """Whether the run shown is a proof that the study can begin with."""
        return self._is_proof and not self.why_not

    @property
    def why_not(self) -> str:
        """Why the proof shown cannot be studied, as beside rules; empty if it can."""
        shot = self._player.shot
        if shot is None or not self._is_proof:
            return ""
        if self._checked[0] != shot.info.id:
            why = ""
            try:
                self._functions[0](shot.run, _prover(shot.run.problem, shot.info))
            except UnsupportedError as refused:
                why = str(refused)
            except CcvizError:
                return ""  # of a moment at which nothing is proved yet
            self._checked = shot.info.id, why
        return self._checked[1]

    @property
    def _is_proof(self) -> bool:
        shot = self._player.shot
        if shot is None or shot.info.status != "optimal":
            return False
        return not self._archive.is_in_library(shot.info.id) and self._has_matter(shot.run)

    def _has_matter(self, run: Run) -> bool:
        """Return whether a run has something to study."""
        raise NotImplementedError

    def _refusal(self) -> str:
        """Return why the run shown is not studied, a sentence; nothing where it may be."""
        raise NotImplementedError

    def start(self) -> None:
        """Study the run shown, at its turn in the queue, from where an earlier study of it ended.

        Raises `CcvizError` if it cannot be studied.
        """
        if why := self.why_not or self._refusal():
            raise CcvizError(why)
        shot = self._player.shot
        run_id, run = shot.info.id, self._archive.load(shot.info.id)
        self._archive.check_owned(run_id)
        solver = _prover(run.problem, shot.info)
        check_run, work, _ = self._functions
        check_run(run, solver)
        self.stop()
        self._begin = run_id, solver
        budget_s = min(self._quota.run_s, WHOLE_S)
        args = (self._archive.path, run_id, solver, *self._settings, budget_s)
        self._begin_call(work, args, budget_s + self._last_s)

    def _look(self, call: SandboxedCall, done: bool) -> None:
        self._read()

    def _on_shot(self, event: Any) -> None:
        """Show what is known of another run; the study of the run before ends."""
        run_id = event.new.info.id if event.new is not None else ""
        if run_id != self._run_id:
            self.stop()
            self._run_id, self._seen = run_id, b""
            self.known = None
            if self.may_start:
                self._read()

    def _read(self) -> None:
        """Take what the archive has, if it is other than before."""
        data = self._archive.study(self._run_id, self.study) or b""
        if data != self._seen:
            self._seen = data
            self.known = self._functions[2](data, self._archive.load(self._run_id))


def _prover(problem: Problem, info: RunInfo) -> Solver:
    """Return `sdp`, or a run's own solver where that cannot keep the constraints."""
    solver = make_solver("sdp")
    try:
        check(solver, problem)
    except UnsupportedError:
        return make_solver(info.solver, **info.settings)
    return solver


# --- Prices of the links of the run that is shown, proved in a process of their own ---------------


_PROOF_S = 60.0
"""Time limit of one proof, in seconds."""

MOST_LINKS = 1000
"""Largest number of links that are priced on the page."""


class Pricing(BackgroundStudy):
    """The prices of the links of one run; `known` has type `Prices`."""

    study: ClassVar[Study] = "prices"
    _functions = check_priced, price_in_process, decode_prices
    _settings, _last_s = (_PROOF_S,), 2 * _PROOF_S

    def _refusal(self) -> str:
        if not self.may_start:
            return "Prices need a proven optimum under links: run an exact solver."
        problem = self._player.shot.run.problem
        many = len(problem.must_link) + len(problem.cannot_link)
        too_many = f"{many:,} links are more than the {MOST_LINKS:,} that are priced."
        return too_many if many > MOST_LINKS else ""

    def _has_matter(self, run: Run) -> bool:
        return len(run.problem.must_link) + len(run.problem.cannot_link) > 0


# --- Margins of the points of the run that is shown, limited in a process of their own ------------


_BOUND_S = 120.0
"""Time in seconds that the last bound may take."""

MOST_POINTS = 1000
"""Largest number of points whose margins are limited on the page."""


class Sureness(BackgroundStudy):
    """The margins of the points of one run; `known` has type `Margins`."""

    study: ClassVar[Study] = "margins"
    _functions = check_margins, margins_in_process, decode_margins
    _last_s = _BOUND_S

    def _refusal(self) -> str:
        needs = f"a proven optimum of at most {MOST_POINTS:,} points: run an exact solver."
        return "" if self.may_start else f"How sure a point is follows from {needs}"

    def _has_matter(self, run: Run) -> bool:
        return run.problem.n <= MOST_POINTS and run.problem.k > 1
