"""Facilities: what they hold."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.facilities import make_facilities


def instance_of(problem):
    blocks = contract(problem)
    return blocks, make_instance(blocks)


def every_cluster(s):
    bits = np.arange(1, 2**s)[:, None] >> np.arange(s)
    return (bits & 1).astype(bool)


@pytest.fixture
def nine():
    """Return nine points with three cannot-links, as blocks and as an instance."""
    X = np.random.default_rng(5).uniform(size=(9, 2))
    return instance_of(Problem(X, 3, cannot_link=[(0, 1), (2, 3), (3, 4)]))


def test_a_facility_holds_its_cluster_and_near_blocks_that_fit(nine):
    blocks, instance = nine
    columns = np.eye(9, dtype=bool)
    stars = make_facilities(instance, columns, np.full(9, 1.0))
    assert len(stars.block) > 9
    for c in range(9):
        entries = slice(stars.start[c], stars.start[c + 1])
        block, cost = stars.block[entries], stars.cost[entries]
        assert c in block
        assert (np.diff(block) > 0).all()
        gap = blocks.centroid[block] - blocks.centroid[c]
        assert cost == pytest.approx((gap**2).sum(axis=1), abs=1e-12)
        assert not any(i in block and j in block for i, j in blocks.conflicts)
