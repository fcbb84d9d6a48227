"""What `ccviz runs --check` finds, mends, and cannot mend."""

import sqlite3
import stat
from contextlib import closing

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import ArchiveError
from ccviz.events import Finished, IncumbentFound, Noted, Record, Started
from ccviz.runs.archive import Archive
from ccviz.runs.check import check_archive

PROBLEM = Problem(np.arange(8.0).reshape(4, 2), 2)
BEGAN = Started(solver="sdp", settings={}, seed=0, n=4, d=2, k=2, n_blocks=4)
FOUND = IncumbentFound(labels=np.array([0, 0, 1, 1]))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def add(archive, *events):
    run_id = archive.create(PROBLEM, "sdp", {})
    archive.append(run_id, [Record(at, 0.0, event) for at, event in enumerate(events)], None)
    return run_id


def forget_driver(archive, run_id):
    archive._set(run_id, {"boot": "", "pid": -1, "tick": -1e9})


def test_a_sound_archive_is_left_alone(path):
    assert list(check_archive(path)) == []
    assert not path.exists()
    with Archive(path) as archive:
        add(archive, BEGAN, FOUND)
    before = path.read_bytes()
    assert list(check_archive(path)) == []
    assert path.read_bytes() == before


def test_runs_without_a_driver_are_closed_and_a_broken_one_is_named(path):
    with Archive(path) as archive:
        lost, ended, broken = (add(archive, BEGAN, FOUND, *more) for more in (
            (), (Finished(termination="converged"),), (),
        ))  # fmt: skip
        for run_id in (lost, ended):
            forget_driver(archive, run_id)
        with archive._file.writing() as db:
            number = archive._owned(broken)
            db.execute("UPDATE records SET data = x'00' WHERE run = ? AND seq = 1", (number,))
    said = dict(zip(("broken", "ended", "lost"), check_archive(path), strict=True))
    assert said["lost"].startswith(f"the run {lost} had lost its driver")
    assert said["ended"].startswith(f"the run {ended} had ended")
    assert said["broken"].startswith(f"the run {broken} cannot be mended: a stored event")
    with Archive(path) as archive:
        assert archive.info(lost).termination == "failed"
        assert archive.load(lost).incumbent is not None
        assert archive.info(ended).termination == "converged"
        archive.delete(broken)
    assert list(check_archive(path)) == []


def damage(path):
    """Write over four pages in the middle of the file; returns its bytes."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = db.execute("PRAGMA page_size").fetchone()[0]
    damaged = bytearray(path.read_bytes())
    middle = len(damaged) // 2 // size * size
    damaged[middle : middle + 4 * size] = b"\xa5" * (4 * size)
    path.write_bytes(damaged)
    return damaged


@pytest.mark.slow
def test_what_can_be_read_of_a_damaged_file_is_saved(path):
    with Archive(path) as archive:
        runs = [add(archive, BEGAN, FOUND, *(Noted(text="x" * 2000) for _ in range(40)))
                for _ in range(3)]  # fmt: skip
        archive.keep_study(runs[0], "prices", b"found")
        archive.keep_study(runs[2], "prices", b"found as well")
    damaged = damage(path)
    path.chmod(0o600)
    with Archive(path), pytest.raises(ArchiveError, match="is open in another process; end it"):
        list(check_archive(path))
    said = list(check_archive(path))
    assert said[0].startswith("the file is damaged: ")
    assert any("3 runs, is in a new file" in each for each in said)
    assert path.with_name("runs.sqlite.damaged-1").read_bytes() == damaged
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Archive(path) as archive:
        assert {info.id for info in archive.runs()} == set(runs)
        assert archive.load(runs[0]).incumbent is not None
        assert archive.study(runs[0], "prices") == b"found"
        assert archive.study(runs[2], "prices") == b"found as well"
        assert archive.study(runs[0], "margins") is None


def test_studies_that_are_lost_are_named(path):
    with Archive(path) as archive:
        runs = [add(archive, BEGAN, FOUND) for _ in range(9)]
        for run_id in runs:
            archive.keep_study(run_id, "margins", b"x" * 9000)
    damage(path)
    said = list(check_archive(path))
    assert any(each.startswith("some of the margins are lost: ") for each in said)
    with Archive(path) as archive:
        kept = [archive.study(run_id, "margins") for run_id in runs]
        assert kept[0] == kept[-1] == b"x" * 9000


def test_a_file_that_is_no_archive_at_all_is_left_where_it_is(path):
    path.write_bytes(b"hello " * 2000)
    with pytest.raises(ArchiveError, match="cannot be mended: file is not a database; move it"):
        list(check_archive(path))
    assert path.read_bytes() == b"hello " * 2000
