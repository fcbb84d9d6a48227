"""The question of a lesson: who has a field, what is right, and what the teacher sees."""

import numpy as np
import pytest
from markupsafe import escape

from ccviz import Problem
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course, Lesson, Step, is_right
from ccviz.views.lessons.written import FROM_FILE
from ccviz.views.panels.base import FileButton
from ccviz.views.panels.classroom import Answers, ClassPanel, QuestionPanel
from ccviz.views.panels.share import Texts
from ccviz.views.person import ALONE, Person
from tests.views.person import At

MARKUP = "<img src=x onerror=alert(1)>"
ANN, TEACHER = Person("ann"), Person("t", is_teacher=True)


def lesson_with(question, *answers, word=""):
    step = Step("Run.", str, lambda *_: False, lambda *_: "", question=question, answers=answers)
    return Lesson("Race", (step,), word=word)


@pytest.fixture
def taking_part(session, tmp_path, monkeypatch):
    """Return a function that returns a panel of a person, at a lesson."""

    def begin(person, lesson, kind=QuestionPanel):
        monkeypatch.setattr(session, "person", person)
        course = Course(session)
        panel = At(kind(session, course, Answers(tmp_path / "answers.sqlite")))
        course.begin(lesson)
        return panel

    return begin


def send(panel, name, text):
    panel["Your name"].value, panel["Your answer"].value = name, text
    panel.press("Send")


def test_the_teacher_reads_what_students_answer(taking_part, session, monkeypatch):
    asked = lesson_with(MARKUP)
    student = taking_part(ANN, asked)
    assert MARKUP not in student.text
    send(student, MARKUP, MARKUP)
    assert session.notice.kind == "info"
    assert student["verdict"].object == ""  # the lesson has no right answer
    teacher = taking_part(TEACHER, asked, ClassPanel)
    assert "1 answer, 1 student" in teacher.text
    assert teacher.text.count(escape(MARKUP)) == 2  # name and answer
    assert MARKUP not in teacher.text
    sent = []
    monkeypatch.setattr(FileButton, "_send_msg", lambda _, message: sent.append(message))
    teacher.of(FileButton).press()
    assert MARKUP in sent[0]["content"]
    teacher.press("Delete answers")  # asks first
    assert "1 answer" in teacher.text
    teacher.press("Delete all answers to Race?")
    assert "0 answers" in teacher.text


def test_the_teacher_sees_the_runs_of_the_class(taking_part, archive):
    asked = lesson_with("How many?", "3")
    send(taking_part(ANN, asked), "Ann", "3.0")
    send(taking_part(Person("ben"), asked), "", "4")
    problem = Problem(np.zeros((4, 1)), 2)
    for owner in ("ann", "ann", "eve", "t", ""):
        archive.create(problem, "sdp", {}, owner=owner, dataset=MARKUP)
    teacher = taking_part(TEACHER, asked, ClassPanel)
    assert "2 answers, 3 students" in teacher.text
    assert MARKUP not in teacher.text
    rows = [row.split("<td>")[1:5] for row in teacher.text.split("<tr>")[2:]]
    assert [[cell.removesuffix("</td>") for cell in row] for row in rows] == [
        ["(no name)", "4", "not yet", "0"],
        ["Ann", "3.0", "right", "2"],
        ["(no name)", "–", "", "1"],
    ]


def test_the_teacher_has_the_address_of_the_lesson(taking_part):
    given = (LESSONS[0], lesson_with("", word="eJy"), lesson_with("", word=FROM_FILE))
    for lesson, word in zip(given, (LESSONS[0].name, "eJy", FROM_FILE), strict=True):
        (block,) = taking_part(TEACHER, lesson, ClassPanel).of(Texts).blocks
        assert block["sound"] == (word != FROM_FILE) == block["text"].endswith(f"?lesson={word}")
    assert not taking_part(TEACHER, None, ClassPanel).seen


def test_a_choice_is_right_or_not_yet(taking_part, session):
    student = taking_part(ANN, lesson_with("Which?", "sdp", MARKUP, "a heuristic"))
    assert not student["Your answer"].visible
    choice = student["Choose an answer"]
    assert choice.options == ["", MARKUP, "a heuristic", "sdp"]
    student.press("Send")
    assert "empty" in session.notice.text
    assert student["verdict"].object == ""
    for answer, verdict in ((MARKUP, "Not yet."), ("sdp", "Right.")):
        choice.value = answer
        student.press("Send")
        assert verdict in student["verdict"].object


def test_one_person_checks_an_answer_and_keeps_none(taking_part, tmp_path):
    alone = taking_part(ALONE, lesson_with("How many?", "149"))
    assert not alone["Your name"].visible
    alone["Your answer"].value = "149"
    alone.press("Check")
    assert "Right." in alone.text
    assert not (tmp_path / "answers.sqlite").exists()


def test_a_student_and_the_teacher_are_not_shown_what_one_person_is(taking_part):
    asked = Lesson("Race", lesson_with("").steps, exercises=(("Why?", "So <b>."),))
    alone = taking_part(ALONE, asked)
    assert "So &lt;b&gt;." in alone.text
    assert not alone.root[1].visible  # no answer is known in few words, and no teacher reads one
    student = taking_part(ANN, asked)
    assert "So &lt;b&gt;." not in student.text
    assert student.root[1].visible
    assert not taking_part(TEACHER, asked).root[1].visible


@pytest.mark.parametrize(
    ("given", "answer", "right"),
    [
        ("87.9278", "87.93", True), ("87,93", "87.93", True), ("87.94", "87.93", False),
        ("3", "3", True), ("3.0", "3", True), ("3.4", "3", False), ("1e999", "3", False),
        ("nan", "3", False), ("9" * 400, "3", False), ("\u0663", "3", False),
        (" There is ONE ", "There is one", True), ("", "3", False), ("three", "3", False),
    ],
)  # fmt: skip
def test_a_number_is_right_to_the_decimals_of_the_answer(given, answer, right):
    assert is_right(given, answer) == right
