"""Likely discs: half a centre inside, and the cost of moving centres to a border."""

import numpy as np
import pytest

from ccviz.solvers.colgen.branching.discs import _moves, likely_discs
from tests.solvers.colgen.model.test_discs import centers_of, instance_of


def test_a_likely_disc_holds_half_a_centre():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [6.0, 0.0], [7.0, 0.0], [3.5, 1.0], [3.5, 4.0]])
    instance = instance_of(X)
    columns = np.array(
        [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]],
        dtype=bool,
    )
    weights = np.array([0.5, 1.0, 1.0, 0.5])
    turned = instance.points  # every block is one point
    near, far = likely_discs(instance, columns, weights, turned)[0]
    radius = np.sqrt(((turned[near] - turned[far]) ** 2).sum())
    centers, _ = centers_of(instance, columns)
    gaps = np.sqrt(((centers - turned[near]) ** 2).sum(axis=1))
    assert weights[gaps <= radius].sum() == pytest.approx(0.5)
    assert likely_discs(instance, columns[:3], np.ones(3), turned) == []


def test_what_it_costs_to_move_centres_to_a_border():
    gaps, weights = np.array([3.0, 1.0, 5.0]), np.array([0.75, 0.5, 1.0])
    mass = np.array([2.0, 4.0, 10.0])
    moves = _moves(np.array([0.5, 2.0, 4.0, 6.0]), gaps, weights, mass)
    # The border at 2: out goes half of 4, in comes half of 2, and no more: that is one in all.
    assert moves.tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0])
