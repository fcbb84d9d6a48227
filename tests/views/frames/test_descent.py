import math
import tracemalloc

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import Assigned, GenerationEnded, Record, Restarted
from ccviz.views.frames.heuristic import DescentLog

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
