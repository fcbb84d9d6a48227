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
from tests.patience import wait_until

BACK = "from ccviz.runs.priority import stand_back; stand_back(7)"
AUTOGROUP = Path("/proc/self/autogroup")


def weight(**how):
    """Return how a process that stood back is weighed among sessions."""
    look = f"{BACK}; print(open('{AUTOGROUP}').read().split()[-1])"
    ended = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True, **how
    )
    return int(ended.stdout)


def test_a_run_stands_back_behind_who_shows_it(tmp_path):
    problem = Problem(np.arange(8.0).reshape(4, 2), 2)
    with Archive(tmp_path / "runs.sqlite") as archive:
        job = Job.start(archive, problem, make_solver("cop-kmeans", n_init=100_000_000))
        wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
        niceness = psutil.Process(job.pid).nice()
        job.kill()
        job.wait()
    assert niceness == min(19, psutil.Process().nice() + 5)


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="only Linux weighs sessions")
def test_a_session_is_weighed_only_by_who_began_it():
    mine = int(AUTOGROUP.read_text().split()[-1])
    assert weight(start_new_session=True) == 7
    assert weight() == mine == int(AUTOGROUP.read_text().split()[-1])
