import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.data.datasets import load
from ccviz.problem.rules import RULE_KINDS
from ccviz.views.draft import group_links
from ccviz.views.frames.projection import map_of
from ccviz.views.lab.loading import add_rule
from ccviz.views.lab.session import Session
from ccviz.views.lab.state import ClusterColors
from ccviz.views.link_table import Link
from tests.patience import tick_until


def play_out(session):
    """Tick until nothing moves, at full speed."""
    session.player.pace = "Live"
    tick_until(session, lambda: not session.needs_tick)


def test_picking_goes_round(session):
    session.edits.pick(3)
    assert session.picked == (3,)
    session.edits.pick(9)
    assert session.picked == (3, 9)
    session.edits.pick(11)
    assert session.picked == (3, 11)
    session.edits.pick(11)
    assert session.picked == ()
    session.edits.pick(4)
    session.edits.pick(None)
    assert session.picked == ()


def test_linking_nothing_says_how_to(session):
    session.edits.link("must")
    assert "Click two points first" in session.notice.text


def test_a_group_against_a_group(session):
    session.edits.hold()
    assert "Pick points first" in session.notice.text
    session.edits.pick_group((0, 1))
    session.edits.hold()
    assert session.held == (0, 1)
    assert session.picked == ()
    session.edits.pick_group((50, 51, 52))
    session.edits.link("cannot")
    assert len(session.draft.links) == 6
    assert session.held == ()
    session.edits.pick_group((0, 1))
    session.edits.hold()
    session.edits.pick(2)
    session.edits.link("must")
    assert session.draft.links[6:] == (Link("must", 0, 1), Link("must", 1, 2))
    session.edits.pick_group((5, 6))
    session.edits.hold()
    session.edits.pick_group((6, 7))
    session.edits.link("cannot")
    assert session.notice.text == "Point 6 is in both groups."


def test_a_flood_of_links_is_refused(session):
    session.edits.load(load("blobs", n=400))
    session.edits.pick_group(range(300))
    session.edits.link("cannot")
    assert "44,850 cannot-links" in session.notice.text
    assert session.draft.links == ()


def test_a_contradiction_lights_its_chain_and_changes_nothing(session):
    session.edits.add_links([Link("must", 1, 2), Link("must", 2, 3)])
    session.edits.pick(1)
    session.edits.pick(3)
    session.edits.link("cannot")
    assert session.lit == (1, 2, 3)
    assert session.notice.text.startswith("Refused: cannot-link 1-3 contradicts")
    assert len(session.draft.links) == 2


def test_an_infeasible_set_is_told_with_its_witness(session):
    session.edits.add_links(group_links("cannot", (0, 50, 100, 149)))
    assert session.notice.kind == "warning"
    assert set(session.lit) == {0, 50, 100, 149}
    assert len(session.draft.links) == 6


def test_steps_start_a_run_that_waits(session):
    session.step()
    tick_until(session, lambda: session.player.shot is not None and session.player.shot.seq >= 0)
    assert session.player.shot.seq == 0
    assert session.runner.state == "paused"
    session.playback.stop()
    play_out(session)
    assert session.run.termination == "interrupted"


def test_a_refused_run_leaves_the_old_result_and_another_solver_answers_it(session):
    session.start()
    play_out(session)
    shown = session.player.run_id
    session.edits.set_sizes("50, 50, 50")
    session.set_solver("dils")
    session.start()
    assert session.notice.text.startswith("DILS cannot handle cluster sizes; ")
    assert session.player.run_id == shown
    assert session.run.status == "feasible"
    session.set_solver("blp-kmeans")
    assert session.notice is None


def test_a_refusal_goes_once_the_same_works(session):
    session.set_solver("blp-kmeans", n_init=0)
    assert "below 1" in session.notice.text
    session.tick()
    assert session.notice is not None
    session.set_solver("blp-kmeans", n_init=2)
    assert session.notice is None
    session.edits.set_k(500)
    session.set_solver("sdp")
    assert session.notice.kind == "error"
    session.edits.load(load("wine"))
    assert session.notice is None


def test_a_dead_end_is_ringed_until_something_else_happens(session):
    session.set_solver("cop-kmeans", n_init=1)
    session.edits.add_links(group_links("cannot", (0, 50, 100, 149)))
    session.start()
    play_out(session)
    assert session.run.incumbent is None
    assert session.lit[0] in {0, 50, 100, 149}
    assert session.notice.heading == "Warning: this cannot be solved."  # not only that it gave up
    session.playback.back()
    assert len(session.lit) == 1
    session.playback.back()
    assert session.lit == ()
    session.player.end()
    assert len(session.lit) == 1


def test_must_links_that_exceed_a_size_are_named_with_what_to_give_up(session):
    session.edits.set_k(30)
    session.edits.set_sizes("equal")
    session.edits.add_links(group_links("must", range(6)))
    assert session.notice.heading == "Warning: this cannot be solved."
    assert "the cluster sizes, must-link 0–1" in session.notice.text
    wider, fewer = session.notice.cures
    assert wider.words == "allow sizes of 4-6"
    assert fewer.words.startswith("give up must-link ")
    assert "sizes of 4-6 (neither 5-6 nor 4-5 will do), or give up" in session.notice.text
    assert set(session.lit) == set(range(6))
    session.edits.cure(fewer)
    assert session.notice is None
    assert len(session.draft.links) == 4
    session.edits.undo()
    session.edits.cure(wider)
    assert session.notice is None
    assert session.draft.upper == (6,) * 30
    session.edits.undo()
    session.edits.undo()
    assert session.notice is None


def test_a_refused_rule_says_what_to_change_and_a_rule_can_be_changed(session):
    session.edits.set_k(2)
    kind = RULE_KINDS["diameter<="]
    assert add_rule(session, kind, "2") == ""  # a proof that nothing keeps it, and what would
    (limit, *_) = session.notice.cures
    session.edits.cure(limit)
    assert session.notice is None
    assert [rule.text for rule in session.draft.rules] == [limit.text]
    assert "add up to" in add_rule(session, RULE_KINDS["size<="], "60")
    assert "if you raise size<=60 to size<=76" in session.notice.text


def test_a_shown_run_brings_its_solver_and_settings_back(session):
    session.set_solver("cop-kmeans", n_init=3)
    session.param.update(seed=7, time_limit=30.0)
    session.start()
    play_out(session)
    shown = session.player.run_id
    session.set_solver("blp-kmeans")
    session.param.update(seed=0, time_limit=None)
    session.open_run(shown)
    assert (session.solver.name, session.solver.n_init) == ("cop-kmeans", 3)
    assert (session.seed, session.time_limit) == (7, 30.0)


def test_edits_run_by_themselves_if_told_so(session):
    session.edits.add_links([Link("cannot", 3, 140)])
    assert not session.runner.busy
    session.as_edited = True
    session.edits.set_k(4)
    assert session.runner.busy
    play_out(session)
    assert session.run.problem.k == 4
    first = session.player.run_id
    session.open_run(first)
    session.edits.load(load("wine"))
    assert not session.runner.busy


def test_another_k_keeps_the_picture_and_other_points_do_not(session):
    session.start()
    play_out(session)
    session.edits.set_k(5)
    assert session.run.problem.k == 3
    session.cluster_colors.keep(session.run.labels)
    session.edits.set_scaling("standard")
    assert session.run is None
    assert session.cluster_colors.shown is None


def test_a_second_run_waits_for_the_first(session):
    other = Session(session.archive, session.runner._queue, load("iris"))
    session.step()
    other.play()
    assert other.runner.state == "queued"
    assert other.runner.waiting == 1
    session.close()
    play_out(other)
    assert other.run.status == "feasible"


def test_a_run_that_somebody_drives_is_not_deleted(session):
    run_id = session.archive.create(session.draft.problem, "sdp", {})
    session.delete_run(run_id)
    assert "stop it before deleting it" in session.notice.text
    assert [info.id for info in session.archive.runs()] == [run_id]


def test_links_keep_the_run_of_scaled_features_too(session):
    session.edits.set_scaling("standard")
    session.play()
    play_out(session)
    session.edits.pick_group([0, 1])
    session.edits.link("must")
    assert session.run is not None


def test_a_stopped_run_goes_on_and_is_watched(session):
    session.set_solver("sdp")
    session.node_limit = 1
    session.edits.add_links(group_links("must", [0, 50]) + group_links("cannot", [1, 2]))
    session.start()
    play_out(session)
    assert session.run.finished.termination != "proved"
    run_id = session.player.run_id
    session.resume_run(run_id)
    play_out(session)
    assert session.player.run_id == run_id
    assert session.run.finished.termination == "proved"


def test_a_run_that_cannot_go_on_leaves_the_queue(session):
    session.start()
    play_out(session)
    session.resume_run(session.player.run_id)
    assert "nothing is left to do" in session.notice.text
    assert len(session.runner._queue) == 0


def test_the_matrix_of_a_small_problem_is_shown(session):
    session.set_solver("sdp")
    assert session.solver.show_relaxation
    session.set_solver("sdp", show_relaxation=False)
    assert not session.solver.show_relaxation
    session.edits.load(load("breast_cancer"))
    assert not session.solver.show_relaxation
    session.edits.load(load("wine"))
    assert session.solver.show_relaxation


def test_a_replay_that_was_paused_goes_on_and_another_solver_runs_anew(session):
    session.start()
    play_out(session)
    assert not session.can_go_on
    run_id = session.player.run_id
    session.playback.seek(2)
    assert session.can_go_on
    session.play()
    play_out(session)
    assert session.player.run_id == run_id
    assert session.run.finished is not None
    session.playback.seek(2)
    session.set_solver("cop-kmeans")
    assert not session.can_go_on
    session.play()
    play_out(session)
    assert session.player.run_id != run_id


def test_a_deleted_run_is_not_followed_again(session):
    session.set_solver("blp-kmeans")
    session.start()
    play_out(session)
    session.delete_run(session.runner.run_id)
    session.tick()
    assert session.run is None
    assert session.notice is None


@pytest.mark.slow
def test_a_map_is_sketched_at_once_and_laid_out_once(session):
    drawn = []
    session.param.watch(lambda event: drawn.append(event.new), "x_axis", onlychanged=False)
    session.show_axes("Map 1", "Map 2")
    assert session.mapping.busy
    session.edits.add_links([Link("must", 0, 1)])

    tick_until(session, lambda: not session.mapping.busy)
    assert drawn[-1] == "Map 1"
    assert map_of(session.draft.data, "none", session.draft.X).method == "t-SNE"
    session.show_axes("PC 1")
    session.show_axes("Map 1")
    assert not session.mapping.busy


def test_a_run_follows_the_answer_before_it_and_not_its_own_random_start():
    hues = ClusterColors()
    hues.keep(np.array([0, 0, 1, 1]), is_answer=True)
    hues.keep(np.array([1, 0, 0, 0]))  # the first clusters of the next run
    assert hues.before.tolist() == [0, 0, 1, 1]
    assert hues.shown.tolist() == [1, 0, 0, 0]


def test_without_an_answer_a_run_follows_what_is_shown():
    hues = ClusterColors()
    assert hues.before is None
    hues.keep(np.array([1, 1, 0, 0]))
    hues.keep(np.full(4, -1), is_answer=True)  # nothing was found: nothing is known
    assert hues.before.tolist() == [1, 1, 0, 0]
    answer = Partition(Problem(np.arange(4.0)[:, None], 2), [0, 0, 1, 1])
    assert hues.of(answer).tolist() == [1, 1, 0, 0]


def test_other_points_begin_anew():
    hues = ClusterColors()
    hues.keep(np.array([1, 1, 0, 0]), is_answer=True)
    hues.forget()
    assert hues.before is None
