"""The child process of one run: `python -m ccviz.runs.worker ARCHIVE`.

Standard input carries what the parent asks for, a line each. Before the run it is

    load NAME        bring what a solver needs into this process
    run TASK        do a run; TASK is `Task` in JSON

and during the run

    pause            wait after the event at hand
    continue         go on
    step N           go on for N events, then wait
    stop             end at the solver's next look

The run, its problem and its limits stand in the archive, and the records go there; nothing else
crosses the border between the processes. When the parent dies, standard input ends, and the child
stops by itself: at once while it waits for a run, else within a few seconds. `ccviz.runs.child`
and `ccviz.runs.job` are the parent's side.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ccviz.runs.archive import Archive
from ccviz.runs.priority import RUN, stand_back
from ccviz.runs.recorder import Recorder
from ccviz.runs.resume import open_run
from ccviz.runs.stepper import Stepper
from ccviz.runs.warm import load, load_solver

_ORPHAN_GRACE_S = 5.0


@dataclass(frozen=True)
class Task:
    """What to do.

    Attributes
    ----------
    run : str
        Its id in the archive.
    workers : str
        Where it works: processes, or tcp:// of a Dask scheduler.
    memory : int or None
        Bytes that it may take.
    paused : bool
        Whether it waits before the first event.
    resume : bool
        Whether it goes on after the stored records.
    """

    run: str
    workers: str = "1"
    memory: int | None = None
    paused: bool = False
    resume: bool = False


def wait_for_task(lines: Iterator[bytes]) -> tuple[Task, frozenset[str]] | None:
    """Load what is asked for until there is a run to do; None if there never will be.

    Parameters
    ----------
    lines : iterator of bytes

    Returns
    -------
    task : Task
    loaded : frozenset of str
        Names of the solvers that are in this process already.
    """
    loaded: set[str] = set()
    for line in lines:
        word, _, rest = line.decode().strip().partition(" ")
        if word == "run":
            return msgspec.json.decode(rest, type=Task), frozenset(loaded)
        if word == "load" and load_solver(rest):
            loaded.add(rest)
    return None


class Control:
    """Does what the lines on standard input ask of a run.

    Parameters
    ----------
    lines : iterator of bytes
    stepper : Stepper
    paused : bool
        Whether the run waits to be told to go on.
    """

    def __init__(self, lines: Iterator[bytes], stepper: Stepper, paused: bool) -> None:
        self._lines, self._stepper = lines, stepper
        self._allowed = 0.0 if paused else math.inf
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_turn(self) -> None:
        """Return when the run may take its next step; waiting does not count as running."""
        with self._changed:
            if self._allowed <= 0:
                since = time.perf_counter()
                self._changed.wait_for(lambda: self._allowed > 0)
                self._stepper.discount(time.perf_counter() - since)
            self._allowed -= 1

    def _listen(self) -> None:
        for line in self._lines:
            word, *values = line.decode().split()
            if word == "stop":
                self._stop()
            else:
                self._allow({"pause": 0.0, "continue": math.inf}.get(word), values)
        self._stop()
        # Nobody is left to end a solver that never looks, deep in foreign code. The alarm needs no
        # Python to run; the timer, if it gets to run first, takes the solver's processes along.
        signal.setitimer(signal.ITIMER_REAL, _ORPHAN_GRACE_S + 1)
        killer = threading.Timer(_ORPHAN_GRACE_S, os.killpg, (os.getpgid(0), signal.SIGKILL))
        killer.daemon = True
        killer.start()

    def _stop(self) -> None:
        self._stepper.stop()
        self._allow(math.inf, [])

    def _allow(self, events: float | None, values: list[str]) -> None:
        with self._changed:
            self._allowed = float(values[0]) if events is None else events
            self._changed.notify_all()


def drive(path: str) -> None:
    """Wait for a run, and drive it to its end.

    Parameters
    ----------
    path : str
        Of the archive.
    """
    # Unbuffered: a thread that waits inside sys.stdin's buffer aborts the interpreter's exit.
    lines = iter(open(sys.stdin.fileno(), "rb", buffering=0, closefd=False))  # noqa: SIM115
    asked = wait_for_task(lines)
    if asked is None:
        return
    task, loaded = asked
    if task.memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (task.memory, task.memory))
    archive = Archive(path)
    stepper = open_run(archive, task.run, task.resume, task.workers)
    if stepper.solver.name not in loaded:
        load(stepper)
    control = Control(lines, stepper, task.paused)
    with Recorder(archive, task.run, stepper.run) as recorder:
        while stepper.run.finished is None:
            control.wait_turn()
            recorder.put(next(stepper))


def main() -> None:
    """Do a run in this process, which is for nothing else."""
    stand_back(RUN)
    drive(sys.argv[1])


if __name__ == "__main__":
    main()
