"""What one person of a class sees and may do; an archive of one person shows all."""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from ccviz import Problem
from ccviz.data.datasets import load
from ccviz.errors import ArchiveError, CcvizError
from ccviz.quota import STUDENT
from ccviz.runs.archive import Archive
from ccviz.runs.stop import Limits
from ccviz.views.lab.personal_archive import Example, personal_archive
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.person import ALONE, Person

PROBLEM = Problem(np.arange(12.0).reshape(6, 2), 2)


@pytest.fixture
def ann(archive):
    return personal_archive(archive, Person("ann"))


@pytest.fixture
def bob(archive):
    return personal_archive(archive, Person("bob"))


def enter(personal):
    run_id = personal.create(PROBLEM, "blp-kmeans", {})
    personal.finish(run_id, "converged", "It ended.")
    return run_id


def ids(personal):
    return [info.id for info in personal.runs()]


READS = {
    "info": {}, "problem": {}, "records": {}, "load": {},
    "check_idle": {}, "study": {"study": "prices"},
}  # fmt: skip
WRITES = {
    "rename": {"name": "mine"}, "delete": {}, "share": {}, "reopen": {}, "score": {},
    "check_owned": {}, "keep_study": {"study": "prices", "data": b""},
    "append": {"records": [], "summary": None},
    "finish": {"termination": "failed", "message": ""},
}  # fmt: skip
NAMES_NO_RUN = {"create", "runs", "find", "size_of", "under", "close"}
SAY_NOTHING = {"home_of", "is_in_library"}
"""Whether a run is the example, which is for all."""


def acts(table):
    return [
        lambda archive, run_id, name=name, more=more: getattr(archive, name)(run_id, **more)
        for name, more in table.items()
    ]


def test_each_public_method_of_an_archive_is_known_to_these_tests():
    public = {name for name in vars(Archive) if not name.startswith("_")}
    assert public == READS.keys() | WRITES.keys() | NAMES_NO_RUN | SAY_NOTHING
    asking = {name for name in public if "run_id" in signature(getattr(Archive, name)).parameters}
    assert asking == READS.keys() | WRITES.keys() | SAY_NOTHING


def test_runs_of_others_are_not_there(ann, bob):
    run_id = enter(ann)
    assert (ids(ann), ids(bob)) == ([run_id], [])
    with pytest.raises(ArchiveError, match="there is no run"):
        bob.find(run_id)
    for act in acts(READS | WRITES):
        with pytest.raises(ArchiveError, match="there is no run"):
            act(bob, run_id)


def test_a_shared_run_is_seen_and_not_changed(ann, bob):
    run_id = enter(ann)
    ann.share(run_id)
    assert ids(bob) == [run_id]
    for act in acts(READS):
        act(bob, run_id)
    for act in acts(WRITES):
        with pytest.raises(ArchiveError, match="belongs to another person"):
            act(bob, run_id)
    ann.share(run_id, shared=False)
    assert ids(bob) == []


def test_the_teacher_sees_all_and_changes_nothing(archive, ann):
    run_id = enter(ann)
    teacher = personal_archive(archive, Person("ms", is_teacher=True))
    assert ids(teacher) == [run_id]
    with pytest.raises(ArchiveError, match="belongs to another person"):
        teacher.delete(run_id)


def test_one_person_has_all(archive, ann):
    run_id = enter(ann)
    alone = personal_archive(archive, ALONE)
    assert ids(alone) == [run_id]
    alone.delete(run_id)
    assert ids(ann) == []


def test_runs_of_one_person_are_not_shown_to_a_class(archive, ann):
    enter(personal_archive(archive, ALONE))
    assert ids(ann) == []


def test_a_run_that_was_deleted_elsewhere_is_put_away(archive, ann):
    run_id = enter(ann)
    session = Session(archive, RunQueue(), load("iris"), Person("ann"))
    session.open_run(run_id)
    ann.delete(run_id)
    session.tick()
    assert "there is no run" in session.notice.text.lower()
    assert session.player.shot is None
    session.tick()


def test_a_class_has_a_quota(archive, monkeypatch):
    quota = replace(STUDENT, runs=1, points=6, cells=12, run_s=9.0)
    monkeypatch.setattr("ccviz.views.person.STUDENT", quota)
    personal = personal_archive(archive, Person("ann"))
    with pytest.raises(CcvizError, match="7 points are more than the 6"):
        personal.create(Problem(np.arange(7.0)[:, None], 2), "blp-kmeans", {})
    with pytest.raises(CcvizError, match="18 values are more than the 12"):
        personal.create(Problem(np.arange(18.0).reshape(6, 3), 2), "blp-kmeans", {})
    run_id = enter(personal)
    assert personal.info(run_id).limits == Limits(time_limit=9.0)
    with pytest.raises(CcvizError, match="you have 1 runs of at most 1"):
        enter(personal)
    personal.reopen(run_id, Limits(time_limit=500.0, gap=0.1))
    limits = personal.info(run_id).limits
    assert limits == Limits(time_limit=personal.info(run_id).time_s + 9.0, gap=0.1)


def test_records_count(archive, ann, bob):
    enter(ann)
    assert archive.size_of("ann")[0] == 1
    assert archive.size_of("ann")[1] > 0
    assert archive.size_of("bob") == (0, 0)


def test_problems_count_once_each(archive, ann):
    points = np.random.default_rng(0).random((500, 40))
    for k in (2, 2, 3):
        run_id = ann.create(Problem(points, k), "blp-kmeans", {})
        ann.finish(run_id, "completed", "")
    runs, size = archive.size_of("ann")
    assert runs == 3
    assert 2 * points.nbytes < size < 2.1 * points.nbytes


def test_so_many_go_on_at_a_time(archive, ann, bob):
    for _ in range(STUDENT.at_once):
        run_id = ann.create(PROBLEM, "blp-kmeans", {})
    with pytest.raises(CcvizError, match="2 of your runs are in progress, of at most 2"):
        ann.create(PROBLEM, "blp-kmeans", {})
    bob.create(PROBLEM, "blp-kmeans", {})
    ann.finish(run_id, "interrupted", "It was stopped.")
    ann.create(PROBLEM, "blp-kmeans", {})


def test_the_example_is_everybodys_to_look_at_and_nobodys_to_change(archive):
    example = Example()
    ann = personal_archive(archive, Person("ann"), example)
    info = ann.info(example.run_id)
    assert (info.status, info.dataset, info.links) == ("optimal", "iris", 8)
    assert ann.runs() == []
    assert ann.is_in_library(example.run_id)
    assert ann.home_of(example.run_id) is example.archive
    run = ann.load(example.run_id)
    assert run.problem is ann.problem(example.run_id)
    assert [record.seq for record in ann.records(example.run_id)][-1] == run.seq
    for change in (ann.delete, ann.share, ann.reopen):
        with pytest.raises(ArchiveError, match="the example cannot be changed"):
            change(example.run_id)
    mine = enter(ann)
    assert not ann.is_in_library(mine)
    assert ann.home_of(mine) is ann
