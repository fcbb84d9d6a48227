"""The parent's handles of the fork server and of its children (`ccviz.runs.fork_server`)."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from select import select

from ccviz.system import FORKS, KILLED

NUMBER = struct.Struct("<i")
"""Format of a process id or an exit code on the status socket."""

ORDER_BYTES = 4096
"""Largest size of an order in bytes: module name, zero byte, argument (such as a path)."""

UNABLE = 3
"""Exit code of a fork server that cannot fork, or has threads and therefore must not."""

_NEEDED = re.compile(
    "PATH|HOME|USER|LANG|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|USERPROFILE|(LOCAL)?APPDATA|.*_NUM_THREADS|"
    "CCVIZ_(HOME|COMPILED|PORTABLE)|(LC|LD|DYLD|NUMBA|COVERAGE|XDG)_.*|PYTHON.*"
)
"""Variables of the environment that Python and the libraries need; none holds a secret."""

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")


def one_thread() -> dict[str, str]:
    """Return this environment with one thread for each multithreaded numerical library."""
    return os.environ | {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


def clean_environment() -> dict[str, str]:
    """Return what Python and the libraries need of this environment: others read it."""
    return {name: value for name, value in one_thread().items() if _NEEDED.fullmatch(name)}


class ForkedProcess:
    """A child of the fork server, with the interface of `subprocess.Popen`.

    The fork server writes its process id and later its exit code to the status socket. A process
    that could not be forked counts as killed, and so does one whose exit code is lost because its
    fork server ended first.
    """

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        self._pid: Future[int] = Future()
        self._code: Future[int] = Future()
        self.returncode: int | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id; waits for the fork. 0 if the fork failed."""
        return self._pid.result()

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs or has not been forked yet."""
        return self.wait() if self._code.done() else None

    def await_end(self) -> None:
        """Wait for its end without reaping it: its process id stays reserved."""
        self._code.result()

    def wait(self) -> int:
        """Wait for its end, let the fork server reap it and return its exit code."""
        self.returncode = self._code.result()
        self._status.close()
        return self.returncode

    def _listen(self) -> None:
        pid = self._number()
        self._pid.set_result(pid or 0)
        code = None if pid is None else self._number()
        if pid is not None and code is None:  # the fork server has ended, its child runs on
            _await(pid)
        self._code.set_result(KILLED if code is None else code)

    def _number(self) -> int | None:
        packed = self._status.recv(NUMBER.size, socket.MSG_WAITALL)
        return NUMBER.unpack(packed)[0] if packed else None


def _await(pid: int) -> None:
    """Wait for the end of a process that is not a child of this one."""
    with suppress(ProcessLookupError):
        watch = os.pidfd_open(pid)
        select([watch], [], [])
        os.close(watch)


class ForkClient:
    """The handle of a fork server, which loads a solver, forks, and ends with its parent."""

    possible = FORKS
    """Whether this system can fork a process that has loaded these libraries."""

    def __init__(self, solver: str) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "ccviz.runs.fork_server",
                    str(theirs.fileno()),
                    solver,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=clean_environment(),  # some of its children read files of strangers
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server is running."""
        return self._process.poll() is None

    @property
    def unable(self) -> bool:
        """Whether it ended with the exit code `UNABLE`."""
        return self._process.poll() == UNABLE

    def fork(self, module: str, argument: str, *streams: int) -> ForkedProcess:
        """Request a child process; it is forked once the libraries are loaded.

        It calls the function ``drive`` of the module with the argument. The streams are descriptors
        for its standard input, output and error; the caller may close them.
        """
        status, theirs = socket.socketpair()
        with (
            theirs,
            suppress(OSError),
        ):  # if the server has ended, the status socket is closed without data
            order = os.fsencode(f"{module}\0{argument}")
            socket.send_fds(self._orders, [order], [*streams, theirs.fileno()])
        return ForkedProcess(status)

    def close(self) -> None:
        """Kill the server and wait for its end; its children continue."""
        self._process.kill()
        self._process.wait()
        self._orders.close()
