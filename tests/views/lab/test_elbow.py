import math

import pytest

from ccviz.problem.rules import RULE_KINDS
from ccviz.studies.elbow_step import Step
from ccviz.views.lab.elbow import CLUSTERS, COMPARES, JOINS, PROVES, finder
from ccviz.views.lab.loading import add_rule
from ccviz.views.link_table import Link
from ccviz.views.panels.data import ElbowPanel
from tests.patience import tick_until


def sweep_out(session):
    tick_until(session, lambda: not session.needs_tick)


@pytest.mark.slow
def test_each_number_is_measured_under_the_links_and_one_is_taken(session):
    session.edits.add_links([Link("cannot", 0, 1), Link("cannot", 1, 2), Link("cannot", 0, 2)])
    panel = ElbowPanel(session)
    panel._act({"what": "start", "low": 2, "high": 3, "seconds": 0})
    assert session.needs_tick
    assert panel.content["words"] == "k = 2: clustering…"
    sweep_out(session)
    assert [step.k for step in session.elbow.steps] == [2, 3]
    first, second = panel.content["rows"]
    assert (first["objective"], first["cells"][-1]) == (None, "cannot be kept")
    assert second["objective"] == session.elbow.steps[1].objective
    assert second["bound"] < second["objective"]
    assert "Silhouette: k = " in panel.content["words"]
    panel.shown = True
    panel._act({"what": "take", "k": 2})
    assert (session.draft.k, panel.shown) == (2, False)


def test_a_bound_stands_below_what_was_found(session):
    session.elbow.start(session.draft, 3, 3, 20.0)
    sweep_out(session)
    (step,) = session.elbow.steps
    assert 0.99 * step.objective < step.lower_bound <= step.objective * (1 + 1e-9)


@pytest.mark.slow
def test_all_clusterings_come_before_the_first_statistic_and_that_before_bounds(session):
    seen = []
    session.elbow.param.watch(lambda event: seen.append(event.new), "at")
    session.elbow.start(session.draft, 1, 4, 20.0)
    sweep_out(session)
    done = dict.fromkeys((work.numbers, work.what) for work in seen if work is not None)
    assert list(done) == [
        ((2,), CLUSTERS), ((3, 4), CLUSTERS), ((1, 2, 3, 4), JOINS),
        ((1,), COMPARES), ((2, 3), COMPARES), ((4,), COMPARES),
        ((2,), PROVES), ((3,), PROVES), ((4,), PROVES),
    ]  # fmt: skip
    bounds = [step.lower_bound for step in session.elbow.steps]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > 0


def test_one_cluster_is_known_at_once(session):
    panel = ElbowPanel(session)
    panel._act({"what": "start", "low": 1, "high": 2, "seconds": 0})
    (row,) = panel.content["rows"]
    assert (row["k"], row["cells"][2]) == (1, "< 0.0001 %")
    assert row["objective"] == pytest.approx(row["bound"])
    panel._act({"what": "stop"})
    panel._act({"what": "start", "low": 1, "high": 1, "seconds": 5})
    assert session.elbow.at.what == COMPARES
    panel._act({"what": "stop"})


def test_a_clustering_has_a_bound_from_the_start(session):
    session.elbow.start(session.draft, 2, 2, 0.0)
    sweep_out(session)
    (step,) = session.elbow.steps
    assert 0 < step.lower_bound < step.objective


def test_the_number_in_use_and_the_elbow_are_marked(session):
    panel = ElbowPanel(session)
    costs = {1: 100.0, 2: 20.0, 3: 18.0, 4: 17.0}
    session.elbow.steps = tuple(
        Step(k, "feasible", cost, cost, math.nan, math.nan, math.nan) for k, cost in costs.items()
    )
    assert (panel.content["k"], panel.content["elbow"]) == (session.draft.k, 2)
    assert panel.content["words"].startswith("Elbow: k = 2.")
    assert "constraints" not in panel.content["columns"]
    panel._act({"what": "take", "k": 2})
    panel.shown = True
    assert panel.content["k"] == 2


def test_a_sweep_ends_when_told_and_refuses_what_is_no_number_of_clusters(session):
    panel = ElbowPanel(session)
    panel._act({"what": "start", "low": 0, "high": 3, "seconds": 0})
    assert not session.elbow.busy
    assert panel.content["words"] == session.notice.text
    panel._act({"what": "start", "low": 2, "high": 8, "seconds": 0})
    assert session.runner._queue.join().waiting == 1  # it has its place in the line
    panel._act({"what": "stop"})
    assert not session.needs_tick
    panel._act({"what": "start", "low": 2, "high": 8, "seconds": 0})
    panel._act({"what": "close"})
    assert not session.elbow.busy


def test_who_finds_the_clusterings_can_have_the_problem(session):
    assert finder(session.draft).name == "blp-kmeans"
    session.edits.add_links([Link("must", 0, 1, 2.0)])
    assert finder(session.draft).name == "bh-kmeans"


def test_rules_go_along_and_forbid_what_they_forbid(session):
    add_rule(session, RULE_KINDS["size<="], "60")
    session.elbow.start(session.draft, 2, 3, 0.0)
    sweep_out(session)
    two, three = session.elbow.steps
    assert (two.k, two.status) == (2, "infeasible")
    assert (three.k, three.status) == (3, "feasible")
    assert three.objective > 78.9  # which clusters of 50, 62 and 38 flowers have


def test_the_fewest_clusters_are_found_and_used(session):
    panel = ElbowPanel(session)
    panel.shown = True
    add_rule(session, RULE_KINDS["size<="], "60")
    panel._act({"what": "start", "choice": "least"})
    assert panel.content["words"] == "looking for the fewest clusters…"
    sweep_out(session)
    assert panel.content["words"].startswith("3 is the least number of clusters, proved. With 2: ")
    panel._act({"what": "take", "k": panel.content["chosen"]})
    assert (session.draft.k, panel.shown, panel.content["chosen"]) == (3, False, 0)
    assert session.elbow.chosen is None  # the problem is another one now


def test_the_number_that_costs_least_needs_a_least_size(session):
    panel = ElbowPanel(session)
    panel._act({"what": "start", "choice": "free"})
    sweep_out(session)
    assert panel.content["words"].startswith("Single points as clusters cost nothing")
    assert (panel.content["chosen"], session.notice) == (0, None)
    session.edits.set_k(1)
    add_rule(session, RULE_KINDS["size>="], str(session.draft.n))
    panel._act({"what": "start", "choice": "free"})
    sweep_out(session)
    assert panel.content["words"].startswith("1 cluster costs least, ")
    panel._act({"what": "start", "low": 1, "high": 1, "seconds": 0})
    assert session.elbow.chosen is None
    panel._act({"what": "stop"})
