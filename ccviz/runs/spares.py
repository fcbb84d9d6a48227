"""Workers that wait for a run with everything loaded, so that it begins at once.

To begin a process, import the libraries and load the compiled loops takes seconds, whatever the
problem. A spare worker has done so before anybody presses Run. It is given to the next run, and
another takes its place: forked by a nursery where the system allows it, which has loaded most of
it once for all.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path

from ccviz.runs.child import Child
from ccviz.runs.forked import Forks

_LATER_S = 1.0
"""Seconds after which another takes the place of one that was given away: first the run begins."""

_MOST_EXPECTED = 4
"""Solvers that a spare worker has loaded; those chosen last."""


class Spares:
    """The spare workers of a server, for all its sessions. They end with the server.

    Parameters
    ----------
    path : path
        Of the archive.
    many : int
        How many wait.
    solver : str
        Name of the solver that is most likely to be run first.
    """

    def __init__(self, path: Path, many: int = 1, solver: str = "blp-kmeans") -> None:
        self._path, self._many = path, many
        self._lock = threading.Lock()
        self._waiting: deque[Child] = deque()
        self._forks: Forks | None = None
        self._expected = [solver]
        self._closed = False
        atexit.register(self.close)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of those that wait."""
        with self._lock:
            return tuple(child.pid for child in self._waiting)

    def fill(self) -> None:
        """Begin as many as are missing, also in place of those that somebody has ended."""
        with self._lock:
            for gone in [child for child in self._waiting if not child.alive]:
                self._waiting.remove(gone)
                gone.close()
            while len(self._waiting) < self._many and not self._closed:
                child = Child(self._path, self._able())
                for solver in self._expected:
                    child.say(f"load {solver}")
                self._waiting.append(child)

    def expect(self, solver: str) -> None:
        """Have a solver loaded by those that wait: it was chosen.

        Parameters
        ----------
        solver : str
            Its name.
        """
        with self._lock:
            if solver in self._expected:
                return
            self._expected = [*self._expected[-_MOST_EXPECTED + 1 :], solver]
            for child in self._waiting:
                child.say(f"load {solver}")

    def take(self) -> Child:
        """Return a worker for a run: one that waits, or else a new one.

        Returns
        -------
        Child
        """
        later = threading.Timer(_LATER_S, self.fill)
        later.daemon = True
        later.start()
        with self._lock:
            while self._waiting:
                child = self._waiting.popleft()
                if child.alive:
                    return child
                child.close()
        return Child(self._path, self.nursery())

    def nursery(self) -> Forks | None:
        """Return the process that forks, for other work too; None if there can be none."""
        with self._lock:
            return None if self._closed else self._able()

    def _able(self) -> Forks | None:
        """Return the one that forks, begun anew if somebody has ended it; None if none can."""
        if not Forks.possible or (self._forks is not None and self._forks.unable):
            return None
        if self._forks is not None and not self._forks.alive:
            self._forks.close()
            self._forks = None
        self._forks = self._forks or Forks(self._expected[0])
        return self._forks

    def close(self) -> None:
        """End those that wait; from now on there are none."""
        with self._lock:
            self._closed = True
            if self._forks is not None:
                self._forks.close()
            for child in self._waiting:
                with suppress(OSError):
                    child.kill()
                    child.wait()
                child.close()
            self._waiting.clear()
