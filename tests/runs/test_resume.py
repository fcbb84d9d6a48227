"""A stored run goes on where this machine says, whatever stands in the archive."""

import msgspec
import numpy as np
import pytest

from ccviz import Partition, Problem, solve, start
from ccviz.data import load
from ccviz.errors import CcvizError, ParameterError, ProblemError
from ccviz.events import (
    BoundImproved,
    Finished,
    InfeasibilityProved,
    NodeBounded,
    NodeLeft,
    NodeOpened,
    NodeReopened,
    Noted,
    ProofKept,
    TreeKept,
)
from ccviz.problem.asked import AskedRule, joined
from ccviz.problem.reduction import with_rules
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, encode_event
from ccviz.runs.earlier import tightens
from ccviz.runs.job import Job
from ccviz.runs.recorder import open_run
from ccviz.solvers.search import workforce


def test_the_workers_of_the_archive_are_not_called_up(archive, monkeypatch):
    monkeypatch.setattr(workforce, "DaskWorkers", pytest.fail)
    monkeypatch.setattr(workforce, "Processes", pytest.fail)
    problem = Problem(np.arange(12.0).reshape(6, 2), 2, cannot_link=[(0, 1)])
    for workers in ("tcp://203.0.113.7:8786", "24"):
        run_id = archive.create(problem, "sdp", {}, workers=workers)
        assert open_run(archive, run_id).result().status == "optimal"


def test_workers_that_are_none_change_nothing(archive):
    problem = Problem(np.arange(12.0).reshape(6, 2), 2)
    run_id = archive.create(problem, "sdp", {})
    archive.finish(run_id, "interrupted", "It was stopped.")
    with pytest.raises(ParameterError, match="workers = 'many'"):
        Job.resume(archive, run_id, workers="many")
    assert archive.info(run_id).state == "finished"


def _stopped(problem, solver, bounds, **settings):
    """Return the records of a run that is stopped once its bound has improved a number of times."""
    stepper, records = start(problem, solver, **settings), []
    for record in stepper:
        records.append(record)
        if sum(isinstance(each.event, BoundImproved) for each in records) == bounds:
            stepper.stop()
    return records


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize(
    ("solver", "bounds", "settings"), [("sdp", 4, {"cuts": "none"}), ("colgen", 1, {})]
)
def test_a_run_that_goes_on_never_says_less_than_was_known(solver, bounds, settings, is_killed):
    X = np.random.default_rng(0).normal(size=(16, 2))
    problem = Problem(X, 3, cannot_link=[(0, 1), (2, 3)])
    records = _stopped(problem, solver, bounds, **settings)
    assert isinstance(records[-1].event, Finished)
    left = [each.event for each in records if isinstance(each.event, NodeLeft)]
    assert left
    kinds = (NodeLeft, Finished) if is_killed else Finished
    history = [each for each in records if not isinstance(each.event, kinds)]
    known = max(each.event.lower_bound for each in records if isinstance(each.event, BoundImproved))
    stepper = start(problem, solver, history=history, **settings)
    rest = [record.event for record in stepper]
    told = [event.lower_bound for event in rest if isinstance(event, BoundImproved)]
    assert told == sorted(told)
    assert told[0] > known
    if not is_killed:
        own = {event.node: event.lower_bound for event in left}
        again = [event for event in rest if isinstance(event, NodeBounded) and event.node in own]
        assert all(event.lower_bound > own[event.node] for event in again)
    assert stepper.run.status == "optimal"
    assert verify(problem, [*(each.event for each in history), *rest]).accepted


@pytest.mark.parametrize("solver", ["sdp", "colgen"])
def test_a_run_that_was_stopped_before_its_tree_searches_again(solver):
    X = [[3.0, 6.0], [0.0, 0.0], [2.0, 4.0], [4.0, 8.0], [5.0, 10.0]]
    most = AskedRule("share(V)<=0.75", (1, 0, 1, 0, 2))
    least = AskedRule("share(V)>=0.2", (1, 1, 0, 1, 1))
    rules = [joined([AskedRule("size<=3", ())]), joined([most]), joined([least])]
    problem = with_rules(Problem(X, 4, sizes=([1] * 4, [4, 2, 3, 1])), rules, solver == "colgen")
    given = {"listed": 0} if solver == "colgen" else {}  # clusters are priced
    stepper, history = start(problem, solver, **given), []
    for record in stepper:
        history.append(record)
        if isinstance(record.event, Noted):
            stepper.stop()
    assert not any(isinstance(record.event, NodeOpened) for record in history)
    rest = [record.event for record in start(problem, solver, history=history[:-1], **given)]
    assert [type(event) for event in rest] == [InfeasibilityProved, Finished]


# --- Starting from an earlier run: what holds after an edit, and what the checkers say of it ------


@pytest.fixture(scope="module")
def iris():
    return load("iris")


@pytest.fixture(scope="module")
def proved(iris):
    return solve(Problem(iris.X, 3, cannot_link=[(0, 100)]), "sdp")


def events_of(stepper):
    return [record.event for record in stepper]


def test_a_link_that_the_best_clustering_keeps_costs_no_search(iris, proved):
    assert proved.status == "optimal"
    same = np.flatnonzero(proved.labels == proved.labels[0])
    problem = Problem(iris.X, 3, must_link=[same[:2]], cannot_link=[(0, 100)])
    stepper = start(problem, "sdp", start=proved)
    events = events_of(stepper)
    result = stepper.result()
    assert not any(isinstance(event, NodeBounded | NodeReopened) for event in events)
    assert result.status == "optimal"
    assert result.objective == proved.objective
    assert result.lower_bound == proved.lower_bound
    assert "keeps every constraint" in result.message
    assert verify(problem, events).accepted


def test_a_link_that_it_breaks_keeps_the_bound_and_the_search_goes_on(iris, proved):
    pair = (50, int(np.flatnonzero(proved.labels != proved.labels[50])[0]))
    problem = Problem(iris.X, 3, must_link=[pair], cannot_link=[(0, 100)])
    stepper = start(problem, "sdp", start=proved)
    bounds = [stepper.run.lower_bound for _ in stepper]
    known = [bound for bound in bounds if np.isfinite(bound)]
    assert known == sorted(known)
    assert known[0] == proved.lower_bound
    cold = solve(problem, "sdp")
    assert stepper.result().objective == pytest.approx(cold.objective, rel=1e-4)


def test_a_link_that_is_removed_keeps_the_clustering_and_not_the_bound(iris, proved):
    problem = Problem(iris.X, 3)
    stepper = start(problem, "blp-kmeans", start=proved)
    events = events_of(stepper)
    assert not any(isinstance(event, ProofKept) for event in events)
    assert stepper.run.objective <= proved.objective
    assert stepper.run.lower_bound == -np.inf


def test_proofs_are_kept_over_several_edits_and_through_the_codec(iris, proved):
    result, links = proved, []
    for step in range(3):
        same = np.flatnonzero(result.labels == step)
        links.append((int(same[0]), int(same[1])))
        problem = Problem(iris.X, 3, must_link=links, cannot_link=[(0, 100)])
        result = solve(problem, "sdp", start=result)
        events = [decode_event(encode_event(record.event)) for record in result.records()]
        assert sum(isinstance(event, TreeKept) for event in events) == 1
        assert result.status == "optimal"
        assert verify(problem, events).accepted


def test_labels_alone_are_a_first_clustering(iris, proved):
    problem = Problem(iris.X, 3, cannot_link=[(0, 100)])
    stepper = start(problem, "cop-kmeans", start=proved.labels)
    assert next(e for e in events_of(stepper) if hasattr(e, "source")).source == "start"
    assert stepper.run.objective <= proved.objective
    broken = np.where(np.arange(150) < 100, 0, 1 + np.arange(150) % 2)
    broken[100] = 0
    repaired = start(problem, "cop-kmeans", start=broken)
    first = next(e for e in events_of(repaired) if hasattr(e, "source"))
    assert first.source == "start"
    assert Partition(problem, first.labels).violations.none_hard
    with pytest.raises(CcvizError, match="150 labels"):
        start(problem, "sdp", start=[0, 1])
    with pytest.raises(ProblemError, match="other points"):
        start(Problem(iris.X[:50], 3), "sdp", start=proved)


@pytest.mark.parametrize("labels", [[10**30] * 150, ["a"] * 150, [[0], [0, 1]], [None] * 150])
def test_labels_that_are_no_whole_numbers_are_refused_in_words(iris, labels):
    with pytest.raises(ProblemError, match="no whole numbers"):
        start(Problem(iris.X, 3), "sdp", start=labels)


def test_a_kept_proof_that_uses_what_the_problem_lacks_is_refused(iris, proved):
    problem = Problem(iris.X, 3, cannot_link=[(0, 100), (1, 101)])
    events = events_of(start(problem, "colgen", start=proved))
    assert verify(problem, events).accepted
    free = Problem(iris.X, 3)
    verdict = verify(free, events)
    assert not verdict.accepted
    assert "that the problem lacks" in verdict.sentence
    at = next(i for i, event in enumerate(events) if isinstance(event, ProofKept))
    lie = {"must_link": np.array([[0, 100]]), "cannot_link": events[at].cannot_link[:0]}
    events[at] = msgspec.structs.replace(events[at], **lie)
    assert not verify(problem, events).accepted


def test_what_tightens():
    X = np.arange(6.0)[:, None]
    free, linked = Problem(X, 2), Problem(X, 2, must_link=[(0, 1)])
    sized = Problem(X, 2, sizes=([2, 2], [4, 4]))
    equal = Problem(X, 2, sizes=[3, 3])
    soft = Problem(X, 2, must_link=[(0, 1, 2.0)])
    assert tightens(free, linked)
    assert not tightens(linked, free)
    assert tightens(free, sized)
    assert tightens(sized, equal)
    assert not tightens(equal, sized)
    assert tightens(free, soft)
    assert tightens(soft, linked)
    assert not tightens(linked, soft)
