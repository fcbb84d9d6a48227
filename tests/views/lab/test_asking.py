"""Questions in the laboratory: picked, answered by links, undone, and enough."""

from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.views.lab import asking as module
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link

X = np.column_stack([[0.0, 0.1, 0.2, 4.0, 4.1, 4.2], np.zeros(6)])
POINTS = Dataset("row", X, ("x0", "x1"), truth=np.array([0, 0, 0, 1, 1, 1]), classes=("a", "b"))


@pytest.fixture
def session(archive):
    """Return a session that asks about six points in two groups."""
    session = Session(archive, RunQueue(), POINTS)
    session.edits.ask()
    session.asking.settle()
    yield session
    session.close()


def answer(session):
    i, j = session.asking.settle().points
    assert session.picked == (i, j)
    session.edits.link("must" if POINTS.truth[i] == POINTS.truth[j] else "cannot")
    return session.asking.settle()


def test_the_pair_is_picked_and_its_answer_is_a_link_like_any_other(session):
    pair = session.asking.points
    asked = answer(session)
    assert [link.pair for link in session.draft.links] == [tuple(sorted(pair))]
    assert asked.questions == 1
    assert 0.7 < asked.ari < 1  # of three clusters looked for, one is not known to be none yet
    assert asked.points != pair


def test_a_soft_answer_may_be_asked_for_again_and_counts_again(session):
    session.weight = 1.0
    i, j = session.asking.points
    session.edits.link("must")
    session.asking.settle()
    again = replace(session.asking.asked, points=(i, j))  # as where much rests on it
    session.asking.asked = again
    session.picked = (i, j)
    session.edits.link("must")
    assert session.asking.settle().points != (i, j)
    assert not session.notice
    assert [link.pair for link in session.draft.links] == [tuple(sorted((i, j)))]
    assert len(session.asking._learner.answers.log) == 2


def test_it_ends_with_a_reason(session):
    while session.asking.asked.points:
        asked = answer(session)
    assert asked.enough.startswith("no further question is useful: ")
    assert session.picked == ()
    assert session.asking.labels.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert asked.implied == 15 - asked.questions or "in doubt" in asked.enough


def test_unsure_is_undone_and_done_again_like_a_link(session):
    pair = session.asking.points
    session.edits.unsure()
    other = session.asking.settle().points
    assert session.draft.unsure == (pair,)
    assert session.asking.asked.questions == 1
    assert other[0] != pair[0]
    session.edits.undo()
    assert session.asking.settle().points == pair
    assert session.asking.asked.questions == 0
    session.edits.redo()
    assert session.asking.settle().points == other


def test_links_that_were_there_are_known(session):
    session.asking.stop()
    session.edits.add_links([Link("cannot", 0, 3), Link("must", 0, 1)])
    session.edits.ask()
    asked = session.asking.settle()
    assert (asked.questions, asked.implied) == (0, 1)
    assert set(asked.points) & {2, 4, 5}


def test_another_pair_may_be_linked_in_between(session):
    pair = session.asking.points
    session.edits.pick(2)
    assert session.picked == (2,)
    session.edits.cancel()
    assert session.picked == pair
    session.edits.pick(2)
    session.edits.pick(1)
    session.edits.link("must")
    assert session.draft.links == (Link("must", 1, 2),)
    assert session.asking.settle().questions == 0
    session.edits.cancel()
    assert not session.asking.active
    assert session.picked == ()


def test_other_points_are_asked_about_anew(session):
    answer(session)
    session.edits.load(load("iris"))
    asked = session.asking.settle()
    assert len(asked.labels) == 150
    assert asked.questions == 0
    session.edits.set_k(2)
    assert session.asking.settle().labels.max() == 1


def test_soft_links_may_be_wrong_and_are_asked_about_again(session):
    session.weight = 1.0
    answer(session)
    assert session.asking._learner.learns_noise
    assert not session.draft.links[0].is_hard


def test_a_run_and_the_brush_end_the_questions(session, monkeypatch):
    painter = Painter(session)
    painter.toggle()
    assert not session.asking.active
    session.edits.ask()
    assert not painter.active
    monkeypatch.setattr(session.playback, "start", lambda *_: None)
    session.start()
    assert not session.asking.active


def test_what_takes_long_comes_later_and_a_refusal_ends_it(session, monkeypatch):
    slow = Future()
    monkeypatch.setattr(session.asking._thread, "submit", lambda *_: slow)
    monkeypatch.setattr(module, "_AT_ONCE_S", 0.0)
    session.asking.follow(session.draft)
    assert session.needs_tick
    assert session.asking.asked is None
    assert session.asking.labels is not None  # the last ones are shown meanwhile
    slow.set_exception(CcvizError("no way."))
    session.tick()
    assert session.notice.text == "No way."
    assert not session.asking.active
    assert not session.needs_tick


def test_u_without_a_question_says_how_to_be_asked(session):
    session.asking.stop()
    session.edits.unsure()
    assert "Press A" in session.notice.text


@pytest.fixture
def by_sets(session):
    """Return a session that asks about sets of three, which is a set of the six points."""
    session.edits.ask_about(3)
    assert len(session.asking.settle().points) == 3
    return session


def mark_by_class(session):
    """Mark the points that are not of the first one's class, and return them."""
    first, *others = session.asking.points
    odd = [point for point in others if POINTS.truth[point] != POINTS.truth[first]]
    for point in odd:
        session.edits.pick(point)
    return tuple(odd)


def test_an_answer_about_a_set_makes_links_that_one_undo_takes_back(by_sets):
    asked = by_sets.asking.points
    assert by_sets.picked == asked
    odd = mark_by_class(by_sets)
    assert by_sets.asking.odd == odd
    by_sets.edits.link("cannot" if odd else "must")
    assert by_sets.asking.settle().questions == 1
    assert len(by_sets.draft.links) == 2
    for link in by_sets.draft.links:
        assert set(link.pair) <= set(asked)
        assert (link.kind == "must") == (POINTS.truth[link.i] == POINTS.truth[link.j])
    assert by_sets.asking.odd == ()
    by_sets.edits.undo()
    assert by_sets.asking.settle().points == asked
    assert by_sets.asking.asked.questions == 0
    assert not by_sets.draft.links


def test_sets_end_with_the_classes(by_sets):
    for _ in range(6):
        if by_sets.asking.several:
            by_sets.edits.link("cannot" if mark_by_class(by_sets) else "must")
        elif by_sets.asking.points:
            answer(by_sets)
        by_sets.asking.settle()
    assert by_sets.asking.asked.ari == 1
    assert "no further question" in by_sets.asking.asked.enough


def test_a_mark_is_taken_off_again_and_keys_say_what_is_missing(by_sets):
    by_sets.edits.link("cannot")
    assert "Mark the points" in by_sets.notice.text
    assert by_sets.edits.mark_odd(1)
    assert by_sets.notice is None
    by_sets.edits.link("must")
    assert by_sets.notice.text == "1 point marked: C keeps them apart."
    by_sets.edits.pick(by_sets.asking.points[1])
    assert by_sets.asking.odd == ()
    assert not by_sets.edits.mark_odd(3)
    assert not by_sets.draft.links


def test_some_point_must_be_left(by_sets):
    for place in range(3):
        by_sets.edits.mark_odd(place)
    by_sets.edits.answer_set()
    assert "No point is left" in by_sets.notice.text
    assert by_sets.asking.several


def test_another_pair_may_be_linked_while_a_set_is_asked_about(by_sets):
    other = next(point for point in range(6) if point not in by_sets.asking.points)
    by_sets.edits.pick(other)
    assert by_sets.picked == (other,)
    by_sets.edits.cancel()
    assert by_sets.picked == by_sets.asking.points


def test_unsure_about_a_set_leaves_the_point_in_question_alone(by_sets):
    pair = by_sets.asking.pair
    by_sets.edits.unsure()
    assert by_sets.draft.unsure == (pair,)
    assert by_sets.asking.settle().questions == 1
    assert by_sets.asking.pair[0] != pair[0]


def test_a_soft_answer_about_a_set_that_is_there_already_counts_again(by_sets):
    by_sets.weight = 1.0
    before = by_sets.asking.asked
    by_sets.edits.answer_set()
    by_sets.asking.settle()
    by_sets.asking.asked = before
    by_sets.edits.answer_set()
    by_sets.asking.settle()
    assert not by_sets.notice
    assert len(by_sets.draft.links) == 2
    assert len(by_sets.asking._learner.answers.log) == 4


def test_an_open_question_of_another_size_is_not_counted(by_sets):
    mark_by_class(by_sets)
    by_sets.edits.answer_set()
    by_sets.asking.settle()
    by_sets.edits.ask_about(2)
    assert len(by_sets.asking.settle().points) == 2
    assert by_sets.asking.asked.questions == 1
