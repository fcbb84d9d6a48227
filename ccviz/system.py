"""What only POSIX systems have, behind one door: elsewhere each function does what it can.

``CCVIZ_PORTABLE=1`` does without it here too, so that tests can force it: processes are spawned
and not forked, have no lower priority and no limits, and do not wait for each other to compile.
Files that appear only when they are whole are written here, too (`whole_file`).
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from threadpoolctl import ThreadpoolController

from ccviz.errors import CcvizError

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


def set_session_niceness(niceness: int) -> None:
    """Lower the priority of this process's session, if it leads one and the system supports it."""
    if not POSIX or os.getsid(0) != os.getpid():
        return  # another process leads the session
    with suppress(OSError):  # not Linux, or not permitted
        _AUTOGROUP.write_text(str(niceness), encoding="ascii")


def limit_memory(most: int | None) -> None:
    """Limit the memory of this process."""
    if POSIX and most is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def limit_files(processor_s: int | None, file_bytes: int, open_files: int, threads: int) -> None:
    """Limit what this process may take, write no image of it if it crashes."""
    if not POSIX:
        return
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, open_files)
    _limit(resource.RLIMIT_NPROC, threads)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    if processor_s is not None:
        _limit(resource.RLIMIT_CPU, processor_s)


def _limit(what: int, most: int) -> None:
    """Set a limit, or keep a lower one that holds already."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, which the system lets go of when this process dies."""
    with path.open("w") as lock:
        if POSIX:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def exists(pid: int) -> bool:
    """Return whether a process exists, True where the system cannot be asked."""
    if not POSIX:
        return True  # os.kill would end it on Windows
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it exists and has another owner
    return True


def kill_group(pid: int) -> None:
    """Kill a process and its group; a process that was just forked may have no group yet.

    `pid`: Process id; 0 if the process was never started.
    """
    if not pid:
        return
    if POSIX:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):  # Windows refuses an ended process
        os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


def await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a child; its process id stays reserved, where the system has that."""
    if POSIX:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def end_session_after(seconds: float) -> None:
    """End this process and those that it started after a while, whatever it does then."""
    if POSIX:
        # The alarm ends a solver deep in foreign code without running Python; the timer, if it
        # runs first, also kills the solver's processes.
        signal.setitimer(signal.ITIMER_REAL, seconds + 1)
        killer = threading.Timer(seconds, os.killpg, (os.getpgid(0), signal.SIGKILL))
    else:
        killer = threading.Timer(seconds, os._exit, (KILLED & 0xFF,))
    killer.daemon = True
    killer.start()


# --- Process priorities: compute runs below the server that answers the page ----------------------


RUN = 5
"""Niceness of a run, below that of the server."""

WARMING = 10
"""Niceness of compiling ahead of need."""


def lower_priority(niceness: int) -> None:
    """Lower the priority of this process and its future children, where the system has any."""
    if POSIX:
        os.nice(niceness)
    set_session_niceness(niceness)


# --- One thread for linear algebra: of small matrices more of them wait for each other ------------


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which linear algebra takes one thread of this process."""
    # SciPy brings a library of its own, beside NumPy's, when its `linalg` is first imported.
    return _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _libraries(_with_scipy: bool) -> ThreadpoolController:
    """Return the loaded libraries that have threads; to find them takes milliseconds."""
    return ThreadpoolController()


# --- Writing a file as a whole --------------------------------------------------------------------


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; what was there before stays if anything goes wrong.

    A path that is no regular file (``/dev/stdout``, a pipe) is written as it is.
    """
    path = resolved(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with scratch.open("wb") as file:
            yield file
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file; what was there before stays if anything goes wrong.

    Raises `CcvizError` if it cannot be written.
    """
    try:
        with whole_file(path) as file:
            file.write(content)
    except OSError as broken:
        raise CcvizError(f"{path} cannot be written: {os.strerror(broken.errno or 0)}.") from None


def put_in_place(path: Path, content: bytes) -> None:
    """Write a file that this account alone reads, whole or not at all; one that is there stays."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as beside:
        beside.write(content)
        beside.flush()
        os.fsync(beside.fileno())
        with suppress(FileExistsError):
            os.link(beside.name, path)


def resolved(path: str | Path) -> Path:
    """Return the file that a path leads to.

    Raises `OSError` if symbolic links lead round in a circle.
    """
    with suppress(RuntimeError):  # Python's own word for a circle, up to 3.12
        found = Path(path).resolve()
        if not found.is_symlink():  # as a circle still is, from 3.13 on
            return found
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
