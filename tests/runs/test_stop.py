"""Stop criteria."""

import numpy as np
import pytest

from ccviz import Problem, Run
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened, NodePruned, Record
from ccviz.runs.stop import GapReached, NodeLimit, StopRequested, TimeLimit, first_reason


@pytest.fixture
def run():
    run = Run(Problem(np.arange(4.0)[:, None], 2))  # best: {0, 1}, {2, 3} with 1.0
    events = [
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        IncumbentFound(labels=np.array([0, 0, 1, 1])),
        BoundImproved(lower_bound=0.9),
        NodePruned(node=0, reason="bound", lower_bound=0.9),
    ]
    for seq, event in enumerate(events):
        run.apply(Record(seq, 0.0, event))
    return run


def test_each_stops_at_its_limit_and_not_before(run):
    assert TimeLimit(2.0)(run, 1.9) is None
    assert TimeLimit(2.0)(run, 2.0) == "time_limit"
    assert NodeLimit(2)(run, 0) is None
    assert NodeLimit(1)(run, 0) == "node_limit"
    assert GapReached(0.09)(run, 0) is None
    assert GapReached(0.11)(run, 0) == "gap"


def test_stop_on_request(run):
    criterion = StopRequested()
    assert criterion(run, 0) is None
    criterion.flag.set()
    assert criterion(run, 0) == "interrupted"


def test_the_first_reason_counts(run):
    assert first_reason([GapReached(0.0), NodeLimit(1), TimeLimit(0)], run, 5) == "node_limit"
    assert first_reason([], run, 5) is None
