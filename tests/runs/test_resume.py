"""A stored run goes on where this machine says, whatever stands in the archive."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ParameterError
from ccviz.events import (
    BoundImproved,
    Finished,
    InfeasibilityProved,
    NodeBounded,
    NodeLeft,
    NodeOpened,
    Noted,
)
from ccviz.problem.asked import AskedRule, joined
from ccviz.problem.reduction import with_rules
from ccviz.proof.verify import verify
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
