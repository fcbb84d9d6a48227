from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import Partition, Problem
from ccviz.errors import ProblemError
from ccviz.problem.blocks import contract, has_unweighted_blocks, with_weight
from ccviz.problem.points import checked_weights

X = np.array([[0.0], [1.0], [4.0], [6.0]])


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, 2.0], "there are 4 points but weights of shape (2,)."),
        (["a", 1, 1, 1], "the weights are not numbers, one a point."),
        ([1.0, -2.0, 1.0, -1.0], "the weights are below 0 in rows 1, 3."),
        ([1.0, np.nan, 1.0, np.inf], "the weights are missing or infinite in rows 1, 3."),
        ([0.0] * 4, "every weight is 0, but at least one point must count."),
        ([1.0, 1e13, 1.0, 1.0], "the weights are over 1e+12 in row 1."),
        ([1.0, 1e-14, 1e6, 1.0], "the weights are above 0 in row 1, but too small beside"),
        ([1.0, 0.0, 0.0, 0.0], "k = 2 clusters cannot all hold weight: only 1 blocks of points"),
    ],
)
def test_refuses_weights(weights, sentence):
    with pytest.raises(ProblemError) as wrong:
        Problem(X, 2, weights=weights)
    assert sentence in str(wrong.value)


def test_weights_of_one_are_none():
    assert Problem(X, 2, weights=[1, 1, 1, 1]).weights is None
    assert Problem(X, 2, weights=[1, 1, 1, 1]).asks_the_same(Problem(X, 2))
    assert not Problem(X, 2, weights=[1, 1, 1, 2]).asks_the_same(Problem(X, 2))


@given(st.lists(st.floats(1e-4, 1e4), min_size=1, max_size=40))
def test_sums_of_weights_are_exact_and_a_second_check_changes_nothing(given_weights):
    weights = checked_weights(given_weights, len(given_weights))
    if weights is None:
        return
    assert float(weights.sum()) == sum(map(Fraction, weights.tolist()))
    assert float(weights[::-1].cumsum()[-1]) == float(weights.sum())
    assert weights == pytest.approx(np.array(given_weights), rel=1e-3)
    assert abs(weights - given_weights).max() <= 2.0**-51 * sum(given_weights)
    assert np.array_equal(checked_weights(weights, len(weights)), weights)


def test_the_objective_and_the_centres_count_weights():
    partition = Partition(Problem(X, 2, weights=[3.0, 1.0, 0.5, 0.5]), [0, 0, 1, 1])
    assert partition.centers.tolist() == [[0.25], [5.0]]
    assert partition.wcss == pytest.approx(3 * 0.25**2 + 0.75**2 + 0.5 + 0.5)
    assert partition.cluster_weights.tolist() == [4.0, 1.0]
    assert partition.cluster_sizes.tolist() == [2, 2]


def test_a_cluster_without_weight_is_as_good_as_empty():
    partition = Partition(Problem(X, 2, weights=[1.0, 1.0, 1.0, 0.0]), [0, 0, 0, 1])
    assert partition.violations.sizes == 1
    assert np.isnan(partition.centers[1]).all()


def test_blocks_keep_weight_and_number_of_points_apart():
    weights = [2.0, 0.5, 3.0, 1.0]
    blocks = contract(Problem(X, 2, must_link=[(0, 2)], weights=weights))
    assert blocks.mass.tolist() == [5.0, 0.5, 1.0]
    assert blocks.count.tolist() == [2.0, 1.0, 1.0]
    assert blocks.centroid[0] == pytest.approx(12.0 / 5.0)
    assert blocks.scatter == pytest.approx(2 * 2.4**2 + 3 * 1.6**2)


def test_a_point_of_weight_0_joins_the_nearest_block_and_never_speaks_for_it():
    problem = Problem(X, 2, must_link=[(0, 1)], weights=[0.0, 1.0, 1.0, 0.0])
    blocks = contract(problem)
    assert blocks.block_of.tolist() == [0, 0, 1, 1]
    assert blocks.members(0).tolist() == [1, 0]
    assert not has_unweighted_blocks(problem)


@pytest.mark.parametrize(
    "constraint",
    [{"cannot_link": [(0, 3)]}, {"must_link": [(0, 3, 1.0)]}, {"sizes": ([1, 1], [3, 3])}],
)
def test_constraints_on_points_of_weight_0_are_seen(constraint):
    assert has_unweighted_blocks(Problem(X, 2, weights=[1.0, 1.0, 1.0, 0.0], **constraint))


def test_blocks_of_weight_0_come_last_where_neighbours_make_them_count():
    problem = Problem(
        X, 2, must_link=[(0, 3)], cannot_link=[(1, 2)], weights=[1.0, 0.0, 3.0, 1.0],
        neighbors=[(0, 1), (1, 2), (2, 3)],
    )  # fmt: skip
    blocks = contract(problem)
    assert blocks.block_of.tolist() == [0, 2, 1, 0]
    assert blocks.mass.tolist() == [2.0, 3.0, 0.0]
    assert blocks.conflicts.tolist() == [[1, 2]]
    counted = with_weight(blocks)
    assert counted.mass.tolist() == [2.0, 3.0]
    assert len(counted.conflicts) == 0
    assert with_weight(counted) is counted


def test_single_points_keep_their_places_in_the_order_of_blocks():
    blocks = contract(Problem(X, 2, weights=[0.0, 1.0, 2.0, 1.0], neighbors=[(0, 1), (2, 3)]))
    assert blocks.block_of.tolist() == [3, 0, 1, 2]
    assert (blocks.centroid[blocks.block_of] == X).all()
