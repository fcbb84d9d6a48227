"""Rights that a process gives up before it reads a file from a stranger.

Limits on memory, processor time, open files and the size of its answer hold on every POSIX system.
On Linux the process also keeps only the system calls that reading a file takes (a seccomp filter on
x86-64 and ARM64): none reaches the network, another process, a new one or the mode of a file. It
gives up all files but those of Python and its libraries and, where runs are read or written, the
archive and a folder of its own (Landlock, from kernel 5.13). Neither needs root. Where the kernel
lacks one of them, the process has the other and the limits.
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
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from pathlib import Path

from ccviz.system import FORKS, limit_files, limit_memory

_OPEN_FILES = 256
_THREADS = 4096
"""Most threads of the account, which has other processes; they do not bind root."""
_MEMORY = 4 << 30
"""Bytes of memory from which the other sizes follow where memory has no limit."""
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # of prctl

# Numbers of the system calls of Landlock, the same on all machines.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446

_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/localtime", "/etc/ld.so.cache"),
    *("/dev/null", "/dev/urandom", "/dev/zero", "/sys/devices/system/cpu"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat"),
    "/proc/sys/kernel/random/boot_id",
)
"""Files and folders of the system that Python and the libraries read."""

_READ = 0b1101  # execute (as libraries), read a file, list a folder
_WRITE = 0b10
_OF_FILES = 0b111 | 1 << 14  # rights that a file may have; the others are of folders
_VERSION = 1  # flag: ask for the version
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}  # of files, by the version


@dataclass(frozen=True)
class Confinement:
    """What a process may take and touch."""

    memory: int | None
    seconds: float = math.inf
    # Whether it gives up network, processes and files; otherwise it has limits only.
    confined: bool = False
    # The archive that it may read and write, and a folder of its own for temporary files; both
    # empty if it writes nothing but its answer.
    archive: str = ""
    folder: str = ""

    @property
    def answer_bytes(self) -> int:
        """Most bytes of its answer."""
        return (self.memory or _MEMORY) // 4

    def enter(self) -> None:
        """Give up everything else, for good. The process must have no other threads yet."""
        limit_memory(self.memory)
        if not self.confined:
            return
        seconds = None
        if math.isfinite(self.seconds):
            seconds = math.ceil(self.seconds + 1) * (os.cpu_count() or 1)
        most = self.answer_bytes  # of a file; the archive may grow by the memory
        if self.archive:
            most = Path(self.archive).stat().st_size + (self.memory or _MEMORY)
        limit_files(seconds, most, _OPEN_FILES, _THREADS)
        os.environ.pop("NUMBA_CACHE_DIR", None)  # compiled code, which others run
        if self.folder:
            os.environ.update(TMPDIR=self.folder, NUMBA_CACHE_DIR=self.folder)
            tempfile.tempdir = None
        if FORKS:
            _leave_files(_files_of(self.archive), self.folder)
            _leave_calls()


def _files_of(archive: str) -> list[str]:
    """Return the files of an archive; SQLite's two beside it are made, since it may make none."""
    files = [archive, f"{archive}-wal", f"{archive}-shm"] if archive else []
    for each in files[1:]:
        with suppress(OSError):  # they are there, or the archive is only read
            Path(each).touch(exist_ok=False)
    return [each for each in files if Path(each).exists()]


# --- Files ----------------------------------------------------------------------------------------


def _leave_files(files: Iterable[str], folder: str) -> None:
    """Restrict the process to Python's files, to be read, and to some files and a folder."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:  # a kernel without Landlock
        return
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    handled = ctypes.c_uint64(rights)
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), 8, 0)
    if rules < 0:
        return
    ours = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), *sys.path}
    for each in {*_SYSTEM, *map(str, mimetypes.knownfiles), *ours} - {""}:
        if Path(each).exists():
            _allow(libc, rules, each, _READ)
    _allow(libc, rules, os.devnull, _WRITE)
    for each in (*files, folder):
        if each:
            _allow(libc, rules, each, rights)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Allow rights on a path and all below it."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rights &= -1 if Path(path).is_dir() else _OF_FILES
    libc.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", rights, place), 0)
    os.close(place)


# --- System calls ---------------------------------------------------------------------------------


CALLS: dict[str, tuple[int, int | None]] = {
    # Files that are open.
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "pwrite64": (18, 68), "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286),
    "pwritev2": (328, 287), "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "ftruncate": (77, 46),
    "fallocate": (285, 47), "fsync": (74, 82), "fdatasync": (75, 83), "sync_file_range": (277, 84),
    "fadvise64": (221, 223), "readahead": (187, 213), "flock": (73, 32), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "pipe": (22, None), "pipe2": (293, 59), "poll": (7, None),
    "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "eventfd2": (290, 19),
    # Files by name, which Landlock confines.
    "open": (2, None), "openat": (257, 56), "creat": (85, None), "stat": (4, None),
    "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78),
    "getdents": (78, None), "getdents64": (217, 61), "getcwd": (79, 17), "mkdir": (83, None),
    "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "umask": (95, 166),
    # Memory.
    "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226), "madvise": (28, 233),
    "brk": (12, 214), "msync": (26, 227), "mincore": (27, 232), "membarrier": (324, 283),
    "get_mempolicy": (239, 236), "set_mempolicy": (238, 237), "mbind": (237, 235),
    "pkey_alloc": (330, 289), "pkey_free": (331, 290), "pkey_mprotect": (329, 288),
    # Threads and signals of its own.
    "futex": (202, 98), "futex_waitv": (449, 449), "set_robust_list": (273, 99), "rseq": (334, 293),
    "set_tid_address": (218, 96), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "arch_prctl": (158, None), "restart_syscall": (219, 128), "exit": (60, 93),
    "exit_group": (231, 94),
    # Time, and what it is.
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
    "getrusage": (98, 165), "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173),
    "getpgid": (121, 155), "getpgrp": (111, None), "getsid": (124, 156), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148),
    "getresgid": (120, 150), "getgroups": (115, 158), "getrlimit": (97, 163),
    "getpriority": (140, 141), "uname": (63, 160), "sysinfo": (99, 179), "getrandom": (318, 278),
    "getcpu": (309, 168),
}  # fmt: skip
"""System calls that a confined process may make, with their numbers on x86-64 and ARM64."""

_LOW, _HIGH = 0, 1  # words of an argument
_ALL = 0xFFFFFFFF
CHECKED: dict[str, tuple[int, int, tuple[tuple[int, int, int, tuple[int, ...]], ...]]] = {
    # Only threads of this process, no process: CLONE_THREAD.
    "clone": (56, 220, ((0, _LOW, 1 << 16, (1 << 16,)),)),
    # Memory that is shared and no file's does not count as memory.
    "mmap": (9, 222, ((3, _LOW, 0x21, (0x00, 0x01, 0x20)),)),
    # Its own limits, which it may read only: process 0, no new limits.
    "prlimit64": (
        302, 261, ((0, _LOW, _ALL, (0,)), (2, _LOW, _ALL, (0,)), (2, _HIGH, _ALL, (0,))),
    ),
    # Copies, flags, locks; not F_SETOWN and F_SETSIG, by which files send signals to a process.
    "fcntl": (72, 25, ((1, _LOW, _ALL, (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)),)),
    "ioctl": (16, 29, ((1, _LOW, _ALL, (0x5401, 0x541B, 0x5450, 0x5451)),)),  # is it a terminal?
    "prctl": (157, 167, ((0, _LOW, _ALL, (15, 16, 0x53564D41)),)),  # names of threads, memory
}  # fmt: skip
"""Calls that may be made with some arguments, each with its numbers and its conditions: argument,
word of it, mask, and what the word may be under the mask."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the tables and the kernel's name of each machine."""
_CLONE3 = 435  # its arguments are in memory, where a filter sees nothing; without it: clone
_NEWEST = 449
"""Last call that the tables were made for. Libraries do without a newer one if it is said to be
missing, not if it is refused."""
_X32 = 0x40000000  # first number of a second table of the same calls on x86-64

_LOAD, _EQUAL, _MORE, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x54, 0x06  # operations
_ALLOW, _REFUSE, _MISSING = 0x7FFF0000, 0x00050000 | EPERM, 0x00050000 | ENOSYS


def _leave_calls() -> None:
    """Let the kernel refuse the system calls that are not in the tables."""
    machine = platform.machine()
    if machine not in _MACHINES:
        return
    program = call_filter(*_MACHINES[machine])
    steps = ctypes.create_string_buffer(program, len(program))
    about = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SET_SECCOMP, _FILTER, about)


def call_filter(column: int, machine: int) -> bytes:
    """Return the filter of a machine; calls by another machine's numbers are all refused."""
    steps = [
        (_LOAD, 0, 0, 4),  # the machine
        (_EQUAL, 1, 0, machine),  # steps to jump over if it is, and if it is not
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, 0),  # the call
    ]
    for call in (numbers[column] for numbers in CALLS.values()):
        if call is not None:
            steps += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ALLOW)]
    for *numbers, conditions in CHECKED.values():
        checks = [step for each in conditions for step in _check(*each)]
        checks.append((_RETURN, 0, 0, _ALLOW))
        steps += [(_EQUAL, 0, len(checks), numbers[column]), *checks]
    steps += [
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _MISSING),
        (_AT_LEAST, 1, 0, _X32),
        (_MORE, 1, 0, _NEWEST),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _MISSING),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


_Step = tuple[int, int, int, int]


def _check(argument: int, word: int, mask: int, values: tuple[int, ...]) -> list[_Step]:
    """Return the steps that refuse the call unless a word of an argument has one of the values."""
    many = len(values)
    return [
        (_LOAD, 0, 0, 16 + 8 * argument + 4 * word),
        (_AND, 0, 0, mask),
        *[(_EQUAL, many - place, 0, value) for place, value in enumerate(values)],
        (_RETURN, 0, 0, _REFUSE),
    ]
