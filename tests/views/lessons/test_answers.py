"""Answers of a class: one of each browser to each question, for the teacher alone."""

import csv
import sqlite3
from contextlib import closing
from io import StringIO

import pytest

from ccviz.errors import CcvizError
from ccviz.views.panels import classroom as module
from ccviz.views.panels.classroom import MOST_LETTERS, Answers
from ccviz.views.person import Person

_NONE = [("", " "), ("", "a" * (MOST_LETTERS + 1)), ("a" * 61, "a")]
ANN, BEN = Person("ann"), Person("ben")


@pytest.fixture
def answers(tmp_path):
    """Return a server's answers, none yet."""
    return Answers(tmp_path / "new" / "answers.sqlite")


def test_a_later_answer_replaces_that_of_the_same_browser(answers, tmp_path):
    answers.give(ANN, "Race", 2, "Ann", "sdp")
    answers.give(BEN, "Race", 2, "", "colgen")
    answers.give(ANN, "Race", 2, "Ann", " both ")
    answers.give(ANN, "Race", 1, "Ann", "first")
    found = Answers(tmp_path / "new" / "answers.sqlite").to("Race", 2)
    assert {(each.name, each.text) for each in found} == {("Ann", "both"), ("", "colgen")}
    assert answers.to("Other", 2) == []
    assert (tmp_path / "new" / "answers.sqlite").stat().st_mode & 0o077 == 0


def test_the_last_name_of_a_browser_is_its_name(answers):
    answers.give(ANN, "Race", 1, "A.", "sdp")
    answers.give(ANN, "Race", 2, "Ann", "sdp")
    answers.give(ANN, "Race", 3, "", "sdp")
    answers.give(BEN, "Race", 1, "", "sdp")
    assert answers.names() == {"ann": "Ann"}


def test_answers_to_a_lesson_are_deleted_and_old_ones_with_the_next(answers, tmp_path):
    for lesson in ("Race", "Sizes"):
        answers.give(ANN, lesson, 1, "Ann", "sdp")
    answers.forget("Race")
    assert answers.to("Race", 1) == []
    assert len(answers.to("Sizes", 1)) == 1
    with closing(sqlite3.connect(tmp_path / "new" / "answers.sqlite")) as file, file:
        file.execute("UPDATE answers SET given = datetime('now', '-366 days')")
    answers.give(ANN, "Race", 1, "Ann", "sdp")
    assert answers.to("Sizes", 1) == []


@pytest.mark.parametrize(
    ("name", "text"), [("", " "), ("", "a" * (MOST_LETTERS + 1)), ("a" * 61, "a")]
)
def test_what_is_no_answer_is_refused(answers, name, text):
    with pytest.raises(CcvizError):
        answers.give(ANN, "Race", 1, name, text)
    assert answers.to("Race", 1) == []


def test_a_browser_gives_no_more_than_its_share(answers):
    for step in range(module._MOST_A_BROWSER):
        answers.give(ANN, "Race", step, "", "a")
    with pytest.raises(CcvizError):
        answers.give(ANN, "Sizes", 1, "", "a")
    answers.give(ANN, "Race", 1, "", "changed")
    answers.give(BEN, "Sizes", 1, "", "b")


def test_no_spreadsheet_evaluates_an_answer(answers):
    answers.give(ANN, "Race", 1, "=1+1", '=HYPERLINK("x")')
    rows = list(csv.reader(StringIO(answers.as_csv("Race"))))
    assert rows[1][:3] == ["1", "'=1+1", '\'=HYPERLINK("x")']


def test_a_file_that_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(CcvizError, match="cannot be kept"):
        Answers(tmp_path).give(ANN, "Race", 1, "", "a")
