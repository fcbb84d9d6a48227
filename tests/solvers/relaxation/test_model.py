import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.model import relax


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
