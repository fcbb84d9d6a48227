"""Workers forked by the fork server: their ends are reported, and neither ends the other."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from ccviz import Problem
from ccviz.runs.fork_client import UNABLE, ForkClient
from ccviz.runs.job import Job
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from ccviz.views.lab.sandboxed_call import SandboxedCall
from tests.patience import PATIENCE_S, wait_until

PROBLEM = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)

pytestmark = pytest.mark.skipif(not ForkClient.possible, reason="no forks on this system")


def start(archive, pool, **options):
    return Job.start(archive, PROBLEM, make_solver("k-means"), pool=pool, **options)


def fork_server(pool):
    (waiting,) = pool.pids
    return psutil.Process(waiting).parent()


def another_waits(pool):
    wait_until(lambda: len(pool.pids) == 1)


@pytest.mark.slow
def test_one_fork_server_forks_all_and_keeps_nothing_of_them(archive, pool):
    client = fork_server(pool)
    assert client.ppid() == os.getpid()
    kept = client.num_fds()
    for _ in range(3):
        job = start(archive, pool)
        assert psutil.Process(job.pid).parent() == client
        assert job.wait(PATIENCE_S)
        assert archive.info(job.run_id).termination == "converged"
        another_waits(pool)
    wait_until(lambda: [each.pid for each in client.children()] == list(pool.pids))
    assert client.num_fds() == kept


@pytest.mark.slow
def test_a_worker_has_a_session_and_three_descriptors_of_its_own(pool):
    (waiting,) = pool.pids
    wait_until(lambda: os.getsid(waiting) == waiting)
    wait_until(lambda: psutil.Process(waiting).num_fds() == 3)


@pytest.mark.slow
def test_nothing_that_waits_at_an_interpreters_end_keeps_a_process(pool):
    waits = ("import atexit, signal; atexit.register(signal.pause)", {})
    call = SandboxedCall(exec, waits, 10 * PATIENCE_S, 1 << 34, pool)
    wait_until(lambda: call.done)
    assert call.answer() is None


def test_a_killed_worker_says_so_and_takes_its_own_processes_along(archive, pool):
    job = start(archive, pool, paused=True)
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
    os.kill(job.pid, signal.SIGKILL)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).message == "The worker was killed (signal 9)."


@pytest.mark.slow
def test_a_broken_worker_says_what_broke(archive, pool, tmp_path):
    (waiting,) = pool.pids
    os.kill(waiting, signal.SIGSTOP)
    job = start(archive, pool)
    (tmp_path / "runs.sqlite").rename(tmp_path / "elsewhere.sqlite")
    (tmp_path / "runs.sqlite").write_bytes(b"no archive " * 100)
    os.kill(waiting, signal.SIGCONT)
    assert job.wait(PATIENCE_S)
    (tmp_path / "runs.sqlite").unlink()
    assert "The worker failed: ccviz.errors.ArchiveError" in job.not_stored or (
        "The worker failed: ccviz.errors.ArchiveError" in archive.info(job.run_id).message
    )


@pytest.mark.slow
def test_a_run_outlives_its_fork_server_and_the_next_has_a_new_one(archive):
    pool = WorkerPool(archive.path)
    pool.fill()
    first = fork_server(pool)
    job = start(archive, pool, paused=True)
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
    first.kill()
    wait_until(lambda: first.status() == psutil.STATUS_ZOMBIE)
    assert job.alive
    job.go_on()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    pool.fill()
    wait_until(lambda: len(pool.pids) == 1 and pool.pids[0])
    assert fork_server(pool) != first
    pool.close()


@pytest.mark.slow
def test_a_run_that_waits_for_a_fork_server_which_is_killed_has_a_worker_all_the_same(archive):
    pool = WorkerPool(archive.path)
    pool.fill()
    client = psutil.Process(pool.fork_client().pid)
    client.suspend()
    job = start(archive, pool)
    client.kill()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    pool.close()


def test_a_process_with_threads_is_not_forked():
    code = (
        "import socket, sys, threading\n"
        "from ccviz.runs.fork_server import ForkServer\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "ForkServer(socket.socket(fileno=int(sys.argv[1]))).serve()"
    )
    orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with orders, theirs, Path(os.devnull).open("r+b") as nothing:
        socket.send_fds(orders, [b"ccviz.runs.worker\0runs.sqlite"], 4 * [nothing.fileno()])
        ended = subprocess.run(
            [sys.executable, "-c", code, str(theirs.fileno())],
            pass_fds=[theirs.fileno()], check=False,
        )  # fmt: skip
    assert ended.returncode == UNABLE


def test_where_the_kernel_tells_no_ends_nothing_is_forked():
    code = (
        "import errno, os, sys\n"
        "def none(pid): raise OSError(errno.ENOSYS, 'no such call')\n"
        "os.pidfd_open = none\n"
        "from ccviz.runs.fork_server import main; main()"
    )
    assert (
        subprocess.run([sys.executable, "-c", code, "0", "k-means"], check=False).returncode
        == UNABLE
    )


@pytest.mark.slow
def test_a_forked_worker_has_processes_of_its_own(archive, pool):
    problem = Problem(np.random.default_rng(3).normal(size=(40, 2)), 4, cannot_link=[(0, 1)])
    solver = make_solver("sdp")
    job = Job.start(archive, problem, solver, workers=2, pool=pool)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "proved"


@pytest.mark.slow
@pytest.mark.parametrize("why", ["possible", "unable"])
def test_where_nothing_can_be_forked_workers_are_new_interpreters(archive, monkeypatch, why):
    monkeypatch.setattr(ForkClient, why, why == "unable")
    pool = WorkerPool(archive.path)
    pool.fill()
    pool.fill()
    if why == "possible":
        assert psutil.Process(pool.pids[0]).ppid() == os.getpid()
    job = start(archive, pool)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    pool.close()
