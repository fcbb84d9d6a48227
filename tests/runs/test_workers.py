"""Worker processes: their pool, their fork server, and how they are stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from ccviz import Problem, api, solve, start
from ccviz.errors import ParameterError
from ccviz.numbers import number
from ccviz.runs.archive import Archive
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.job import Job
from ccviz.runs.stop import Limits
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from ccviz.system import POSIX
from tests.patience import PATIENCE_S, wait_until

# --- Workers that wait: given away, replaced, killed, and gone with their parent ------------------


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


@pytest.mark.slow
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


# --- Priority -------------------------------------------------------------------------------------


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


# --- Progress -------------------------------------------------------------------------------------


X = [[0.0], [0.1], [1.0], [1.1]]


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(api, "_DELAY_S", 0.0)
    monkeypatch.setattr(api, "_EVERY_S", 0.0)


def test_nobody_watches_a_pipe(capsys):
    assert not api.is_interactive()
    solve(Problem(X, 2), "ipc-kmeans")
    assert capsys.readouterr().err == ""


def test_a_terminal_is_watched(monkeypatch):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    assert api.is_interactive()


def test_a_notebook_is_watched(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert api.is_interactive()


def test_the_bar_tells_solver_and_objective(at_once, capsys):
    result = solve(Problem(X, 2), "ipc-kmeans", progress=True)
    shown = capsys.readouterr().err
    assert "ipc-kmeans" in shown
    assert f"objective {number(result.objective)}" in shown


def test_with_and_without_a_bar_alike():
    problem = Problem(X, 2)
    watched = api.drain(start(problem, "ipc-kmeans", seed=3))
    assert watched.labels.tolist() == solve(problem, "ipc-kmeans", seed=3).labels.tolist()


def test_short_runs_show_no_bar(capsys):
    solve(Problem(X, 2), "ipc-kmeans", progress=True)
    assert capsys.readouterr().err == ""


# --- Limits ---------------------------------------------------------------------------------------


def test_those_that_hold_are_given_by_name():
    assert Limits().given == {}
    assert Limits(time_limit=1.5, node_limit=0).given == {"time_limit": 1.5, "node_limit": 0}


@pytest.mark.parametrize(
    "limit",
    [
        {"time_limit": -1}, {"time_limit": float("nan")}, {"gap": "small"}, {"node_limit": 1.5},
        {"node_limit": True},
    ],
)  # fmt: skip
def test_what_is_no_limit_is_refused_by_name(limit):
    (name,) = limit
    with pytest.raises(ParameterError, match=f"^{name} = .* of at least 0"):
        Limits(**limit)
