import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.divide.partition import cost
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.cuts import no_cuts
from ccviz.solvers.relaxation.model import branching_pair, multipliers_of, relax


def certified(relaxation, labels):
    multiplier = -multipliers_of(relaxation, labels)
    return certify(relaxation, multiplier, no_cuts(relaxation.k), np.empty(0)).lower_bound


@given(st.integers(0, 10**6))
def test_what_any_clustering_proves_is_below_the_optimum(draw, optimum, seed):
    problem = draw(seed, most=6)
    if problem is None:
        return
    relaxation = relax(contract(problem))
    labels = np.random.default_rng(seed).permutation(np.arange(relaxation.s) % problem.k)
    assert certified(relaxation, labels) <= optimum(problem)


@pytest.mark.parametrize("k", [2, 10])
def test_clusters_well_apart_are_proved_without_an_iteration(k):
    rng = np.random.default_rng(0)
    truth = np.arange(12 * k) % k
    X = 20.0 * np.column_stack([truth % 4, truth // 4]) + rng.normal(size=(12 * k, 2))
    pairs = [(i, i + k) for i in range(0, 6 * k, 5)]  # so that blocks differ in mass
    blocks = contract(Problem(X, k, must_link=pairs))
    labels = truth[[blocks.members(block)[0] for block in range(blocks.s)]]
    best = blocks.scatter + cost(blocks, labels)
    bound = certified(relax(blocks), labels)
    assert best * (1.0 - 1e-5) <= bound <= best


def test_a_wrong_clustering_proves_less():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    relaxation = relax(contract(Problem(X, 2)))
    right, wrong = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1])
    assert certified(relaxation, wrong) < certified(relaxation, right)
    assert certified(relaxation, right) == pytest.approx(4.0, rel=1e-5)


def test_it_takes_the_pair_farthest_from_both_decisions():
    relaxation = relax(contract(Problem([[0.0], [1.0], [2.0], [3.0]], 2)))
    Z = np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0, 0, 0.7, 0.3], [0, 0, 0.3, 0.7]])
    assert branching_pair(relaxation, Z) == (2, 3)


def test_conflicting_pairs_are_never_taken():
    problem = Problem([[0.0], [1.0], [2.0]], 3, cannot_link=[(0, 1), (0, 2), (1, 2)])
    relaxation = relax(contract(problem))
    assert branching_pair(relaxation, np.full((3, 3), 0.3)) is None
    two = Problem([[0.0], [1.0], [2.0]], 3, cannot_link=[(0, 1), (0, 2)])
    assert branching_pair(relax(contract(two)), np.full((3, 3), 0.3)) == (1, 2)
