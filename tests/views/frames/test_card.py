import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.data.datasets import load
from ccviz.events import (
    Assigned,
    BoundImproved,
    Finished,
    GenerationEnded,
    IncumbentFound,
    InfeasibilityProved,
    Record,
    Restarted,
)
from ccviz.problem.partition import Partition
from ccviz.runs.run import Run
from ccviz.views.draft import draft_of
from ccviz.views.frames.card import IN_STATUS, after_edit, card
from ccviz.views.frames.heuristic import DescentLog
from ccviz.views.frames.links import implied
from ccviz.views.link_table import Link

X = [[0.0], [0.2], [1.0], [1.2]]


def run_of(*events, **constraints):
    run = Run(Problem(X, 2, truth=[0, 0, 1, 1], **constraints))
    for seq, event in enumerate(events):
        run.apply(Record(seq, 0.25 * seq, event))
    return run


def test_no_run():
    assert card(None, with_scores=True).headline == "No run yet"


def test_an_optimal_answer():
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    run = run_of(found, BoundImproved(lower_bound=0.04), Finished(termination="proved"))
    frame = card(run, with_scores=True)
    assert frame.headline == "Optimal clustering"
    assert dict(frame.rows)["Cost (WCSS)"] == "0.04"
    assert dict(frame.rows)["Gap"] == "0.00 %"
    assert dict(frame.rows)["Constraints"] == "all kept"
    assert dict(frame.scores)["ARI"] == "1.000"
    assert frame.sizes == (2, 2)


def test_broken_links_are_counted_by_kind():
    run = run_of(
        IncumbentFound(labels=np.array([0, 1, 1, 1])), must_link=[(0, 1)], cannot_link=[(2, 3)]
    )
    frame = card(run, with_scores=False)
    assert frame.headline == "Searching"
    assert dict(frame.rows)["Constraints"] == "1 must-link, 1 cannot-link broken"
    assert frame.scores == ()


def test_the_cost_beside_a_bound_counts_broken_soft_links_as_the_bound_does():
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    run = run_of(found, BoundImproved(lower_bound=5.04), cannot_link=[(0, 1, 5.0)])
    frame = card(run, with_scores=False)
    assert frame.rows[:5] == (
        ("Cost with penalty", "5.04"), ("WCSS", "0.04"), ("Penalty", "5"), ("Lower bound", "5.04"),
        ("Gap", "0.00 %"),
    )  # fmt: skip
    assert IN_STATUS["Cost with penalty"] == "Cost"


def test_a_soft_link_added_later_counts_too():
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    run = run_of(found, BoundImproved(lower_bound=0.04), Finished(termination="proved"))
    asked = Problem(X, 2, truth=[0, 0, 1, 1], cannot_link=[(0, 1, 5.0)])
    assert dict(card(run, with_scores=False, asked=asked).rows)["Cost with penalty"] == "5.04"


def test_it_says_whether_clusters_are_connected():
    near = [(0, 1), (1, 2), (2, 3)]
    for labels, verdict in ([0, 0, 1, 1], "holds"), ([0, 1, 0, 1], "broken: 2 clusters in pieces"):
        run = run_of(IncumbentFound(labels=np.array(labels)), neighbors=near)
        [row] = card(run, with_scores=True).rules
        assert (row.verdict, row.holds) == (verdict, verdict == "holds")


def test_infeasible_and_found_nothing_are_told_apart():
    proved = run_of(InfeasibilityProved(reason="no way."), Finished(termination="proved"))
    assert card(proved, True).headline == "Infeasible"
    assert card(proved, True).ending == "no way."
    stalled = run_of(Finished(termination="stalled", message="Every start died."))
    assert card(stalled, True).headline == "No clustering found"
    assert "none was proved impossible. Every start died." in card(stalled, True).ending


def test_a_search_says_what_it_looks_for_and_a_stop_that_nothing_was_found():
    assert card(run_of(), False).ending == "Looking for a first clustering."
    asked = run_of(must_link=[(0, 1)], sizes=[2, 2])
    assert card(asked, False).ending == (
        "Looking for a first clustering that keeps links and sizes."
    )
    stopped = run_of(Finished(termination="interrupted"))
    assert card(stopped, False).ending.startswith("Stopped before a first clustering was found.")


def test_an_answer_to_another_problem_is_called_so():
    run = run_of(IncumbentFound(labels=np.array([0, 0, 1, 1])), Finished(termination="converged"))
    same, other = Problem(X, 2), Problem([[0.0], [0.2], [1.0], [7.0]], 2)
    assert card(run, False, same).caution == card(run, False).caution == ""
    assert "to other points" in card(run, False, other).caution
    assert card(run, False, other).status == "edited"


def test_constraints_are_kept_only_where_there_are_some():
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    assert card(run_of(found), False).ending == "This clustering is not proved optimal."
    linked = run_of(found, cannot_link=[(0, 3)])
    assert card(linked, False).ending.startswith("This clustering keeps every hard constraint;")
    soft = run_of(found, cannot_link=[(0, 3, 1.0)])
    assert card(soft, False).ending == "This clustering is not proved optimal."


def test_a_bound_of_before_stays_in_sight_beside_what_is_asked_now():
    best, other = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    run = run_of(IncumbentFound(labels=best), BoundImproved(lower_bound=0.03))
    kept = card(run, False, Problem(X, 2, must_link=[(0, 1)]))
    assert kept.ending.endswith(
        "The lower bound still holds: at most 25 % from optimal, no run needed."
    )
    tighter = Problem(X, 2, cannot_link=[(0, 1)])
    repaired = card(run, False, tighter, Partition(tighter, other))
    assert dict(repaired.rows)["Lower bound"] == "0.03"
    assert "no run needed" in repaired.caution
    # The run that follows has shown no bound yet, or a lower one.
    follows = run_of(IncumbentFound(labels=other), cannot_link=[(0, 1)])
    assert dict(card(follows, False, tighter, known=0.03).rows)["Lower bound"] == "0.03"
    assert "that of an earlier run" in card(follows, False, tighter, known=0.03).ending
    looser = card(follows, False, Problem(X, 2))
    assert dict(looser.rows)["Gap"] == "–"
    assert "no run needed" not in looser.ending


def test_a_run_that_found_nothing_is_no_answer_to_another_problem():
    run = Run(Problem([[0.0], [1.0], [2.0]], 2))
    run.apply(Record(0, 0.0, Finished(termination="stalled")))
    frame = card(run, False, replace(run.problem, must_link=[(0, 1)]))
    assert dict(frame.rows)["Cost (WCSS)"] == "–"
    assert "which found no clustering" in frame.caution
    assert "answer" not in frame.caution


# --- After edit -----------------------------------------------------------------------------------


@pytest.fixture
def proved():
    run = Run(Problem(X, 2, cannot_link=[(0, 2)]))
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    for seq, event in enumerate(
        [found, BoundImproved(lower_bound=0.04), Finished(termination="proved")]
    ):
        run.apply(Record(seq, 0.25 * seq, event))
    return run


@pytest.mark.parametrize(
    ("edit", "holding", "headline", "bound", "gap"),
    [
        ({"must_link": [(0, 1)]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"must_link": [(0, 1, 2.0)]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"sizes": [2, 2]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"sizes": [3, 1]}, "bound", "Edited", "0.04", "–"),
        ({"cannot_link": [(0, 2), (0, 1)]}, "bound", "Edited", "0.04", "–"),
        ({"cannot_link": [(0, 2), (0, 1, 2.0)]}, "bound", "Edited", "0.04", "98.04 %"),
        ({"cannot_link": ()}, "clustering", "Still feasible", "–", "–"),
        ({"k": 3}, "nothing", "Edited", "–", "–"),
        ({"X": [[0.0], [0.2], [1.0], [2.0]]}, "nothing", "Edited", "–", "–"),
    ],
)
def test_what_an_edit_leaves_of_a_proof(proved, edit, holding, headline, bound, gap):
    edited = replace(proved.problem, **edit)
    frame = card(proved, False, edited)
    assert (after_edit(proved, edited).holding, frame.headline) == (holding, headline)
    assert frame.status == ("optimal" if holding == "proof" else "edited")
    assert (dict(frame.rows)["Lower bound"], dict(frame.rows)["Gap"]) == (bound, gap)


def test_what_is_broken_is_said_and_nothing_of_the_problem_itself(proved):
    assert after_edit(proved, Problem(X, 2, cannot_link=[(0, 2)])) is None
    frame = card(proved, False, Problem(X, 2, cannot_link=[(0, 2), (0, 1)]))
    assert "1 cannot-link" in frame.caution
    assert dict(frame.rows)["Constraints"] == "1 cannot-link broken"


# --- Implied --------------------------------------------------------------------------------------


def draft(k, *links):
    return draft_of(load("iris"), k).with_links(links)


def test_a_chain_of_must_links_closes():
    found = implied(draft(3, Link("must", 1, 2), Link("must", 2, 3)), 9)
    assert found.links == (Link("must", 1, 3),)
    assert found.many == 1


def test_a_cannot_link_holds_for_the_whole_block():
    found = implied(draft(3, Link("must", 1, 2), Link("cannot", 2, 3)), 9)
    assert found.links == (Link("cannot", 1, 3),)


def test_with_two_clusters_enemies_of_one_point_are_friends():
    found = implied(draft(2, Link("cannot", 1, 2), Link("cannot", 2, 3)), 9)
    assert found.links == (Link("must", 1, 3),)
    assert implied(draft(3, Link("cannot", 1, 2), Link("cannot", 2, 3)), 9).many == 0


def test_soft_links_imply_nothing_and_many_are_counted_but_not_listed():
    soft = implied(draft(3, Link("must", 1, 2, 5.0), Link("must", 2, 3)), 9)
    assert soft.many == 0
    chain = [Link("must", i, i + 1) for i in range(20)]
    found = implied(draft(3, *chain), 4)
    assert len(found.links) == 4
    assert found.many == 21 * 20 // 2 - 20


# --- Descent --------------------------------------------------------------------------------------


WHOLE, PART = np.zeros(3, dtype=np.int64), np.array([0, -1, 0])


def log_of(*events):
    log = DescentLog()
    log.feed([Record(seq, 0.0, event) for seq, event in enumerate(events)])
    return log


def assigned(objective, labels=WHOLE):
    return Assigned(iteration=1, labels=labels, objective=objective, moved=1)


def same(found, asked):
    return np.array_equal(found, np.array(asked), equal_nan=True)


def test_a_start_begins_anew_and_the_least_is_kept():
    frame = log_of(
        Restarted(restart=0), assigned(9.0), assigned(5.0), Restarted(restart=1), assigned(7.0)
    ).frame()
    assert same(frame.at, [1, 2, 2, 3])
    assert same(frame.objective, [9, 5, math.nan, 7])
    assert same(frame.best, [9, 5, 5, 5])


def test_dear_beginnings_of_many_starts_are_not_worth_seeing():
    few = [assigned(9.0), assigned(500.0)]
    assert log_of().frame().heights is None
    assert log_of(*few).frame().heights == (9.0, 500.0)
    assert log_of(*few, *[assigned(10.0)] * 40).frame().heights == (9.0, 10.0)


def test_rounding_is_no_fall():
    """Two objectives that differ in the sixteenth digit lie in the middle of the range."""
    low, high = log_of(assigned(56.09474415584417), assigned(56.09474415584416)).frame().heights
    assert high - low > 1e-5
    assert (low + high) / 2 == pytest.approx(56.09474415584416)


def test_an_assignment_of_some_points_is_no_objective():
    frame = log_of(assigned(1.0, PART), assigned(4.0)).frame()
    assert same(frame.objective, [math.nan, 4])
    assert same(frame.best, [math.nan, 4])


def test_a_generation_counts_by_its_best_member():
    ended = GenerationEnded(
        generation=0, objectives=np.array([3.0, 2.0]), diversity=1.0, replaced=np.array([-1, -1])
    )
    assert same(log_of(ended).frame().objective, [2])


def test_the_last_is_what_the_run_found_and_clearing_forgets_it():
    X = np.random.default_rng(0).normal(size=(60, 2))
    stepper = start(Problem(X, 3), "blp-kmeans", seed=1)
    log = DescentLog()
    log.feed(stepper)
    assert log.frame().best[-1] == np.nanmin(log.frame().objective)
    assert math.isclose(log.frame().best[-1], stepper.run.objective, rel_tol=1e-9)
    log.clear()
    assert len(log.frame().at) == 0


def test_a_frame_of_a_long_run_needs_no_more_than_one_of_a_short():
    log = log_of(*[assigned(1.0)] * 20_000)
    tracemalloc.start()
    frame = log.frame()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(frame.at) == 2000
    assert frame.at[-1] == 20_000
    assert most < 250_000  # all rows as an array are 480 kB
