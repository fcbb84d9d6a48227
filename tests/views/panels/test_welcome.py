"""The strip of the opening page stays over edits: the plot must not move below the mouse."""

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.views.lab.example import WORDS, Example
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.link_table import Link
from ccviz.views.panels.welcome import WelcomePanel


def test_it_stays_over_an_edit_with_other_words_and_goes_with_the_data(tmp_path):
    with Archive(tmp_path / "runs.sqlite") as archive:
        example = Example()
        session = Session(archive, RunQueue(), load("iris"), example=example)
        session.show_example(example.run_id)
        panel = WelcomePanel(session, Course(session), lambda: None)
        assert (panel.visible, panel.words) == (True, WORDS)
        session.add_links([Link("must", 0, 1)])
        assert panel.visible
        assert panel.words != WORDS
        session.load(load("wine"))
        assert not panel.visible
        session.undo()
        assert not panel.visible
        session.close()


def test_a_lesson_puts_it_away(tmp_path):
    with Archive(tmp_path / "runs.sqlite") as archive:
        example = Example()
        session = Session(archive, RunQueue(), load("iris"), example=example)
        session.show_example(example.run_id)
        course = Course(session)
        panel = WelcomePanel(session, course, lambda: None)
        course.begin(LESSONS[0])
        assert not panel.visible
        session.close()
