"""Duals that are lowered for clusters of negative reduced cost."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.covering import column_costs
from ccviz.solvers.colgen.pricing.pricer import adjusted

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
    low, needed = adjusted(instance, columns, order, duals, PRICE, 0.0)
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
    low, needed = adjusted(instance, best, np.arange(2), shown, PRICE, 0.0)
    assert needed.tolist() == [True, False]
    assert worth(blocks, best[:1], low)[0] == pytest.approx(PRICE, abs=1e-3)
    assert shown.sum() - low.sum() == pytest.approx(excess, rel=1e-2)


def test_what_exceeds_the_price_by_too_little_is_left(clusters):
    blocks, instance, columns, duals = clusters
    order = np.argsort(-worth(blocks, columns, duals))
    for more, left in ((0.0, False), (duals.sum(), True)):
        low, needed = adjusted(instance, columns, order, duals, PRICE, more)
        assert needed.any() != left
        assert (low == duals).all() == left
