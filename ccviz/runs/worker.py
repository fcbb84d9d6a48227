"""The child process of one run: `python -m ccviz.runs.worker ARCHIVE RUN [OPTIONS]`.

The run, its problem and its limits stand in the archive, and the records go there; the options say
how it is begun (``--paused``, ``--resume``), where it works (``--workers``) and in how much memory
(``--memory``). Standard input carries what the parent asks for, a line each:

    pause            wait after the event at hand
    continue         go on
    step N           go on for N events, then wait
    stop             end at the solver's next look

Nothing else crosses the border between the processes. When the parent dies, standard input ends,
and the child stops by itself, within a few seconds. `ccviz.runs.job.Job` is the parent's side.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import threading
import time
from argparse import ArgumentParser

from ccviz.runs.archive import Archive
from ccviz.runs.priority import RUN, stand_back
from ccviz.runs.recorder import Recorder
from ccviz.runs.resume import open_run
from ccviz.runs.stepper import Stepper
from ccviz.runs.warm import load

_ORPHAN_GRACE_S = 5.0


class Control:
    """Does what the lines on standard input ask of a run.

    Parameters
    ----------
    stepper : Stepper
    paused : bool
        Whether the run waits to be told to go on.
    """

    def __init__(self, stepper: Stepper, paused: bool) -> None:
        self._stepper = stepper
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
        # Unbuffered: a thread that waits inside sys.stdin's buffer aborts the interpreter's exit.
        for line in open(sys.stdin.fileno(), "rb", buffering=0, closefd=False):  # noqa: SIM115
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


def main() -> None:
    """Drive one run to its end."""
    options = _parser().parse_args()
    stand_back(RUN)
    if options.memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (options.memory, options.memory))
    archive = Archive(options.archive)
    stepper = open_run(archive, options.run, options.resume, options.workers)
    load(stepper)
    control = Control(stepper, options.paused)
    with Recorder(archive, options.run, stepper.run) as recorder:
        while stepper.run.finished is None:
            control.wait_turn()
            recorder.put(next(stepper))


def _parser() -> ArgumentParser:
    parser = ArgumentParser("ccviz.runs.worker", description=__doc__)
    parser.add_argument("archive", help="path of the archive")
    parser.add_argument("run", help="id of the run")
    parser.add_argument("--workers", default="1", help="processes, or tcp:// of a Dask scheduler")
    parser.add_argument("--memory", type=int, help="bytes that it may take")
    parser.add_argument("--paused", action="store_true", help="wait before the first event")
    parser.add_argument("--resume", action="store_true", help="go on after the stored records")
    return parser


if __name__ == "__main__":
    main()
