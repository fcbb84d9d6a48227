"""Parts before a tree: what they say is told, counts, and is checked."""

from itertools import takewhile

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import UnsupportedError
from ccviz.events import (
    BoundImproved,
    IncumbentFound,
    InfeasibilityProved,
    NodeOpened,
    PartBounded,
    PartsCut,
)
from ccviz.proof.verify import verify
from ccviz.runs.run import result_of
from ccviz.solvers.divide import DivideSettings, division
from ccviz.solvers.sdp import Sdp
from tests.seeds import seeds

GAP = 1e-4


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    cut = DivideSettings(part_size=10, largest_part=20)
    monkeypatch.setattr(division, "PRESOLVE", cut)


def problem_of(seed, n=60, k=3, links=16, spread=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = 4.0 * np.eye(k)[truth] + spread * rng.normal(size=(n, k))
    pairs = rng.permutation(n)[: 2 * links].reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def run_of(problem, history=(), **settings):
    stepper = start(problem, Sdp(divide_from=20, tolerance=GAP, **settings), history=history)
    return list(stepper), stepper.run


def before_the_tree(events):
    return [*takewhile(lambda event: not isinstance(event, NodeOpened), events)]


@pytest.mark.parametrize("seed", seeds(3, 6))
def test_the_optimum_is_that_of_the_tree_alone_and_verified(both, seed):
    problem = problem_of(seed, spread=1.0 + 0.2 * seed)
    records, run = run_of(problem)
    events = [record.event for record in records]
    alone = start(problem, Sdp(divide_from=1000, tolerance=GAP)).result()
    result = result_of(run)
    assert result.status == alone.status == "optimal"
    assert result.objective == pytest.approx(alone.objective, rel=2 * GAP)
    first = before_the_tree(events)
    assert {PartsCut, PartBounded, IncumbentFound, BoundImproved} <= set(map(type, first))
    bounds = [event.lower_bound for event in events if isinstance(event, BoundImproved)]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= alone.objective * (1 + 1e-9)
    both.accept(problem, events, GAP)


def with_tree(**settings):
    """Return the first run that the parts do not close, its problem and its records."""
    for seed in range(20):
        problem = problem_of(seed, spread=2.5, links=4)
        records, run = run_of(problem, **settings)
        if any(isinstance(record.event, NodeOpened) for record in records):
            return problem, records, run
    raise AssertionError("every problem was closed by its parts")


def test_a_whole_tree_is_the_proof_and_an_open_one_is_none(second, both):
    problem, records, run = with_tree()
    events = [record.event for record in records]
    assert result_of(run).status == "optimal"
    root = next(event for event in events if isinstance(event, NodeOpened))
    assert root.lower_bound == 0.0
    both.accept(problem, events, GAP)
    first = before_the_tree(events)
    gap = verify(problem, first, 0.9)
    assert gap.accepted
    assert gap.gap > GAP
    unfinished = [*first, root]
    assert verify(problem, unfinished, 0.9).lower_bound == gap.lower_bound
    both.refuse(problem, unfinished, GAP)
    assert second(problem, unfinished, 0.9)[0]


@pytest.mark.parametrize("at", [PartsCut, NodeOpened])
def test_a_run_goes_on_from_where_it_was(at):
    problem, records, run = with_tree()
    cut = next(i for i, record in enumerate(records) if isinstance(record.event, at))
    history = records[: cut + 2]
    rest, again = run_of(problem, history=history)
    assert sum(isinstance(record.event, PartsCut) for record in [*history, *rest]) == 1
    assert result_of(again).objective == pytest.approx(result_of(run).objective, rel=2 * GAP)
    assert result_of(again).status == "optimal"
    assert verify(problem, [record.event for record in [*history, *rest]], GAP).accepted


def test_that_no_clustering_exists_is_proved_by_the_tree():
    rng = np.random.default_rng(0)
    clique = [(i, j) for i in range(4) for j in range(i)]
    problem = Problem(rng.normal(size=(40, 2)), 3, cannot_link=clique)
    records, run = run_of(problem)
    events = [record.event for record in records]
    assert sum(isinstance(event, InfeasibilityProved) for event in events) == 1
    assert result_of(run).status == "infeasible"
    assert verify(problem, events).sentence == "proved infeasible"


def test_the_memory_that_is_free_is_the_limit(monkeypatch):
    problem = Problem(np.arange(1500.0)[:, None], 2)
    monkeypatch.setattr("ccviz.solvers.sdp.free_memory", lambda: int(1e8))
    with pytest.raises(UnsupportedError, match=r"1,500 blocks .* 0\.4 GB .* 0\.1 GB are free here"):
        Sdp().check(problem)
    monkeypatch.setattr("ccviz.solvers.sdp.free_memory", lambda: int(1e9))
    Sdp().check(problem)
