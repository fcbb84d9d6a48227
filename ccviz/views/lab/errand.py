"""Work on what a person brought, in a process of its own: nobody else waits for it.

What is read may be long, large or hostile. So the process has an end in time and in memory, and
the server goes on meanwhile. Both ends are this module: the child is forked by the nursery of the
server's workers, which has the libraries loaded, or where there is none a new interpreter that runs
it as a script. The work and its answer travel as pickles, which no third party writes.
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
from ccviz.runs.forked import Forked, end_all
from ccviz.runs.spares import Spares

_SHORT_OF_MEMORY = "It needs more memory than there is for reading a file."
_MOST_TOLD = 500


class Errand:
    """Some work under way. Look at `done` from time to time, then take the `answer`.

    Parameters
    ----------
    work : callable
        A function of a module.
    args : tuple
    seconds : float
        After which it is given up.
    memory : int
        Bytes that it may take.
    spares : Spares, optional
        Whose nursery is to fork the process.
    """

    def __init__(
        self,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        seconds: float,
        memory: int,
        spares: Spares | None = None,
    ) -> None:
        self._end, self._seconds, self._memory = time.monotonic() + seconds, seconds, memory
        self._order: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        self._answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        pickle.dump((work, args), self._order)
        self._order.seek(0)
        forks = spares.nursery() if spares is not None else None
        self._process: Forked | subprocess.Popen[bytes]
        if forks is None:
            self._process = self._fresh()
        else:
            with Path(os.devnull).open("wb") as nowhere:
                streams = [each.fileno() for each in (self._order, self._answer, nowhere)]
                self._process = forks.fork(__name__, str(memory), *streams)

    def _fresh(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(self._memory)],
            stdin=self._order, stdout=self._answer, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def done(self) -> bool:
        """Whether there is an answer, or never will be."""
        ended = self._process.poll() is not None
        if ended and not self._process.pid:  # its nursery was lost before it came
            self._process, ended = self._fresh(), False
        return ended or time.monotonic() > self._end

    def answer(self) -> Any:
        """Return what the work returned.

        Raises
        ------
        CcvizError
            If it was refused, took too long, or broke off.
        """
        code = self._process.poll()
        if code is None:
            self.close()
            raise CcvizError(f"It takes more than {self._seconds:g} seconds to read; it was left.")
        self._answer.seek(0)
        try:
            if code or not os.fstat(self._answer.fileno()).st_size:
                raise CcvizError(_SHORT_OF_MEMORY if code != 1 else "It cannot be read.")
            refused, value = pickle.load(self._answer)  # read piece by piece: it may be large
        finally:
            self.close()
        if refused:
            raise CcvizError(value)
        return value

    def close(self) -> None:
        """End the work, if it is still under way."""
        if self._process.poll() is None:
            end_all(self._process.pid)
            self._process.wait()
        self._order.close()
        self._answer.close()


def drive(memory: str) -> None:
    """Do what standard input says, and write the answer to standard output.

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
