import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.lifted import class_centers, exchange_cuts, lifted_spectrum
from ccviz.solvers.relaxation.lifted_model import LiftedModel
from ccviz.solvers.relaxation.model import relax


@pytest.fixture
def problem():
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1, 2, 3], [6, 6, 9, 15])
    X = 5.0 * np.eye(4)[truth] + rng.normal(size=(36, 4))
    return Problem(X, 4, must_link=[(0, 1), (22, 23)], cannot_link=[(0, 35)], sizes=[15, 6, 9, 6])


def matrix_of(model, labels, sizes):
    """Return the B of each class that a clustering of the blocks makes."""
    relaxation = model.relaxation
    root = np.sqrt(relaxation.mass)
    matrices = []
    for size, count in zip(model.size, model.count, strict=True):
        B = np.zeros((relaxation.s + 1,) * 2)
        for cluster in np.flatnonzero(sizes == size):
            inside = np.append([1.0 / np.sqrt(count)], root * (labels == cluster) / np.sqrt(size))
            B += np.outer(inside, inside)
        matrices.append(B)
    return matrices


def test_a_clusterings_matrices_have_the_spectrum_and_the_kernel_that_the_model_says(problem):
    blocks = contract(problem)
    model = LiftedModel.of(relax(blocks))
    truth = np.repeat([1, 3, 2, 0], [6, 6, 9, 15])
    matrices = matrix_of(model, blocks.project(truth), problem.sizes.lower)
    for B, kernel, count in zip(matrices, model.kernel, model.count, strict=True):
        assert B @ kernel == pytest.approx(0.0, abs=1e-12)
        values = np.linalg.eigvalsh(B)[::-1]
        assert values[:count] == pytest.approx([2.0, *[1.0] * (count - 1)])
        assert values[count:] == pytest.approx(0.0, abs=1e-12)


def test_bounds_rise_to_the_optimum_and_never_pass_it(problem):
    relaxation = relax(contract(problem))
    truth = np.repeat([1, 3, 2, 0], [6, 6, 9, 15])
    centers = [problem.X[truth == c].mean(axis=0) for c in range(4)]
    cost = sum(((problem.X[truth == c] - centers[c]) ** 2).sum() for c in range(4))
    at = cold_start(relaxation)
    for _ in range(12):
        at = iterate(relaxation, at, 30)
        assert at.lower_bound <= cost * (1.0 + 1e-12)
        at, _, _ = exchange_cuts(relaxation, at, 500, 1e-4)
    assert at.lower_bound >= cost * (1.0 - 1e-3)
    assert np.linalg.eigvalsh(at.Y)[-1] == pytest.approx(1.0, abs=0.05)
    found = class_centers(relaxation, at, seed=0)
    mean = problem.X.mean(axis=0)
    for c in (2, 0):  # the classes of one cluster, sizes 9 and 15
        at_size = {9: 2, 15: 3}[int(problem.sizes.lower[c])]
        assert found[at_size] == pytest.approx(centers[c] - mean, abs=0.5)


def test_the_spectral_projection_is_the_nearest_point_of_the_hull():
    rng = np.random.default_rng(0)
    for count in (1, 2, 4):
        values = np.sort(rng.normal(size=9))[::-1]
        found = lifted_spectrum(values, count)
        assert found.sum() == pytest.approx(count + 1.0)
        assert found[0] <= 2.0 + 1e-12
        for j in range(count):
            assert found[: j + 1].sum() <= j + 2.0 + 1e-9
        for _ in range(200):  # no convex combination of vertices is nearer
            weights = rng.dirichlet(np.ones(5))
            vertex = np.append([2.0, *[1.0] * (count - 1)], np.zeros(9 - count))
            other = sum(w * rng.permutation(vertex) for w in weights)
            assert (found - values) @ (other - found) >= -1e-9
