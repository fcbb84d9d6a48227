"""A run in a process of its own, as its parent sees it.

::

    job = Job.start(archive, problem, make_solver("blp-kmeans"), limits=Limits(time_limit=60))
    while job.alive:
        for record in archive.records(job.run_id, after=seen): ...
    job.stop()

The child is a fresh interpreter, never a fork, and never imports the parent's main module: it is
given the archive's path and the run's id and reads the rest there (`ccviz.runs.worker`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import TERMINATION_SENTENCES, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.runs.resume import reopen
from ccviz.runs.stepper import check_order
from ccviz.solvers.base import Solver
from ccviz.solvers.workforce import check_workers

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")


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
    *flags : str
        For the worker; `start` and `resume` know which.

    Attributes
    ----------
    run_id : str
        The run in the archive; poll ``archive.records(run_id, after=...)`` to follow it.
    untold : str
        What became of the run, where its end could not be stored; else empty.
    """

    def __init__(self, archive: Archive, run_id: str, *flags: str) -> None:
        self._archive, self.run_id, self.untold = archive, run_id, ""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in _watch
        self._asked_to_end = False
        self._done = threading.Event()
        self._reaping = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ccviz.runs.worker", str(archive.path), run_id, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=os.environ | {f"{library}_NUM_THREADS": "1" for library in _THREADS},
            start_new_session=True,  # so that ending it ends its own children too
        )
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
        paused: bool = False,
        memory: int | None = None,
    ) -> Job:
        """Enter a run in the archive and start its worker.

        Parameters
        ----------
        archive, problem, solver
        seed, workers
            As in `ccviz.start`.
        limits : Limits
        dataset, name : str
            For the list of runs.
        paused : bool
            Wait before the first event, for `step` or `go_on`.
        memory : int, optional
            Bytes that the worker may take; what needs more breaks off.

        Returns
        -------
        Job

        Raises
        ------
        UnsupportedError, ParameterError
            If the solver cannot handle the problem, or the seed or the workers are none; nothing is
            stored.
        """
        check_order(problem, solver, seed, str(workers))
        run_id = archive.create(
            problem,
            solver.name,
            asdict(solver),
            seed=seed,
            workers=str(workers),
            limits=limits,
            dataset=dataset,
            name=name,
        )
        flags = _flags(workers, memory) + ["--paused"] * paused
        return cls(archive, run_id, *flags)

    @classmethod
    def resume(
        cls,
        archive: Archive,
        run_id: str,
        limits: Limits = NO_LIMITS,
        *,
        workers: int | str = 1,
        memory: int | None = None,
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
        memory : int, optional
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
        return cls(archive, run_id, *_flags(workers, memory), "--resume")

    @property
    def alive(self) -> bool:
        """Whether the worker is there, or its end is not in the archive yet."""
        return not self._done.is_set()

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

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
        killer = threading.Timer(grace, self._kill_group)
        killer.daemon = True
        killer.start()

    def kill(self) -> None:
        """End the worker now; what it has not yet stored is lost."""
        self._asked_to_end = True
        self._kill_group()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # it has ended already
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def _kill_group(self) -> None:
        with self._reaping:
            if self._process.returncode is None:  # until it is reaped, its number is its own
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _watch(self) -> None:
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._kill_group()  # processes of the solver's own that outlived it
        with self._reaping:
            code = self._process.wait()
        last = self._last_word(code)
        try:
            self._archive.finish(self.run_id, *last)
            self._archive.score(self.run_id)
        except UnknownRunError:
            pass  # it was deleted
        except ArchiveError as broken:
            self.untold = f"{last[1]} This could not be stored: {broken}"
        finally:
            self._close_streams()
            self._done.set()

    def _last_word(self, code: int) -> tuple[Termination, str]:
        if self._asked_to_end:
            return "interrupted", f"{TERMINATION_SENTENCES['interrupted']} Its worker was ended."
        if code < 0:
            return "failed", f"The worker was killed (signal {-code})."
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return "failed", f"The worker broke off: {lines[-1] if lines else f'exit code {code}'}"

    def _close_streams(self) -> None:
        self._errors.close()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()


def _flags(workers: int | str, memory: int | None) -> list[str]:
    return [f"--workers={workers}", *([f"--memory={memory}"] if memory is not None else [])]
