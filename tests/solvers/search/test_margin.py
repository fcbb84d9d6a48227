"""The margin for rounding, against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.solvers.search.decisions import Margin, margin_of
from tests.exact import exact_cost


def test_no_margin_changes_nothing():
    assert [Margin().below(bound) for bound in (0.2, 0.0, -1.0)] == [0.2, 0.0, -1.0]


def test_what_is_not_a_positive_number_stays():
    margin = Margin(0.1, 0.1)
    assert margin.below(math.inf) == math.inf
    assert margin.below(-math.inf) == -math.inf
    assert margin.below(1e-4) == 0.0


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e16])
@pytest.mark.parametrize("spread", [1.0, 1e9, 1e20])
def test_the_cost_of_the_centred_points_less_the_margin_is_no_more_than_the_cost(offset, spread):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(8, 2)) + offset
        X[4:] *= spread
        problem = Problem(X, 3, must_link=[(4, 5)])
        labels = np.append(rng.integers(3, size=4), [2, 2, 1, 0])
        exact = exact_cost(X, labels)
        margin = margin_of(problem)
        for cost in (Partition(problem, labels), Partition(problem.centred(), labels)):
            assert Fraction(margin.below(cost.wcss)) <= exact


def test_the_margin_is_a_few_units_where_clusters_are_as_wide_as_the_data():
    problem = Problem(np.random.default_rng(0).normal(size=(50, 2)), 3)
    assert Margin.below(margin_of(problem), 50.0) == pytest.approx(50.0, rel=1e-13)


def test_many_features_are_turned_and_so_have_more():
    wide = Problem(np.random.default_rng(0).normal(size=(5, 50)), 2)
    narrow = Problem(wide.X.T, 2)
    assert margin_of(wide).slip > 10.0 * margin_of(narrow).slip
