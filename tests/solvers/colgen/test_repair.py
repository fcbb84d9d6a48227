"""Duals that are lowered for clusters worth more than the price."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen import initial, opening
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master import column_costs
from ccviz.solvers.colgen.pricing import Pricer
from ccviz.solvers.colgen.repair import lowered
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.search.tree import Task

PRICE = 0.3


@pytest.fixture
def clusters():
    """Return 40 points, three of them in one block, and random clusters of near ones."""
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(40, 2))
    blocks = contract(Problem(X, 5, must_link=[(0, 1), (1, 2)]))
    seeds = rng.uniform(size=(25, 2))
    columns = ((blocks.centroid[:, None] - seeds) ** 2).sum(axis=2).T < 0.06
    columns = columns[columns.any(axis=1)]
    duals = blocks.mass * rng.uniform(0.0, 0.1, size=blocks.s)
    return blocks, make_instance(blocks), columns, duals


def worth(blocks, columns, duals):
    return columns @ duals - column_costs(columns, blocks.centroid, blocks.mass)


def test_no_cluster_is_left_above_the_price_and_each_excess_is_taken_once(clusters):
    blocks, instance, columns, duals = clusters
    before = worth(blocks, columns, duals)
    assert (before > PRICE).sum() > 3
    order = np.argsort(-before)
    low, needed = lowered(instance, columns, order, duals, PRICE, 0.0)
    assert (worth(blocks, columns, low) <= PRICE + 1e-12).all()
    assert (low >= 0.0).all()
    assert (low <= duals).all()
    touched = columns[needed].any(axis=0)
    assert (low[~touched] == duals[~touched]).all()
    assert 0 < needed.sum() < (before > PRICE).sum()


def test_one_cluster_loses_its_excess_and_its_twin_is_not_needed(clusters):
    blocks, instance, columns, duals = clusters
    best = columns[[np.argmax(worth(blocks, columns, duals))] * 2]
    shown = duals * best[0]
    cost = ((blocks.centroid - blocks.centroid[best[0]].mean(axis=0)) ** 2).sum(axis=1)
    shown = np.where(best[0], np.maximum(shown, 2.0 * blocks.mass * cost), 0.0)
    excess = worth(blocks, best[:1], shown)[0] - PRICE
    low, needed = lowered(instance, best, np.arange(2), shown, PRICE, 0.0)
    assert needed.tolist() == [True, False]
    assert worth(blocks, best[:1], low)[0] == pytest.approx(PRICE, abs=1e-3)
    assert shown.sum() - low.sum() == pytest.approx(excess, rel=1e-2)


def test_what_exceeds_the_price_by_too_little_is_left(clusters):
    blocks, instance, columns, duals = clusters
    order = np.argsort(-worth(blocks, columns, duals))
    for more, left in ((0.0, False), (duals.sum(), True)):
        low, needed = lowered(instance, columns, order, duals, PRICE, more)
        assert needed.any() != left
        assert (low == duals).all() == left


@pytest.fixture
def generation(monkeypatch):
    """Return 300 points in twelve clusters, begun over stars."""
    monkeypatch.setattr(opening, "_STARS_FROM", 0)
    monkeypatch.setattr(opening, "_STARS_FROM_FEW", 0)
    rng = np.random.default_rng(8)
    problem = Problem(rng.uniform(size=(300, 2)), 12)
    found = tuple(initial.clustering(contract(problem), rng) for _ in range(3))
    pool = opening.first_pool(problem, Colgen(), Task(0), opening.Start(found))
    assert pool.starred
    return problem, Generation(pool, opening.pricer_of(problem, pool.blocks, Task(0)), 1e-6, 0)


def test_lowered_duals_give_a_better_bound_than_the_masters_own(generation):
    _, generation = generation
    solution = generation.run(1, np.inf)
    at, k, price = solution.duals, generation.pool.blocks.k, solution.price
    plain = at.sum() + k * generation.pricer.exact(at, -price, -price).least
    found = generation._prove(solution.duals, solution.price)
    assert plain < generation.pool.bound <= solution.objective * (1.0 + 1e-6)
    assert len(found.columns)
    assert (generation.pool.duals <= at + 1e-12).all()


def test_of_stars_much_alike_one_is_added(generation):
    _, generation = generation
    solution = generation.run(1, np.inf)
    priced = generation._prove(solution.duals, solution.price)
    new = generation._worth_adding(priced, solution)
    reduced = priced.costs - priced.columns @ solution.duals + solution.price
    below = reduced < -generation._column_tolerance
    assert 0 < len(new) < below.sum()
    assert reduced[new[0]] == reduced.min()
    assert below[new].all()


def test_a_child_begins_over_stars_at_the_duals_of_its_parents_bound(generation):
    problem, generation = generation
    generation.run(4, np.inf)
    parent = generation.pool
    blocks = contract(Problem(problem.X, problem.k, must_link=[(0, 1)]))
    child = opening.over_stars(opening.inherited(blocks, parent), parent)
    assert child.starred
    assert child.middle.duals.sum() == pytest.approx(parent.duals.sum())
    assert child.middle.price == -parent.least
    assert 0 < len(child.costs) < len(parent.costs) + 1
    stopped = Generation(child, Pricer((make_instance(blocks),)), 1e-6, 0)
    stopped.run(3, np.inf)
    assert stopped.pool.bound > 0.5 * parent.bound


@pytest.mark.parametrize(
    ("past", "slow"),
    [((0.0, 1.0, 2.0, 2.4), True), ((0.0, 1.0, 2.0, 2.6), False), ((2.4, 2.4, 2.4), False)],
)
def test_rounds_are_slow_that_win_less_than_a_quarter_of_what_is_missing(generation, past, slow):
    _, generation = generation
    generation.pool = replace(generation.pool, past=past)
    assert generation._is_slow(10.0, 0.25) == slow
