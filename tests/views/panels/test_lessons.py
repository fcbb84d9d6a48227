"""The lesson on the page: title, aim, where to look, the form of one's own, answers of a class."""

import pytest
from markupsafe import escape

from ccviz.views.lessons.answers import Answers
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import TABS, Course, Lesson, Step
from ccviz.views.lessons.written import as_file, of_file, of_word
from ccviz.views.panels.class_answers import ClassAnswers
from ccviz.views.panels.lesson_editor import OWN, LessonEditor
from ccviz.views.panels.lessons import LessonChoice, LessonPanel
from ccviz.views.person import Person
from ccviz.views.share.hidden import hidden_controls

MARKUP = "<img src=x onerror=alert(1)>"


def test_every_lesson_has_an_aim_and_names_tabs_that_exist():
    for lesson in LESSONS:
        assert lesson.aim.endswith(".")
        assert {step.tab for step in lesson.steps} <= {"", *TABS}


def test_title_aim_and_where_to_look_are_shown(session):
    course = Course(session)
    panel = LessonPanel(course, session.runner)
    race = next(each for each in LESSONS if "race" in each.title)
    course.begin(race)
    for words in (race.title, race.aim, "Where to look: Bounds"):
        assert words in panel._heading.object + panel._text.object


def test_what_is_being_shown_is_not_begun_again_by_an_impatient_click(session, monkeypatch):
    course = Course(session)
    panel = LessonPanel(course, session.runner)
    course.begin(next(each for each in LESSONS if "by hand" in each.title))
    monkeypatch.setattr(session, "start", lambda: session.runner.param.update(state="running"))
    panel._show.clicks += 1
    assert panel._show.disabled
    course.go_on()  # the run of the step before goes on
    assert not panel._show.disabled
    panel._show.clicks += 1
    session.runner.state = "ended"
    assert not panel._show.disabled


def test_a_lesson_is_written_tried_and_opened_again(session):
    course, opened = Course(session), []
    editor = LessonEditor(session, course, lambda: "http://localhost/main")
    choice = LessonChoice(course, lambda: opened.append(editor.open()))
    choice._choice.value = OWN
    assert opened
    assert choice._choice.value != OWN
    editor._title.value, editor._aim.value = MARKUP, "An aim."
    editor._text.value = MARKUP
    editor._hide.value = ["data", "solver"]
    editor._in_words(editor._add)
    assert str(escape(MARKUP)) in editor._listed.object
    assert MARKUP not in editor._listed.object
    editor._in_words(editor._make_address)
    address = editor._address.blocks[0]["text"]
    word = address.partition("lesson=")[2].partition("&")[0]
    assert address.endswith("&hide=data,solver")
    editor._in_words(editor._try)
    panel = LessonPanel(course, session.runner)
    assert str(escape(MARKUP)) in panel._text.object
    assert MARKUP not in panel._text.object
    assert choice._choice.value == MARKUP  # of a select, whose words are text
    other = LessonEditor(session, course, str)
    other._take_file("a.ccvizlesson", as_file(of_word(word)))
    assert other._written() == of_word(word)
    assert of_file(other._download().args and as_file(other._written())) == of_word(word)


def test_what_is_missing_from_a_lesson_is_said(session):
    editor = LessonEditor(session, Course(session), str)
    editor._in_words(editor._make_address)
    assert "needs a step" in session.notice.text
    editor._take_file("a", b"no")
    assert "no sound lesson" in session.notice.text


@pytest.fixture
def taking_part(session, tmp_path, monkeypatch):
    """Return a function that returns the answers' panel of a person, at a question."""

    def begin(person):
        monkeypatch.setattr(session, "person", person)
        course = Course(session)
        panel = ClassAnswers(session, course, Answers(tmp_path / "answers.sqlite"))
        step = Step("Run.", str, lambda *_: False, lambda *_: "", question=MARKUP)
        course.begin(Lesson("Race", (step,)))
        return panel

    return begin


def test_the_teacher_reads_what_students_answer(taking_part):
    student = taking_part(Person("ann"))
    assert MARKUP not in student._question.object
    student._name.value, student._text.value = "Ann", MARKUP
    student._give()
    assert student._session.notice.kind == "info"
    teacher = taking_part(Person("t", is_teacher=True))
    assert "1 answer" in teacher._given.object
    assert str(escape(MARKUP)) in teacher._given.object
    assert MARKUP not in teacher._given.object
    assert "Ann" in teacher._download().work("Race")


def test_a_student_sees_no_answers_and_one_person_no_field(taking_part):
    assert not taking_part(Person("ann"))._given.object
    alone = taking_part(Person())
    assert len(alone.__panel__().objects) == 1


def test_an_address_hides_only_what_can_be_hidden():
    assert hidden_controls("data,solver") == {"data", "solver"}
    assert hidden_controls("") == frozenset()
    with pytest.raises(Exception, match="can hide"):
        hidden_controls("plot")
