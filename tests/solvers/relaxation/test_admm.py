import numpy as np
import pytest

from ccviz.problem.blocks import contract, refine
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.admm import cold_start, exchange_cuts, inherit
from ccviz.solvers.relaxation.cuts import no_cuts
from ccviz.solvers.relaxation.engine import iterate
from ccviz.solvers.relaxation.model import relax
from tests.solvers.relaxation.cvxpy_reference import solve_textbook


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    return Problem(
        rng.normal(size=(13, 2)), 3, must_link=[(0, 1)], cannot_link=[(2, 3), (4, 5), (0, 6)]
    )


def tightened(relaxation, rounds=12):
    at = cold_start(relaxation)
    for _ in range(rounds):
        at = iterate(relaxation, at, 40)
        at = exchange_cuts(relaxation, at, 50, 1e-4)[0]
    return iterate(relaxation, at, 400)


def test_without_cuts_it_reaches_the_textbook_value(problem):
    relaxation = relax(contract(problem))
    at = iterate(relaxation, cold_start(relaxation), 1000)
    value, _ = solve_textbook(relaxation, no_cuts(relaxation.k))
    assert at.lower_bound == pytest.approx(value, rel=1e-5)
    assert at.lower_bound <= value * (1 + 1e-7)


def test_with_cuts_it_reaches_the_textbook_value_with_the_same_cuts(problem):
    relaxation = relax(contract(problem))
    at = tightened(relaxation)
    assert len(at.cuts) > 0
    value, Z = solve_textbook(relaxation, at.cuts)
    assert at.lower_bound == pytest.approx(value, rel=1e-5)
    assert at.lower_bound <= value * (1 + 1e-7)
    np.testing.assert_allclose(relaxation.to_z(at.Y), Z, atol=2e-3)


def test_cuts_raise_the_bound(problem):
    relaxation = relax(contract(problem))
    plain = iterate(relaxation, cold_start(relaxation), 1000)
    assert tightened(relaxation).lower_bound > plain.lower_bound * 1.001


def test_the_bound_never_passes_the_optimum(small_problems):
    for problem, optimum in small_problems[:25]:
        if np.isfinite(optimum):
            relaxation = relax(contract(problem))
            at = cold_start(relaxation)
            for _ in range(4):
                at = exchange_cuts(relaxation, iterate(relaxation, at, 15), 50, 1e-4)[0]
                assert at.lower_bound <= optimum


@pytest.mark.parametrize("decision", ["together", "apart"])
def test_a_child_starts_where_its_parent_stood(problem, decision):
    blocks = contract(problem)
    parent = tightened(relax(blocks))
    pair = np.array([[7, 9]])
    none = np.empty((0, 2), dtype=np.int64)
    refined = refine(problem, *((pair, none) if decision == "together" else (none, pair)))
    child_blocks = contract(refined)
    child_of = np.empty(blocks.s, dtype=np.int64)
    child_of[blocks.block_of] = child_blocks.block_of
    child = relax(child_blocks)
    start = inherit(parent, child_of, relax(blocks), child)
    assert start.best is None
    assert len(start.cuts) > 0
    np.testing.assert_allclose(start.Y @ child.u, child.u, atol=1e-3)
    warm = iterate(child, start, 60).lower_bound
    assert warm > iterate(child, cold_start(child), 60).lower_bound
    assert warm <= tightened(child, rounds=20).lower_bound * (1 + 1e-6)


def test_identical_points_and_single_blocks_are_no_special_case():
    for X, k in (([[0.0], [0.0], [0.0]], 2), ([[1.0], [2.0]], 2), ([[1.0], [2.0]], 1)):
        relaxation = relax(contract(Problem(X, k)))
        at = iterate(relaxation, cold_start(relaxation), 30)
        assert np.isfinite(at.lower_bound)


def test_objective_of_a_clustering_matrix_is_its_sum_of_squares():
    rng = np.random.default_rng(3)
    problem = Problem(rng.normal(size=(12, 3)) + 50.0, 3, must_link=[(0, 1), (1, 2), (5, 6)])
    blocks = contract(problem)
    relaxation = relax(blocks)
    labels = blocks.lift(np.arange(blocks.s) % 3)
    Z = np.zeros((blocks.s, blocks.s))
    for cluster in range(3):
        members = np.flatnonzero(blocks.project(labels) == cluster)
        Z[np.ix_(members, members)] = 1.0 / blocks.mass[members].sum()
    root = np.sqrt(blocks.mass)
    Y = Z * np.outer(root, root)
    objective = relaxation.constant + (relaxation.cost * Y).sum()
    assert objective == pytest.approx(Partition(problem, labels).wcss, rel=1e-9)
    np.testing.assert_allclose(Y @ relaxation.u, relaxation.u, atol=1e-12)
    np.testing.assert_allclose(relaxation.cost @ relaxation.u, 0.0, atol=1e-9)
    np.testing.assert_allclose(relaxation.to_z(Y), Z)
    assert np.trace(Y) == pytest.approx(3.0)
