"""The archive: writing, following, jumping, many writers at once."""

import os
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from ccviz import Problem, Run
from ccviz.errors import ArchiveError
from ccviz.events import (
    Assigned,
    BoundImproved,
    CentersMoved,
    Finished,
    IncumbentFound,
    NodeOpened,
    NodePruned,
    Noted,
    Record,
    Started,
)
from ccviz.runs import info
from ccviz.runs.archive import Archive
from ccviz.runs.database import VERSION, Database, default_path
from ccviz.runs.info import RunInfo, summarise
from ccviz.runs.stop import Limits
from ccviz.system import POSIX
from tests.made_up import played

GOOD = np.array([0, 0, 1, 1])


@pytest.fixture
def archive(tmp_path):
    with Archive(tmp_path / "deep" / "runs.sqlite") as archive:
        yield archive


@pytest.fixture
def problem():
    return Problem(np.arange(4.0)[:, None], 2, cannot_link=[(0, 3)], truth=[0, 0, 1, 1])


def records(count=20):
    """Return the records of a made-up run."""
    rng = np.random.default_rng(0)
    events = [Started(solver="sdp", settings={}, seed=0, n=4, d=1, k=2, n_blocks=2)]
    events.append(NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0))
    for i in range(count):
        labels = rng.permutation(GOOD)
        events.append(Assigned(iteration=i, labels=labels, objective=0.0, moved=1))
        events.append(CentersMoved(iteration=i, centers=rng.random((2, 1))))
        if i % 5 == 0:
            events.append(IncumbentFound(labels=GOOD if i else np.array([0, 1, 1, 1])))
            events.append(BoundImproved(lower_bound=i / count))
    events.append(BoundImproved(lower_bound=1.0))
    events.append(NodePruned(node=0, reason="bound", lower_bound=1.0))
    events.append(Finished(termination="proved", message="Done."))
    return [Record(seq, seq / 100, event) for seq, event in enumerate(events)]


def fill(archive, problem, what=None, **options):
    run_id = archive.create(problem, "sdp", {"tolerance": 1e-4}, **options)
    what = records() if what is None else what
    archive.append(run_id, what, summarise(played(problem, what)))
    return run_id


def test_home_moves_the_archive(monkeypatch, tmp_path):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    assert default_path() == tmp_path / "runs.sqlite"
    monkeypatch.delenv("CCVIZ_HOME")
    assert default_path().name == "runs.sqlite"
    assert "ccviz" in default_path().parts[-2]


def test_a_new_run_is_there_with_what_it_is_of(archive, problem):
    run_id = archive.create(
        problem, "sdp", {"tolerance": 1e-4}, seed=7, workers="2", limits=Limits(time_limit=5.0),
        dataset="toy",
    )  # fmt: skip
    info = archive.info(run_id)
    assert run_id.startswith("sdp-")
    assert (info.name, info.dataset, info.seed, info.workers) == (run_id, "toy", 7, "2")
    assert (info.settings, info.limits) == ({"tolerance": 1e-4}, Limits(time_limit=5.0))
    assert (info.n, info.d, info.k, info.last_seq) == (4, 1, 2, -1)
    assert (info.status, info.state, info.objective) == ("unknown", "running", np.inf)
    back = archive.problem(run_id)
    assert (back.X == problem.X).all()
    assert back.cannot_link.pairs.tolist() == [[0, 3]]


def test_records_come_back_and_can_be_followed(archive, problem):
    run_id = fill(archive, problem)
    every = archive.records(run_id)
    assert [record.seq for record in every] == list(range(len(records())))
    assert [type(r.event) for r in every] == [type(r.event) for r in records()]
    assert [record.seq for record in archive.records(run_id, after=3, upto=6)] == [4, 5, 6]
    assert [record.seq for record in archive.records(run_id, after=3, limit=2)] == [4, 5]
    bounds = archive.records(run_id, kinds=["BoundImproved"])
    assert {type(record.event) for record in bounds} == {BoundImproved}
    assert archive.records(run_id, after=every[-1].seq) == []


def test_the_list_shows_what_a_run_came_to(archive, problem):
    first, second = fill(archive, problem, name="mine"), archive.create(problem, "sdp", {})
    infos = archive.runs()
    assert [info.id for info in infos] == [second, first]
    info = infos[1]
    assert (info.name, info.status, info.termination) == ("mine", "optimal", "proved")
    assert (info.message, info.state) == ("Done.", "finished")
    assert info.objective == pytest.approx(1.0)
    assert info.lower_bound == pytest.approx(1.0)
    assert info.gap == pytest.approx(0.0)
    assert (info.nodes, info.violations, info.ari) == (1, 0, None)
    assert archive.score(first) == 1.0
    assert archive.info(first).ari == 1.0


def same_state(a, b):
    simple = ("seq", "time_s", "iteration", "lower_bound", "objective", "status", "nodes_done")
    assert [getattr(a, name) for name in simple] == [getattr(b, name) for name in simple]
    for name in ("labels", "centers"):
        assert np.array_equal(getattr(a, name), getattr(b, name))
    assert a.history == b.history
    assert a.tree == b.tree


def test_a_jump_comes_to_the_state_of_folding_everything(archive, problem):
    run_id = fill(archive, problem)
    run = Run(problem)
    for record in records():
        run.apply(record)
        same_state(archive.load(run_id, upto=record.seq), run)
    same_state(archive.load(run_id), run)
    assert archive.load(run_id, upto=-1).seq == -1


def test_a_jump_from_a_state_reads_only_what_follows_it(archive, problem):
    every = records()
    whole = fill(archive, problem)
    later = archive.create(problem, "sdp", {})
    archive.append(later, every[10:], None)
    for upto in (10, 17, len(every) - 1):
        run = archive.load(whole, upto=9)
        assert archive.load(later, upto, run) is run
        same_state(run, archive.load(whole, upto))


def test_equal_problems_are_stored_once_and_go_with_their_last_run(archive, problem):
    first, second = fill(archive, problem), fill(archive, problem)
    other = archive.create(Problem(problem.X, 3), "sdp", {})
    count = "SELECT count(*) FROM problems"
    db = sqlite3.connect(archive.path)
    assert db.execute(count).fetchone()[0] == 2
    archive.delete(first)
    assert db.execute(count).fetchone()[0] == 2
    archive.delete(second)
    assert db.execute(count).fetchone()[0] == 1
    assert db.execute("SELECT count(*) FROM records").fetchone()[0] == 0
    assert [info.id for info in archive.runs()] == [other]


def test_rename_and_find(archive, problem):
    first, second = archive.create(problem, "sdp", {}), archive.create(problem, "sdp", {})
    archive.rename(first, "  best yet ")
    assert archive.info(first).name == "best yet"
    assert archive.find("best yet") == archive.find(first) == archive.find(first[-4:]) == first
    assert archive.find("last") == second
    archive.rename(second, "best yet")
    with pytest.raises(ArchiveError, match="matches the runs"):
        archive.find("best yet")
    with pytest.raises(ArchiveError, match="no run 'nothing'"):
        archive.find("nothing")
    with pytest.raises(ArchiveError, match="cannot be empty"):
        archive.rename(first, "  ")


@pytest.mark.parametrize(
    "call",
    [
        lambda archive: archive.info("x"),
        lambda archive: archive.problem("x"),
        lambda archive: archive.records("x"),
        lambda archive: archive.load("x"),
        lambda archive: archive.delete("x"),
        lambda archive: archive.rename("x", "y"),
        lambda archive: archive.append("x", [], None),
        lambda archive: archive.finish("x", "failed", ""),
        lambda archive: archive.reopen("x"),
    ],
)
def test_a_run_that_is_not_there_is_named(archive, call):
    with pytest.raises(ArchiveError, match="no run 'x'"):
        call(archive)


def test_finish_closes_only_what_is_open(archive, problem):
    run_id = fill(archive, problem, records()[:-1])
    archive.finish(run_id, "failed", "It was killed.")
    last = archive.records(run_id)[-1]
    assert (last.event.termination, last.event.message) == ("failed", "It was killed.")
    assert last.seq == records()[-2].seq + 1
    archive.finish(run_id, "interrupted", "Again.")
    assert archive.info(run_id).message == "It was killed."


def test_reopen_takes_back_the_end(archive, problem):
    run_id = fill(archive, problem, limits=Limits(time_limit=1.0))
    archive.reopen(run_id, Limits(gap=0.1))
    info = archive.info(run_id)
    assert (info.termination, info.limits) == (None, Limits(gap=0.1))
    assert not any(isinstance(r.event, Finished) for r in archive.records(run_id))


@pytest.mark.skipif(not POSIX, reason="this system does not say which processes exist")
def test_a_run_whose_driver_is_gone_is_lost(archive, problem, monkeypatch):
    run_id = archive.create(problem, "sdp", {})
    assert archive.info(run_id).state == "running"
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    monkeypatch.setattr(os, "getpid", lambda: child.pid)
    archive.append(run_id, [], None)
    assert archive.info(run_id).state == "lost"
    monkeypatch.undo()
    archive.append(run_id, [], None)
    later = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert archive.info(run_id).state == "lost"


def test_a_clock_that_is_set_makes_no_run_lost(archive, problem, monkeypatch):
    run_id = archive.create(problem, "sdp", {})
    now = time.time()
    for hours in (1, -1):
        monkeypatch.setattr(time, "time", lambda hours=hours: now + 3600 * hours)
        assert archive.info(run_id).state == "running"
    monkeypatch.setattr(info, "boot_id", lambda: "the machine was started again")
    assert archive.info(run_id).state == "lost"


def test_a_run_has_one_driver(archive, problem):
    run_id = fill(archive, problem)
    archive.reopen(run_id)
    with pytest.raises(ArchiveError, match=f"the run {run_id} is still running"):
        archive.reopen(run_id)


def test_a_full_disk_is_a_sentence_and_what_was_stored_stays(archive, problem):
    run_id = fill(archive, problem, records()[:5])
    pages = archive._file._db.execute("PRAGMA page_count").fetchone()[0]
    archive._file._db.execute(f"PRAGMA max_page_count = {pages}")
    large = [Record(5, 0.0, Noted(text="x" * 100_000))]
    with pytest.raises(ArchiveError, match="cannot be used: database or disk is full"):
        archive.append(run_id, large, None)
    assert archive.load(run_id).seq == 4


def test_an_archive_that_may_only_be_read_is_read(tmp_path, problem, monkeypatch):
    path = tmp_path / "runs.sqlite"
    with Archive(path) as archive:
        run_id = fill(archive, problem)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda what, how: how != os.W_OK and allowed(what, how))
    path.chmod(0o400)
    with Archive(path) as archive:
        assert archive.load(run_id).finished is not None
        with pytest.raises(ArchiveError, match="readonly"):
            archive.rename(run_id, "other")


def test_a_record_cannot_be_stored_twice_and_a_batch_is_all_or_nothing(archive, problem):
    run_id = fill(archive, problem, records()[:5])
    with pytest.raises(ArchiveError, match="another process also writes to the run"):
        archive.append(run_id, records()[3:8], None)
    assert archive.info(run_id).last_seq == 4


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    text = tmp_path / "text"
    text.write_text("hello " * 1000)
    with pytest.raises(ArchiveError, match="cannot be used"):
        Archive(text)
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE mine (x)")
    with pytest.raises(ArchiveError, match="version 0"):
        Archive(other)
    Archive(tmp_path / "newer").close()
    sqlite3.connect(tmp_path / "newer").execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(ArchiveError, match=f"version {VERSION + 1}"):
        Archive(tmp_path / "newer")
    with pytest.raises(ArchiveError, match="cannot be used"):
        Archive(text / "inside" / "runs.sqlite")


def test_closed_archive_says_so(tmp_path, problem):
    archive = Archive(tmp_path / "runs.sqlite")
    archive.close()
    with pytest.raises(ArchiveError, match="cannot be used"):
        archive.runs()


WRITER = """
import sys
import numpy as np
from ccviz import Problem
from ccviz.runs.archive import Archive
from ccviz.events import Noted, Record
archive = Archive(sys.argv[1])
run_id = archive.create(Problem(np.arange(4.0)[:, None], 2), "sdp", {})
for batch in range(60):
    archive.append(run_id, [Record(batch, 0.0, Noted(text="x" * 500))], None)
"""


@pytest.mark.slow
def test_many_processes_and_threads_write_at_once(tmp_path, problem):
    """All begin on a file that is not there yet."""
    path = tmp_path / "runs.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    with Archive(path) as archive:
        threads = [threading.Thread(target=fill, args=(archive, problem)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        errors = [writer.communicate(timeout=120)[1] for writer in writers]
        assert errors == [b""] * 4
        lasts = sorted(info.last_seq for info in archive.runs())
    assert lasts == sorted([59] * 4 + [len(records()) - 1] * 8)


def test_a_file_whose_error_is_no_text_is_refused_in_words(tmp_path):
    path = tmp_path / "runs.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE runs (") == 1
    path.write_bytes(content.replace(b"CREATE TABLE runs (", b"CRE\x80TE TABLE runs ("))
    with pytest.raises(ArchiveError, match="cannot be used: it is damaged"):
        Database(path)


def test_a_run_without_one_of_its_columns_is_refused_in_words(tmp_path):
    Archive(tmp_path / "runs.sqlite").close()
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("ALTER TABLE runs RENAME COLUMN k TO kk")
    with Archive(tmp_path / "runs.sqlite") as archive:
        db = sqlite3.connect(tmp_path / "runs.sqlite")
        names = [row[1] for row in db.execute("PRAGMA table_info(runs)")]
        row = dict.fromkeys(names, 1)
        assert archive.runs() == []
    with pytest.raises(ArchiveError, match="a run in it cannot be read"):
        RunInfo.from_row(row)
