"""Runs in processes of their own: control, death, and what is left."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ccviz import Problem, start
from ccviz.errors import ArchiveError, UnsupportedError
from ccviz.events import Assigned, Finished, NodeReopened, Started, TreeKept
from ccviz.runs.job import Job
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver
from ccviz.system import POSIX
from tests.patience import PATIENCE_S, wait_until

ENDLESS = make_solver("cop-kmeans", n_init=100_000_000)


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    return Problem(data.data, 3, cannot_link=[(0, 1), (60, 110)], truth=data.target)


@pytest.fixture
def begin(archive, iris):
    """Start workers, and end every one at the end of the test."""
    jobs = []

    def begin(solver=ENDLESS, events=5, **options):
        job = Job.start(archive, options.pop("problem", iris), solver, **options)
        jobs.append(job)
        if not options.get("paused"):
            wait_until(lambda: last_seq(job) >= events or not job.alive)
        return job

    def last_seq(job):
        return archive.info(job.run_id).last_seq

    yield begin
    for job in jobs:
        job.kill()
        assert job.wait(PATIENCE_S)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.usefixtures("new_workers")
def test_a_worker_runs_to_its_end_and_yields_what_this_process_would(archive, iris, begin):
    solver = make_solver("blp-kmeans", n_init=3)
    job = begin(solver, seed=5, dataset="iris", name="mine")
    assert job.wait(PATIENCE_S)
    info = archive.info(job.run_id)
    assert (info.state, info.termination, info.name, info.dataset) == (
        "finished", "converged", "mine", "iris",
    )  # fmt: skip
    assert info.ari is not None
    there = [record.event for record in archive.records(job.run_id)]
    here = [record.event for record in start(iris, solver, seed=5)]
    assert [type(event) for event in there] == [type(event) for event in here]
    for a, b in zip(there, here, strict=True):
        if isinstance(a, Assigned):
            assert np.array_equal(a.labels, b.labels)
    assert not job.alive
    assert gone(job.pid)


def test_its_records_can_be_followed_while_it_runs(archive, begin):
    job = begin()
    first = archive.records(job.run_id)
    assert isinstance(first[0].event, Started)
    wait_until(lambda: archive.records(job.run_id, after=first[-1].seq))
    assert job.alive
    assert archive.info(job.run_id).state == "running"


def test_stop(archive, begin):
    job = begin()
    job.stop()
    assert job.wait(PATIENCE_S)
    last = archive.records(job.run_id)[-1].event
    assert (last.termination, last.message) == ("interrupted", "The run was stopped.")


@pytest.mark.usefixtures("new_workers")
def test_a_worker_that_does_not_answer_is_ended_after_the_grace(archive, begin):
    job = begin()
    os.kill(job.pid, signal.SIGSTOP)
    job.stop(grace=0.3)
    assert job.wait(PATIENCE_S)
    last = archive.records(job.run_id)[-1].event
    assert (last.termination, last.message) == (
        "interrupted", "The run was stopped. Its worker was killed.",
    )  # fmt: skip
    assert gone(job.pid)


@pytest.mark.usefixtures("new_workers")
def test_a_killed_worker_leaves_a_run_that_says_so(archive, begin):
    job = begin()
    wait_until(lambda: archive.info(job.run_id).status == "feasible")
    seen = archive.info(job.run_id).last_seq
    os.kill(job.pid, signal.SIGKILL)
    assert job.wait(PATIENCE_S)
    records = archive.records(job.run_id)
    assert records[-1].event.termination == "failed"
    assert records[-1].event.message == "The worker was killed (signal 9)."
    assert records[-1].seq > seen
    assert archive.load(job.run_id).incumbent is not None
    assert archive.info(job.run_id).message == "The worker was killed (signal 9)."


@pytest.mark.slow
@pytest.mark.usefixtures("new_workers")
def test_a_broken_worker_says_what_broke(archive, begin, tmp_path):
    job = begin()
    os.kill(job.pid, signal.SIGSTOP)
    archive.delete(job.run_id)
    os.kill(job.pid, signal.SIGCONT)
    assert job.wait(PATIENCE_S)  # its run is gone, so is the worker; nothing is raised here
    assert archive.runs() == []


def test_pause_step_and_go_on(archive, begin):
    job = begin(paused=True)

    def events():
        return len(archive.records(job.run_id))

    def rests():
        before = events()
        time.sleep(0.2)  # four batches
        return events() == before

    for many in (3, 1, 2):  # one that did not wait would be far on
        before = events()
        job.step(many)
        wait_until(lambda before=before, many=many: events() >= before + many)
        assert events() == before + many
    job.go_on()
    wait_until(lambda: events() > 20)
    job.pause()
    wait_until(rests)
    before = events()
    job.go_on()
    wait_until(lambda: events() > before)


def test_waiting_does_not_count_as_running(archive, begin):
    job = begin(paused=True)
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq == 0)
    time.sleep(1.0)
    waited = time.monotonic()
    job.step()
    wait_until(lambda: archive.info(job.run_id).last_seq == 1)
    first, second = archive.records(job.run_id)
    assert second.time_s - first.time_s < max(1.0, time.monotonic() - waited)


def test_limits_hold_in_the_worker(archive, begin):
    job = begin(limits=Limits(time_limit=0.5))
    assert job.wait(PATIENCE_S)
    assert archive.info(job.run_id).termination == "time_limit"


def test_the_worker_checks_the_request_again(archive, begin, iris):
    soft = Problem(iris.X, 3, must_link=[(0, 1, 2.0)])
    job = begin(problem=soft)
    assert job.wait(PATIENCE_S)
    info = archive.info(job.run_id)
    assert info.termination == "failed"
    assert f"{ENDLESS.name} cannot handle" in info.message


PARENT = """
import sys, time
import numpy as np
from ccviz import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.solvers import make_solver
archive = Archive(sys.argv[1])
solver = make_solver("cop-kmeans", n_init=100_000_000)
job = Job.start(archive, Problem(np.random.default_rng(0).random((50, 2)), 3), solver)
while archive.info(job.run_id).last_seq < 5:
    time.sleep(0.01)
print(job.pid, flush=True)
time.sleep(600)
"""


def test_a_worker_ends_when_its_parent_is_killed(archive):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(archive.path)], stdout=subprocess.PIPE, text=True
    )
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    wait_until(lambda: gone(worker))
    assert archive.runs()[0].termination == "interrupted"


@pytest.mark.slow
def test_a_worker_needs_no_guarded_main_module(archive, tmp_path):
    """The child imports nothing of its parent's, so a script that starts one at its top works."""
    script = tmp_path / "script.py"
    script.write_text(PARENT.replace("time.sleep(600)", "job.stop(); job.wait(120)"))
    done = subprocess.run(
        [sys.executable, script, archive.path],
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert len(done.stdout.split()) == 1
    assert len(archive.runs()) == 1


def test_a_stopped_exact_run_goes_on_to_its_proof(archive, iris, begin):
    sparse = Problem(iris.X[::3], 3, cannot_link=[(0, 1), (17, 40), (20, 30)])
    job = begin(make_solver("sdp", tolerance=0.0001), problem=sparse, seed=1, paused=True)
    job.step(3)
    wait_until(lambda: len(archive.records(job.run_id)) == 3)
    job.kill()
    assert job.wait(PATIENCE_S)
    stored = [r.seq for r in archive.records(job.run_id) if not isinstance(r.event, Finished)]
    again = Job.resume(archive, job.run_id, Limits(time_limit=200.0))
    assert again.wait(PATIENCE_S)
    info = archive.info(job.run_id)
    assert (info.status, info.termination, info.limits) == (
        "optimal", "proved", Limits(time_limit=200.0),
    )  # fmt: skip
    records = archive.records(job.run_id)
    assert [record.seq for record in records[: len(stored)]] == stored
    assert [record.seq for record in records] == sorted({record.seq for record in records})
    with pytest.raises(ArchiveError, match="nothing is left to do"):
        Job.resume(archive, job.run_id)


def test_a_run_starts_from_an_earlier_one_of_the_archive(archive, iris, begin):
    free = Problem(iris.X, 3)
    first = begin(make_solver("sdp"), problem=free)
    assert first.wait(PATIENCE_S)
    labels = archive.load(first.run_id).incumbent.labels
    kept = Problem(iris.X, 3, must_link=[np.flatnonzero(labels == labels[0])[:2]])
    second = begin(make_solver("sdp"), problem=kept, earlier=first.run_id)
    assert second.wait(PATIENCE_S)
    events = [record.event for record in archive.records(second.run_id)]
    assert any(isinstance(event, TreeKept) for event in events)
    assert archive.info(second.run_id).status == "optimal"
    assert not any(isinstance(event, NodeReopened) for event in events)


def test_only_what_can_go_on_is_resumed(archive, begin):
    job = begin()
    with pytest.raises(ArchiveError, match="is still running"):
        Job.resume(archive, job.run_id)
    job.stop()
    assert job.wait(PATIENCE_S)
    with pytest.raises(UnsupportedError, match="cop-kmeans cannot resume"):
        Job.resume(archive, job.run_id)


@pytest.mark.skipif(not POSIX, reason="no limits on memory")
def test_a_worker_has_no_more_memory_than_it_is_given(archive, begin):
    job = begin(make_solver("blp-kmeans"), memory=32 << 20)
    assert job.wait(PATIENCE_S)
    info = archive.info(job.run_id)
    assert info.termination == "failed"
    assert "The worker failed" in info.message


def test_an_end_that_cannot_be_stored_is_told_by_the_job(archive, begin, monkeypatch):
    job = begin()

    def full(*_):
        raise ArchiveError("the disk is full.")

    monkeypatch.setattr(archive, "finish", full)
    job.kill()
    assert job.wait(PATIENCE_S)
    assert job.not_stored.endswith("This could not be stored: the disk is full.")
