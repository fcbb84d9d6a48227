"""The plane with many clusters: links, limits, stopping and the proof."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from ccviz import start
from ccviz.events import BoundImproved, ColumnsPriced, Finished, IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.params import Params
from tests.enumeration import least_wcss


def events_of(problem, stop=None, params=None, **settings):
    context = Context(seed=0) if stop is None else Context(seed=0, stop=stop)
    return [*Colgen(**settings).steps_with(params or Params(), problem, context)]


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def ends_as_brute_force(problem, events):
    """Check that a run ends with the best clustering, if there is one, and no bound is above it."""
    best = least_wcss(problem)
    assert isinstance(events[-1], Finished)
    if np.isinf(best):
        assert not of(events, IncumbentFound)
        return
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6, abs=1e-9)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9) + 1e-9


@pytest.fixture(scope="module")
def crowded(neighbours):
    """Return the points with links between neighbours, and a run."""
    stepper = start(neighbours, "colgen", tolerance=1e-4)
    return neighbours, [record.event for record in stepper]


def test_the_gap_is_closed_and_the_proof_accepted(crowded):
    problem, events = crowded
    assert isinstance(events[-1], Finished)
    best = of(events, IncumbentFound)[-1]
    assert Partition(problem, best.labels).violations.none_hard
    root = [event for event in of(events, ColumnsPriced) if event.node == 0]
    for event in of(events, BoundImproved) + root:
        assert event.lower_bound <= best.objective * (1.0 + 1e-9)
    assert of(events, BoundImproved)[-1].lower_bound >= best.objective * (1.0 - 1e-4)
    assert verify(problem, events, work=60.0).accepted


def test_whatever_the_first_columns_the_end_is_the_same():
    X = np.random.default_rng(3).uniform(size=(70, 2)) * [3.0, 1.0]
    problem = Problem(X, 12, cannot_link=[(i, i + 1) for i in range(0, 20, 2)])
    ends = [events_of(problem, tolerance=1e-4, starts=starts) for starts in (0, 10)]
    best, other = (of(events, IncumbentFound)[-1].objective for events in ends)
    assert other == pytest.approx(best, rel=1e-4)
    for events in ends:
        assert of(events, BoundImproved)[-1].lower_bound <= min(best, other) * (1.0 + 1e-9)


@pytest.mark.parametrize("looks", [2, 14])
def test_a_stop_is_heard_and_leaves_a_valid_bound(crowded, looks):
    problem, events = crowded
    best = of(events, IncumbentFound)[-1].objective
    count = itertools.count()
    stopped = events_of(problem, stop=lambda: next(count) >= looks, tolerance=1e-4)
    assert not of(stopped, Finished)
    for event in of(stopped, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)


@st.composite
def small_problems(draw):
    """Few points on a coarse grid, so that they coincide, lie far off or in line; few links."""
    n = draw(st.integers(4, 8))
    place = st.tuples(st.integers(0, 4), st.integers(0, 4))
    X = np.array(draw(st.lists(place, min_size=n, max_size=n)), dtype=float)
    X[0] *= draw(st.sampled_from([1.0, 1.0, 1000.0]))
    pairs = list(itertools.combinations(range(n), 2))
    cannot = draw(st.lists(st.sampled_from(pairs[1:]), max_size=4, unique=True))
    joined = draw(st.booleans()) and not {(0, j) for j in range(n)} & set(cannot)
    joined = joined and not {(1, j) for j in range(n)} & set(cannot)
    must = [(0, 1)] if joined else []
    return Problem(X, draw(st.integers(1, 3)), must_link=must, cannot_link=cannot)
