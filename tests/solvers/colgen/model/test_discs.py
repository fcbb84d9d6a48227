"""Discs: the nearest centre that they allow, and columns in them."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.problem.rules import SoftCannotLink, conjunction
from ccviz.solvers.colgen.discs import center_of, in_discs
from ccviz.solvers.colgen.instance import Discs, make_instance, part_of, with_disc


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


@pytest.fixture
def instance():
    """Return ten points under a rule, with a conflict and a disc of each kind."""
    X = np.random.default_rng(2).uniform(size=(10, 2))
    rules = (SoftCannotLink(((0, 5), (6, 7)), 1),)
    problem = Problem(X, 3, must_link=[(0, 1)], cannot_link=[(2, 3)], rules=rules)
    (loads,) = conjunction(problem, problem.rules)
    return make_instance(contract(problem), loads, Discs(X[:2], X[4:6], 1))


def arrays_of(instance):
    every = (instance, instance.loads, instance.discs)
    return [each for part in every for each in part if isinstance(each, np.ndarray)]


def test_every_instance_has_arrays_of_one_type(instance):
    first = arrays_of(instance)
    without = part_of(instance, np.array([1, 4, 6]))
    more = [with_disc(each, np.zeros(2), np.ones(2), side)
            for each in (instance, without) for side in (True, False)]  # fmt: skip
    for other in (without, *more):
        assert len(arrays_of(other)) == len(first)
        for mine, known in zip(arrays_of(other), first, strict=True):
            assert (mine.dtype, mine.ndim) == (known.dtype, known.ndim)
            assert mine.flags.c_contiguous
            assert mine.flags.writeable


def test_part_of_an_instance_has_its_blocks_alone(instance):
    rows = np.array([3, 7, 1])
    part = part_of(instance, rows)
    assert (part.points == instance.points[rows]).all()
    assert len(part.mass) == len(part.away) == len(part.conflict_start) - 1 == 3
    assert len(part.loads.limit) == len(part.conflict) == 0
    assert (part.discs.reach == instance.discs.reach).all()
