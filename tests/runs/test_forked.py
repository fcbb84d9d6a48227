"""Workers that a nursery forks: their ends are told, and neither takes the other along."""

import atexit
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
from ccviz.runs.forked import UNABLE, Forks
from ccviz.runs.job import Job
from ccviz.runs.spares import Spares
from ccviz.solvers import make_solver
from ccviz.views.lab.errand import Errand
from tests.patience import PATIENCE_S, wait_until

PROBLEM = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)

pytestmark = pytest.mark.skipif(not Forks.possible, reason="no forks on this system")


def start(archive, spares, **options):
    return Job.start(archive, PROBLEM, make_solver("k-means"), spares=spares, **options)


def nursery(spares):
    (waiting,) = spares.pids
    return psutil.Process(waiting).parent()


def another_waits(spares):
    wait_until(lambda: len(spares.pids) == 1)


def test_one_nursery_forks_all_and_keeps_nothing_of_them(archive, spares):
    forks = nursery(spares)
    assert forks.ppid() == os.getpid()
    kept = forks.num_fds()
    for _ in range(3):
        job = start(archive, spares)
        assert psutil.Process(job.pid).parent() == forks
        assert job.wait(PATIENCE_S)
        assert archive.info(job.run_id).termination == "converged"
        another_waits(spares)
    wait_until(lambda: [each.pid for each in forks.children()] == list(spares.pids))
    assert forks.num_fds() == kept


def test_a_worker_has_a_session_and_three_descriptors_of_its_own(spares):
    (waiting,) = spares.pids
    wait_until(lambda: os.getsid(waiting) == waiting)
    wait_until(lambda: psutil.Process(waiting).num_fds() == 3)


def test_nothing_that_waits_at_an_interpreters_end_keeps_a_process(spares):
    errand = Errand(atexit.register, (signal.pause,), 10 * PATIENCE_S, 1 << 34, spares)
    wait_until(lambda: errand.done)
    assert errand.answer() is signal.pause


def test_a_killed_worker_says_so_and_takes_its_own_processes_along(archive, spares):
    job = start(archive, spares, paused=True)
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
    os.kill(job.pid, signal.SIGKILL)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).message == "The worker was killed (signal 9)."


def test_a_broken_worker_says_what_broke(archive, spares, tmp_path):
    (waiting,) = spares.pids
    os.kill(waiting, signal.SIGSTOP)
    job = start(archive, spares)
    (tmp_path / "runs.sqlite").rename(tmp_path / "elsewhere.sqlite")
    (tmp_path / "runs.sqlite").write_bytes(b"no archive " * 100)
    os.kill(waiting, signal.SIGCONT)
    assert job.wait(PATIENCE_S)
    (tmp_path / "runs.sqlite").unlink()
    assert "The worker broke off: ccviz.errors.ArchiveError" in job.untold or (
        "The worker broke off: ccviz.errors.ArchiveError" in archive.info(job.run_id).message
    )


def test_a_run_outlives_its_nursery_and_the_next_has_a_new_one(archive, spares):
    first = nursery(spares)
    job = start(archive, spares, paused=True)
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq >= 0)
    first.kill()
    wait_until(lambda: first.status() == psutil.STATUS_ZOMBIE)
    assert job.alive
    job.go_on()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    spares.fill()
    wait_until(lambda: len(spares.pids) == 1 and spares.pids[0])
    assert nursery(spares) != first


def test_a_run_that_waits_for_a_nursery_which_is_killed_has_a_worker_all_the_same(archive):
    spares = Spares(archive.path)
    spares.fill()
    forks = next(
        each for each in psutil.Process().children() if "ccviz.runs.nursery" in each.cmdline()
    )
    forks.suspend()
    job = start(archive, spares)
    forks.kill()
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    spares.close()


def test_a_process_with_threads_is_not_forked():
    code = (
        "import socket, sys, threading\n"
        "from ccviz.runs.nursery import Nursery\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "Nursery(socket.socket(fileno=int(sys.argv[1]))).tend()"
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
        "from ccviz.runs.nursery import main; main()"
    )
    assert (
        subprocess.run([sys.executable, "-c", code, "0", "k-means"], check=False).returncode
        == UNABLE
    )


def test_a_forked_worker_has_processes_of_its_own(archive, spares):
    problem = Problem(np.random.default_rng(3).normal(size=(40, 2)), 4, cannot_link=[(0, 1)])
    solver = make_solver("sdp")
    job = Job.start(archive, problem, solver, workers=2, spares=spares)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "proved"


@pytest.mark.parametrize("why", ["possible", "unable"])
def test_where_nothing_can_be_forked_workers_are_new_interpreters(archive, monkeypatch, why):
    monkeypatch.setattr(Forks, why, why == "unable")
    spares = Spares(archive.path)
    spares.fill()
    spares.fill()
    if why == "possible":
        assert psutil.Process(spares.pids[0]).ppid() == os.getpid()
    job = start(archive, spares)
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "converged"
    spares.close()
