"""Edits that start a run by themselves, and proofs to which an edit leads back."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ccviz.data.datasets import load
from ccviz.numbers import number
from ccviz.views.frames.card import card
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.player import PlayerPanel
from ccviz.views.panels.solver import plan
from tests.views.person import At


@pytest.fixture
def session(archive):
    """Return a session with a quick proof of iris, whose runs take no process of their own."""
    session = SessionHere(archive, RunQueue(), load("iris"))
    session.set_solver("sdp")
    session.start()
    _take_for(session, 0.5)
    yield session
    session.close()


def _take_for(session, seconds):
    """Let the run shown have taken so long: the tests' machine may be slow."""
    session.archive._set(session.player.run_id, {"time_s": seconds})
    run_id = session.player.run_id
    session.player.open(run_id, playing=False)
    session.player.end()


def apart(session):
    """Return two points of different clusters."""
    labels = session.run.labels
    return int(np.flatnonzero(labels == 0)[0]), int(np.flatnonzero(labels == 1)[0])


def together(session, many):
    """Return pairs of points of one cluster."""
    place = np.flatnonzero(session.run.labels == 0)
    return [Link("must", int(place[0]), int(each)) for each in place[1 : many + 1]]


def test_a_link_that_the_proof_keeps_starts_nothing_and_one_that_it_breaks_a_run(session):
    first = session.player.run_id
    session.edits.add_links(together(session, 1))
    assert session.player.run_id == first
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id != first
    assert session.run.problem.asks_the_same(session.draft.problem)
    assert session.run.status == "optimal"


def test_undo_shows_the_first_proof_again_and_redo_the_last(session):
    shown = [session.player.run_id]
    for _ in range(3):
        session.edits.add_links([Link("must", *apart(session))])
        _take_for(session, 0.5)
        shown.append(session.player.run_id)
    assert len(set(shown)) == 4
    for run_id in reversed(shown[:-1]):
        session.edits.undo()
        assert session.player.run_id == run_id
        assert session.run.status == "optimal"
    for run_id in shown[1:]:
        session.edits.redo()
        assert session.player.run_id == run_id
    assert len(session.archive.runs()) == 4


def test_a_slow_proof_another_solver_another_k_and_a_question_start_nothing(session):
    first = session.player.run_id
    _take_for(session, 30.0)
    assert not session.proofs.quick
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id == first
    session.edits.undo()
    _take_for(session, 0.5)
    session.edits.set_k(4)
    assert session.player.run_id == first
    session.edits.undo()
    session.set_solver("blp-kmeans")
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id == first
    session.edits.undo()
    session.set_solver("sdp")
    session.as_edited = False
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id == first


def test_a_heuristic_does_not_start_by_itself(session):
    session.set_solver("blp-kmeans")
    session.start()
    first = session.player.run_id
    assert not session.proofs.quick
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id == first
    session.as_edited = True
    session.edits.add_links([Link("cannot", 0, 1)])
    assert session.player.run_id != first


def test_runs_that_edits_start_do_not_pile_up(session):
    first = session.player.run_id
    session.set_solver("k-means")
    for place in range(24):
        session.proofs.expect()
        session.start()
        if place == 0:
            named = session.player.run_id
            session.archive.rename(named, "mine")
    kept = {info.id for info in session.archive.runs()}
    assert {first, named} <= kept
    assert len(kept) == 22


def test_a_bound_holds_for_a_heuristic_and_for_what_is_added_and_not_for_what_is_taken(session):
    bound = session.run.lower_bound
    session.set_solver("blp-kmeans")
    session.start()
    session.player.end()
    shown = card(session.run, False, session.draft.problem, known=session.known_bound)
    assert dict(shown.rows)["Lower bound"] == number(bound)
    assert dict(shown.rows)["Gap"] != "–"
    assert "that of an earlier run" in shown.ending
    session.edits.add_links([Link("must", *apart(session))])
    assert session.known_bound == bound
    session.edits.set_k(4)
    assert session.known_bound == -math.inf
    session.edits.set_k(3)
    session.as_edited = True
    session.start()  # its own bound is not there yet, or below
    assert session.run.problem.asks_the_same(session.draft.problem)
    assert session.known_bound == bound


def test_the_time_of_a_proof_is_learned_from_a_run_on_these_points(session):
    def seconds():
        return session.proofs.forecast(session.draft.problem, session.solver)

    session.proofs.took = ()
    usual = seconds()
    _take_again(session, 40.0)
    assert seconds().about == "about 40 s"
    assert plan(session) == "Exact, with proof · about 40 s"
    session.set_solver("sdp", cuts="none")
    assert seconds() is None  # no run was measured with these settings, and none is known
    session.set_solver("sdp")
    session.edits.load(load("wine"))
    assert seconds().middle < 40.0
    session.edits.undo()
    took = session.proofs.took[-1]
    session.proofs.took = (replace(took, proved=False, seconds=60.0),)
    assert seconds().about == "over 60 s"
    session.proofs.took = (replace(took, proved=False, seconds=0.5 * usual.middle),)
    assert seconds() == usual  # it was stopped early


def _take_again(session, seconds):
    session.start()
    session.proofs.took = ()
    _take_for(session, seconds)


def test_a_second_edit_during_a_run_that_an_edit_started_starts_again(session):
    session.edits.add_links([Link("must", *apart(session))])
    first = session.player.run_id
    session.archive._set(first, {"time_s": 30.0, "termination": None})
    session.player.open(first, playing=False)  # as if it went on
    session.player.end()
    session.proofs.quick = True
    session.edits.add_links([Link("must", *apart(session))])
    assert session.player.run_id != first
    assert session.run.problem.asks_the_same(session.draft.problem)


def test_the_line_of_the_player_says_that_a_run_is_of_the_problem_before_an_edit(session):
    line = At(PlayerPanel(session))
    assert "before the edit" not in line.text
    session.as_edited = False
    session.edits.add_links([Link("must", *apart(session))])
    assert "Of the problem before the edit: " in line.text
