"""The current run of a session: its place in the queue, its worker, its controls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import param

from ccviz.errors import CcvizError
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.runs.stepper import check_request
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver
from ccviz.views.lab.queue import Drive, RunQueue, Ticket

_GRACE_S = 2.0


@dataclass(frozen=True, eq=False)
class RunRequest:
    """A run that a session asks for."""

    problem: Problem
    solver: Solver
    seed: int = 0
    limits: Limits = NO_LIMITS
    dataset: str = ""
    scaling: str = ""
    earlier: str = ""


class Runner(param.Parameterized):
    """Runs at most one worker process at a time.

    Parameters
    ----------
    archive : Archive
    queue : RunQueue
    memory : int, optional
        Memory limit of a worker in bytes.
    pool : WorkerPool, optional
        Idle workers.

    Attributes
    ----------
    state : {"idle", "queued", "running", "paused", "ended"}
    waiting : int
        Number of runs ahead in the queue.
    run_id : str
        Id of the run in the archive; empty until its worker is started.
    """

    state = param.Selector(default="idle", objects=["idle", "queued", "running", "paused", "ended"])
    waiting = param.Integer(default=0)
    run_id = param.String(default="")

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        memory: int | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        super().__init__()
        self._worker: dict[str, Any] = {"memory": memory, "pool": pool}
        self._archive, self._queue = archive, queue
        self._begin: Callable[[], Job] | None = None
        self._ticket: Ticket | None = None
        self._job: Job | None = None
        self._drive: Drive | None = None
        self._start_paused = False

    @property
    def busy(self) -> bool:
        """Whether a run is queued, running or paused."""
        return self.state in ("queued", "running", "paused")

    @property
    def queue_words(self) -> str:
        """Load of the server and this run's place in the queue, as a sentence."""
        running = min(len(self._queue), self._queue.limit)
        waiting = len(self._queue) - running
        ours = f" This run is number {self.waiting} in the queue." if self.state == "queued" else ""
        return (
            f"This server is running {running} of at most {self._queue.limit} runs; "
            f"{waiting} are waiting.{ours}"
        )

    @property
    def pid(self) -> int | None:
        """Process id of the worker."""
        return self._job.pid if self._job is not None else None

    def start(self, request: RunRequest, paused: bool = False) -> None:
        """Check and queue a run, which starts when its turn comes. An earlier run is stopped.

        Raises
        ------
        UnsupportedError
            If the solver cannot handle the problem; the earlier run continues.
        """
        check_request(request.problem, request.solver, request.seed)
        begin = partial(
            Job.start, self._archive, request.problem, request.solver, seed=request.seed,
            dataset=request.dataset, scaling=request.scaling, paused=paused, limits=request.limits,
            earlier=request.earlier,
            **self._worker,
        )  # fmt: skip
        self._enqueue(begin, paused)

    def resume(self, run_id: str) -> None:
        """Queue a stored run to be resumed without its old limits.

        Raises
        ------
        ArchiveError, UnsupportedError
            If it has nothing left to do, or its solver cannot resume.
        """
        self._enqueue(partial(Job.resume, self._archive, run_id, **self._worker))

    def join(self, run_id: str) -> bool:
        """Hold a run that another page of this server holds; return whether there is one.

        Parameters
        ----------
        run_id : str
        """
        drive = self._queue.drives.get(run_id)
        if drive is None or not drive.job.alive:
            return False
        state = next((each.state for each in drive.holders), "running")
        self.close()
        self._job, self._ticket = drive.job, drive.ticket
        self._hold(drive)
        self.param.update(state=state, run_id=run_id)
        return True

    def _hold(self, drive: Drive) -> None:
        self._drive = drive
        drive.holders.add(self)

    @property
    def _is_shared(self) -> bool:
        """Whether the run goes on for another page when this one leaves."""
        drive = self._drive
        return drive is not None and drive.job.alive and len(drive.holders) > 1

    def _enqueue(self, begin: Callable[[], Job], paused: bool = False) -> None:
        self.close()
        self._begin, self._start_paused = begin, paused
        self._ticket = self._queue.join()
        self.param.update(state="queued", run_id="", waiting=self._ticket.waiting)
        self.tick()

    def tick(self) -> None:
        """Start the worker when its turn comes, and notice its end."""
        if self.state == "queued":
            assert self._ticket is not None
            self.waiting = self._ticket.waiting
            if self.waiting == 0:
                self._launch()
        elif self._job is not None and self.busy and not self._job.alive:
            lost = self._job.not_stored
            self._end("ended")
            if lost:
                raise CcvizError(lost)

    def _launch(self) -> None:
        assert self._begin is not None
        try:
            self._job = self._begin()
        except CcvizError:
            self._end("idle")
            raise
        assert self._ticket is not None
        drive = self._queue.drives[self._job.run_id] = Drive(self._job, self._ticket)
        self._hold(drive)
        state = "paused" if self._start_paused else "running"
        self.param.update(state=state, run_id=self._job.run_id)

    def pause(self) -> None:
        """Pause the worker after the current event."""
        if self.state == "running" and self._job is not None:
            self._job.pause()
            self.state = "paused"

    def go_on(self) -> None:
        """Continue a paused worker."""
        if self.state == "paused" and self._job is not None:
            self._job.go_on()
            self.state = "running"

    def step(self) -> None:
        """Let a paused worker do one event."""
        if self.state == "paused" and self._job is not None:
            self._job.step()

    def stop(self) -> None:
        """Ask the worker to end; its results stay."""
        if self._job is not None and self.busy:
            self._job.stop(_GRACE_S)
        elif self.state == "queued":
            self._end("idle")

    def close(self) -> None:
        """End the worker, if any and if no other page holds it, and leave the queue."""
        if self._job is not None and self._job.alive and not self._is_shared:
            self._job.stop(_GRACE_S)
        self._end("idle")

    def _end(self, state: str) -> None:
        if self._ticket is not None and not self._is_shared:
            self._ticket.release()
        if self._drive is not None:
            self._drive.holders.discard(self)
        self._ticket = self._job = self._begin = self._drive = None
        self.param.update(state=state, waiting=0)
