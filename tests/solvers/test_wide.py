"""Many more features than points: no solver makes a matrix of features by features.

What each takes at 20,000 features stands in ``benchmarks/results/wide.md``.
"""

import tracemalloc

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.solvers import SOLVERS

FEATURES = 3000
SQUARE = 8 * FEATURES**2
QUICK = {
    "dils": {"generations": 3},
    "hg-means": {"generations": 2},
    "colgen": {"starts": 2, "time_limit": 3.0},  # to prove no cluster missing would take it long
}


def problem_of(features):
    rng = np.random.default_rng(0)
    classes = np.arange(50) % 3
    X = 3.0 * rng.normal(size=(3, features))[classes] + rng.normal(size=(50, features))
    return Problem(X, 3, must_link=[(0, 3), (1, 4)], cannot_link=[(0, 1), (4, 8)])


@pytest.fixture
def traced():
    """Return what starts to count the memory that is taken."""
    yield tracemalloc.start
    tracemalloc.stop()


def named(name):
    """Return a solver's name as a parameter; `colgen` works until its time limit."""
    return pytest.param(name, marks=pytest.mark.slow) if name == "colgen" else name


@pytest.mark.slow
@pytest.mark.parametrize("name", [named(solver.name) for solver in SOLVERS])
def test_fifty_points_of_many_features(traced, name):
    settings = QUICK.get(name, {})
    start(problem_of(3), name, **settings).result()  # imports what it needs
    problem = problem_of(FEATURES)
    traced()
    result = start(problem, name, **settings).result()
    assert len(set(result.labels.tolist())) == 3
    assert np.isfinite(result.objective)
    assert tracemalloc.get_traced_memory()[1] < SQUARE / 2
