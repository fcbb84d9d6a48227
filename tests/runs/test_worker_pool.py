"""Workers that wait: given away, replaced, killed, and gone with their parent."""

import os
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest

from ccviz import Problem
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.job import Job
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from tests.patience import PATIENCE_S, wait_until

PROBLEM = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)


def run(archive, pool, **options):
    job = Job.start(archive, PROBLEM, make_solver("k-means"), pool=pool, **options)
    assert job.wait(PATIENCE_S)
    return job


def test_a_run_gets_the_one_that_waits_and_another_takes_its_place(archive, pool):
    (waiting,) = pool.pids
    pool.expect("k-means")
    job = run(archive, pool)
    assert job.pid == waiting
    assert archive.info(job.run_id).termination == "converged"
    wait_until(lambda: len(pool.pids) == 1)
    assert pool.pids != (waiting,)


@pytest.mark.skipif(not ForkClient.possible, reason="this system does not fork workers")
def test_a_run_that_finds_none_waiting_is_forked_like_them(archive, pool):
    first, second = (
        Job.start(archive, PROBLEM, make_solver("k-means"), pool=pool, paused=True)
        for _ in range(2)
    )
    assert psutil.Process(second.pid).ppid() == pool.fork_client().pid
    assert second.pid != first.pid
    for job in (first, second):
        job.go_on()
        assert job.wait(PATIENCE_S)
        assert archive.info(job.run_id).termination == "converged"


def test_same_seed_same_events_wherever_it_runs(archive, pool):
    pool.expect("cop-kmeans")
    pool.expect("k-means")
    found = [
        [type(record.event).__name__ for record in archive.records(job.run_id)]
        for job in (run(archive, pool, seed=4), run(archive, None, seed=4))
    ]
    assert found[0] == found[1]


def test_a_killed_one_costs_nothing(archive, pool):
    (waiting,) = pool.pids
    os.kill(waiting, signal.SIGKILL)
    wait_until(lambda: psutil.Process(waiting).status() == psutil.STATUS_ZOMBIE)
    job = run(archive, pool)
    assert job.pid != waiting
    assert archive.info(job.run_id).termination == "converged"


def test_one_that_is_killed_as_it_is_given_a_run_costs_nothing(archive, pool):
    (waiting,) = pool.pids
    os.kill(waiting, signal.SIGSTOP)
    job = Job.start(archive, PROBLEM, make_solver("k-means"), pool=pool, paused=True)
    assert job.pid == waiting
    job.step()
    os.kill(waiting, signal.SIGKILL)
    wait_until(lambda: archive.info(job.run_id).last_seq == 0)  # the new one heard of the step
    assert job.pid != waiting
    job.go_on()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"


def test_one_whose_run_was_ended_is_not_replaced(archive, pool):
    (waiting,) = pool.pids
    os.kill(waiting, signal.SIGSTOP)
    job = Job.start(archive, PROBLEM, make_solver("k-means"), pool=pool)
    job.kill()
    assert job.wait(PATIENCE_S)
    assert job.pid == waiting
    assert archive.info(job.run_id).termination == "interrupted"


@pytest.mark.slow
def test_who_closes_them_ends_them(archive):
    pool = WorkerPool(archive.path, size=2)
    pool.fill()
    pids = pool.pids
    assert len(pids) == 2
    pool.close()
    pool.fill()
    assert pool.pids == ()
    wait_until(lambda: not any(map(psutil.pid_exists, pids)))


def test_they_end_with_a_parent_that_is_killed(archive):
    code = (
        "import sys, time; from pathlib import Path\n"
        "from ccviz.runs.worker_pool import WorkerPool\n"
        f"pool = WorkerPool(Path({str(archive.path)!r})); pool.fill(); print(*pool.pids)\n"
        "sys.stdout.flush(); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    waiting = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not psutil.pid_exists(waiting))


def test_an_unknown_solver_is_nothing_to_load(archive, pool):
    pool.expect("nobody")
    assert archive.info(run(archive, pool).run_id).termination == "converged"
