"""The current run of a session: its place in the queue, its worker, its controls."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any
from weakref import WeakSet, WeakValueDictionary

import param

from ccviz.errors import CcvizError
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.runs.stepper import check_request
from ccviz.runs.stop import NO_LIMITS, Limits
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver

# --- The queue of runs on this server, of which a limited number run at once ----------------------


class RunQueue:
    """A line of tickets, shared by all sessions of a server; the first few may run.

    `limit`: Runs at once; one a processor, and at least two, if not given. `jobs`: The workers of
    this server that a page holds, by their runs.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit or max(2, os.cpu_count() or 1)
        self._line: list[Ticket] = []
        self._lock = Lock()
        self.jobs: WeakValueDictionary[str, SharedJob] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._line)

    def join(self) -> Ticket:
        """Return a new ticket at the end of the line."""
        ticket = Ticket(self)
        with self._lock:
            self._line.append(ticket)
        return ticket


class Ticket:
    """A place in the line."""

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue

    @property
    def waiting(self) -> int:
        """Runs that must end before this one may start; 0 if it may."""
        with self._queue._lock:
            return max(0, self._queue._line.index(self) + 1 - self._queue.limit)

    def release(self) -> None:
        """Leave the line: the run has ended, or is not wanted any more."""
        with self._queue._lock, suppress(ValueError):  # it has left already
            self._queue._line.remove(self)


@dataclass(eq=False)
class SharedJob:
    """A worker and its place in the line, held by the pages that show its run.

    A page that is loaded again holds the run before the old page has gone, so the run goes on.
    """

    job: Job
    ticket: Ticket
    holders: WeakSet[Any] = field(default_factory=WeakSet)


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
    labels: Sequence[int] = ()


class Runner(param.Parameterized):
    """Runs at most one worker process at a time."""

    state = param.Selector(default="idle", objects=["idle", "queued", "running", "paused", "ended"])
    waiting = param.Integer(default=0)
    # Id of the run in the archive; empty until its worker is started.
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
        self._shared: SharedJob | None = None
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

        Raises `UnsupportedError` if the solver cannot handle the problem; the earlier run
        continues.
        """
        check_request(request.problem, request.solver, request.seed)
        begin = partial(
            Job.start, self._archive, request.problem, request.solver, seed=request.seed,
            dataset=request.dataset, scaling=request.scaling, paused=paused, limits=request.limits,
            earlier=request.earlier, labels=request.labels,
            **self._worker,
        )  # fmt: skip
        self._enqueue(begin, paused)

    def resume(self, run_id: str) -> None:
        """Queue a stored run to be resumed without its old limits.

        Raises `ArchiveError`, `UnsupportedError` if it has nothing left to do, or its solver cannot
        resume.
        """
        self._enqueue(partial(Job.resume, self._archive, run_id, **self._worker))

    def join(self, run_id: str) -> bool:
        """Hold a run that another page of this server holds; return whether there is one."""
        shared = self._queue.jobs.get(run_id)
        if shared is None or not shared.job.alive:
            return False
        state = next((each.state for each in shared.holders), "running")
        self.close()
        self._job, self._ticket = shared.job, shared.ticket
        self._hold(shared)
        self.param.update(state=state, run_id=run_id)
        return True

    def _hold(self, shared: SharedJob) -> None:
        self._shared = shared
        shared.holders.add(self)

    @property
    def _is_shared(self) -> bool:
        """Whether the run goes on for another page when this one leaves."""
        shared = self._shared
        return shared is not None and shared.job.alive and len(shared.holders) > 1

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
        shared = self._queue.jobs[self._job.run_id] = SharedJob(self._job, self._ticket)
        self._hold(shared)
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
        if self._shared is not None:
            self._shared.holders.discard(self)
        self._ticket = self._job = self._begin = self._shared = None
        self.param.update(state=state, waiting=0)
