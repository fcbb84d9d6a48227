"""A run in a process of its own, as its parent sees it.

::

    job = Job.start(archive, problem, make_solver("blp-kmeans"), limits=Limits(time_limit=60))
    while job.alive:
        for record in archive.records(job.run_id, after=seen): ...
    job.stop()

The child (`ccviz.runs.child`) is given the archive's path and the run's id, and reads the rest
there (`ccviz.runs.worker`).
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import TERMINATION_SENTENCES, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.child import Child
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.runs.resume import reopen
from ccviz.runs.stepper import check_request
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers.base import Solver
from ccviz.solvers.search.workforce import check_workers


class Job:
    """A running worker. Build it with `start` or `resume`.

    Every method returns at once and may be called from any thread. Whatever ends the worker, the
    run in the archive ends with `ccviz.events.Finished`: if the worker left without one, the
    parent appends it and says what happened.

    Parameters
    ----------
    archive : Archive
    run_id : str
        A run in it.
    pool : WorkerPool, optional
        Where a worker waits already; a new one is begun if not given.
    **order
        For the worker; `start` and `resume` know what.

    Attributes
    ----------
    run_id : str
        The run in the archive; poll ``archive.records(run_id, after=...)`` to follow it.
    untold : str
        What became of the run, where its end could not be stored; else empty.
    """

    def __init__(
        self, archive: Archive, run_id: str, pool: WorkerPool | None = None, **order: Any
    ) -> None:
        self._archive, self.run_id, self.untold = archive, run_id, ""
        self._asked_to_end = False
        self._done = threading.Event()
        self._said = [f"run {json.dumps({'run': run_id} | order)}"]
        self._saying = threading.Lock()
        self._seen = archive.info(run_id).last_seq
        self._waited = pool is not None
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
        memory: int | None = None,
        pool: WorkerPool | None = None,
    ) -> Job:
        """Enter a run in the archive and start its worker.

        Parameters
        ----------
        archive, problem, solver
        seed, workers
            As in `ccviz.start`.
        limits : Limits
        dataset, name, scaling : str
            For the list of runs.
        paused : bool
            Wait before the first event, for `step` or `go_on`.
        memory : int, optional
            Bytes that the worker may take; what needs more breaks off.
        pool : WorkerPool, optional
            Where a worker waits already.

        Returns
        -------
        Job

        Raises
        ------
        UnsupportedError, ParameterError
            If the solver cannot handle the problem, or the seed or the workers are none; nothing is
            stored.
        """
        check_request(problem, solver, seed, str(workers))
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
        return cls(archive, run_id, pool, workers=str(workers), memory=memory, paused=paused)

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
        """Let a run go on that was stopped or lost its worker.

        Parameters
        ----------
        archive : Archive
        run_id : str
        limits : Limits
            For the whole run, in place of its own.
        workers : int or str
            As in `ccviz.start`; those that it had before are forgotten.
        memory, pool
            As in `start`.

        Returns
        -------
        Job

        Raises
        ------
        ArchiveError, UnsupportedError
            If the run goes on already, has nothing left to do, or its solver cannot go on.
        ParameterError
            If the workers are none.
        """
        check_workers(str(workers))
        reopen(archive, run_id, limits)
        return cls(archive, run_id, pool, workers=str(workers), memory=memory, resume=True)

    @property
    def alive(self) -> bool:
        """Whether the worker is there, or its end is not in the archive yet."""
        return not self._done.is_set()

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._child.pid

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end, at most so many seconds, and return whether it has come.

        Parameters
        ----------
        timeout : float, optional
            Seconds; for ever if not given.

        Returns
        -------
        bool
        """
        return self._done.wait(timeout)

    def pause(self) -> None:
        """Let the worker wait after the event at hand."""
        self._say("pause")

    def go_on(self) -> None:
        """Let a paused worker run."""
        self._say("continue")

    def step(self, events: int = 1) -> None:
        """Let a paused worker yield so many events, then wait again.

        Parameters
        ----------
        events : int
        """
        self._say(f"step {events}")

    def stop(self, grace: float = 5.0) -> None:
        """Ask the worker to end; it is killed if it has not after ``grace`` seconds.

        Parameters
        ----------
        grace : float
            Seconds.
        """
        self._asked_to_end = True
        self._say("stop")
        killer = threading.Timer(grace, self.kill)
        killer.daemon = True
        killer.start()

    def kill(self) -> None:
        """End the worker now; what it has not yet stored is lost."""
        with self._saying:
            self._asked_to_end = True
            self._child.kill()

    def _say(self, line: str) -> None:
        with self._saying:
            self._said.append(line)
            self._child.say(line)

    def _watch(self) -> None:
        code = self._child.wait()
        if self._replaced(code):
            code = self._child.wait()
        last = self._last_word(code)
        try:
            self._archive.finish(self.run_id, *last)
            self._archive.score(self.run_id)
        except UnknownRunError:
            pass  # it was deleted
        except ArchiveError as broken:
            self.untold = f"{last[1]} This could not be stored: {broken}"
        finally:
            self._child.close()
            self._done.set()

    def _replaced(self, code: int) -> bool:
        """Give the run to a new worker if somebody ended the one that had waited for it.

        A process that is ended takes a while to be gone on a busy machine, and may be handed a run
        meanwhile. Nothing of the run is lost then.
        """
        if not self._waited or code >= 0:
            return False
        with suppress(ArchiveError), self._saying:
            if not self._asked_to_end and self._archive.info(self.run_id).last_seq == self._seen:
                self._child.close()
                self._child = Child(self._archive.path)
                for line in self._said:
                    self._child.say(line)
                return True
        return False

    def _last_word(self, code: int) -> tuple[Termination, str]:
        if self._asked_to_end:
            return "interrupted", f"{TERMINATION_SENTENCES['interrupted']} Its worker was ended."
        if code < 0:
            return "failed", f"The worker was killed (signal {-code})."
        why = self._child.last_line() or f"exit code {code}"
        return "failed", f"The worker broke off: {why}"
