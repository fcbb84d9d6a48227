import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxSize
from ccviz.solvers.colgen.params import StartParams
from ccviz.solvers.colgen.phases.start import best_of_memetic, is_thorough, neighbours


def labelled(seed, n=14, k=4):
    rng = np.random.default_rng(seed)
    problem = Problem(rng.normal(size=(n, 2)), k, must_link=[(0, 1), (2, 3)])
    blocks = contract(problem)
    labels = np.append(np.arange(k), rng.integers(0, k, blocks.s - k))
    return problem, blocks, labels


@pytest.mark.parametrize("seed", range(5))
def test_the_costs_are_what_the_cheapest_move_adds(seed):
    _, blocks, labels = labelled(seed)
    (joined, left), added = neighbours(blocks, labels)
    for b in range(blocks.s):
        ways = []
        for j in set(labels.tolist()) - {int(labels[b])}:
            with_b = np.append(np.flatnonzero(labels == j), b)
            ways.append((scatter(blocks, with_b) - scatter(blocks, with_b[:-1]), set(with_b)))
        least, where = min(ways)
        assert added[b] == pytest.approx(least)
        assert set(np.flatnonzero(joined[b])) == where
    for column in left:
        homes = set(labels[column])
        assert len(homes) == 1
        assert (labels == homes.pop()).sum() == column.sum() + 1


def scatter(blocks, some):
    points, mass = blocks.centroid[some], blocks.mass[some]
    gaps = points - mass @ points / mass.sum()
    return mass @ (gaps**2).sum(axis=1)


def test_a_single_cluster_has_nowhere_to_go():
    _, blocks, _ = labelled(0)
    [left], added = neighbours(blocks, np.zeros(blocks.s, dtype=np.int64))
    assert (left.sum(axis=1) == blocks.s - 1).all()
    assert (added == 0.0).all()


def test_the_memetic_solver_is_asked_where_it_can_keep_all():
    X = np.random.default_rng(0).normal(size=(260, 2))
    for problem, expected in (
        (Problem(X, 20), True),
        (Problem(X, 3), False),
        (Problem(X[:100], 20), False),
        (Problem(X, 20, rules=(MaxSize(30),)), False),
    ):
        assert is_thorough(problem, contract(problem), StartParams()) is expected


def test_the_memetic_solver_s_clustering_keeps_the_links():
    X = np.random.default_rng(0).normal(size=(60, 2))
    problem = Problem(X, 6, must_link=[(0, 1)], cannot_link=[(0, 2), (3, 4)])
    blocks = contract(problem)
    labels = best_of_memetic(problem, blocks, 0, lambda: False, StartParams())
    assert Partition(problem, blocks.lift(labels)).violations.none_hard
