"""Semaphores of a process pool whose tracking process was killed.

Python's resource tracker is a process that unlinks semaphores which their owner left behind. If it
is killed, the next message starts another one, which knows no semaphore, and writes the traceback
of a `KeyError` for each one that the pool gives back: five for a pool.
"""

from __future__ import annotations

import sys
from multiprocessing import resource_tracker
from typing import Any

_give_back = resource_tracker.unregister


def survive_lost_tracker() -> None:
    """Let this process give back semaphores which the tracker does not know."""
    if sys.platform != "win32":
        resource_tracker.unregister = _unregister


def _unregister(name: Any, rtype: str) -> None:
    resource_tracker.register(name, rtype)  # into a set: no change if the tracker knows it
    _give_back(name, rtype)
