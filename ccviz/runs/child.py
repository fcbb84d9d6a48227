"""A worker's process, as its parent holds it.

The child is a fresh interpreter, or the fork of one that does nothing else (`ccviz.runs.nursery`);
never a fork of its parent, and it never imports the parent's main module. It is given the
archive's path and waits until it is told which run to do (`ccviz.runs.worker`).
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

from ccviz.runs.forked import Forked, Forks, end_all, one_thread

_WORKER = "ccviz.runs.worker"


class Fresh(subprocess.Popen[bytes]):
    """A new interpreter with a worker in it.

    Parameters
    ----------
    path : path
        Of the archive.
    errors : binary file
        Where its standard error goes.
    """

    def __init__(self, path: Path, errors: IO[bytes]) -> None:
        super().__init__(
            [sys.executable, "-P", "-m", _WORKER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=one_thread(),
            start_new_session=True,  # so that ending it ends its own children too
        )

    def await_end(self) -> None:
        """Wait for its end, after which its number is still its own."""
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)


class Child:
    """A process that waits for a run, or does one. Every method but `wait` returns at once.

    Parameters
    ----------
    path : path
        Of the archive.
    forks : Forks, optional
        A nursery that is to fork it; it begins as a new interpreter if not given.
    """

    def __init__(self, path: Path, forks: Forks | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._reaping = threading.Lock()
        self._process: Fresh | Forked
        if forks is None:
            self._process = fresh = Fresh(path, self._errors)
            assert fresh.stdin is not None
            self._lines: IO[bytes] = fresh.stdin
        else:
            self._process, self._lines = _forked(forks, path, self._errors)

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is there."""
        with self._reaping:
            return self._process.poll() is None

    def say(self, line: str) -> bool:
        """Send it a line, and return whether it was there to hear it.

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
        except (BrokenPipeError, ValueError):  # it has ended already
            return False
        return True

    def kill(self) -> None:
        """End it now, with the processes that it began."""
        with self._reaping:
            if self._process.returncode is None:  # until it is reaped its number is its own
                end_all(self._process.pid)

    def wait(self) -> int:
        """Wait for its end, end what outlived it, and return its exit code.

        Returns
        -------
        int
        """
        self._process.await_end()
        self.kill()  # processes of the solver's own that outlived it
        with self._reaping:
            return self._process.wait()

    def last_line(self) -> str:
        """Return the last line that it wrote to standard error, after its end.

        Returns
        -------
        str
        """
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """Let go of its streams; one that waits for a run ends then."""
        self._errors.close()
        with suppress(BrokenPipeError):
            self._lines.close()


def _forked(forks: Forks, path: Path, errors: IO[bytes]) -> tuple[Forked, IO[bytes]]:
    """Return a forked worker, and where it is told lines: at once, though it may come later."""
    reads, writes = os.pipe()
    with Path(os.devnull).open("wb") as nowhere:
        worker = forks.fork(_WORKER, str(path), reads, nowhere.fileno(), errors.fileno())
    os.close(reads)
    return worker, os.fdopen(writes, "wb")
