"""Rights that a process gives up before it reads a file from a stranger.

Limits on memory, processor time, open files and the size of its answer hold on every POSIX system.
On Linux the process also gives up the network, other processes and new programs (a seccomp filter
on x86-64 and ARM64), and all files but those of Python and its libraries, and one folder where
it must write (Landlock, from kernel 5.13). Neither needs root. Where the kernel lacks
one of them, the process has the other and the limits.
"""

from __future__ import annotations

import ctypes
import math
import mimetypes
import os
import platform
import struct
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ccviz.system import FORKS, limit_files, limit_memory

_OPEN_FILES = 256
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # of prctl

# Numbers of system calls, which differ between machines. Those of Landlock are the same on all.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_REFUSED_CALLS = {
    # socket, connect, bind, sendto, sendmsg, execve, execveat, kill, tkill, ptrace, pidfd_open,
    # pidfd_send_signal, process_vm_readv, process_vm_writev, io_uring_setup
    "x86_64": (41, 42, 49, 44, 46, 59, 322, 62, 200, 101, 434, 424, 310, 311, 425),
    "aarch64": (198, 203, 200, 206, 211, 221, 281, 129, 130, 117, 434, 424, 270, 271, 425),
}
_AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # operations of a filter
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # refused with EPERM
_X32 = 0x40000000  # first number of a second table of the same calls on x86-64

_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/localtime", "/etc/ld.so.cache"),
    *("/dev/null", "/dev/urandom", "/dev/zero", "/sys/devices/system/cpu"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat"),
    "/proc/sys/kernel/random/boot_id",
)
"""Files and folders of the system that Python and the libraries read."""

_READ = 0b1101  # execute (as libraries), read a file, list a folder
_WRITE = 0b10
_VERSION = 1  # flag: ask for the version
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}  # of files, by the version


@dataclass(frozen=True)
class Confinement:
    """What a process may take and touch.

    Attributes
    ----------
    memory : int or None
        Bytes.
    seconds : float
        Of processor time on each core.
    confined : bool
        Whether it gives up network, processes and files; otherwise it has limits only.
    writes : str
        The one folder where it may write, besides that for temporary files; empty if nowhere.
    """

    memory: int | None
    seconds: float = math.inf
    confined: bool = False
    writes: str = ""

    def enter(self) -> None:
        """Give up everything else, for good. The process must have no other threads yet."""
        limit_memory(self.memory)
        if not self.confined:
            return
        seconds = None
        if math.isfinite(self.seconds):
            seconds = math.ceil(self.seconds + 1) * (os.cpu_count() or 1)
        # Where it may write there is the archive, which may be larger.
        limit_files(seconds, None if self.writes else self.memory, _OPEN_FILES)
        if FORKS:
            folders = (self.writes, tempfile.gettempdir()) if self.writes else ()
            _leave_files(folders)
            _leave_calls()


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


# --- Files ---------------------------------------------------------------------------------------


def _leave_files(writable: Iterable[str]) -> None:
    """Restrict the process to Python's files, to be read, and to some folders."""
    libc = _library()
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:  # a kernel without Landlock
        return
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    handled = ctypes.c_uint64(rights)
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), 8, 0)
    if rules < 0:
        return
    for folder in _readable():
        _allow(libc, rules, folder, _READ)
    _allow(libc, rules, os.devnull, _WRITE)
    for folder in writable:
        _allow(libc, rules, folder, rights)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _readable() -> set[str]:
    """Return the folders of Python and the libraries, and what they read of the system."""
    ours = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), *sys.path}
    places = {*_SYSTEM, *map(str, mimetypes.knownfiles), *ours} - {""}
    return {each for each in places if Path(each).exists()}


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Allow rights on a path and all below it."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    folder_only = 0 if Path(path).is_dir() else 0b1000
    libc.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", rights & ~folder_only, place), 0)
    os.close(place)


# --- Network, processes and programs -----------------------------------------------------------


def _leave_calls() -> None:
    """Let the kernel refuse system calls that reach the network or another process."""
    machine = platform.machine()
    if machine not in _REFUSED_CALLS:
        return
    program = _filter(_AUDIT_ARCHITECTURE[machine], _REFUSED_CALLS[machine])
    steps = ctypes.create_string_buffer(program, len(program))
    about = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    libc = _library()
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SET_SECCOMP, _FILTER, about)


def _filter(architecture: int, refused: tuple[int, ...]) -> bytes:
    """Return a filter that refuses some calls, and all calls by another machine's numbers."""
    many = len(refused)
    steps = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 0, many + 3, architecture),  # steps to jump over if it is, and if it is not
        (_LOAD, 0, 0, 0),  # the call
        (_AT_LEAST, many + 1, 0, _X32),
        *[(_EQUAL, many - place, 0, call) for place, call in enumerate(refused)],
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
