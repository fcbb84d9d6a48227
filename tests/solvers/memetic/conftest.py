"""Small random problems whose links can be kept."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.solvers.memetic.instance import Instance


def _make_problem(seed, n=40, d=3, k=4, links=30, within=0.3):
    """Return a problem whose links a random clustering keeps, and that clustering."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 1e3
    truth = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    pairs = rng.choice(n, (links, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    must = pairs[same][: int(within * links)]
    return Problem(X, k, must_link=must, cannot_link=pairs[~same], truth=truth)


def _instance_of(problem):
    """Return the instance of a feasible problem."""
    return Instance.of(contract(problem), check_feasibility(problem).labels)


@pytest.fixture(scope="session")
def make_problem():
    """Return the function that makes a feasible problem from a seed."""
    return _make_problem


@pytest.fixture(scope="session")
def instance_of():
    """Return the function that makes the instance of a feasible problem."""
    return _instance_of
