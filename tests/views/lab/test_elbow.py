import math

import pytest

from ccviz.problem.rule_words import RULE_KINDS
from ccviz.studies.elbow import Step
from ccviz.views.lab.elbow import finder
from ccviz.views.lab.ruling import add_rule
from ccviz.views.link_table import Link
from ccviz.views.panels.elbow import ElbowPanel
from tests.patience import wait_until


def sweep_out(session):
    def holds():
        session.tick()
        return not session.restless

    wait_until(holds)


@pytest.mark.slow
def test_each_number_is_measured_under_the_links_and_one_is_taken(session):
    session.add_links([Link("cannot", 0, 1), Link("cannot", 1, 2), Link("cannot", 0, 2)])
    panel = ElbowPanel(session)
    panel._act({"what": "start", "low": 2, "high": 3, "seconds": 0})
    assert session.restless
    assert panel.content["words"] == "k = 2: clustering…"
    sweep_out(session)
    assert [step.k for step in session.elbow.steps] == [2, 3]
    first, second = panel.content["rows"]
    assert (first["objective"], first["cells"][-1]) == (None, "cannot be kept")
    assert second["objective"] == session.elbow.steps[1].objective
    assert second["bound"] is None
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
def test_all_clusterings_come_before_the_first_bound(session):
    seen = []
    session.elbow.param.watch(lambda event: seen.append(event.new), "at")
    session.elbow.start(session.draft, 1, 3, 20.0)
    sweep_out(session)
    done = dict.fromkeys((work.numbers, work.proves) for work in seen if work is not None)
    assert list(done) == [
        ((1,), False), ((2, 3), False), ((1,), True), ((2,), True), ((3,), True),
    ]  # fmt: skip
    one, two, three = session.elbow.steps
    assert one.objective * (1 - 1e-9) < one.lower_bound <= one.objective
    assert one.lower_bound >= two.lower_bound >= three.lower_bound > 0


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
    assert not session.restless
    panel._act({"what": "start", "low": 2, "high": 8, "seconds": 0})
    panel._act({"what": "close"})
    assert not session.elbow.busy


def test_who_finds_the_clusterings_can_have_the_problem(session):
    assert finder(session.draft).name == "blp-kmeans"
    session.add_links([Link("must", 0, 1, 2.0)])
    assert finder(session.draft).name == "bh-kmeans"


def test_rules_go_along_and_forbid_what_they_forbid(session):
    add_rule(session, RULE_KINDS["size<="], "60")
    session.elbow.start(session.draft, 2, 3, 0.0)
    sweep_out(session)
    two, three = session.elbow.steps
    assert (two.k, two.status) == (2, "infeasible")
    assert (three.k, three.status) == (3, "feasible")
    assert three.objective > 78.9  # which clusters of 50, 62 and 38 flowers have
