"""A killed resource tracker costs no traceback."""

import subprocess
import sys

import pytest

LOSE_IT = """
import gc, os, signal
from multiprocessing import resource_tracker
from ccviz.solvers.search.backends import Processes

if __name__ == "__main__":
    pool = Processes(1)
    assert pool.open(0).submit(abs, -3).result() == 3
    tracker = resource_tracker._resource_tracker._pid
    os.kill(tracker, signal.SIGKILL)
    os.waitid(os.P_PID, tracker, os.WEXITED | os.WNOWAIT)
    pool.close()
    del pool
    gc.collect()
    print("closed")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource tracker")
def test_a_killed_tracker_writes_no_traceback(tmp_path):
    script = tmp_path / "lose_it.py"
    script.write_text(LOSE_IT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "closed\n"
    assert "KeyError" not in done.stderr
    assert "Traceback" not in done.stderr
