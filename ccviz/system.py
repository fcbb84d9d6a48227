"""What only POSIX systems have, behind one door: elsewhere each function does what it can.

``CCVIZ_PORTABLE=1`` does without it here too, so that tests can force it: processes are spawned
and not forked, have no lower priority and no limits, and do not wait for each other to compile.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

POSIX = os.name == "posix" and os.environ.get("CCVIZ_PORTABLE") != "1"
"""Whether to use what only POSIX systems have."""

FORKS = POSIX and sys.platform == "linux"
"""Whether a process that has loaded these libraries can be forked."""

if POSIX:
    import fcntl
    import resource

_AUTOGROUP = Path("/proc/self/autogroup")
"""Niceness of a session. If Linux schedules by session, the niceness of a process counts only
within its session, and each run has its own."""

KILLED = -9
"""Exit code of a process that was killed, as POSIX systems count."""


def lower_priority(niceness: int) -> None:
    """Lower the priority of this process and its future children.

    Parameters
    ----------
    niceness : int
        From 0 to 19, as in `os.nice`.
    """
    if POSIX:
        os.nice(niceness)


def weigh_session(niceness: int) -> None:
    """Lower the priority of this process's session, if it leads one and the system supports it.

    Parameters
    ----------
    niceness : int
    """
    if not POSIX or os.getsid(0) != os.getpid():
        return  # another process leads the session
    with suppress(OSError):  # not Linux, or not permitted
        _AUTOGROUP.write_text(str(niceness), encoding="ascii")


def limit_memory(most: int | None) -> None:
    """Limit the memory of this process.

    Parameters
    ----------
    most : int or None
        Bytes; None for no limit.
    """
    if POSIX and most is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def limit_files(processor_s: int | None, file_bytes: int | None, open_files: int) -> None:
    """Limit what this process may take, write no image of it if it crashes.

    Parameters
    ----------
    processor_s : int or None
        Seconds of processor time.
    file_bytes : int or None
        Size of a file that it writes.
    open_files : int
    """
    if not POSIX:
        return
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, open_files)
    if processor_s is not None:
        _limit(resource.RLIMIT_CPU, processor_s)
    if file_bytes is not None:
        _limit(resource.RLIMIT_FSIZE, file_bytes)


def _limit(what: int, most: int) -> None:
    """Set a limit, or keep a lower one that holds already."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, which the system lets go of when this process dies.

    Parameters
    ----------
    path : Path
    """
    with path.open("w") as lock:
        if POSIX:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def exists(pid: int) -> bool:
    """Return whether a process exists, True where the system cannot be asked.

    Parameters
    ----------
    pid : int
    """
    if not POSIX:
        return True  # os.kill would end it on Windows
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it exists and has another owner
    return True


def end_all(pid: int) -> None:
    """Kill a process and its group; a process that was just forked may have no group yet.

    Parameters
    ----------
    pid : int
        Process id; 0 if the process was never started.
    """
    if not pid:
        return
    if POSIX:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):  # Windows refuses an ended process
        os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


def await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a child; its process id stays reserved, where the system has that.

    Parameters
    ----------
    process : Popen
    """
    if POSIX:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def end_session_after(seconds: float) -> None:
    """End this process and those that it started after a while, whatever it does then.

    Parameters
    ----------
    seconds : float
    """
    if POSIX:
        # The alarm ends a solver deep in foreign code without running Python; the timer, if it
        # runs first, also kills the solver's processes.
        signal.setitimer(signal.ITIMER_REAL, seconds + 1)
        killer = threading.Timer(seconds, os.killpg, (os.getpgid(0), signal.SIGKILL))
    else:
        killer = threading.Timer(seconds, os._exit, (KILLED & 0xFF,))
    killer.daemon = True
    killer.start()
