"""The fork server: a process with all libraries loaded that forks the workers.

It runs as ``python -m ccviz.runs.fork_server``. Importing the libraries costs a worker two seconds
of CPU and most of its memory, and each run has its own worker. The fork server imports them once:
a fork starts at once and shares the memory. No other process forks, because a web server has
threads whose locks a fork would copy in their current state. The fork server has no threads; it
checks that before each fork and ends if there are any.

Each request is one packet on the inherited socket: the module whose ``drive`` the child calls, the
argument, and four descriptors: standard input, output, error and a status socket. The fork server
writes the child's process id to the status socket and, at its end, its exit code. It reaps the
child when the status socket is closed, so that the process id is not reused before. The fork
server ends when its parent ends; the workers notice the parent's end by themselves.
`ccviz.runs.fork_client` is the parent's side.
"""

from __future__ import annotations

import gc
import importlib
import os
import selectors
import socket
import sys
import warnings
from pathlib import Path
from typing import NoReturn

from ccviz.plugins import PluginWarning
from ccviz.runs.fork_client import NUMBER, ORDER_BYTES, UNABLE
from ccviz.runs.warm import load_solver
from ccviz.system import RUN, lower_priority, set_session_niceness

_TASKS = Path("/proc/self/task")


class ForkServer:
    """Forks worker processes as packets of a socket ask, and reports their ids and exit codes."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ)
        self._status: dict[int, socket.socket] = {}  # status sockets by process id
        self._watched: dict[int, int] = {}  # pidfds by process id

    def serve(self) -> bytes | None:
        """Serve requests; return in a child its own, in the server None once the parent ended."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._orders:
                    self._follow_end(key.fd, key.data)
                    continue
                order, descriptors, _, _ = socket.recv_fds(self._orders, ORDER_BYTES, 4)
                if not order:
                    return None
                if not self._fork(descriptors[:3], descriptors[3]):
                    return order

    def _fork(self, streams: list[int], status: int) -> bool:
        """Fork, and return True in the server and False in the child."""
        if len(list(_TASKS.iterdir())) > 1:
            sys.exit(UNABLE)
        pid = os.fork()
        if pid == 0:
            self._become_child(streams)
            return False
        for each in streams:
            os.close(each)
        self._status[pid] = socket.socket(fileno=status)
        self._watched[pid] = os.pidfd_open(pid)
        self._selector.register(self._watched[pid], selectors.EVENT_READ, pid)
        self._report(pid, pid)
        return True

    def _become_child(self, streams: list[int]) -> None:
        """Turn a fork into a child: own session and streams, all other descriptors closed."""
        os.setsid()
        set_session_niceness(RUN)
        for stream, own in zip(streams, (sys.stdin, sys.stdout, sys.stderr), strict=True):
            os.dup2(stream, own.fileno())
        self._selector.close()
        for each in (self._orders, *self._status.values()):
            each.detach()  # the descriptor number may be reused
        os.closerange(sys.stderr.fileno() + 1, os.sysconf("SC_OPEN_MAX"))

    def _follow_end(self, descriptor: int, pid: int) -> None:
        """Report the end of a child; reap it once its status socket is closed."""
        self._selector.unregister(descriptor)
        if descriptor == self._watched.get(pid):
            os.close(self._watched.pop(pid))
            end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            assert end is not None
            killed = end.si_code != os.CLD_EXITED
            self._report(pid, -end.si_status if killed else end.si_status)
            self._selector.register(self._status[pid], selectors.EVENT_READ, pid)
        else:
            self._status.pop(pid).close()
            os.waitpid(pid, 0)

    def _report(self, pid: int, number: int) -> None:
        try:
            self._status[pid].sendall(NUMBER.pack(number))
        except BrokenPipeError:  # the parent has closed it; the selector reports that next
            return


def _load(solver: str) -> None:
    """Import what a solver needs, without pandas.

    scikit-learn imports pandas if it is installed. No run needs it, and it costs half a second,
    60 MB and a thread of its allocator.
    """
    sys.modules["pandas"] = None  # type: ignore[assignment]
    importlib.import_module("sklearn.cluster")
    del sys.modules["pandas"]
    importlib.import_module("ccviz.runs.worker")  # the most frequent child
    load_solver(solver)


def main() -> None:
    """Load what every run needs, then fork; each child continues here with its request."""
    lower_priority(RUN)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:  # this kernel has no pidfds
        sys.exit(UNABLE)
    warnings.simplefilter("ignore", PluginWarning)  # said by the process that started this one
    _load(sys.argv[2])
    gc.freeze()  # the garbage collector then writes to no shared page
    order = ForkServer(socket.socket(fileno=int(sys.argv[1]))).serve()
    if order is not None:
        module, _, argument = os.fsdecode(order).partition("\0")
        importlib.import_module(module).drive(argument)
        _exit_without_cleanup()


def _exit_without_cleanup() -> NoReturn:
    """End a child without the interpreter's clean-up.

    Exit handlers of libraries are not made for a fork and could block, and freeing shared objects
    would copy their pages.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(os.EX_OK)


if __name__ == "__main__":
    main()
