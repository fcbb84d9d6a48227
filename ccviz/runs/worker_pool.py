"""The worker pool: idle workers with everything loaded, so that a run starts at once.

Starting a process, importing the libraries and loading the compiled loops takes seconds for any
problem. An idle worker has done this before Run is pressed. The next run gets it, and another
worker replaces it: a child of the fork server, or a new interpreter where forking is not possible.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO

from ccviz.runs.fork_client import ForkClient, ForkedProcess, one_thread
from ccviz.system import await_end, kill_group

# --- The parent's handle of a worker process ------------------------------------------------------
#
# The worker is a new interpreter or a child of the fork server (`ccviz.runs.fork_server`). It is
# never a fork of its parent and never imports the parent's main module. It receives the path of the
# archive and waits for the task that names its run (`ccviz.runs.worker`).


_WORKER = "ccviz.runs.worker"


class Fresh(subprocess.Popen[bytes]):
    """A worker in a new interpreter, for an archive; its standard error goes into a file."""

    def __init__(self, path: Path, errors: IO[bytes]) -> None:
        super().__init__(
            [sys.executable, "-P", "-m", _WORKER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=one_thread(),
            start_new_session=True,  # so that killing its group ends its children too
        )

    def await_end(self) -> None:
        """Wait for its end without reaping it: its process id stays reserved."""
        await_end(self)


class Child:
    """A worker process, idle or with a run. Every method except `wait` returns at once.

    A client forks the worker for an archive; without one a new interpreter is started.
    """

    def __init__(self, path: Path, client: ForkClient | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._reaping = threading.Lock()
        self._process: Fresh | ForkedProcess
        if client is None:
            self._process = fresh = Fresh(path, self._errors)
            assert fresh.stdin is not None
            self._lines: IO[bytes] = fresh.stdin
        else:
            reads, writes = os.pipe()
            with Path(os.devnull).open("wb") as nowhere:
                streams = (reads, nowhere.fileno(), self._errors.fileno())
                self._process = client.fork(_WORKER, str(path), *streams)  # without waiting for it
            os.close(reads)
            self._lines = os.fdopen(writes, "wb")
            self.say(f"environment {json.dumps(one_thread())}")  # the fork server has little of it

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        with self._reaping:
            return self._process.poll() is None

    def say(self, line: str) -> bool:
        """Send a line to the worker and return whether it could be delivered."""
        try:
            self._lines.write(f"{line}\n".encode())
            self._lines.flush()
        except (BrokenPipeError, ValueError):  # the worker has ended
            return False
        return True

    def kill(self) -> None:
        """Kill the worker and the processes that it started."""
        with self._reaping:
            if (
                self._process.returncode is None
            ):  # before it is reaped its process id cannot be reused
                kill_group(self._process.pid)

    def wait(self) -> int:
        """Wait for its end, kill its surviving children and return its exit code."""
        self._process.await_end()
        self.kill()  # the solver's own processes that are still running
        with self._reaping:
            return self._process.wait()

    def last_line(self) -> str:
        """Return the last line of its standard error, once it has ended."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """Close its streams; an idle worker ends then."""
        self._errors.close()
        with suppress(BrokenPipeError):
            self._lines.close()


_LATER_S = 1.0
"""Delay in seconds before a taken worker is replaced, so that its run starts first."""

_MOST_EXPECTED = 4
"""Largest number of solvers that an idle worker has loaded: the ones chosen last."""


class WorkerPool:
    """The idle workers of a server, shared by all sessions. They end with the server.

    Parameters
    ----------
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
        """Let the idle workers load a solver, by its name, that was chosen on the page."""
        with self._lock:
            if solver in self._expected:
                return
            self._expected = [*self._expected[-_MOST_EXPECTED + 1 :], solver]
            for child in self._waiting:
                child.say(f"load {solver}")

    def take(self) -> Child:
        """Return a worker for a run: an idle one, or a new one if there is none."""
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
