from itertools import combinations

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.cuts import clique_side, no_cuts, rows_of, separate
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.lifted import class_centers, exchange_cuts, lifted_spectrum
from ccviz.solvers.relaxation.lifted_model import LiftedModel
from ccviz.solvers.relaxation.model import relax


@pytest.fixture(params=[2, 3, 4])
def relaxation(request):
    rng = np.random.default_rng(request.param)
    problem = Problem(rng.normal(size=(14, 2)), request.param, must_link=[(0, 1), (2, 3), (3, 4)])
    return relax(contract(problem))


def clustering_matrix(relaxation, rng):
    labels = np.concatenate(
        [np.arange(relaxation.k), rng.integers(0, relaxation.k, relaxation.s - relaxation.k)]
    )
    root = np.sqrt(relaxation.mass)
    together = labels[:, None] == labels[None, :]
    size = np.array([relaxation.mass[labels == label].sum() for label in labels])
    return together * np.outer(root, root) / size[:, None]


def random_point(relaxation, rng):
    raw = rng.random((relaxation.s, 3))
    return raw @ raw.T / relaxation.s


def test_no_clustering_violates_any_cut(relaxation):
    rng = np.random.default_rng(0)
    found = separate(relaxation, random_point(relaxation, rng), no_cuts(relaxation.k), 10**6, 1e-6)
    rows = rows_of(found, relaxation)
    assert len(found) > 0
    for _ in range(200):
        Y = clustering_matrix(relaxation, rng)
        values = row_values(rows, Y)
        assert (values >= rows.side - 1e-12).all()
        assert len(separate(relaxation, Y, no_cuts(relaxation.k), 10**6, 1e-9)) == 0


def row_values(rows, Y):
    weight = np.where(rows.position == rows.mirror, 1.0, 2.0)
    products = rows.value * Y.ravel()[rows.position] * weight
    return np.add.reduceat(products, rows.start[:-1])


def test_separated_cuts_are_violated_by_the_point_and_deepest_first(relaxation):
    Y = random_point(relaxation, np.random.default_rng(1))
    found = separate(relaxation, Y, no_cuts(relaxation.k), 10**6, 1e-6)
    rows = rows_of(found, relaxation)
    depth = rows.side - row_values(rows, Y)
    assert (depth > 0).all()
    assert (np.diff(depth) <= 1e-12).all()


def test_every_block_pair_with_a_violated_triangle_gets_a_cut(relaxation):
    Y = random_point(relaxation, np.random.default_rng(2))
    Z = relaxation.to_z(Y)
    least = 1e-6 * np.diag(Z).mean()
    deepest = {
        (i, j): max(
            Z[i, j] + Z[i, h] - Z[i, i] - Z[j, h] for h in range(relaxation.s) if h not in (i, j)
        )
        for i in range(relaxation.s)
        for j in range(relaxation.s)
        if i != j
    }
    expected = {i for (i, _), depth in deepest.items() if depth > least}
    found = separate(relaxation, Y, no_cuts(relaxation.k), 10**6, 1e-6)
    assert expected <= set(found.points[found.kind == kernels.TWO_PARTITION, 0].tolist())


def test_among_many_blocks_few_stars_of_an_apex_are_tried_and_the_deepest_is_there():
    rng = np.random.default_rng(6)
    relaxation = relax(contract(Problem(rng.normal(size=(150, 2)), 3)))
    Y = random_point(relaxation, rng)
    found = separate(relaxation, Y, no_cuts(relaxation.k), 10**6, 1e-6, first_members=20)
    apexes = found.points[found.kind == kernels.TWO_PARTITION, 0]
    assert kernels.MOST_MEMBERS < np.bincount(apexes).max() <= 20
    Z = relaxation.to_z(Y)
    deepest = max(
        (Z[i][:, None] + Z[i] - Z - 2.0 * np.diag(np.full(150, Z[i, i]))).max() - Z[i, i]
        for i in range(150)
    ) / np.sqrt(1.0 + 3 * 0.5)  # of the row of norm 1
    rows = rows_of(found, relaxation)
    assert (rows.side - row_values(rows, Y))[0] >= deepest * (1.0 - 1e-12)


def test_a_wide_star_is_found_where_no_triangle_is_violated():
    relaxation = relax(contract(Problem(np.arange(10.0).reshape(5, 2), 2)))
    Z = np.diag(np.full(5, 1.0))
    Z[0, 1:4] = Z[1:4, 0] = 0.4
    found = separate(relaxation, Z, no_cuts(2), 10**6, 1e-6)
    assert found.counts()["pair"] == found.counts()["triangle"] == 0
    stars = found.points[found.kind == kernels.TWO_PARTITION]
    assert stars.tolist() == [[0, 1, 2, 3, -1, -1]]
    paper = separate(relaxation, Z, no_cuts(2), 10**6, 1e-6, most_members=2)
    assert not (paper.kind == kernels.TWO_PARTITION).any()


def test_no_cut_is_searched_for_where_none_may_be_added(relaxation):
    Y = random_point(relaxation, np.random.default_rng(2))
    assert len(separate(relaxation, Y, no_cuts(relaxation.k), 0, 1e-6)) == 0


def test_clique_cuts_count_pairs_of_distinct_blocks(relaxation):
    Y = np.diag(np.full(relaxation.s, 0.5))  # no two share a cluster: too many clusters
    found = separate(relaxation, Y, no_cuts(relaxation.k), 10**6, 1e-6)
    cliques = found.points[found.kind == kernels.CLIQUE]
    assert len(cliques) > 0
    assert all(len(set(points) - {-1}) == relaxation.k + 1 for points in cliques.tolist())
    size = len(list(combinations(range(relaxation.k + 1), 2)))
    rows = rows_of(found.where(found.kind == kernels.CLIQUE), relaxation)
    assert np.diff(rows.start).tolist() == [size] * len(cliques)
    assert rows.side * rows.norm == pytest.approx(clique_side(relaxation))


def test_known_cuts_are_not_found_again(relaxation):
    Y = random_point(relaxation, np.random.default_rng(4))
    first = separate(relaxation, Y, no_cuts(relaxation.k), 5, 1e-6)
    second = separate(relaxation, Y, first, 10**6, 1e-6)
    assert len(first) == 5
    assert not set(first.keys().tolist()) & set(second.keys().tolist())


def test_rows_have_norm_one(relaxation):
    Y = random_point(relaxation, np.random.default_rng(5))
    rows = rows_of(separate(relaxation, Y, no_cuts(relaxation.k), 100, 1e-6), relaxation)
    for c in range(len(rows.side)):
        one = np.zeros((relaxation.s, relaxation.s))
        unit = np.zeros(len(rows.side))
        unit[c] = 1.0
        kernels.add_rows(one, unit, rows)
        assert np.linalg.norm(one) == pytest.approx(1.0)
        np.testing.assert_array_equal(one, one.T)


# --- Lifted ---------------------------------------------------------------------------------------


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
