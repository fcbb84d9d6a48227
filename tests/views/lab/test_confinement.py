"""A process that reads a file has no rights but to read it."""

import ctypes
import os
import platform
import re
import resource
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from ccviz.errors import CcvizError
from ccviz.quota import ONE_PERSON
from ccviz.runs.archive import Archive
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab import confinement, sandboxed_call
from ccviz.views.lab.sandboxed_call import SandboxedCall
from tests.patience import PATIENCE_S, wait_until

LANDLOCK = sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1
confined_files = pytest.mark.skipif(not LANDLOCK, reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    pool = WorkerPool(tmp_path_factory.mktemp("pool") / "runs.sqlite")
    yield pool
    pool.close()


@pytest.fixture(params=["forked", pytest.param("new", marks=pytest.mark.slow)])
def attack(request, pool):
    """Return a function that runs code as a hostile file could, and returns what it found."""
    if request.param == "forked" and not ForkClient.possible:
        pytest.skip("no forks on this system")

    def run(code, archive="", **limits):
        shown = f"try:\n {code}\nexcept OSError as e: done = type(e).__name__\nelse: done = ''\n"
        source = f"exec({shown!r}, found := {{}}) or found['done']"
        limits = {"seconds": PATIENCE_S, "memory": ONE_PERSON.reading_bytes} | limits
        call = SandboxedCall(
            eval, (source,), pool=pool if request.param == "forked" else None, confined=True,
            archive=str(archive), **limits,
        )  # fmt: skip
        wait_until(lambda: call.done)
        return call.answer()

    return run


CALL = (
    "import ctypes as c, os\n l = c.CDLL(None, use_errno=True)\n"
    " if l.{}: raise OSError(c.get_errno(), '')"
)
FORK = (
    "import ctypes as c, os\n l = c.CDLL(None, use_errno=True)\n pid = l.syscall({})\n"
    " if pid == 0: os._exit(0)\n if pid < 0: raise OSError(c.get_errno(), '')"
)
LINUX = sys.platform == "linux" and platform.machine() == "x86_64"
ATTACKS = {
    "a socket": "import socket; socket.socket()",
    "a local socket": "import socket; socket.socket(socket.AF_UNIX)",
    "two sockets": "import socket; socket.socketpair()",
    "another program": "import os; os.execv('/bin/true', ['true'])",
    "a program": "import subprocess; subprocess.run(['true'])",
    "a spawned program": "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "a signal": "import os; os.kill(PARENT, 0)",
    "a signal to a group": "import os; os.killpg(os.getpgid(PARENT), 0)",
    "a signal to a thread": CALL.format("syscall(234, PARENT, PARENT, 0)"),  # tgkill
    "an older signal to a thread": CALL.format("syscall(200, PARENT, 0)"),  # tkill
    "a queued signal": CALL.format("syscall(129, PARENT, 0, c.create_string_buffer(128))"),
    "a signal by a descriptor": CALL.format("syscall(424, 0, 0, 0, 0)"),
    "a descriptor of a process": "import os; os.pidfd_open(PARENT)",
    "a signal by a file": "import fcntl, os; fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, PARENT)",
    "the signal of a file": "import fcntl, os; fcntl.fcntl(os.pipe()[0], 10, 9)",  # F_SETSIG
    "the owner of a file": (
        "import fcntl, os, struct; fcntl.ioctl(os.pipe()[0], 0x8901, struct.pack('i', PARENT))"
    ),
    "limits of a process": "import resource as r; r.prlimit(PARENT, r.RLIMIT_NOFILE)",
    "own limits": CALL.format("syscall(302, 0, 0, (c.c_ulong * 2)(9, 9), 0) < 0"),
    "a priority": "import os; os.setpriority(os.PRIO_PROCESS, PARENT, 19)",
    "own priority": "import os; os.nice(1)",
    "the cores of a process": "import os; os.sched_setaffinity(PARENT, {0})",
    "the scheduler": "import os; os.sched_setscheduler(PARENT, os.SCHED_IDLE, os.sched_param(0))",
    "the disk's priority": CALL.format("syscall(251, 1, PARENT, 3 << 13)"),  # ioprio_set
    "a fork": "import os\n if not os.fork(): os._exit(0)",
    "a fork by its number": FORK.format("57"),
    "a fork by clone": FORK.format("56, 17, 0, 0, 0, 0"),
    "a parent's child": FORK.format("56, 0x8011, 0, 0, 0, 0"),
    "a clone by a structure": CALL.format("syscall(435, c.create_string_buffer(88), 88) < 0"),
    "a session": CALL.format("setsid() < 0"),
    "a group": CALL.format("setpgid(0, PARENT) < 0"),
    "a user namespace": CALL.format("unshare(0x10000000)"),
    "a debugger": CALL.format("ptrace(16, PARENT, 0, 0)"),
    "another's memory": CALL.format("process_vm_readv(PARENT, 0, 0, 0, 0, 0)"),
    "shared memory": CALL.format("shmget(0, 4096, 0o1600) < 0"),
    "semaphores": CALL.format("semget(0, 1, 0o1600) < 0"),
    "messages": CALL.format("msgget(0, 0o1600) < 0"),
    "memory that does not count": "import mmap; mmap.mmap(-1, 4096)",
    "a file of memory": "import os; os.memfd_create('x')",
    "a key": CALL.format("syscall(248, b'user', b'x', b'y', 1, -3) < 0"),  # add_key
    "a ring": CALL.format("syscall(425, 1, c.create_string_buffer(120)) < 0"),  # io_uring_setup
    "a watch": CALL.format("inotify_init1(0) < 0"),
    "a mode": "import os; os.chmod(SECRET, 0o777)",
    "a mode of the archive": "import os; os.chmod(ARCHIVE, 0o777)",
    "an owner": "import os; os.chown(SECRET, -1, -1)",
    "a time": "import os; os.utime(SECRET, (0, 0))",
    "an attribute": "import os; os.setxattr(SECRET, 'user.x', b'y')",
    "a link": "import os; os.link(SECRET, SECRET + '2')",
    "a mount": CALL.format("mount(0, b'/mnt', b'tmpfs', 0, 0)"),
    "a clock": "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
    "a file of another": "open(SECRET)",
    "the key of the cookies": "open(HOME + '/cookie-key')",
    "a kernel": "open(HOME + '/kernels/index.nbi', 'w')",
    "a new file in the home": "open(HOME + '/new', 'w')",
    "the archive out of the way": "import os; os.rename(ARCHIVE, HOME + '/old')",
    "a new file for all": "open(TEMPORARY + '/ccviz-planted', 'w')",
    "another's memory as a file": "open(f'/proc/{PARENT}/mem')",
    "the server's environment": "open(f'/proc/{PARENT}/environ')",
}


@pytest.fixture
def home(tmp_path):
    """Return a folder with an archive in use, a key and compiled code."""
    (tmp_path / "kernels").mkdir()
    for name in ("cookie-key", "kernels/index.nbi", "secret"):
        (tmp_path / name).write_text("key")
    with Archive(tmp_path / "runs.sqlite") as archive:
        archive.runs()
        yield tmp_path


def state_of(home):
    """Return what an attack could change: files, processes, limits, priority, cores."""
    files = {each: (each.stat().st_mode, each.stat().st_mtime) for each in home.rglob("*")}
    limits = [resource.getrlimit(each) for each in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE)]
    planted = (Path(tempfile.gettempdir()) / "ccviz-planted").exists()
    return files, limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), planted


@pytest.mark.skipif(not (LINUX and LANDLOCK), reason="the calls have their numbers on x86-64")
@pytest.mark.parametrize("code", ATTACKS.values(), ids=ATTACKS)
def test_it_reaches_no_network_no_process_and_no_other_file(attack, home, code):
    places = {"HOME": home, "SECRET": home / "secret", "ARCHIVE": home / "runs.sqlite"}
    places["TEMPORARY"] = Path(tempfile.gettempdir())
    for word, place in places.items():
        code = re.sub(rf"\b{word}\b", repr(str(place)), code)
    before = state_of(home)
    found = attack(code.replace("PARENT", str(os.getpid())), archive=home / "runs.sqlite")
    assert found in {"PermissionError", "OSError"}
    assert state_of(home) == before


def answer_of_filter(program, machine, number, arguments=()):
    """Return what the kernel answers to a call: a small machine that runs the filter."""
    call = struct.pack("<IIQ6Q", number, machine, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("HBBI", program))
    value = at = 0
    while True:
        step, yes, no, word = steps[at]
        at += 1
        if step == 0x06:
            return word
        if step == 0x20:
            value = struct.unpack_from("<I", call, word)[0]
        elif step == 0x54:
            value &= word
        else:
            is_so = {0x15: value == word, 0x25: value > word, 0x35: value >= word}[step]
            at += yes if is_so else no


@pytest.mark.parametrize(("column", "machine"), [(0, 0xC000003E), (1, 0xC00000B7)])
def test_the_table_of_calls_is_what_the_kernel_is_told(column, machine):
    program = confinement.call_filter(column, machine)
    assert len(program) // 8 <= 4096  # the kernel's limit
    numbers = [each[column] for each in confinement.CALLS.values() if each[column] is not None]
    special = {name: each[column] for name, each in confinement.CHECKED.items()}
    assert len({*numbers, *special.values()}) == len(numbers) + len(special)

    def told(number, *arguments):
        answer = answer_of_filter(program, machine, number, arguments)
        return {0x7FFF0000: "allowed", 0x50001: "EPERM", 0x50026: "ENOSYS"}[answer]

    assert {each for each in range(450) if told(each) == "allowed"} - set(special.values()) == {
        *numbers
    }
    assert {told(each) for each in (435, 450, 999)} == {"ENOSYS"}  # libraries take an older one
    assert told(1 << 30) == "EPERM"
    assert answer_of_filter(program, 0x40000003, numbers[0]) == 0x50001  # calls of 32 bits
    assert (told(special["clone"], 0x3D0F00), told(special["clone"], 17)) == ("allowed", "EPERM")
    limits = special["prlimit64"]
    assert [told(limits, 0, 7, new) for new in (0, 1, 1 << 32)] == ["allowed", "EPERM", "EPERM"]
    assert told(limits, 1, 7, 0) == "EPERM"
    shares = [told(special["mmap"], 0, 9, 3, flags) for flags in (0x22, 0x01, 0x21, 0x23)]
    assert shares == ["allowed", "allowed", "EPERM", "EPERM"]
    assert [told(special["fcntl"], 0, do) for do in (2, 6, 8, 10)] == ["allowed"] * 2 + [
        "EPERM"
    ] * 2


HEADERS = {
    0: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 1: "/usr/include/asm-generic/unistd.h",
}  # fmt: skip


@pytest.mark.parametrize("column", HEADERS)
def test_the_numbers_of_the_calls_are_those_of_the_kernel(column):
    if not Path(HEADERS[column]).exists():
        pytest.skip("no headers of the kernel here")
    text = Path(HEADERS[column]).read_text(encoding="ascii")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    known.setdefault("newfstatat", known.get("fstatat"))
    for name, each in (confinement.CALLS | confinement.CHECKED).items():
        assert each[column] is None or known[name] == str(each[column]), name


@pytest.mark.skipif(not LINUX, reason="a thread is made by its number on x86-64")
def test_it_has_threads_and_ends_with_its_process(attack):
    assert attack("import threading\n t = threading.Thread(target=int); t.start(); t.join()") == ""


def outlive(seconds):
    """Leave a process behind, where that is not refused."""
    return os.fork() or time.sleep(seconds)


@pytest.mark.skipif(not ForkClient.possible, reason="no forks on this system")
def test_what_a_call_has_started_ends_with_it(pool):
    call = SandboxedCall(outlive, (PATIENCE_S,), PATIENCE_S, None, pool)
    wait_until(lambda: call.done)
    left = call.answer()
    wait_until(lambda: not psutil.pid_exists(left) or psutil.Process(left).status() == "zombie")


def lengthen(size):
    """Make the answer long, and have it end well."""
    os.ftruncate(1, size)
    os._exit(0)


@pytest.mark.parametrize("size", [(1 << 26) + 1, 1 << 40])
def test_an_answer_that_is_too_long_is_not_read(pool, tmp_path, size):
    with Archive(tmp_path / "runs.sqlite") as archive:
        call = SandboxedCall(lengthen, (size,), PATIENCE_S, 1 << 28, pool)
        wait_until(lambda: call.done)
        with pytest.raises(CcvizError, match="longer than is allowed"):
            call.answer()
        assert archive.runs() == []


def test_a_long_answer_is_read_beside_the_page(pool, monkeypatch):
    threads = []
    monkeypatch.setattr(
        sandboxed_call, "decode_answer", lambda *_: threads.append(threading.current_thread())
    )
    call = SandboxedCall(int, (), PATIENCE_S, None, pool)
    wait_until(lambda: call.done)
    call.answer()
    assert threads != [threading.current_thread()]


def test_it_has_no_word_of_the_server_s_environment(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("CCVIZ_SECRET", "a-word-of-the-server")
    pool = WorkerPool(tmp_path_factory.mktemp("pool") / "runs.sqlite")
    for each in [pool, None]:
        call = SandboxedCall(
            eval, ("open('/proc/self/environ').read() + str(__import__('os').environ)",),
            PATIENCE_S, ONE_PERSON.reading_bytes, each, confined=True,
        )  # fmt: skip
        wait_until(lambda call=call: call.done)
        assert "a-word-of-the-server" not in call.answer()
    pool.close()


@confined_files
def test_it_reads_and_writes_no_file_of_anyone(attack, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    assert attack(f"open({str(secret)!r})") == "PermissionError"
    assert attack(f"open({str(secret)!r}, 'w')") == "PermissionError"
    assert attack(f"import os; os.remove({str(secret)!r})") == "PermissionError"
    assert attack(f"import os; os.listdir({str(tmp_path)!r})") == "PermissionError"
    new = Path(tempfile.gettempdir()) / f"new-{uuid4().hex}"  # no name that may be there
    assert attack(f"open({str(new)!r}, 'w')") == "PermissionError"
    assert attack(f"open('/proc/{os.getpid()}/cmdline')") == "PermissionError"
    assert secret.read_text() == "key"


def test_it_still_reads_its_libraries(attack):
    assert attack("import openpyxl, colorsys, ccviz.data.sheet, numpy.fft") == ""


def test_it_has_a_folder_of_its_own_which_goes_with_it(attack, home):
    archive = home / "runs.sqlite"
    assert attack("import tempfile; tempfile.TemporaryFile()") == "FileNotFoundError"
    found = attack(
        "import os, tempfile\n folder = tempfile.gettempdir()\n open(folder + '/x', 'w')\n"
        f" if folder == {tempfile.gettempdir()!r}: raise ProcessLookupError",
        archive=archive,
    )
    assert found == ""
    assert (
        attack(
            f"import sqlite3; sqlite3.connect({str(archive)!r}).execute('DELETE FROM runs')",
            archive=archive,
        )
        == ""
    )


def test_it_has_limits_on_its_answer_its_files_and_its_time(attack):
    assert attack("import os; os.ftruncate(1, 2 << 30)", memory=1 << 30) == "OSError"
    assert attack("import os; [os.open('/dev/null', 0) for _ in range(999)]") == "OSError"
    found = attack(
        "import os, resource as r\n"
        " seconds = 99 * os.cpu_count()\n"
        " if r.getrlimit(r.RLIMIT_CPU)[0] <= seconds: raise ProcessLookupError",
        seconds=98.0,
    )
    assert found == "ProcessLookupError"
