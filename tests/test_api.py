"""Driving a solver: records, limits, stopping, going on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.errors import ParameterError, UnsupportedError
from ccviz.events import (
    Assigned,
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    NodeOpened,
    NodePruned,
    Started,
)
from ccviz.solvers.base import Solver, setting


@dataclass(frozen=True)
class Counting(Solver):
    """Yields an assignment a step; looks at ``stop`` like any other."""

    name, title, paper = "counting", "Counting", "none"
    steps_to_take: int = setting(5, "How many.", low=0)
    tolerance: float = setting(1e-4, "Gap of a proof.", low=0)
    say_goodbye: bool = setting(True, "Whether to yield Finished.")

    def steps(self, problem, context) -> Iterator[Event]:
        rng = context.rng
        for i in range(self.steps_to_take):
            if context.stop():
                return
            labels = rng.permutation(np.arange(problem.n) % problem.k)
            yield Assigned(iteration=i, labels=labels, objective=0.0, moved=1)
        yield NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
        yield IncumbentFound(labels=np.array([0, 0, 1, 1]))
        yield BoundImproved(lower_bound=0.95)
        yield NodePruned(node=0, reason="bound", lower_bound=0.95)
        if self.say_goodbye:
            yield Finished(termination="converged", message="Bye.")


@pytest.fixture
def problem():
    return Problem(np.arange(4.0)[:, None], 2)


def test_records_are_numbered_and_begin_and_end_as_they_should(problem):
    records = list(start(problem, Counting(), seed=3))
    assert [record.seq for record in records] == list(range(len(records)))
    assert isinstance(records[0].event, Started)
    assert records[0].event.settings["steps_to_take"] == 5
    assert records[0].event.seed == 3
    assert isinstance(records[-1].event, Finished)
    times = [record.time_s for record in records]
    assert times == sorted(times)


def test_nothing_comes_after_the_end(problem):
    stepper = start(problem, Counting())
    list(stepper)
    with pytest.raises(StopIteration):
        stepper.step()
    assert stepper.result().termination == "converged"


def test_solve_drains_and_sums_up(problem):
    result = solve(problem, Counting(), seed=1)
    assert result.objective == pytest.approx(1.0)
    assert result.gap == pytest.approx(0.05)
    assert result.nodes == 1
    assert result.message.endswith("Bye.")


def test_same_seed_same_events(problem):
    def labels(seed):
        events = (record.event for record in start(problem, Counting(), seed=seed))
        return [event.labels.tolist() for event in events if isinstance(event, Assigned)]

    assert labels(1) == labels(1) != labels(2)


def test_time_limit(problem):
    assert solve(problem, Counting(), time_limit=0).termination == "time_limit"


def test_node_limit(problem):
    assert solve(problem, Counting(say_goodbye=False), node_limit=1).termination == "node_limit"


def test_gap_limit(problem):
    assert solve(problem, Counting(), gap=0.06).termination == "gap"
    assert solve(problem, Counting(), gap=0.04).termination == "converged"


def test_a_gap_below_the_tolerance_becomes_the_tolerance(problem):
    stepper = start(problem, Counting(), gap=1e-6)
    assert stepper.solver.tolerance == 1e-6


def test_stop_between_events_and_inside_a_solver(problem):
    stepper = start(problem, Counting(steps_to_take=1000))
    for _ in range(10):
        stepper.step()
    stepper.stop()
    assert stepper.result().termination == "interrupted"
    assert stepper.run.iteration == 8


def test_time_spent_waiting_is_discounted(problem):
    stepper = start(problem, Counting(steps_to_take=10**9), time_limit=1000)
    stepper.step()
    stepper.discount(-2000)  # as if it had run for so long
    assert stepper.result().termination == "time_limit"
    waited = start(problem, Counting(), time_limit=1000)
    waited.discount(-2000)
    waited.discount(2000)
    assert waited.result().termination == "converged"


def test_a_run_goes_on_after_its_history(problem):
    first = start(problem, Counting(), seed=1)
    history = [first.step() for _ in range(4)]
    second = start(problem, Counting(), seed=1, history=history)
    assert second.run.seq == 3
    record = second.step()
    assert record.seq == 4
    assert not isinstance(record.event, Started)
    assert record.time_s >= history[-1].time_s


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"solver": "nobody"}, "no solver 'nobody'; there are"),
        ({"solver": "cop-kmeans", "speed": 3}, "no parameter 'speed'"),
        ({"solver": Counting(), "time_limit": -1}, "time_limit = -1"),
        ({"solver": Counting(), "gap": float("nan")}, "gap = nan"),
        ({"solver": Counting(), "node_limit": -1}, "node_limit = -1"),
        ({"solver": Counting(), "seed": -1}, "seed = -1"),
        ({"solver": Counting(), "seed": 1 << 63}, "seed = "),
        ({"solver": Counting(), "seed": None}, "seed = None"),
        ({"solver": Counting(), "seed": 1.5}, "seed = 1.5"),
        ({"solver": Counting(), "time_limit": "3"}, "time_limit = '3'"),
        ({"solver": Counting(), "workers": "many"}, "workers = 'many'"),
        ({"solver": Counting(), "steps_to_take": 3}, "steps_to_take: .* already"),
        ({"solver": Counting}, "neither a solver's name nor a solver"),
        ({"solver": None}, "solver = None"),
    ],
)
def test_bad_options_are_named(problem, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        start(problem, **options)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"steps_to_take": -1}, "below 0"),
        ({"steps_to_take": 1.5}, "not a whole number"),
        ({"steps_to_take": True}, "not a whole number"),
        ({"tolerance": "x"}, "not a finite number"),
        ({"tolerance": float("inf")}, "not a finite number"),
        ({"tolerance": True}, "not a finite number"),
        ({"say_goodbye": 1}, "not true or false"),
    ],
)
def test_settings_are_checked(value, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Counting(**value)


def test_settings_and_seeds_may_be_numpys(problem):
    solver = Counting(steps_to_take=np.int64(3), tolerance=np.float32(0.5))
    assert (type(solver.steps_to_take), type(solver.tolerance)) == (int, float)
    assert start(problem, solver, seed=np.int64(3)).seed == 3


def test_what_is_no_problem_is_refused():
    with pytest.raises(ParameterError, match=r"is a list, not a ccviz\.Problem"):
        start([[1.0], [2.0]])


def test_steppers_runs_and_answers_say_what_they_are_in_a_line(problem):
    stepper = start(problem, Counting())
    assert repr(stepper) == "Stepper(Run(not started, goes on, unknown, 0 moments))"
    answer = stepper.result().partition
    assert repr(answer) == "Partition(4 points in 2 clusters, WCSS 1)"
    assert "counting, converged, feasible" in repr(stepper.run)


def test_what_a_solver_cannot_do_is_refused():
    points = np.arange(4.0)[:, None]
    soft = Problem(points, 2, must_link=[(0, 1, 1.0)], sizes=[2, 2])
    with pytest.raises(UnsupportedError, match="cannot handle soft links and cluster sizes"):
        start(soft, Counting())
