"""A process that reads a file has no rights but to read it."""

import ctypes
import os
import sys
import tempfile
from pathlib import Path

import pytest

from ccviz.quota import ONE_PERSON
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool
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

    def run(code, writes="", **limits):
        shown = f"try:\n {code}\nexcept OSError as e: done = type(e).__name__\nelse: done = ''\n"
        source = f"exec({shown!r}, found := {{}}) or found['done']"
        limits = {"seconds": PATIENCE_S, "memory": ONE_PERSON.reading_bytes} | limits
        call = SandboxedCall(
            eval, (source,), pool=pool if request.param == "forked" else None, confined=True,
            writes=str(writes), **limits,
        )  # fmt: skip
        wait_until(lambda: call.done)
        return call.answer()

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux")
@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.kill(os.getppid(), 0)",
        "import subprocess; subprocess.run(['true'])",
    ],
)
def test_it_reaches_no_network_no_program_and_no_process(attack, code):
    assert attack(code) == "PermissionError"


@confined_files
def test_it_reads_and_writes_no_file_of_anyone(attack, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    assert attack(f"open({str(secret)!r})") == "PermissionError"
    assert attack(f"open({str(secret)!r}, 'w')") == "PermissionError"
    assert attack(f"import os; os.remove({str(secret)!r})") == "PermissionError"
    assert attack(f"import os; os.listdir({str(tmp_path)!r})") == "PermissionError"
    assert attack(f"open({str(Path(tempfile.gettempdir()) / 'new')!r}, 'w')") == "PermissionError"
    assert attack(f"open('/proc/{os.getpid()}/cmdline')") == "PermissionError"
    assert secret.read_text() == "key"


def test_it_still_reads_its_libraries_and_the_folder_it_is_given(attack, tmp_path):
    assert attack("import openpyxl, colorsys, ccviz.data.sheet, numpy.fft") == ""
    assert attack(f"open({str(tmp_path / 'run')!r}, 'w')", writes=tmp_path) == ""


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
