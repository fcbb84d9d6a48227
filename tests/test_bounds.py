"""The one gap function, and the one test of optimality."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.bounds import is_closed, relative_gap

positive = st.floats(1e-6, 1e12)


@given(positive, positive)
def test_is_the_share_of_the_upper_bound_that_is_open(upper, lower):
    gap = relative_gap(upper, lower)
    assert 0 <= gap <= 1
    assert gap == pytest.approx(max(upper - lower, 0) / upper)


@pytest.mark.parametrize(
    ("upper", "lower"), [(math.inf, 1.0), (1.0, -math.inf), (math.inf, -math.inf), (math.nan, 1.0)]
)
def test_is_infinite_while_a_bound_is_missing(upper, lower):
    assert relative_gap(upper, lower) == math.inf


def test_zero_over_zero_is_closed():
    assert relative_gap(0.0, 0.0) == 0.0


def test_a_bound_below_zero_is_as_good_as_zero():
    assert relative_gap(0.0, -1e-300) == 0.0
    assert relative_gap(2.0, -1.0) == 1.0


@pytest.mark.parametrize(
    ("upper", "lower", "closed"),
    [
        (1.0, 0.99, True), (1.0, 0.98, False), (0.0, 0.0, True), (0.0, 1e-9, False),
        (1.0, 1.1, False), (math.inf, 1.0, False), (1.0, -math.inf, False),
    ],
)  # fmt: skip
def test_bounds_are_closed_within_the_tolerance_and_never_where_they_cross(upper, lower, closed):
    assert is_closed(upper, lower, 0.01) is closed
