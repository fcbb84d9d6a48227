"""A run in a worker process: the parent's handle.

::

    job = Job.start(archive, problem, make_solver("blp-kmeans"), limits=Limits(time_limit=60))
    while job.alive:
        for record in archive.records(job.run_id, after=seen): ...
    job.stop()

The worker process (`ccviz.runs.worker_pool`) receives the archive's path and the run's id, and
reads the rest from the archive (`ccviz.runs.worker`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import TERMINATION_SENTENCES, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.recorder import reopen
from ccviz.runs.stop import NO_LIMITS, Limits
from ccviz.runs.worker_pool import Child, WorkerPool
from ccviz.solvers.base import Solver
from ccviz.solvers.search.workforce import check_workers


class Job:
    """A running worker. Build it with `start` or `resume`.

    All methods except `wait` return at once; they may be called from any thread. The run in the
    archive always ends with `ccviz.events.Finished`: if the worker ended without one, the parent
    appends it with the reason.

    Attributes
    ----------
    run_id : str
        The run in the archive; poll ``archive.records(run_id, after=...)`` to follow it.
    not_stored : str
        The end of the run if it could not be stored, as a sentence; else empty.
    """

    def __init__(
        self, archive: Archive, run_id: str, pool: WorkerPool | None = None, **task: Any
    ) -> None:
        self._archive, self.run_id, self.not_stored = archive, run_id, ""
        self._stopping = False
        self._done = threading.Event()
        self._said = [f"run {json.dumps({'run': run_id} | task)}"]
        self._saying = threading.Lock()
        self._seen = archive.info(run_id).last_seq
        self._was_idle = pool is not None
        self._child = pool.take() if pool is not None else Child(archive.path)
        self._child.say(self._said[0])
        threading.Thread(target=self._watch, daemon=True).start()

    @classmethod
    def start(
        cls,
        archive: Archive,
        problem: Problem,
        solver: Solver,
        *,
        seed: int = 0,
        workers: int | str = 1,
        limits: Limits = NO_LIMITS,
        dataset: str = "",
        name: str = "",
        scaling: str = "",
        paused: bool = False,
        earlier: str = "",
        labels: Sequence[int] = (),
        memory: int | None = None,
        pool: WorkerPool | None = None,
    ) -> Job:
        """Create a run in the archive and start its worker; `ArchiveError` if it cannot be stored.

        The caller has checked the request (`ccviz.runs.stepper.check_request`). The worker checks
        it again; a refused run ends as failed, with the reason.

        Parameters
        ----------
        seed, workers
            As in `ccviz.start`.
        dataset, name, scaling : str
            For the list of runs.
        paused : bool
            Pause before the first event, until `step` or `go_on`.
        earlier : str
            Id of a run in the archive to start from, empty for none.
        labels : sequence of n int
            The clustering to start from where there is no earlier run; empty for none.
        memory : int, optional
            Memory limit of the worker in bytes.
        pool : WorkerPool, optional
            Provides an idle worker; a new one is started if not given.
        """
        run_id = archive.create(
            problem,
            solver.name,
            asdict(solver),
            seed=seed,
            workers=str(workers),
            limits=limits,
            dataset=dataset,
            name=name,
            scaling=scaling,
        )
        task = {"workers": str(workers), "memory": memory, "paused": paused, "earlier": earlier}
        return cls(archive, run_id, pool, **task, labels=[*labels])

    @classmethod
    def resume(
        cls,
        archive: Archive,
        run_id: str,
        limits: Limits = NO_LIMITS,
        *,
        workers: int | str = 1,
        memory: int | None = None,
        pool: WorkerPool | None = None,
    ) -> Job:
        """Resume a run that was stopped or lost its worker.

        Parameters
        ----------
        limits : Limits
            For the whole run, in place of its old ones.
        workers : int or str
            As in `ccviz.start`; not taken from the stored run.
        memory, pool
            As in `start`.

        Raises
        ------
        ArchiveError, UnsupportedError
            If the run is still running, has nothing left to do, or its solver cannot resume.
        ParameterError
            If the workers are invalid.
        """
        check_workers(str(workers))
        reopen(archive, run_id, limits)
        return cls(archive, run_id, pool, workers=str(workers), memory=memory, resume=True)

    @property
    def alive(self) -> bool:
        """Whether the worker runs, or its end is not in the archive yet."""
        return not self._done.is_set()

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._child.pid

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run, at most some seconds, and return whether it has ended."""
        return self._done.wait(timeout)

    def pause(self) -> None:
        """Pause the worker after the current event."""
        self._say("pause")

    def go_on(self) -> None:
        """Continue a paused worker."""
        self._say("continue")

    def step(self, events: int = 1) -> None:
        """Let a paused worker do some events, then pause again."""
        self._say(f"step {events}")

    def stop(self, grace: float = 5.0) -> None:
        """Ask the worker to end; it is killed if it still runs after ``grace`` seconds."""
        self._stopping = True
        self._say("stop")
        killer = threading.Timer(grace, self.kill)
        killer.daemon = True
        killer.start()

    def kill(self) -> None:
        """Kill the worker; events that it has not stored are lost."""
        with self._saying:
            self._stopping = True
            self._child.kill()

    def _say(self, line: str) -> None:
        with self._saying:
            self._said.append(line)
            self._child.say(line)

    def _watch(self) -> None:
        code = self._child.wait()
        if self._replaced(code):
            code = self._child.wait()
        last = self._reason(code)
        try:
            if self._archive.info(self.run_id).termination is None:
                self._archive.finish(self.run_id, *last)
        except UnknownRunError:
            pass  # the run was deleted
        except ArchiveError as broken:
            self.not_stored = f"{last[1]} This could not be stored: {broken}"
        finally:
            self._child.close()
            self._done.set()

    def _replaced(self, code: int) -> bool:
        """Give the run to a new worker if the idle worker was killed before it started the run.

        On a busy machine a killed process takes a while to end and may receive a run meanwhile.
        Nothing of the run is lost then.
        """
        if not self._was_idle or code >= 0:
            return False
        with suppress(ArchiveError), self._saying:
            if not self._stopping and self._archive.info(self.run_id).last_seq == self._seen:
                self._child.close()
                self._child = Child(self._archive.path)
                for line in self._said:
                    self._child.say(line)
                return True
        return False

    def _reason(self, code: int) -> tuple[Termination, str]:
        if self._stopping:
            return "interrupted", f"{TERMINATION_SENTENCES['interrupted']} Its worker was killed."
        if code < 0:
            return "failed", f"The worker was killed (signal {-code})."
        why = self._child.last_line() or f"exit code {code}"
        return "failed", f"The worker failed: {why}"
