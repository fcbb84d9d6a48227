"""Seconds and limits by the processor's clock, for a benchmark on a machine that has other work."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # whoever measures says how many threads there are before anything is loaded
    from ccviz.events import Event
    from ccviz.runs.stepper import Stepper


def count_cpu_seconds() -> None:
    """Make all limits of steps in this process CPU seconds of its own.

    By the clock on the wall a step that may take half a second is cut short sooner where other work
    has the machine, and a table would tell how busy it was. What a MILP solver counts by itself
    stays as it is.
    """
    time.monotonic = time.process_time


def timed(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, float]:
    """Return what a call returns and its CPU seconds."""
    began = time.process_time()
    answer = call(*args, **options)
    return answer, time.process_time() - began


def events_within(stepper: Stepper, cpu_limit: float) -> Iterator[tuple[Event, float]]:
    """Yield a run's events and its CPU seconds so far; ask it to end when they pass a limit.

    The limit is a timer, so that a step may be cut short. It may ring before the clock says
    so, and is then set again.
    """
    began = time.process_time()

    def ring(*_: object) -> None:
        left = cpu_limit - (time.process_time() - began)
        if left > 0.0:
            signal.setitimer(signal.ITIMER_PROF, left)
        else:
            stepper.stop()

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, cpu_limit)
    try:
        for record in stepper:
            yield record.event, time.process_time() - began
    finally:  # also where whoever reads the events stops, or the run fails
        signal.setitimer(signal.ITIMER_PROF, 0.0)
