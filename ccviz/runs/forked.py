"""Processes that a nursery forks, as the parent of both holds them (`ccviz.runs.nursery`)."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from select import select
from signal import SIGKILL

NUMBER = struct.Struct("<i")
"""How a nursery tells a process id, and an exit code."""

ORDER_BYTES = 4096
"""Of an order, at most: a module's name, a zero, and an argument such as an archive's path."""

UNABLE = 3
"""Exit code of a nursery that cannot or must not fork."""

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")


def one_thread() -> dict[str, str]:
    """Return this process's environment, with one thread for each library that would have more."""
    return os.environ | {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


def end_all(pid: int) -> None:
    """Kill a process with those that it began; one that was just forked has no group yet.

    Parameters
    ----------
    pid : int
        Its number; 0 if it never was.
    """
    for end in (os.killpg, os.kill) if pid else ():
        with suppress(ProcessLookupError):
            end(pid, SIGKILL)


class Forked:
    """A process forked by a nursery, with what a `subprocess.Popen` has of it.

    One that was never forked counts as killed; so does one that outlives its nursery, at its end.

    Parameters
    ----------
    status : socket
        Where the nursery tells its process id, and its exit code.

    Attributes
    ----------
    returncode : int or None
        Its exit code, once somebody has asked after its end.
    """

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        self._pid: Future[int] = Future()
        self._code: Future[int] = Future()
        self.returncode: int | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Its number, when it is there; 0 if it never was."""
        return self._pid.result()

    def poll(self) -> int | None:
        """Return its exit code, or None while it is there or awaited."""
        return self.wait() if self._code.done() else None

    def await_end(self) -> None:
        """Wait for its end, after which its number is still its own."""
        self._code.result()

    def wait(self) -> int:
        """Wait for its end and let it be buried; return its exit code."""
        self.returncode = self._code.result()
        self._status.close()
        return self.returncode

    def _listen(self) -> None:
        pid = self._number()
        self._pid.set_result(pid or 0)
        code = None if pid is None else self._number()
        if pid is not None and code is None:  # the nursery is lost, and the worker goes on
            _await(pid)
        self._code.set_result(-SIGKILL if code is None else code)

    def _number(self) -> int | None:
        told = self._status.recv(NUMBER.size, socket.MSG_WAITALL)
        return NUMBER.unpack(told)[0] if told else None


def _await(pid: int) -> None:
    """Wait for the end of a process that is not ours."""
    with suppress(ProcessLookupError):
        watch = os.pidfd_open(pid)
        select([watch], [], [])
        os.close(watch)


class Forks:
    """A nursery, as its parent holds it; it ends with its parent.

    Parameters
    ----------
    solver : str
        Name of the solver that it loads before it forks anything.
    """

    possible = sys.platform == "linux"
    """Whether a fork of a process with these libraries can be relied upon."""

    def __init__(self, solver: str) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ccviz.runs.nursery", str(theirs.fileno()), solver],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=one_thread(),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Number of its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    @property
    def unable(self) -> bool:
        """Whether it has ended because it cannot or must not fork."""
        return self._process.poll() == UNABLE

    def fork(self, module: str, argument: str, *streams: int) -> Forked:
        """Order a process, which comes when all is loaded.

        Parameters
        ----------
        module : str
            Whose function ``drive`` it calls.
        argument : str
            What that function is given.
        *streams : int
            Descriptors of its standard input, output and error; they may be closed at once.

        Returns
        -------
        Forked
        """
        status, theirs = socket.socketpair()
        with theirs, suppress(OSError):  # if it has ended, so does the status, without a word
            order = os.fsencode(f"{module}\0{argument}")
            socket.send_fds(self._orders, [order], [*streams, theirs.fileno()])
        return Forked(status)

    def close(self) -> None:
        """End it, and wait for that; what it forked goes on."""
        self._process.kill()
        self._process.wait()
        self._orders.close()
