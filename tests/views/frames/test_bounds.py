import numpy as np
import pytest

from ccviz import Problem
from ccviz.events import BoundImproved, IncumbentFound, Record, TreeKept
from ccviz.runs.run import Run
from ccviz.views.frames.bounds import bounds, lane, race
from tests.made_up import played


def test_steps_reach_the_present_and_unknown_is_nan():
    run = Run(Problem([[0.0], [1.0], [4.0]], 2))
    events = [BoundImproved(lower_bound=0.1), IncumbentFound(labels=np.array([0, 0, 1]))]
    for seq, event in enumerate(events):
        run.apply(Record(seq, 1.0 + seq, event))
    run.time_s = 5.0
    frame = bounds(run)
    assert frame.at.tolist() == [1.0, 2.0, 5.0]
    assert frame.lower.tolist() == [0.1, 0.1, 0.1]
    assert np.isnan(frame.upper[0])
    assert frame.upper[1:].tolist() == [0.5, 0.5]
    assert np.allclose(frame.gap[1:], 0.8)
    assert bounds(run, "nodes").at.tolist() == [0, 0, 0]
    assert len(bounds(None).at) == 0


def test_the_heights_worth_seeing_leave_out_the_first_clusterings():
    run = Run(Problem([[0.0], [1.0], [4.0], [40.0]], 2))
    assert bounds(run).heights is None
    labels = [np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1])]
    run.apply(Record(0, 1.0, IncumbentFound(labels=labels[0])))
    worst = run.objective
    assert bounds(run).heights == (worst, worst)
    for seq, event in enumerate(
        [IncumbentFound(labels=labels[1]), BoundImproved(lower_bound=run.objective / 200)], start=1
    ):
        run.apply(Record(seq, 1.0 + seq, event))
    low, high = bounds(run).heights
    assert low < run.lower_bound < run.objective < high < worst


def kept_with(lower):
    """Return an earlier run with these two lower bounds, 3 and 1 seconds before the edit."""
    return TreeKept(
        lower_bound=0.0, leaves=1, reopened=1, times=np.array([-3.0, -1.0]),
        nodes=np.array([0.0, 1.0]), upper=np.array([np.inf, 9.0]), lower=np.array(lower),
        edits=np.empty(0),
    )  # fmt: skip


def test_bounds_that_an_edit_has_made_too_high_are_left_out():
    for lower, at in (([0.1, 0.4], [-3.0, -1.0, 1.0, 1.0]), ([0.1, 8.0], [1.0, 1.0])):
        run = Run(Problem([[0.0], [1.0], [4.0]], 2))
        run.apply(Record(0, 0.0, kept_with(lower)))
        run.apply(Record(1, 1.0, IncumbentFound(labels=np.array([0, 0, 1]))))
        frame = bounds(run)
        assert frame.at.tolist() == at
        assert (len(frame.edits) > 0) == (at[0] < 0)


def test_the_bounds_of_earlier_runs_come_before_the_edit():
    run = Run(Problem([[0.0], [1.0], [4.0]], 2))
    kept = TreeKept(
        lower_bound=0.2, leaves=3, reopened=1, times=np.array([-3.0, -2.0, -1.0, 0.0]),
        nodes=np.array([0.0, 1.0, 3.0, 5.0]), upper=np.array([np.inf, 0.6, 0.6, 0.5]),
        lower=np.array([0.1, 0.1, 0.2, 0.2]), edits=np.array([-2.0]),
    )  # fmt: skip
    run.apply(Record(0, 0.0, kept))
    run.apply(Record(1, 1.0, IncumbentFound(labels=np.array([0, 0, 1]))))
    frame = bounds(run)
    assert frame.at.tolist() == [-3.0, -2.0, -1.0, 0.0, 1.0, 1.0]
    assert frame.lower.tolist() == [0.1, 0.1, 0.2, 0.2, 0.2, 0.2]
    assert frame.edits.tolist() == [-2.0, 0.0]
    assert bounds(run, "nodes").edits.tolist() == [1.0, 5.0]
    assert len(bounds(Run(run.problem)).edits) == 0


@pytest.fixture(scope="module")
def searched(problem, tree_records):
    return played(problem, tree_records(61))


def test_a_lane_is_the_runs_history_with_better_clusterings_marked(searched):
    frame = lane("one", searched)
    assert frame.upper[-1] == searched.objective
    assert np.nanmax(frame.lower) == searched.lower_bound
    assert (np.diff(frame.at) >= 0).all()
    assert frame.found.tolist() == [searched.objective]
    assert frame.found_at[0] > 0
    assert lane("one", searched, "nodes").at[-1] == 61


def test_a_closed_gap_is_no_number(problem, relaxation_records):
    run = played(problem, relaxation_records)
    run.lower_bound = run.objective
    run._remember()
    assert np.isnan(lane("one", run).gap[-1])


def test_runs_side_by_side(searched, problem):
    lanes = race([("one", searched), ("nothing yet", Run(problem))])
    assert [each.name for each in lanes] == ["one", "nothing yet"]
    assert len(lanes[1].at) == 0
