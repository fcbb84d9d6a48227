"""Lessons with a table of one's own: their file holds it, an address says that it does not."""

import csv
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from io import StringIO

import msgspec
import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.data.datasets import load
from ccviz.errors import CcvizError
from ccviz.views.lessons.catalogue import lesson_of_address
from ccviz.views.lessons.course import Course
from ccviz.views.lessons.written import (
    MOST_VALUES,
    as_file,
    as_word,
    dataset_of,
    lesson_of,
    named_tables,
    of_file,
    script,
    step_here,
    table_of,
    with_table,
)
from ccviz.views.link_table import Link
from ccviz.views.panels import classroom as module
from ccviz.views.panels.classroom import MOST_LETTERS, Answers
from ccviz.views.person import Person

ROWS = b"who,a,b,class\n" + b"".join(
    f"p{i},{i % 5 + 10 * (i % 2)},{i % 7},{'uv'[i % 2]}\n".encode() for i in range(30)
)


@pytest.fixture
def written(session):
    """Return a lesson of two steps on a table of one's own, the second with a link."""
    data = replace(read_table(ROWS, "mine.csv"), weights=np.arange(1.0, 31.0))
    session.edits.load(data)
    tables, own = with_table((), session.draft.data)
    first = step_here(session, "Look.", own)
    session.edits.add_links([Link("cannot", 0, 1)])
    tables, own = with_table(tables, session.draft.data)
    second = step_here(session, "Link 0 and 1.", own, shows="They are apart.")
    return script("Mine", "", (first, second), tables)


def test_a_file_holds_the_table_once_and_a_student_takes_the_lesson(session, written):
    assert len(written.tables) == 1
    mine, content = session.draft, as_file(written)
    session.edits.load(load("wine"))
    lesson = lesson_of(of_file(content))
    course = Course(session)
    course.begin(lesson)
    course.show()
    data = session.draft.data
    assert np.array_equal(data.X, mine.data.X)
    assert np.array_equal(data.weights, mine.data.weights)
    assert (data.name, data.features, data.classes) == ("mine", ("a", "b"), mine.data.classes)
    assert data.names == mine.data.names
    course.go_on()
    session.edits.add_links([Link("cannot", 0, 1)])  # by hand
    assert course.finding == "They are apart."


def test_an_address_says_that_it_does_not_hold_the_table(session, written):
    with pytest.raises(CcvizError, match="does not hold the table"):
        as_word(written)
    with pytest.raises(CcvizError, match="came from a file"):
        lesson_of_address(lesson_of(written).word)
    with pytest.raises(CcvizError, match="do not fit into an address"):
        step_here(session, "Look.")


def test_a_lesson_without_the_table_that_it_names_is_refused(written):
    bare = msgspec.structs.replace(written, tables=())
    with pytest.raises(CcvizError, match="no 'table-1'"):
        of_file(as_file(bare))


def test_named_data_are_not_held_and_unused_tables_go(session, written):
    assert with_table((), load("iris")) == ((), "")
    assert named_tables(written.tables, [written.steps[0].query]) == written.tables
    assert named_tables(written.tables, ["data=iris"]) == ()


def test_too_large_a_table_is_refused():
    wide = replace(load("iris"), name="mine", X=np.zeros((MOST_VALUES // 4 + 1, 4)))
    with pytest.raises(CcvizError, match="200,000 values"):
        with_table((), wide)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": [[1, 2], [3]]}, {"rows": []}, {"rows": [[1, "x"], [1, 2]]},
        {"rows": [[1, 1e400], [1, 2]]}, {"truth": [0]}, {"truth": [0, 5]},
        {"truth": [0, 10**30], "classes": []}, {"truth": []}, {"weights": [-1, 2]},
        {"names": ["a"]}, {"more": 1},
    ],
)  # fmt: skip
def test_a_broken_table_is_refused_in_a_sentence(written, change):
    table = {"name": "t", "features": ["a", "b"], "rows": [[1, 2], [3, 4]], "truth": [0, 1],
             "classes": ["u", "v"]} | change  # fmt: skip
    content = msgspec.to_builtins(written) | {"tables": [table]}
    with pytest.raises(CcvizError):
        of_file(json.dumps(content).encode())


def test_names_lose_what_is_no_letter(written):
    table = msgspec.structs.replace(written.tables[0], name="a\nb", features=("<b>", "\x00"))
    found = dataset_of(table)
    assert (found.name, found.features) == ("a b", ("<b>", ""))
    assert table_of(found).rows == table.rows


# --- Answers of a class: one of each browser to each question, for the teacher alone --------------


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
