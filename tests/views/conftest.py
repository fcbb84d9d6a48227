"""Runs as streams of records, made by hand: what the views draw without waiting for a solver."""

import numpy as np
import pytest

from ccviz.data.datasets import load
from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    GenerationEnded,
    IncumbentFound,
    NodeBounded,
    NodeOpened,
    RelaxationSolved,
    ResidualsUpdated,
)
from ccviz.views.lab.personal_archive import Example
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from tests.made_up import LABELS, K, N, forty_points, place_events, stamped, tree_events


@pytest.fixture
def example():
    return Example()


@pytest.fixture
def example_session(archive, example):
    """Return a session with iris, and with the example in its library."""
    session = Session(archive, RunQueue(), load("iris"), example=example)
    yield session
    session.close()


@pytest.fixture(scope="session")
def problem():
    """Return forty points in three clusters."""
    return forty_points()


@pytest.fixture(scope="session")
def labels():
    """Return the clusters that the points were drawn from."""
    return LABELS


@pytest.fixture(scope="session")
def tree_records(problem):
    """Return a maker of the records of a best-first search of about a number of nodes."""

    def make(nodes, seed=0):
        return stamped(problem, tree_events(problem, nodes, seed))

    return make


@pytest.fixture(scope="session")
def place_records(problem):
    """Return a search in which places are decided on, with a pair in between."""
    return stamped(problem, place_events())


@pytest.fixture(scope="session")
def relaxation_records(problem, labels):
    """Return six rounds of cuts in which a matrix turns from grey to blocks."""
    together = labels[:, None] == labels
    grey = np.full((N, N), 1.0 / N)
    blocks = together / np.bincount(labels)[labels]
    events = [
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        IncumbentFound(labels=labels),
    ]
    for at in range(6):
        share = at / 5
        Z = (1 - share) * grey + share * blocks
        events.append(
            CutsAdded(
                node=0, round=at, lower_bound=1.0 + share, pair=3 * (5 - at),
                triangle=40 * (5 - at), clique=at, dropped=at, active=30 * at,
            )
        )  # fmt: skip
        events.append(RelaxationSolved(node=0, Z=Z, block_of=np.arange(N)))
        events.append(NodeBounded(node=0, lower_bound=1.0 + share))
    return stamped(problem, events)


@pytest.fixture(scope="session")
def column_records(problem):
    """Return forty pricing rounds that close a gap, every fifth of them exact."""
    rng = np.random.default_rng(1)
    events = [
        ColumnsPriced(
            node=0, iteration=at, pool=100 + 6 * at, exact=at % 5 == 4,
            columns=0 if at == 39 else int(rng.integers(1, 12)),
            best_reduced_cost=0.0 if at == 39 else -8.0 * 0.85**at,
            master_objective=60.0 + 20.0 * 0.9**at,
            lower_bound=60.0 - 25.0 * 0.85**at if at > 3 else -np.inf,
            duals=rng.gamma(2.0, 1.0, size=N) * (1 - 0.9**at),
        )
        for at in range(40)
    ]  # fmt: skip
    return stamped(problem, events)


@pytest.fixture(scope="session")
def residual_records(problem, labels):
    """Return two hundred iterations in which x turns binary."""
    rng = np.random.default_rng(2)
    goal = np.eye(K)[labels]
    start = rng.dirichlet(np.ones(K), size=N)
    events = []
    for at in range(200):
        share = min(1.0, at / 150)
        x = (1 - share) * start + share * goal
        events.append(
            ResidualsUpdated(
                iteration=at, primal_residual=0.97**at, dual_residual=0.5 * 0.96**at,
                rho=1e-3 * 1.02**at, fractional=float(np.minimum(x, 1 - x).mean()),
                violations=max(0, 12 - at // 10), x=x,
            )
        )  # fmt: skip
    return stamped(problem, events)


@pytest.fixture(scope="session")
def population_records(problem):
    """Return sixty generations of twenty members, in which the worst are replaced."""
    rng = np.random.default_rng(3)
    objectives = np.sort(60 + rng.gamma(3, 3, size=20))
    events = []
    for at in range(60):
        replaced = np.full(20, -1)
        for loser in rng.choice(20, 3, replace=False):
            child = 60 + (objectives[loser] - 60) * rng.uniform(0.4, 1.1)
            if child < objectives[loser]:
                objectives[loser], replaced[loser] = child, loser
        events.append(
            GenerationEnded(
                generation=at, objectives=objectives, diversity=0.5 * 0.95**at, replaced=replaced
            )
        )
    return stamped(problem, events)
