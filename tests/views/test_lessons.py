import time

import pytest

from ccviz.archive import Archive
from ccviz.datasets import load
from ccviz.views.course import Course
from ccviz.views.lessons import LESSONS
from ccviz.views.queue import RunQueue
from ccviz.views.session import Session


@pytest.fixture
def session(tmp_path):
    """Return a session that plays its runs at once."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        session = Session(archive, RunQueue(), load("iris"))
        session.player.pace = "Live"
        yield session
        session.close()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_every_lesson_can_be_walked_to_its_end(session, lesson):
    course = Course(session)
    course.begin(lesson)
    findings = []
    for _ in lesson.steps:
        course.show()
        end = time.monotonic() + 120
        while not course.finding and time.monotonic() < end:
            session.tick()
            time.sleep(0.02)
        assert course.finding, course.step.text
        findings.append(course.finding)
        course.go_on()
    assert course.lesson is None
    assert len(set(findings)) == len(lesson.steps)


def test_a_dead_end_is_met_and_survived(session):
    course = Course(session)
    course.begin(LESSONS[0])
    for status in (None, "unknown", "feasible"):
        course.show()
        end = time.monotonic() + 60
        while not course.finding and time.monotonic() < end:
            session.tick()
            time.sleep(0.02)
        assert status is None or session.run.status == status
        course.go_on()


def test_a_step_is_not_done_by_the_run_of_the_step_before(session):
    course = Course(session)
    must_link = next(lesson for lesson in LESSONS if "must-link" in lesson.title)
    course.begin(must_link)
    for _ in range(2):
        course.show()
        end = time.monotonic() + 60
        while not course.finding and time.monotonic() < end:
            session.tick()
            time.sleep(0.02)
        course.go_on()
    assert course.at == 2
    assert course.finding == ""
