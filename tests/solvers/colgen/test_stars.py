"""Stars: what their program is, and that column generation over them ends where it should."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from ccviz import start
from ccviz.events import BoundImproved, ColumnsPriced, Finished, IncumbentFound, InfeasibilityProved
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.colgen import opening
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master import Master, column_costs
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.colgen.star_master import StarMaster
from ccviz.solvers.colgen.stars import make_stars
from ccviz.solvers.search.tree import Task
from tests.seeds import seeds
from tests.solvers.colgen.conftest import best_clustering, random_problem
from tests.solvers.colgen.test_plane import ends_as_brute_force, events_of, of, small_problems


def instance_of(problem):
    blocks = contract(problem)
    return blocks, make_instance(blocks)


def every_cluster(s):
    bits = np.arange(1, 2**s)[:, None] >> np.arange(s)
    return (bits & 1).astype(bool)


@pytest.fixture
def nine():
    """Return nine points with three cannot-links, as blocks and as an instance."""
    X = np.random.default_rng(5).uniform(size=(9, 2))
    return instance_of(Problem(X, 3, cannot_link=[(0, 1), (2, 3), (3, 4)]))


def test_a_star_holds_its_cluster_and_near_blocks_that_fit(nine):
    blocks, instance = nine
    columns = np.eye(9, dtype=bool)
    stars = make_stars(instance, columns, np.full(9, 1.0))
    assert len(stars.block) > 9
    for c in range(9):
        entries = slice(stars.start[c], stars.start[c + 1])
        block, cost = stars.block[entries], stars.cost[entries]
        assert c in block
        assert (np.diff(block) > 0).all()
        gap = blocks.centroid[block] - blocks.centroid[c]
        assert cost == pytest.approx((gap**2).sum(axis=1), abs=1e-12)
        assert not any(i in block and j in block for i, j in blocks.conflicts)


@pytest.mark.parametrize("links", [False, True])
def test_stars_at_every_mean_are_worth_every_column(links):
    X = np.random.default_rng(7).uniform(size=(9, 2))
    cannot = [(0, 1), (2, 3), (3, 4)] if links else []
    blocks, instance = instance_of(Problem(X, 3, cannot_link=cannot))
    columns = every_cluster(9)
    i, j = blocks.conflicts.T
    columns = columns[~(columns[:, i] & columns[:, j]).any(axis=1)]
    costs = column_costs(columns, blocks.centroid, blocks.mass)
    dear = np.full(9, 10.0)
    whole = Master(9, 3, dear, interior=False)
    whole.add(columns, costs)
    best = whole.solve().objective
    stars = StarMaster(instance, 3, dear)
    stars.add(columns, costs)
    assert stars.solve(1e-8).objective == pytest.approx(best, rel=1e-6)
    again = stars.solve(1e-8)  # warm
    assert again.objective == pytest.approx(best, rel=1e-6)
    assert again.weights.sum() <= 3.0 + 1e-6
    made = stars.parts(1e-8)
    assert not (made[:, i] & made[:, j]).any()


def test_few_stars_are_worth_more_than_their_columns_and_no_more_than_all(nine):
    blocks, instance = nine
    columns = np.eye(9, dtype=bool)
    costs = np.zeros(9)
    dear = np.full(9, 10.0)
    alone, stars = Master(9, 3, dear, interior=False), StarMaster(instance, 3, dear)
    for master in (alone, stars):
        master.add(columns, costs)
    assert stars.solve(1e-8).objective < alone.solve().objective - 1.0
    every = every_cluster(9)
    i, j = blocks.conflicts.T
    every = every[~(every[:, i] & every[:, j]).any(axis=1)]
    whole = Master(9, 3, dear, interior=False)
    whole.add(every, column_costs(every, blocks.centroid, blocks.mass))
    assert stars.solve(1e-8).objective >= whole.solve().objective - 1e-6


@pytest.fixture
def starred(monkeypatch):
    monkeypatch.setattr(opening, "_STARS_FROM", 0)
    monkeypatch.setattr(opening, "_STARS_FROM_FEW", 0)


@pytest.mark.usefixtures("starred")
def test_over_stars_the_gap_is_closed_and_the_proof_accepted(neighbours):
    events = [record.event for record in start(neighbours, "colgen", tolerance=1e-4)]
    assert isinstance(events[-1], Finished)
    best = of(events, IncumbentFound)[-1].objective
    root = [event for event in of(events, ColumnsPriced) if event.node == 0]
    for event in of(events, BoundImproved) + root:
        assert event.lower_bound <= best * (1.0 + 1e-9)
    assert of(events, BoundImproved)[-1].lower_bound >= best * (1.0 - 1e-4)
    assert verify(neighbours, events, work=60.0).accepted


@pytest.mark.usefixtures("starred")
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_rules_are_kept_over_stars(seed, rules):
    problem = random_problem(seed, rules)
    best = best_clustering(problem)
    events = events_of(problem)
    assert isinstance(events[-1], Finished)
    if np.isinf(best):
        assert of(events, InfeasibilityProved)
        return
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)


def test_only_many_borders_in_few_dimensions_begin_with_stars():
    rng = np.random.default_rng(0)
    cases = (2000, 2, 15, True), (2000, 2, 100, False), (2000, 4, 15, False), (600, 2, 2, False)
    for n, d, k, starred in cases:
        problem = Problem(rng.normal(size=(n, d)), k)
        found = (rng.integers(k, size=n),)
        pool = opening.first_pool(problem, Colgen(), Task(0), opening.Start(found))
        assert pool.starred == starred
        # Single blocks, which keep a master of columns feasible, are no use as stars.
        assert (pool.columns.sum(axis=1) == 1).any() != starred


@pytest.mark.slow
@pytest.mark.usefixtures("starred")
@pytest.mark.parametrize("looks", [14, 30])
def test_a_stop_during_stars_is_heard_and_leaves_a_valid_bound(looks):
    X = np.random.default_rng(3).uniform(size=(150, 2))
    problem = Problem(X, 12)
    best = of(events_of(problem, tolerance=1e-4), IncumbentFound)[-1].objective
    count = itertools.count()
    stopped = events_of(problem, stop=lambda: next(count) >= looks, tolerance=1e-4)
    assert not of(stopped, Finished)
    for event in of(stopped, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(problem=small_problems())
def test_no_bound_over_stars_is_above_what_brute_force_finds(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "_STARS_FROM", 0)
        patch.setattr(opening, "_STARS_FROM_FEW", 0)
        events = events_of(problem)
    ends_as_brute_force(problem, events)
