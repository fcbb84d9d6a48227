from itertools import chain, repeat
from unittest.mock import Mock

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.solvers.base import never
from ccviz.solvers.divide.partition import anticluster, cost, take_parts
from ccviz.solvers.divide.refine import refine
from ccviz.solvers.search.tree import StoppedError

PARTS = 6


@pytest.fixture(scope="module")
def cloud():
    """Blocks without clusters, so that a part has many clusterings that are nearly as good."""
    return contract(Problem(np.random.default_rng(0).normal(size=(360, 4)), 3))


@pytest.fixture(scope="module")
def labels(cloud):
    return solve(Problem(cloud.centroid, 3), "hg-means").labels


def well(blocks, labels, allowed=0.0, stop=never):
    return refine(blocks, labels, PARTS, 0, 0, allowed, stop)


def optima(blocks, found, labels):
    """Return what the parts cost in sum, each with the best clustering of several starts."""
    parts = take_parts(blocks, found, labels)
    return sum(solve(Problem(part.blocks.centroid, 3), "hg-means").objective for part in parts)


@pytest.mark.slow
def test_parts_that_were_cut_anew_keep_more_of_the_cost(cloud, labels):
    found, loss = well(cloud, labels)
    first = anticluster(cloud, labels, PARTS, 0, 0)
    assert 0.0 < loss < 1.0
    assert optima(cloud, found, labels) > 1.01 * optima(cloud, first, labels)
    assert np.bincount(found.part_of).tolist() == [60] * PARTS


def test_what_loses_little_is_cut_once(cloud, labels):
    looks = Mock(return_value=False)
    once = anticluster(cloud, labels, PARTS, 0, 0, stop=looks).part_of
    assert np.array_equal(well(cloud, labels, allowed=1.0)[0].part_of, once)
    stop = Mock(side_effect=chain([False] * looks.call_count, repeat(True)))
    stopped, _ = well(cloud, labels, stop=stop)
    assert np.array_equal(stopped.part_of, once)
    assert not np.array_equal(well(cloud, labels)[0].part_of, once)


def test_a_cut_that_is_stopped_in_the_making_is_none(cloud, labels):
    with pytest.raises(StoppedError):
        well(cloud, labels, stop=lambda: True)


def test_pieces_with_other_centroids_are_a_loss():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 40)
    points = rng.normal(size=(160, 6)) + 1000.0 * np.eye(6)[labels]
    blocks = contract(Problem(points, 4))
    found, loss = refine(blocks, labels, 10, 0, 0, 0.0, never)
    pieces = sum(part.piece for part in take_parts(blocks, found, labels))
    assert loss == pytest.approx(1.0 - pieces / cost(blocks, labels))
    assert loss > 1e-3


def test_one_part_loses_nothing(cloud, labels):
    found, loss = refine(cloud, labels, 1, 0, 0, 0.0, never)
    assert (found.parts, loss) == (1, 0.0)


def test_no_block_more_than_clusters_and_points_that_coincide_are_cut():
    blocks = contract(Problem(np.zeros((8, 1)), 2))
    found, loss = refine(blocks, np.arange(8) % 2, 4, 0, 0, 0.0, never)
    assert np.bincount(found.part_of).tolist() == [2, 2, 2, 2]
    assert loss == 0.0
