"""The lesson on the page: title, aim, where to look, and the form of one's own."""

import pytest
from markupsafe import escape

from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import TABS, Course
from ccviz.views.lessons.written import as_file, of_file, of_word
from ccviz.views.panels.file_field import FileButton, FileField
from ccviz.views.panels.lessons import OWN, LessonChoice, LessonEditor, LessonPanel
from ccviz.views.panels.share import Texts
from ccviz.views.share.address import hidden_controls
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
