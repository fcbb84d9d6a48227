"""The parent's handle of a worker process.

The worker is a new interpreter or a child of the fork server (`ccviz.runs.fork_server`). It is
never a fork of its parent and never imports the parent's main module. It receives the path of the
archive and waits for the task that names its run (`ccviz.runs.worker`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from ccviz.runs.fork_client import ForkClient, ForkedProcess, one_thread
from ccviz.system import await_end, end_all

_WORKER = "ccviz.runs.worker"


class Fresh(subprocess.Popen[bytes]):
    """A worker in a new interpreter.

    Parameters
    ----------
    path : path
        Of the archive.
    errors : binary file
        Receives its standard error.
    """

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

    Parameters
    ----------
    path : path
        Of the archive.
    client : ForkClient, optional
        Forks the worker; without one a new interpreter is started.
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
            self._process, self._lines = _forked(client, path, self._errors)

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
        """Send a line to the worker and return whether it could be delivered.

        Parameters
        ----------
        line : str

        Returns
        -------
        bool
        """
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
                end_all(self._process.pid)

    def wait(self) -> int:
        """Wait for its end, kill its surviving children and return its exit code.

        Returns
        -------
        int
        """
        self._process.await_end()
        self.kill()  # the solver's own processes that are still running
        with self._reaping:
            return self._process.wait()

    def last_line(self) -> str:
        """Return the last line of its standard error, once it has ended.

        Returns
        -------
        str
        """
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """Close its streams; an idle worker ends then."""
        self._errors.close()
        with suppress(BrokenPipeError):
            self._lines.close()


def _forked(client: ForkClient, path: Path, errors: IO[bytes]) -> tuple[ForkedProcess, IO[bytes]]:
    """Return a forked worker and its standard input, without waiting for the fork."""
    reads, writes = os.pipe()
    with Path(os.devnull).open("wb") as nowhere:
        worker = client.fork(_WORKER, str(path), reads, nowhere.fileno(), errors.fileno())
    os.close(reads)
    return worker, os.fdopen(writes, "wb")
