"""The clock of a notebook cell: it beats in the kernel's own loop while something is busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_PERIOD_S = 0.14


class Clock:
    """Calls a function again and again, as long as it says that there is more to do.

    Without a running loop, as in a plain script, it does nothing.

    Parameters
    ----------
    beat : callable
        Returns whether it wants to be called again.
    """

    def __init__(self, beat: Callable[[], bool]) -> None:
        self._beat = beat
        self._next: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Let it beat, unless it does already."""
        if self._next is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._next = loop.call_later(_PERIOD_S, self._call)

    def stop(self) -> None:
        """Beat no more until it is woken."""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _call(self) -> None:
        self._next = None
        if self._beat():
            self.wake()
