import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from ccviz import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.solvers import make_solver
from ccviz.system import POSIX
from tests.patience import wait_until

BACK = "from ccviz.system import lower_priority; lower_priority(7)"
AUTOGROUP = Path("/proc/self/autogroup")
ENABLED = Path("/proc/sys/kernel/sched_autogroup_enabled")
WEIGHED = ENABLED.exists() and ENABLED.read_text().strip() == "1"


def weight(**how):
    """Return what Linux says of the session of a process that stood back."""
    look = f"{BACK}; print(open('{AUTOGROUP}').read().strip())"
    ended = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True, **how
    )
    return ended.stdout.strip()


@pytest.mark.skipif(not POSIX, reason="no priorities")
def test_a_run_stands_back_behind_who_shows_it(tmp_path):
    problem = Problem(np.arange(8.0).reshape(4, 2), 2)
    with Archive(tmp_path / "runs.sqlite") as archive:
        job = Job.start(archive, problem, make_solver("cop-kmeans", n_init=100_000_000))
        wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
        niceness = psutil.Process(job.pid).nice()
        job.kill()
        job.wait()
    assert niceness == min(19, psutil.Process().nice() + 5)


@pytest.mark.skipif(not (POSIX and WEIGHED), reason="this system does not weigh sessions")
def test_a_session_is_weighed_only_by_who_began_it():
    mine = AUTOGROUP.read_text().strip()  # empty where this session has no weight of its own
    assert weight(start_new_session=True).endswith("nice 7")
    assert weight() == mine == AUTOGROUP.read_text().strip()
