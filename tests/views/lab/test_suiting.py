"""Which solver suits, and what is said where one does not, or gave up."""

from ccviz.data.datasets import load
from ccviz.problem.asked import AskedRule
from ccviz.problem.rules import RULE_KINDS
from ccviz.views.lab.loading import add_rule, draw_links
from ccviz.views.lab.notice import advised, in_titles
from ccviz.views.link_table import Link
from tests.views.lab.test_session import play_out


def test_names_are_those_of_the_list():
    assert in_titles("sdp cannot; these can: blp-kmeans, bh-kmeans.") == (
        "SDP branch-and-cut cannot; these can: BLP k-means, BH-kmeans."
    )
    assert in_titles("ipc-kmeans and sdp-3 differ") == "IPC-k-means and sdp-3 differ"


def test_who_cannot_do_it_is_named_with_one_that_can(session):
    session.edits.set_sizes("50, 50, 50")
    session.set_solver("ipc-kmeans")
    session.start()
    notice = session.notice
    assert (notice.kind, notice.take) == ("error", "sdp")
    assert notice.heading == "Error: this solver cannot do it."
    assert " cannot handle cluster sizes; these can: " in notice.text
    assert session.archive.runs() == []
    session.set_solver(notice.take)
    assert session.notice is None


def test_one_solver_takes_every_kind_of_constraint_and_none_is_left_beside_it(session):
    add_rule(session, RULE_KINDS["size>="], "10")
    session.edits.add_links([Link("must", 0, 1, 2.0)])
    assert advised(session.draft).solver == "sdp"
    known = AskedRule("overlap(first)<=60", tuple([0, 1, 2] * 50))
    session.edits.adopt(session.draft.with_rules([*session.draft.rules, known]))
    assert advised(session.draft).solver == "colgen"
    assert advised(session.draft, but="colgen") is None


def test_a_solver_that_gave_up_is_told_with_another_to_try(session):
    draw_links(session, 100)  # the classes keep them all, but one greedy start does not
    session.set_solver("cop-kmeans", n_init=1)
    session.start()
    play_out(session)
    notice = session.notice
    assert (notice.kind, notice.take) == ("warning", "sdp")
    assert notice.heading == "Warning: the solver gave up."
    assert "COP-k-means found no clustering that keeps every hard constraint" in notice.text
    session.notice = None
    session.playback.back()
    session.playback.go_on()
    play_out(session)
    assert session.notice is None


def test_the_page_takes_the_solver_that_suits_until_a_person_chooses(session):
    session.edits.set_k(4)
    assert session.solver.name == "blp-kmeans"
    session.edits.choose_solver()
    assert session.solver.name == "sdp"
    assert session.limits.time_limit == 60.0
    session.edits.set_outliers(5)
    assert session.solver.name == "blp-kmeans"
    session.edits.undo()
    assert session.solver.name == "sdp"
    session.edits.load(load("blobs", n=20_000))
    assert session.solver.name == "divide"
    session.set_solver("cop-kmeans")
    session.edits.load(load("iris"))
    assert session.solver.name == "cop-kmeans"
    assert session.limits.time_limit is None


def test_a_run_that_the_pages_own_limit_ended_goes_on_without_it(session):
    session.edits.choose_solver()
    session.edits.set_k(12)
    session.time_limit = 0.0  # as soon as there is a clustering
    session.start()
    play_out(session)
    run_id = session.player.run_id
    assert session.run.finished.termination == "time_limit"
    assert session.can_resume
    session.play()
    play_out(session)
    assert session.player.run_id == run_id
    assert session.run.status == "optimal"
    assert not session.can_resume
