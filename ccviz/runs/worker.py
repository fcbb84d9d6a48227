"""The worker process of one run: `python -m ccviz.runs.worker ARCHIVE`.

The parent sends commands on standard input, one per line. Before the run these are

    environment JSON set the variables of the environment
    load NAME        load what a solver needs
    run TASK         do a run; TASK is a `Task` as JSON

and during the run

    pause            pause after the current event
    continue         continue
    step N           do N events, then pause
    stop             end at the solver's next check

The run, its problem and its limits are in the archive, and the records go there; nothing else is
exchanged. When the parent dies, standard input ends and the worker stops by itself: at once while
idle, else within a few seconds. `ccviz.runs.worker_pool` and `ccviz.runs.job` are the parent's
side.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from ccviz.runs.archive import Archive
from ccviz.runs.recorder import Recorder, open_run
from ccviz.runs.stepper import Stepper
from ccviz.runs.warm import load_solver
from ccviz.system import RUN, end_session_after, limit_memory, lower_priority

_ORPHAN_GRACE_S = 5.0


@dataclass(frozen=True)
class Task:
    """A run to do.

    Attributes
    ----------
    run : str
        Its id in the archive.
    workers : str
        Number of processes, or the tcp:// address of a Dask scheduler.
    memory : int or None
        Memory limit in bytes.
    paused : bool
        Whether to pause before the first event.
    resume : bool
        Whether to continue after the stored records.
    earlier : str
        Id of a stored run to start from, empty for none.
    labels : list of n int
        The clustering to start from where there is no earlier run; empty for none.
    """

    run: str
    workers: str = "1"
    memory: int | None = None
    paused: bool = False
    resume: bool = False
    earlier: str = ""
    labels: Sequence[int] = ()


def wait_for_task(lines: Iterator[bytes]) -> Task | None:
    """Load solvers until a run arrives; return None if the parent has ended."""
    for line in lines:
        word, _, rest = line.decode().strip().partition(" ")
        if word == "run":
            return msgspec.json.decode(rest, type=Task)
        if word == "load":
            load_solver(rest)
        if word == "environment":
            os.environ.update(json.loads(rest))
    return None


class Control:
    """Obeys the commands on standard input during a run, which may start paused."""

    def __init__(self, lines: Iterator[bytes], stepper: Stepper, paused: bool) -> None:
        self._lines, self._stepper = lines, stepper
        self._allowed = 0.0 if paused else math.inf
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_turn(self) -> None:
        """Wait until the run may do its next event; the time is not counted as run time."""
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
        end_session_after(_ORPHAN_GRACE_S)  # a solver in foreign code may never check for a stop

    def _stop(self) -> None:
        self._stepper.stop()
        self._allow(math.inf, [])

    def _allow(self, events: float | None, values: list[str]) -> None:
        with self._changed:
            self._allowed = float(values[0]) if events is None else events
            self._changed.notify_all()


def drive(path: str) -> None:
    """Wait for a run, and do it in the archive at a path."""
    # Unbuffered: a thread that waits inside sys.stdin's buffer aborts the interpreter's exit.
    lines = iter(open(sys.stdin.fileno(), "rb", buffering=0, closefd=False))  # noqa: SIM115
    task = wait_for_task(lines)
    if task is None:
        return
    limit_memory(task.memory)
    archive = Archive(path)
    stepper = open_run(archive, task.run, task.resume, task.workers, task.earlier, task.labels)
    control = Control(lines, stepper, task.paused)
    with Recorder(archive, task.run, stepper.run) as recorder:
        while stepper.run.finished is None:
            control.wait_turn()
            recorder.put(next(stepper))
    archive.score(task.run, stepper.run)


def main() -> None:
    """Do one run in this process."""
    lower_priority(RUN)
    drive(sys.argv[1])


if __name__ == "__main__":
    main()
