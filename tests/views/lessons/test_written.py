"""Lessons that people write: as a word of an address, as a file, and taken by a class."""

import json
import zlib
from base64 import urlsafe_b64encode
from urllib.parse import parse_qsl

import msgspec
import pytest

from ccviz.data.datasets import load
from ccviz.errors import CcvizError
from ccviz.views.lessons.catalogue import lesson_of_address
from ccviz.views.lessons.course import TABS, Course
from ccviz.views.lessons.written import (
    MOST_BYTES,
    as_file,
    as_word,
    lesson_of,
    of_file,
    of_word,
    script,
    step_here,
)
from ccviz.views.link_table import Link

MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def written(session):
    """Return a lesson of two steps: a link, then a run with another k."""
    session.edits.add_links([Link("must", 0, 100)])
    first = step_here(session, f"Link 0 and 100 {MARKUP}", shows="They are one block.")
    session.edits.set_k(4)
    session.set_solver("blp-kmeans", n_init=3)
    second = step_here(session, "Run.", run=True, tab="Clusters", question="Why four?")
    return script("One link", "See a block.", (first, second))


def test_a_word_and_a_file_hold_the_whole_lesson(written):
    assert of_word(as_word(written)) == written
    assert of_file(as_file(written)) == written
    lesson = lesson_of_address(as_word(written))
    assert (lesson.title, lesson.aim, len(lesson.steps)) == ("One link", "See a block.", 2)
    assert (lesson.steps[1].tab, lesson.steps[1].question) == ("Clusters", "Why four?")
    assert lesson_of_address("two-exact-methods-race").title == "Two exact methods race"


def test_a_written_lesson_is_taken_step_by_step(session, written):
    course = Course(session)
    session.edits.load(load("wine"))
    course.begin(lesson_of(written))
    course.show()
    assert course.finding == "They are one block."
    assert session.draft.data.name == "iris"
    assert len(session.draft.links) == 1
    course.go_on()
    assert course.question == "Why four?"
    session.edits.set_k(4)
    session.set_solver("blp-kmeans")
    session.start()  # by hand
    assert course.finding.startswith("Objective ")
    course.go_on()
    assert course.lesson is None


def test_another_problem_is_no_answer_to_a_step(session, written):
    course = Course(session)
    course.begin(lesson_of(written))
    course.show()
    course.go_on()
    session.edits.set_k(5)
    session.set_solver("blp-kmeans")
    session.start()
    assert not course.finding
    assert "another problem" in session.notice.text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"title": "a", "steps": []}',
        b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
        json.dumps({"title": "a", "steps": [{"text": "b", "query": "run=x"}]}).encode(),
        json.dumps({"title": "a", "steps": [{"text": "b", "query": "data=iris"}]}).encode(),
        json.dumps({"title": "a", "steps": [{"text": "", "query": "data=iris"}]}).encode(),
        json.dumps({"title": "a" * 121, "steps": []}).encode(),
        json.dumps({"title": "a", "more": 1, "steps": []}).encode(),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_in_a_sentence(content):
    with pytest.raises(CcvizError):
        of_file(content)


@pytest.mark.parametrize("word", ["", "x", "é", "AAAA", "A" * 5000])
def test_a_broken_word_is_refused_in_a_sentence(word):
    with pytest.raises(CcvizError):
        of_word(word)


def test_a_word_that_swells_is_refused():
    swollen = urlsafe_b64encode(zlib.compress(b" " * 2_000_000, 9)).decode()
    assert len(swollen) < 4000
    with pytest.raises(CcvizError):
        of_word(swollen)


def test_what_cannot_be_written_is_said(session, written):
    with pytest.raises(CcvizError, match="title"):
        script(" ", "", written.steps)
    with pytest.raises(CcvizError, match="step"):
        script("a", "", ())
    with pytest.raises(CcvizError):
        step_here(session, " ")
    with pytest.raises(CcvizError, match="file"):
        as_word(script("a", "".join(map(chr, range(200, 2100))), written.steps))


def test_a_step_holds_the_words_of_an_address(written):
    values = dict(parse_qsl(written.steps[1].query, keep_blank_values=True))
    assert values["ml"] == "0-100"
    assert values["k"] == "4"
    assert values["set.n_init"] == "3"
    assert set(TABS) > {written.steps[1].tab}


def test_a_lesson_may_say_all_that_an_address_says(session):
    session.edits.set_k(4)
    session.edits.add_links([Link("must", 0, 100), Link("cannot", 0, 1)])
    session.edits.set_outliers(5)
    session.edits.set_scaling("standard")
    session.set_solver("colgen", tolerance=1e-3)
    session.time_limit = 20.0
    step = step_here(session, "Leave five points out.")
    words = dict(parse_qsl(step.query))
    assert {"outliers", "scaling", "set.tolerance", "limit.time_limit"} <= words.keys()
    written = script("Outliers", "", (step,))
    assert of_file(as_file(written)) == written
    assert lesson_of_address(as_word(written)).title == "Outliers"


def test_a_step_may_fix_a_centre(session):
    session.edits.set_fixed_centers("5.1, 3.5, 1.4, 0.2")
    step = step_here(session, "This centre stays.")
    assert "fixed_centers" in dict(parse_qsl(step.query))
    written = script("Centres", "", (step,))
    assert of_file(as_file(written)) == written


def test_a_lesson_opens_with_the_problem_of_a_run_and_without_the_task_of_an_edit(session, written):
    course, link_first = Course(session), lesson_of(written)
    session.edits.load(load("wine"))
    course.begin(link_first)
    assert session.draft.data.name == "iris"
    assert not len(session.draft.links)
    course.begin(None)
    session.edits.load(load("wine"))
    course.begin(lesson_of(msgspec.structs.replace(written, steps=written.steps[1:])))
    assert session.draft.k == 4
    assert len(session.draft.links) == 1
    assert session.run is None


def test_who_finishes_a_lesson_reads_who_sees_the_answers(session, written):
    course = Course(session)
    course.begin(lesson_of(msgspec.structs.replace(written, steps=written.steps[:1])))
    course.go_on()
    assert "keeps no answers" in session.notice.text
