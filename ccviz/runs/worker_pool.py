"""The worker pool: idle workers with everything loaded, so that a run starts at once.

Starting a process, importing the libraries and loading the compiled loops takes seconds for any
problem. An idle worker has done this before Run is pressed. The next run gets it, and another
worker replaces it: a child of the fork server, or a new interpreter where forking is not possible.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path

from ccviz.runs.child import Child
from ccviz.runs.fork_client import ForkClient

_LATER_S = 1.0
"""Delay in seconds before a taken worker is replaced, so that its run starts first."""

_MOST_EXPECTED = 4
"""Largest number of solvers that an idle worker has loaded: the ones chosen last."""


class WorkerPool:
    """The idle workers of a server, shared by all sessions. They end with the server.

    Parameters
    ----------
    path : path
        Of the archive.
    size : int
        Number of idle workers.
    solver : str
        Name of the solver that is loaded first.
    """

    def __init__(self, path: Path, size: int = 1, solver: str = "blp-kmeans") -> None:
        self._path, self._size = path, size
        self._lock = threading.Lock()
        self._waiting: deque[Child] = deque()
        self._client: ForkClient | None = None
        self._expected = [solver]
        self._closed = False
        atexit.register(self.close)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the idle workers."""
        with self._lock:
            return tuple(child.pid for child in self._waiting)

    def fill(self) -> None:
        """Start the missing workers, and replace the ones that were killed."""
        with self._lock:
            for gone in [child for child in self._waiting if not child.alive]:
                self._waiting.remove(gone)
                gone.close()
            while len(self._waiting) < self._size and not self._closed:
                child = Child(self._path, self._running_client())
                for solver in self._expected:
                    child.say(f"load {solver}")
                self._waiting.append(child)

    def expect(self, solver: str) -> None:
        """Let the idle workers load a solver that was chosen on the page.

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
        """Return a worker for a run: an idle one, or a new one if there is none.

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
        return Child(self._path, self.fork_client())

    def fork_client(self) -> ForkClient | None:
        """Return the client of the fork server, or None where forking is not possible."""
        with self._lock:
            return None if self._closed else self._running_client()

    def _running_client(self) -> ForkClient | None:
        """Return the client of a running fork server, restarted if it was killed."""
        if not ForkClient.possible or (self._client is not None and self._client.unable):
            return None
        if self._client is not None and not self._client.alive:
            self._client.close()
            self._client = None
        self._client = self._client or ForkClient(self._expected[0])
        return self._client

    def close(self) -> None:
        """End the idle workers and the fork server for good."""
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.close()
            for child in self._waiting:
                with suppress(OSError):
                    child.kill()
                    child.wait()
                child.close()
            self._waiting.clear()
