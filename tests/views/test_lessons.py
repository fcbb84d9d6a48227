"""What a lesson asks and finds; that each is walked to its end is seen in a real browser."""

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


def find(session, course):
    """Do what the step asks, and wait for what it shows."""
    course.show()
    end = time.monotonic() + 60
    while not course.finding:
        assert time.monotonic() < end, course.step.text
        session.tick()
        time.sleep(0.02)


def test_a_dead_end_is_met_and_survived(session):
    course = Course(session)
    course.begin(LESSONS[0])
    findings = set()
    for status, words in (
        (None, "The true classes keep all"),
        ("unknown", "A dead end"),
        ("feasible", "no link is broken"),
    ):
        find(session, course)
        assert words in course.finding
        findings.add(course.finding)
        assert status is None or session.run.status == status
        course.go_on()
    assert course.lesson is None
    assert len(findings) == 3


def test_a_step_is_not_done_by_the_run_of_the_step_before(session):
    course = Course(session)
    must_link = next(lesson for lesson in LESSONS if "must-link" in lesson.title)
    course.begin(must_link)
    for _ in range(2):
        find(session, course)
        course.go_on()
    assert course.at == 2
    assert course.finding == ""
