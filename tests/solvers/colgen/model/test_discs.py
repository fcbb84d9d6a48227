"""Discs: the nearest centre that they allow, and columns in them."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.model.discs import center_of, in_discs
from ccviz.solvers.colgen.model.instance import Discs, make_instance


def clusters(s):
    bits = np.arange(1, 2**s)[:, None] >> np.arange(s)
    return (bits & 1).astype(bool)


def points_of(seed, n=8):
    return np.random.default_rng(seed).normal(size=(n, 2))


def instance_of(X, occupied=(), empty=(), links=()):
    blocks = contract(Problem(X, 3, cannot_link=list(links)))
    pairs = np.array([*occupied, *empty], dtype=np.int64).reshape(-1, 2)
    center, border = X[pairs].transpose(1, 0, 2)
    return make_instance(blocks, (), Discs(center, border, len(occupied)))


def within(instance, p, center):
    return ((instance.discs.center[p] - center) ** 2).sum() <= instance.discs.reach[p]


def centers_of(instance, columns):
    centers = np.empty((len(columns), 2))
    fits = np.array([center_of(instance, c, at) for c, at in zip(columns, centers, strict=True)])
    return centers, fits


@pytest.mark.parametrize("seed", range(6))
def test_a_centre_is_the_nearest_to_the_mean_that_a_disc_allows(seed):
    X = points_of(seed)
    every = clusters(8)
    for occupied, empty in ([(0, 1)], []), ([], [(0, 1)]):
        instance = instance_of(X, occupied, empty)
        marked = np.pad(every, ((0, 0), (0, len(occupied))), constant_values=True)
        centers, fits = centers_of(instance, marked)
        assert fits.all()
        means = every @ instance.points / every.sum(axis=1)[:, None]
        gaps = np.sqrt(((means - instance.discs.center[0]) ** 2).sum(axis=1))
        radius = np.sqrt(instance.discs.reach[0])
        wrong = gaps > radius if occupied else gaps < radius
        moved = np.sqrt(((means - centers) ** 2).sum(axis=1))
        np.testing.assert_allclose(moved, np.where(wrong, np.abs(gaps - radius), 0.0), atol=1e-9)


def test_a_cluster_that_fits_no_disc_is_left_out():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.1, 0.0], [2.0, 3.0]])
    instance = instance_of(X, occupied=[(0, 1), (2, 3)])  # two discs apart: no centre is in both
    columns = np.array([[1, 1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 1, 0]], dtype=bool)
    _, costs, fits = in_discs(instance, columns, mark=False)
    assert fits.tolist() == [False, True]
    assert costs[1] == pytest.approx(2 * 0.05**2)
