"""Instances: arrays of one type, and parts of them."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.problem.rules import SoftCannotLink, conjunction
from ccviz.solvers.colgen.model.instance import Discs, make_instance, part_of, with_disc


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
