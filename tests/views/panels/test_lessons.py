"""The lesson on the page: title, aim, where to look, and the form of one's own."""

import numpy as np
import pytest
from markupsafe import escape

from ccviz import Problem
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.notice import Notice
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import TABS, Course, Lesson, Step, is_right
from ccviz.views.lessons.written import FROM_FILE, as_file, of_file, of_word
from ccviz.views.panels.base import FileButton, FileField
from ccviz.views.panels.classroom import Answers, ClassPanel, QuestionPanel
from ccviz.views.panels.lessons import OWN, LessonChoice, LessonEditor, LessonPanel
from ccviz.views.panels.player import PlayerPanel, StatusPanel, present
from ccviz.views.panels.share import Texts
from ccviz.views.person import ALONE, Person
from ccviz.views.share.address import hidden_controls
from tests.patience import tick_until
from tests.views.person import At

MARKUP = "<img src=x onerror=alert(1)>"
ANSWERS = "Its right answer | wrong ones to choose from (optional)"
AIM = "Aim: what is understood in the end"


def test_every_lesson_has_an_aim_and_names_tabs_that_exist():
    for lesson in LESSONS:
        assert lesson.aim.endswith(".")
        assert {step.tab for step in lesson.steps} <= {"", *TABS}


def test_title_aim_and_where_to_look_are_shown(session):
    course = Course(session)
    panel = At(LessonPanel(course, session.runner))
    race = next(each for each in LESSONS if "race" in each.title)
    course.begin(race)
    for words in (race.title, race.aim, "Where to look: Bounds"):
        assert words in panel.text


def test_what_is_being_shown_is_not_begun_again_by_an_impatient_click(session, monkeypatch):
    course = Course(session)
    panel = At(LessonPanel(course, session.runner))
    course.begin(next(each for each in LESSONS if "by hand" in each.title))
    monkeypatch.setattr(session, "start", lambda: session.runner.param.update(state="running"))
    panel.press("Show me")
    assert panel["Show me"].disabled
    course.go_on()  # the run of the step before goes on
    assert not panel["Show me"].disabled
    panel.press("Show me")
    session.runner.state = "ended"
    assert not panel["Show me"].disabled


def bring(editor, content):
    """Drop a file on the form of a lesson."""
    part = {"upload": 1, "at": 0, "name": "a.ccvizlesson", "size": len(content), "data": content}
    At(editor).of(FileField)._handle_msg(part)


def test_a_lesson_is_written_tried_and_opened_again(session, monkeypatch):
    course, opened = Course(session), []
    form = LessonEditor(session, course, lambda: "http://localhost/main")
    choice = At(LessonChoice(course, lambda: opened.append(form.open())))["Lesson"]
    choice.value = OWN
    assert opened
    assert choice.value != OWN
    editor = At(form)
    editor["Title"].value, editor[AIM].value = MARKUP, "An aim."
    editor["What to do, and why"].value = MARKUP
    editor["Hide in the address"].value = ["data", "solver"]
    editor["A question to the class (optional)"].value = "How many?"
    editor[ANSWERS].value = f" 3 | {MARKUP} ||"
    editor.press("Add this step")
    assert editor[ANSWERS].value == ""
    assert str(escape(MARKUP)) in editor.text
    assert MARKUP not in editor.text
    editor.press("Make the address")
    address = editor.of(Texts).blocks[0]["text"]
    word = address.partition("lesson=")[2].partition("&")[0]
    assert of_word(word).steps[0].answers == ("3", MARKUP)
    assert address.endswith("&hide=data,solver")
    editor.press("Try it")
    panel = At(LessonPanel(course, session.runner))
    assert str(escape(MARKUP)) in panel.text
    assert MARKUP not in panel.text
    assert choice.value == MARKUP  # of a select, whose words are text
    other = LessonEditor(session, course, str)
    other.open()
    bring(other, as_file(of_word(word)))
    sent = []
    monkeypatch.setattr(FileButton, "_send_msg", lambda _, message: sent.append(message))
    At(other).of(FileButton).press()
    assert of_file(sent[0]["content"]) == of_word(word)


def test_what_is_missing_from_a_lesson_is_said(session):
    editor = LessonEditor(session, Course(session), str)
    editor.open()
    At(editor).press("Make the address")
    assert "needs a step" in session.notice.text
    bring(editor, b"no")
    assert "no sound lesson" in session.notice.text


def test_an_address_hides_only_what_can_be_hidden():
    assert hidden_controls("data,solver") == {"data", "solver"}
    assert hidden_controls("") == frozenset()
    with pytest.raises(Exception, match="can hide"):
        hidden_controls("plot")


def test_any_step_of_a_lesson_can_be_taken_away_and_its_question_is_listed(session):
    form = LessonEditor(session, Course(session), lambda: "http://localhost/main")
    form.open()
    editor = At(form)
    editor["Title"].value = "Steps"
    for word in ("first", "second", "third"):
        editor["What to do, and why"].value = word
        editor["A question to the class (optional)"].value = f"Why {word}?"
        editor.press("Add this step")
    editor["Step to take away"].value = 2
    editor.press("Take step away:")
    assert "Why first?" in editor.text
    assert "second" not in editor.text
    assert "--teacher-token" in editor.text  # who wants to see answers learns how
    editor.press("Make the address")
    assert "--address 0.0.0.0" in editor.of(Texts).blocks[0]["about"]


# --- Player ---------------------------------------------------------------------------------------


def words(panel):
    """Return what stands under the scrubber."""
    return panel.__panel__()[-1][0].object


def test_it_says_what_it_waits_for(session):
    panel = PlayerPanel(session)
    assert "Nothing has run yet." in words(panel)
    session.start()
    session.tick()
    assert "The solver is being loaded…" in words(panel)

    tick_until(session, lambda: session.player.shot.last >= 0)
    assert "The solver is being loaded…" not in words(panel)


def test_a_note_leaves_the_screen_of_a_presenter_and_an_error_stays(session):
    for kind, left in (("info", False), ("error", True)):
        session.notice = Notice(kind, "A sentence.")
        present(session)
        assert session.presenting
        assert (session.notice is not None) == left
        present(session)


def test_cost_bound_and_gap_are_explained_under_the_mouse(session):
    session.set_solver("k-means")
    session.start()
    tick_until(session, lambda: not session.needs_tick)
    shown = At(StatusPanel(session, Inspection(session.archive, session.player))).text
    assert 'title="How much cheaper the best clustering may still be' in shown


# --- The question of a lesson: who has a field, what is right, and what the teacher sees ----------


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
