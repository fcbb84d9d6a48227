"""A worker's process, as its parent holds it.

The child is a fresh interpreter, never a fork, and never imports the parent's main module. It is
given the archive's path and waits until it is told which run to do (`ccviz.runs.worker`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")


class Child:
    """A process that waits for a run, or does one. Every method but `wait` returns at once.

    Parameters
    ----------
    path : path
        Of the archive.
    """

    def __init__(self, path: Path) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._reaping = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ccviz.runs.worker", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=os.environ | {f"{library}_NUM_THREADS": "1" for library in _THREADS},
            start_new_session=True,  # so that ending it ends its own children too
        )

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
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):  # it has ended already
            return False
        return True

    def kill(self) -> None:
        """End it now, with the processes that it began."""
        with self._reaping:
            if self._process.returncode is None:  # until it is reaped, its number is its own
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end, end what outlived it, and return its exit code.

        Returns
        -------
        int
        """
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
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
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
