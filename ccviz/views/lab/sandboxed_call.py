"""A function call in a process of its own, with limits on time and memory.

An uploaded file may be long, large or hostile, so it is read in such a process while the server
continues. This module is both sides: the child is forked by the fork server, which has the
libraries loaded, or is a new interpreter that runs this module as a script. The function, its
arguments and its result travel as pickles, which only these two processes write.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ccviz.errors import CcvizError
from ccviz.runs.fork_client import ForkedProcess, end_all
from ccviz.runs.worker_pool import WorkerPool

_SHORT_OF_MEMORY = "Reading it needs more memory than is allowed for a file."
_MOST_TOLD = 500


class SandboxedCall:
    """A call in progress. Poll `done`, then take the `answer`.

    Parameters
    ----------
    work : callable
        A function of a module.
    args : tuple
    seconds : float
        Time limit, after which the call is abandoned.
    memory : int
        Memory limit in bytes.
    pool : WorkerPool, optional
        Its fork server forks the process.
    """

    def __init__(
        self,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        seconds: float,
        memory: int,
        pool: WorkerPool | None = None,
    ) -> None:
        self._end, self._seconds, self._memory = time.monotonic() + seconds, seconds, memory
        self._order: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        pickle.dump((work, args), self._order)
        self._order.seek(0)
        client = pool.fork_client() if pool is not None else None
        self._process: ForkedProcess | subprocess.Popen[bytes]
        if client is None:
            self._process = self._fresh()
        else:
            with Path(os.devnull).open("wb") as nowhere:
                streams = [each.fileno() for each in (self._order, self._answer, nowhere)]
                self._process = client.fork(__name__, str(memory), *streams)

    def _fresh(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(self._memory)],
            stdin=self._order, stdout=self._answer, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def done(self) -> bool:
        """Whether the call has returned, failed or exceeded its time limit."""
        ended = self._process.poll() is not None
        if ended and not self._process.pid:  # the fork server ended before it forked
            self._process, ended = self._fresh(), False
        return ended or time.monotonic() > self._end

    def answer(self) -> Any:
        """Return the value that the function returned.

        Raises
        ------
        CcvizError
            If the function raised one, exceeded a limit or crashed.
        """
        code = self._process.poll()
        if code is None:
            self.close()
            raise CcvizError(
                f"Reading it took more than {self._seconds:g} seconds and was stopped."
            )
        self._answer.seek(0)
        try:
            if code or not os.fstat(self._answer.fileno()).st_size:
                raise CcvizError(_SHORT_OF_MEMORY if code != 1 else "It cannot be read.")
            refused, value = pickle.load(self._answer)  # read in pieces: it may be large
        finally:
            self.close()
        if refused:
            raise CcvizError(value)
        return value

    def close(self) -> None:
        """Kill the process if it still runs."""
        if self._process.poll() is None:
            end_all(self._process.pid)
            self._process.wait()
        self._order.close()
        self._answer.close()


def drive(memory: str) -> None:
    """Call the function on standard input and write its result to standard output.

    Parameters
    ----------
    memory : str
        Bytes that it may take.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    work, args = pickle.load(sys.stdin.buffer)
    try:
        answer = (False, work(*args))
    except CcvizError as refused:
        answer = (True, str(refused)[:_MOST_TOLD])
    except MemoryError:
        answer = (True, _SHORT_OF_MEMORY)
    pickle.dump(answer, sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    drive(sys.argv[1])
