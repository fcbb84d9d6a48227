"""Bounds on what rounding did, held against exact fractions, and against their own formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest

from ccviz import Problem
from ccviz.proof import rounding
from ccviz.proof.blocks import contract_plainly
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import (
    UNDERFLOW,
    Centroids,
    centroids,
    gamma,
    rescaled,
    root_up,
    scatter_above,
    unit_of,
)

CASES = [(seed, offset) for seed in range(4) for offset in (0.0, 1e8)]


def exactly(array):
    return [[Fraction(x) for x in row] for row in np.asarray(array).tolist()]


def exact_scatter(X, group):
    """Return the sum of squared distances to the groups' means, and the means."""
    rows, total, means = exactly(X), Fraction(0), {}
    for g in set(group):
        members = [row for row, h in zip(rows, group, strict=True) if h == g]
        means[g] = [sum(column) / len(members) for column in zip(*members, strict=True)]
        total += sum((x - c) ** 2 for row in members for x, c in zip(row, means[g], strict=True))
    return total, [means[g] for g in sorted(means)]


def problem_of(seed, offset=0.0, n=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-3, 3) + offset
    return Problem(X, 3, must_link=[(0, 1), (1, 2), (5, 7)], cannot_link=[(3, 9)])


def blocks_of(problem):
    return contract_plainly(problem, problem.must_link.pairs, problem.cannot_link.pairs)


@pytest.fixture
def coarse(monkeypatch):
    """Rounding that is so coarse that what is taken off for it can be measured."""
    monkeypatch.setattr(rounding, "gamma", lambda count: 1e-4 * (count + 1))


def test_the_error_of_a_sum_is_twice_the_textbook_s():
    assert gamma(0) == 2.0**-52
    assert gamma(6) == 7 * 2.0**-52


def test_numbers_are_scaled_exactly_or_refused():
    values = np.array([0.0, 3.0, -5.0])
    assert rescaled(values, 4).tolist() == [0.0, 48.0, -80.0]
    assert rescaled(np.array([1e100]), 0).tolist() == [1e100]
    for wrong in ([1.1e100], [-1.1e100], [1e300]):
        with pytest.raises(FlawError, match=r"^has numbers that are too large to add up$"):
            rescaled(np.array(wrong), 0)
    with pytest.raises(FlawError):
        rescaled(np.array([1.0]), 5000)


@pytest.mark.parametrize(("seed", "offset"), CASES)
def test_the_unit_is_near_one_and_its_error_is_bounded(seed, offset):
    problem = problem_of(seed, offset)
    unit = unit_of(problem)
    assert unit.X is problem.X
    assert 0.5 <= np.abs(unit.A).max() < 1.0
    scale = Fraction(2) ** unit.exponent
    moved = [
        [scale * x - a for x, a in zip(row, line, strict=True)]
        for row, line in zip(exactly(problem.X), exactly(unit.A), strict=True)
    ]
    # What was taken off is the same for all rows, up to the error.
    shift = [sum(column) / len(moved) for column in zip(*moved, strict=True)]
    astray = sum((x - c) ** 2 for row in moved for x, c in zip(row, shift, strict=True))
    assert astray <= Fraction(unit.error) ** 2
    squares = sum(a * a for row in exactly(unit.A) for a in row)
    assert squares <= Fraction(unit.norm) ** 2 <= squares * (1 + Fraction(1, 10**12))
    assert unit.error < 1e-13 * unit.norm


def test_the_unit_s_error_is_that_of_two_differences(coarse):
    unit = unit_of(Problem([[3.0], [5.0], [10.0]], 2))
    assert unit.exponent == -3
    near = root_up((4.0 + 49.0) / 64.0, 3)
    assert unit.norm == root_up(float((unit.A**2).sum()), 3)
    assert unit.error == pytest.approx(rounding.gamma(2) * (unit.norm + near), rel=1e-12)


def test_sums_of_squares_go_to_the_unit_and_back():
    unit = unit_of(Problem([[3.0], [5.0], [10.0]], 2))
    assert unit.scaled(32.0) == 0.5
    assert unit.back(0.5) == 32.0
    assert unit.back(math.inf) == math.inf
    small = unit_of(Problem([[3e-100], [5e-100], [1e-99]], 2))
    assert small.scaled(1e300) == math.inf
    assert small.scaled(-1e300) == -math.inf


def test_roots_are_rounded_up(coarse):
    assert root_up(4.0, 5) == math.sqrt(4.0 * (1.0 + 1e-4 * 10) + UNDERFLOW)
    assert root_up(0.0, 5) == math.sqrt(UNDERFLOW)


@pytest.mark.parametrize(("seed", "offset"), CASES)
def test_what_is_inside_blocks_and_the_means_are_enclosed(seed, offset):
    problem = problem_of(seed, offset)
    unit, blocks = unit_of(problem), blocks_of(problem)
    found = centroids(unit, blocks)
    scatter, _ = exact_scatter(problem.X, blocks.block_of.tolist())
    scatter *= Fraction(4) ** unit.exponent
    assert scatter * (1 - Fraction(1, 10**9)) <= Fraction(found.inside) <= scatter
    _, means = exact_scatter(unit.A, blocks.block_of.tolist())
    astray = sum(
        Fraction(m) * sum((x - c) ** 2 for x, c in zip(row, mean, strict=True))
        for m, row, mean in zip(found.mass.tolist(), exactly(found.points), means, strict=True)
    )
    assert astray <= Fraction(found.slip) ** 2
    assert found.slip < 1e-13 * unit.norm
    assert found.mass.tolist() == blocks.mass.tolist()
    assert found.conflict is blocks.conflict


@pytest.mark.parametrize("heavy", [1.0, 1e6])
def test_one_cluster_of_all_blocks_costs_at_most_what_is_said(heavy):
    points, mass = np.array([[0.1, 3.0], [1.3, 0.7], [9.1, 2.2]]), np.array([1.0, 2.0, heavy])
    found = Centroids(points, mass, np.zeros((3, 3), dtype=bool), 0.0, 0.0).most
    rows, weights = exactly(points), [Fraction(m) for m in mass.tolist()]
    center = [
        sum(m * x for m, x in zip(weights, column, strict=True)) / sum(weights)
        for column in zip(*rows, strict=True)
    ]
    cost = sum(
        m * sum((x - c) ** 2 for x, c in zip(row, center, strict=True))
        for m, row in zip(weights, rows, strict=True)
    )
    assert cost <= Fraction(found) <= cost * (1 + Fraction(1, 10**9))


def test_what_is_taken_off_the_means_and_what_is_inside_them(coarse):
    problem = problem_of(0)
    unit, blocks = unit_of(problem), blocks_of(problem)
    found = centroids(unit, blocks)
    assert found.slip == pytest.approx(unit.norm * 1e-4 * (3 + 4 + 1) + unit.error, rel=1e-12)
    plain, _ = exact_scatter(problem.X, blocks.block_of.tolist())
    plain = float(plain * Fraction(4) ** unit.exponent)
    assert found.inside == pytest.approx(expected_inside(problem, unit, blocks, plain), rel=1e-9)


def expected_inside(problem, unit, blocks, plain):
    """Return a scatter less the errors of its sum, of the means and of the differences."""
    X = np.ldexp(problem.X, unit.exponent)
    groups = [X[blocks.block_of == b] for b in range(len(blocks.mass))]
    near = np.concatenate([group - group[0] for group in groups])
    sizes = np.array([np.abs(group - group.mean(axis=0)).sum(axis=0) for group in groups])
    astray = 1e-4 * (3 + 2 + 1) * sizes
    squares = plain * (1 - 1e-4 * (near.size + 5)) - 1.01 * (astray**2 / blocks.mass[:, None]).sum()
    reach = math.sqrt((near**2).sum() * (1 + 1e-4 * (near.size + 5)))
    root = math.sqrt(squares) * (1 - 3e-4) - 3e-4 * reach
    return root**2 * (1 - 3e-4)


@pytest.mark.parametrize(("seed", "offset"), CASES)
def test_a_clustering_costs_at_most_what_is_said(seed, offset):
    problem = problem_of(seed, offset)
    unit = unit_of(problem)
    labels = np.arange(12) % 3
    above = Fraction(scatter_above(unit, labels, np.bincount(labels).astype(float)))
    scatter = exact_scatter(problem.X, labels.tolist())[0] * Fraction(4) ** unit.exponent
    assert scatter <= above <= scatter * (1 + Fraction(1, 10**12))


def test_what_is_added_to_a_clustering(coarse):
    X = np.array([[0.0], [2.0], [8.0], [8.0]])
    unit = unit_of(Problem(X, 2))
    assert unit.exponent == -3
    found = scatter_above(unit, np.array([0, 0, 1, 1]), np.array([2.0, 2.0]))
    squares, reach = 2.0 / 64.0, 4.0 / 64.0
    root = math.sqrt(squares * (1 + 9e-4)) + 3e-4 * math.sqrt(reach * (1 + 9e-4))
    assert found == pytest.approx(root**2 * (1 + 3e-4), rel=1e-12)


def test_only_points_that_coincide_cost_nothing():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [5.0, 0.0], [5.0, 0.0]])
    labels, mass = np.array([0, 0, 1, 1]), np.array([2.0, 2.0])
    assert scatter_above(unit_of(Problem(X, 2)), labels, mass) == 0.0
    X[1, 1] = 1e-320  # lost in the unit, but not forgotten
    X[2:, 0] = 1e60
    assert scatter_above(unit_of(Problem(X, 2)), labels, mass) > 0.0


def test_a_bound_on_the_whole_is_lowered_by_the_slip(coarse):
    nothing = np.zeros((0, 0))
    blocks = Centroids(nothing, nothing, nothing, inside=3.0, slip=0.5)
    root = 2.0 * (1 - 5e-4) - 0.5
    assert blocks.whole(4.0) == pytest.approx((3.0 + root**2) * (1 - 5e-4), rel=1e-12)
    assert blocks.whole(0.1) == blocks.whole(-7.0) == pytest.approx(3.0 * (1 - 5e-4), rel=1e-12)
    assert blocks.whole(math.inf) == math.inf
    assert blocks.whole(-math.inf) == -math.inf
