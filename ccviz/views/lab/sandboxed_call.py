"""A function call in a process of its own, with limits on time and memory.

An uploaded file may be long, large or hostile, so it is read in such a process while the server
continues. This module is both sides: the child is forked by the fork server, which has the
libraries loaded, or is a new interpreter that runs this module as a script. The server pickles the
function and its arguments. The answer may be that of a hostile file, so it is not a pickle
(`ccviz.views.lab.answer_codec`), and the process gives up its rights before it reads the file
(`ccviz.views.lab.confinement`).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ccviz.errors import CcvizError
from ccviz.runs.fork_client import ForkedProcess, one_thread
from ccviz.runs.worker_pool import WorkerPool
from ccviz.system import end_all
from ccviz.views.lab.answer_codec import decode_answer, encode_answer, returned_by
from ccviz.views.lab.confinement import Confinement

_SHORT_OF_MEMORY = "Reading it needs more memory than is allowed for a file."
_MOST_TOLD = 500
_ANSWERED, _REFUSED = b"a", b"r"  # the first byte of an answer


class SandboxedCall:
    """A call in progress. Poll `done`, then take the `answer`.

    Parameters
    ----------
    work : callable
        A function of a module.
    args : tuple
    seconds : float
        Time limit, after which the call is abandoned.
    memory : int or None
        Memory limit in bytes.
    pool : WorkerPool, optional
        Its fork server forks the process.
    confined : bool
        Whether the process gives up network, other processes and files.
    writes : str
        The folder where a confined process may write; empty if nowhere.
    """

    def __init__(
        self,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        seconds: float,
        memory: int | None,
        pool: WorkerPool | None = None,
        confined: bool = False,
        writes: str = "",
    ) -> None:
        self._end, self._seconds = time.monotonic() + seconds, seconds
        self._kind = returned_by(work)
        self._order: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        rights = Confinement(memory, seconds, confined, writes)
        pickle.dump((rights, work, args), self._order)
        self._order.seek(0)
        client = pool.fork_client() if pool is not None else None
        self._process: ForkedProcess | subprocess.Popen[bytes]
        if client is None:
            self._process = self._fresh()
        else:
            with Path(os.devnull).open("wb") as nowhere:
                streams = [each.fileno() for each in (self._order, self._answer, nowhere)]
                self._process = client.fork(__name__, "", *streams)

    def _fresh(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=self._order, stdout=self._answer, stderr=subprocess.DEVNULL,
            start_new_session=True, env=one_thread(),
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
            refused = self._answer.read(1) == _REFUSED
            value = decode_answer(self._answer.read(), str if refused else self._kind)
        finally:
            self.close()
        if refused:
            raise CcvizError(value[:_MOST_TOLD])
        return value

    def close(self) -> None:
        """Kill the process if it still runs."""
        if self._process.poll() is None:
            end_all(self._process.pid)
            self._process.wait()
        self._order.close()
        self._answer.close()


def drive(_: str = "") -> None:
    """Call the function on standard input and write its answer to standard output."""
    rights, work, args = pickle.load(sys.stdin.buffer)
    rights.enter()
    try:
        answer = _ANSWERED + encode_answer(work(*args))
    except CcvizError as refused:
        answer = _REFUSED + encode_answer(str(refused)[:_MOST_TOLD])
    except MemoryError:
        answer = _REFUSED + encode_answer(_SHORT_OF_MEMORY)
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    drive()
