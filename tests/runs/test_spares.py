"""Workers that wait: given away, replaced, killed, and gone with their parent."""

import os
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest

from ccviz import Problem
from ccviz.runs.forked import Forks
from ccviz.runs.job import Job
from ccviz.runs.spares import Spares
from ccviz.solvers import make_solver
from tests.patience import PATIENCE_S, wait_until

PROBLEM = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)


def run(archive, spares, **options):
    job = Job.start(archive, PROBLEM, make_solver("k-means"), spares=spares, **options)
    assert job.wait(PATIENCE_S)
    return job


def test_a_run_gets_the_one_that_waits_and_another_takes_its_place(archive, spares):
    (waiting,) = spares.pids
    spares.expect("k-means")
    job = run(archive, spares)
    assert job.pid == waiting
    assert archive.info(job.run_id).termination == "converged"
    wait_until(lambda: len(spares.pids) == 1)
    assert spares.pids != (waiting,)


@pytest.mark.skipif(not Forks.possible, reason="this system does not fork workers")
def test_a_run_that_finds_none_waiting_is_forked_like_them(archive, spares):
    first, second = (
        Job.start(archive, PROBLEM, make_solver("k-means"), spares=spares, paused=True)
        for _ in range(2)
    )
    assert psutil.Process(second.pid).ppid() == spares.nursery().pid
    assert second.pid != first.pid
    for job in (first, second):
        job.go_on()
        assert job.wait(PATIENCE_S)
        assert archive.info(job.run_id).termination == "converged"


def test_same_seed_same_events_wherever_it_runs(archive, spares):
    spares.expect("cop-kmeans")
    spares.expect("k-means")
    found = [
        [type(record.event).__name__ for record in archive.records(job.run_id)]
        for job in (run(archive, spares, seed=4), run(archive, None, seed=4))
    ]
    assert found[0] == found[1]


def test_a_killed_one_costs_nothing(archive, spares):
    (waiting,) = spares.pids
    os.kill(waiting, signal.SIGKILL)
    wait_until(lambda: psutil.Process(waiting).status() == psutil.STATUS_ZOMBIE)
    job = run(archive, spares)
    assert job.pid != waiting
    assert archive.info(job.run_id).termination == "converged"


def test_one_that_is_killed_as_it_is_given_a_run_costs_nothing(archive, spares):
    (waiting,) = spares.pids
    os.kill(waiting, signal.SIGSTOP)
    job = Job.start(archive, PROBLEM, make_solver("k-means"), spares=spares, paused=True)
    assert job.pid == waiting
    job.step()
    os.kill(waiting, signal.SIGKILL)
    wait_until(lambda: archive.info(job.run_id).last_seq == 0)  # the new one heard of the step
    assert job.pid != waiting
    job.go_on()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"


def test_one_whose_run_was_ended_is_not_replaced(archive, spares):
    (waiting,) = spares.pids
    os.kill(waiting, signal.SIGSTOP)
    job = Job.start(archive, PROBLEM, make_solver("k-means"), spares=spares)
    job.kill()
    assert job.wait(PATIENCE_S)
    assert job.pid == waiting
    assert archive.info(job.run_id).termination == "interrupted"


def test_who_closes_them_ends_them(archive):
    spares = Spares(archive.path, many=2)
    spares.fill()
    pids = spares.pids
    assert len(pids) == 2
    spares.close()
    spares.fill()
    assert spares.pids == ()
    wait_until(lambda: not any(map(psutil.pid_exists, pids)))


def test_they_end_with_a_parent_that_is_killed(archive):
    code = (
        "import sys, time; from pathlib import Path; from ccviz.runs.spares import Spares\n"
        f"spares = Spares(Path({str(archive.path)!r})); spares.fill(); print(*spares.pids)\n"
        "sys.stdout.flush(); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    waiting = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not psutil.pid_exists(waiting))


def test_an_unknown_solver_is_nothing_to_load(archive, spares):
    spares.expect("nobody")
    assert archive.info(run(archive, spares).run_id).termination == "converged"
