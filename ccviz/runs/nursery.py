"""A process with everything loaded that begins others by forking: `python -m ccviz.runs.nursery`.

To import the libraries takes a worker two seconds of a core and most of its memory, and every run
has a worker of its own. Here that is done once: a fork of this process is there at once, and
shares its memory. Nobody else forks. A server has threads, whose locks a fork would find as they
were; this process has none, looks before each fork, and ends rather than have some.

On the socket that it inherits comes a packet for each: the module whose `drive` it is to call,
with what, and four descriptors, of its standard input, output and error, and of a socket that tells
what becomes of it. On the latter go its process id and, at its end, its exit code. One that has
ended is buried once that socket is closed: until then its number is its own. When the parent dies
this process ends, and workers notice by themselves. `ccviz.runs.forked` is the parent's side.
"""

from __future__ import annotations

import gc
import importlib
import os
import selectors
import socket
import sys
from pathlib import Path
from typing import NoReturn

from ccviz.runs.forked import NUMBER, ORDER_BYTES, UNABLE
from ccviz.runs.priority import RUN, stand_back, weigh_session
from ccviz.runs.warm import load_solver

_TASKS = Path("/proc/self/task")


class Nursery:
    """Forks, and tells of the ends of what it forked.

    Parameters
    ----------
    orders : socket
        Where the packets come.
    """

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ)
        self._status: dict[int, socket.socket] = {}  # by the pid of what was forked
        self._watched: dict[int, int] = {}  # its pidfd

    def tend(self) -> bytes | None:
        """Do what is asked until the parent is gone.

        Returns
        -------
        bytes or None
            In a process that was forked: its order. None in this process, at its end.
        """
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._orders:
                    self._part(key.fd, key.data)
                    continue
                order, descriptors, _, _ = socket.recv_fds(self._orders, ORDER_BYTES, 4)
                if not order:
                    return None
                if not self._fork(descriptors[:3], descriptors[3]):
                    return order

    def _fork(self, streams: list[int], status: int) -> bool:
        """Fork, and return whether this is still the process that did."""
        if len(list(_TASKS.iterdir())) > 1:
            sys.exit(UNABLE)
        pid = os.fork()
        if pid == 0:
            self._leave(streams)
            return False
        for each in streams:
            os.close(each)
        self._status[pid] = socket.socket(fileno=status)
        self._watched[pid] = os.pidfd_open(pid)
        self._selector.register(self._watched[pid], selectors.EVENT_READ, pid)
        self._tell(pid, pid)
        return True

    def _leave(self, streams: list[int]) -> None:
        """Become what was asked for: a session of its own, and nothing left of what was here."""
        os.setsid()
        weigh_session(RUN)
        for stream, own in zip(streams, (sys.stdin, sys.stdout, sys.stderr), strict=True):
            os.dup2(stream, own.fileno())
        self._selector.close()
        for each in (self._orders, *self._status.values()):
            each.detach()  # its number may soon be somebody else's
        os.closerange(sys.stderr.fileno() + 1, os.sysconf("SC_OPEN_MAX"))

    def _part(self, descriptor: int, pid: int) -> None:
        """Tell of a process's end; bury it when nobody asks for it any more."""
        self._selector.unregister(descriptor)
        if descriptor == self._watched.get(pid):
            os.close(self._watched.pop(pid))
            end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            assert end is not None
            killed = end.si_code != os.CLD_EXITED
            self._tell(pid, -end.si_status if killed else end.si_status)
            self._selector.register(self._status[pid], selectors.EVENT_READ, pid)
        else:
            self._status.pop(pid).close()
            os.waitpid(pid, 0)

    def _tell(self, pid: int, number: int) -> None:
        try:
            self._status[pid].sendall(NUMBER.pack(number))
        except BrokenPipeError:  # nobody asks for it: the socket will say so again
            return


def _load(solver: str) -> None:
    """Bring in what a solver needs, without pandas.

    Where it is installed scikit-learn loads it, which no run needs: half a second, 60 MB, and a
    thread of its allocator's.
    """
    sys.modules["pandas"] = None  # type: ignore[assignment]
    importlib.import_module("sklearn.cluster")
    del sys.modules["pandas"]
    importlib.import_module("ccviz.runs.worker")  # what is forked most
    load_solver(solver)


def main() -> None:
    """Load what every run needs, then fork; what was forked goes on from here."""
    stand_back(RUN)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:  # a kernel that has none
        sys.exit(UNABLE)
    _load(sys.argv[2])
    gc.freeze()  # so that the collector writes on no page that is shared
    order = Nursery(socket.socket(fileno=int(sys.argv[1]))).tend()
    if order is not None:
        module, _, argument = os.fsdecode(order).partition("\0")
        importlib.import_module(module).drive(argument)
        _leave_all_as_it_is()


def _leave_all_as_it_is() -> NoReturn:
    """End a process that was forked without taking anything apart.

    What libraries do at an interpreter's end was not made for a fork of it, and could wait for
    ever; and what is shared would be copied to be taken apart.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(os.EX_OK)


if __name__ == "__main__":
    main()
