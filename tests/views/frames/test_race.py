import numpy as np
import pytest

from ccviz.runs.run import Run
from ccviz.views.frames.race import lane, race


@pytest.fixture(scope="module")
def played(problem, tree_records):
    run = Run(problem)
    for record in tree_records(61):
        run.apply(record)
    return run


def test_a_lane_is_the_runs_history(played):
    frame = lane("one", played)
    assert frame.upper[-1] == played.objective
    assert np.nanmax(frame.lower) == played.lower_bound
    assert (np.diff(frame.at) >= 0).all()


def test_better_clusterings_are_marked(played):
    frame = lane("one", played)
    assert frame.found.tolist() == [played.objective]
    assert frame.found_at[0] > 0


def test_a_closed_gap_is_no_number(problem, relaxation_records):
    run = Run(problem)
    for record in relaxation_records:
        run.apply(record)
    run.lower_bound = run.objective
    run._remember()
    assert np.isnan(lane("one", run).gap[-1])


def test_over_nodes(played):
    assert lane("one", played, "nodes").at[-1] == 61


def test_runs_side_by_side(played, problem):
    lanes = race([("one", played), ("nothing yet", Run(problem))])
    assert [each.name for each in lanes] == ["one", "nothing yet"]
    assert len(lanes[1].at) == 0
