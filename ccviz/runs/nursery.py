"""A process with everything loaded that begins workers by forking: `python -m ccviz.runs.nursery`.

To import the libraries takes a worker two seconds of a core and most of its memory, and every run
has a worker of its own. Here that is done once: a fork of this process is there at once, and
shares its memory. Nobody else forks. A server has threads, whose locks a fork would find as they
were; this process has none, looks before each fork, and ends rather than have some.

On the socket that it inherits comes a packet for each worker: the archive's path, and three
descriptors, of its standard input, of its standard error, and of a socket that tells what becomes
of it. On the latter go the worker's process id and, at its end, its exit code. A worker that has
ended is buried once that socket is closed: until then its number is its own. When the parent dies
this process ends, and the workers notice by themselves. `ccviz.runs.forked` is the parent's side.
"""

from __future__ import annotations

import gc
import importlib
import os
import selectors
import socket
import sys
from pathlib import Path

from ccviz.runs.forked import NUMBER, PATH_BYTES, UNABLE
from ccviz.runs.priority import RUN, stand_back, weigh_session
from ccviz.runs.warm import load_solver
from ccviz.runs.worker import drive

_TASKS = Path("/proc/self/task")


class Nursery:
    """Forks workers, and tells of their ends.

    Parameters
    ----------
    orders : socket
        Where the packets come.
    """

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ)
        self._status: dict[int, socket.socket] = {}  # by the worker's pid
        self._watched: dict[int, int] = {}  # its pidfd

    def tend(self) -> str | None:
        """Do what is asked until the parent is gone.

        Returns
        -------
        str or None
            In a worker that was forked: the archive's path. None in this process, at its end.
        """
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._orders:
                    self._part(key.fd, key.data)
                    continue
                packet, descriptors, _, _ = socket.recv_fds(self._orders, PATH_BYTES, 3)
                if not packet:
                    return None
                if not self._fork(*descriptors):
                    return os.fsdecode(packet)

    def _fork(self, lines: int, errors: int, status: int) -> bool:
        """Fork, and return whether this is still the process that did."""
        if len(list(_TASKS.iterdir())) > 1:
            sys.exit(UNABLE)
        pid = os.fork()
        if pid == 0:
            self._leave(lines, errors)
            return False
        os.close(lines)
        os.close(errors)
        self._status[pid] = socket.socket(fileno=status)
        self._watched[pid] = os.pidfd_open(pid)
        self._selector.register(self._watched[pid], selectors.EVENT_READ, pid)
        self._tell(pid, pid)
        return True

    def _leave(self, lines: int, errors: int) -> None:
        """Become a worker: a session of its own, and nothing left of what was here."""
        os.setsid()
        weigh_session(RUN)
        os.dup2(lines, sys.stdin.fileno())
        os.dup2(errors, sys.stderr.fileno())
        self._selector.close()
        for each in (self._orders, *self._status.values()):
            each.detach()  # its number may soon be somebody else's
        os.closerange(sys.stderr.fileno() + 1, os.sysconf("SC_OPEN_MAX"))

    def _part(self, descriptor: int, pid: int) -> None:
        """Tell of a worker's end; bury it when nobody asks for it any more."""
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
    load_solver(solver)


def main() -> None:
    """Load what every run needs, then fork; a worker goes on from here."""
    stand_back(RUN)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:  # a kernel that has none
        sys.exit(UNABLE)
    _load(sys.argv[2])
    gc.freeze()  # so that the collector writes on no page that is shared
    path = Nursery(socket.socket(fileno=int(sys.argv[1]))).tend()
    if path is not None:
        drive(path)


if __name__ == "__main__":
    main()
