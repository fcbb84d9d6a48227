"""Notices: their kind, their title, and a way out."""

from ccviz.data.datasets import load
from ccviz.views.draft import group_links
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.personal_archive import WORDS
from ccviz.views.lab.session import PAGE_KEYS, show_keys
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.link_table import Link
from ccviz.views.panels.header import NoticePanel, WelcomePanel


def test_a_notice_has_its_kind_its_title_and_a_button_that_switches(session):
    row = NoticePanel(session).__panel__()
    (html, take, cures), _ = row
    assert not row.visible
    session.notice = Notice("warning", "It is <b>so</b>.", title="the solver gave up", take="sdp")
    assert row.visible
    assert row.css_classes == ["notice", "warning"]
    assert "<b>Warning: the solver gave up.</b> It is &lt;b&gt;so&lt;/b&gt;." in html.object
    assert (take.visible, take.name) == (True, "★ SDP branch-and-cut")
    take.clicks += 1
    assert session.solver.name == "sdp"
    assert session.notice is None
    assert not row.visible
    session.edits.set_k(0)
    assert "<b>Error: nothing was changed.</b>" in html.object
    assert not take.visible
    assert not cures.visible


def test_a_notice_offers_changes_that_make_a_problem_solvable(session):
    row = NoticePanel(session).__panel__()
    session.edits.set_k(2)
    session.edits.add_links(group_links("cannot", (0, 50, 100)))
    (_, _, cures), _ = row
    assert cures[0].name == "Take 3 clusters"
    cures[0].clicks += 1
    assert session.draft.k == 3
    assert session.notice is None


def test_keys_are_a_list(session):
    row = NoticePanel(session).__panel__()
    show_keys(session)
    assert row[0][0].object.count("<dt>") == len(PAGE_KEYS)
    assert "Space: run or pause; " in session.notice.in_full


def test_it_stays_over_an_edit_with_other_words_and_goes_with_the_data(example_session, example):
    session = example_session
    session.show_example(example.run_id)
    panel = WelcomePanel(session, Course(session), lambda: None)
    assert (panel.visible, panel.words) == (True, WORDS)
    session.edits.add_links([Link("must", 0, 1)])
    assert panel.visible
    assert panel.words != WORDS
    session.edits.load(load("wine"))
    assert not panel.visible
    session.edits.undo()
    assert not panel.visible


def test_a_lesson_puts_it_away(example_session, example):
    session = example_session
    session.show_example(example.run_id)
    course = Course(session)
    panel = WelcomePanel(session, course, lambda: None)
    course.begin(LESSONS[0])
    assert not panel.visible
