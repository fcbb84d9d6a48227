"""Limits of single steps in CPU seconds, for a benchmark on a machine that has other work."""

from __future__ import annotations

import time


def count_cpu_seconds() -> None:
    """Make all limits of steps in this process CPU seconds of its own.

    By the clock on the wall a step that may take half a second is cut short sooner where other work
    has the machine, and a table would tell how busy it was. What a MILP solver counts by itself
    stays as it is.
    """
    time.monotonic = time.process_time
