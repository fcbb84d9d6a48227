import numpy as np

from ccviz import Problem
from ccviz.events import BoundImproved, Finished, IncumbentFound, InfeasibilityProved, Record
from ccviz.problem.partition import Partition
from ccviz.runs.run import Run
from ccviz.views.frames.card import card

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
    rows = dict(card(run, with_scores=False).rows)
    assert (rows["Cost"], rows["Lower bound"], rows["Gap"]) == ("5.04", "5.04", "0.00 %")
    assert (rows["Cost: WCSS"], rows["Cost: broken links"]) == ("0.04", "5")


def test_a_soft_link_added_later_counts_too():
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    run = run_of(found, BoundImproved(lower_bound=0.04), Finished(termination="proved"))
    asked = Problem(X, 2, truth=[0, 0, 1, 1], cannot_link=[(0, 1, 5.0)])
    assert dict(card(run, with_scores=False, asked=asked).rows)["Cost"] == "5.04"


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
