"""Listeners to numba: to the kernels that are loaded, and to those that are compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from numba.core.event import Event, Listener


class Loading(Listener):
    """Measures events that do not nest, as `ccviz.kernel_cache.LOAD`.

    Parameters
    ----------
    measured : callable
        Takes the seconds of each.
    """

    def __init__(self, measured: Callable[[float], None]) -> None:
        self._measured = measured
        self._since = 0.0

    def on_start(self, event: Event) -> None:
        """Begin to measure."""
        self._since = time.perf_counter()

    def on_end(self, event: Event) -> None:
        """Report the seconds since the start."""
        self._measured(time.perf_counter() - self._since)


class Compiling(Listener):
    """Counts the kernels that are compiled.

    Parameters
    ----------
    say : callable
        Takes a few words about each, before it is compiled.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._number = say, 0

    def on_start(self, event: Any) -> None:
        """Report the kernel."""
        self._number += 1
        name = event.data["dispatcher"].py_func.__name__.strip("_")
        self._say(f"compiling, once on this machine: kernel {self._number}, {name}")

    def on_end(self, event: Event) -> None:
        """Do nothing: the next start says enough."""
