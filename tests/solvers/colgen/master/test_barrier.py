"""The barrier over duals: its derivatives, and that it ends at the optimum of the master's dual."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ccviz.solvers.colgen.master import barrier
from ccviz.solvers.colgen.master.barrier import DualPoint, DualProgram, ascend, parts
from ccviz.solvers.colgen.master.facilities import Facilities


def made(seed, s=9, p=14, k=3, own=0.0):
    """Return a program of random stars, in which every row has an upper limit of its own."""
    rng = np.random.default_rng(seed)
    inside = rng.random((p, s)) < 0.5
    inside[:, 0] |= ~inside.any(axis=1)
    start = np.append(0, np.cumsum(inside.sum(axis=1)))
    block = np.nonzero(inside)[1]
    stars = Facilities(start, block, rng.random(len(block)) ** 2)
    return DualProgram(stars, own * rng.random(p), rng.uniform(0.5, 2.0, s), k)


def optimum(program):
    """Return the best sum of duals less the price of k clusters, by HiGHS over (row, price, w)."""
    stars, own, most, k = program
    s, e = len(most), len(stars.block)
    gains, sums = np.zeros((e, s + 1 + e)), np.zeros((len(own), s + 1 + e))
    gains[np.arange(e), stars.block] = 1.0
    gains[np.arange(e), s + 1 + np.arange(e)] = -1.0
    sums[:, s] = -1.0
    sums[stars.facility, s + 1 + np.arange(e)] = 1.0
    cost = np.concatenate([-np.ones(s), [float(k)], np.zeros(e)])
    limits = [*((0.0, each) for each in most), (0.0, None), *[(0.0, None)] * e]
    found = linprog(cost, np.vstack([gains, sums]), [*stars.cost, *own], bounds=limits)
    return -found.fun


def worth(program, row):
    """Return by how much the best star is worth more than it costs."""
    return float((-program.facilities.reduced_costs(row) - program.own).max())


def objective(program, found):
    return float(found.row.sum()) - program.k * found.cardinality_dual


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6), s=st.integers(1, 12), p=st.integers(1, 20), k=st.integers(1, 5),
    own=st.sampled_from([0.0, 1.0]),
)  # fmt: skip
def test_it_ends_near_the_optimum_and_never_outside(seed, s, p, k, own):
    program = made(seed, s, p, k, own)
    best = optimum(program)
    found = ascend(program, 0.5 * program.most, 0.0, 1e-6)
    assert best - 3e-6 <= objective(program, found) <= best + 1e-9
    assert (found.row > 0.0).all()
    assert (found.row < program.most).all()
    assert worth(program, found.row) <= found.cardinality_dual


def test_the_multipliers_cover_each_block_once_and_cost_the_same():
    program = made(3)
    found = ascend(program, 0.5 * program.most, 0.0, 1e-8)
    stars = program.facilities
    held = found.taken[stars.facility] * found.held
    covered = np.bincount(stars.block, held, 9) + found.missing
    assert covered == pytest.approx(np.ones(9), abs=1e-4)
    assert found.taken.sum() <= program.k + 1e-6
    assert (found.held > 0.0).all()
    assert (found.held < 1.0).all()
    cost = held @ stars.cost + program.most @ found.missing + program.own @ found.taken
    assert cost == pytest.approx(objective(program, found), abs=1e-4)
    assert found.short <= 1.1e-8


def test_the_slope_and_the_curvature_are_those_of_the_barrier():
    program = made(1, own=1.0)
    system = barrier._System(program)
    row, cardinality_dual = 0.4 * program.most, worth(program, 0.4 * program.most) + 0.3

    def value(at):
        point = DualPoint(at[:-1], float(at[-1]), np.ones(len(program.own)), 1.0)
        there = barrier._barrier_at(program, point)
        return barrier._objective(program, point, there), point

    at = np.append(row, cardinality_dual)
    _, point = value(at)
    step, rise = system.step(point)
    near = 1e-6
    slope = (value(at + near * step)[0] - value(at - near * step)[0]) / (2.0 * near)
    assert slope == pytest.approx(rise, rel=1e-6)
    near = 1e-3  # of Newton's step the second derivative is minus the first
    ahead, here, behind = (value(at + far * step)[0] for far in (near, 0.0, -near))
    assert (ahead - 2.0 * here + behind) / near**2 == pytest.approx(-rise, rel=1e-3)


def test_what_is_left_of_a_star_and_of_its_entries_adds_up():
    program = made(2)
    stars, row = program.facilities, 0.3 * program.most
    cardinality_dual = worth(program, row) + 0.1
    point = DualPoint(row, cardinality_dual, np.full(len(program.own), 1e6), 1e-3)
    assert np.isfinite(barrier._barrier_at(program, point))
    held = barrier._held(program, point)
    far = point.left[stars.facility] / held  # w + cost - dual
    w = far - stars.cost + row[stars.block]
    assert 1.0 / w + 1.0 / far == pytest.approx(1.0 / point.left[stars.facility], rel=1e-6)
    used = np.bincount(stars.facility, w, len(point.left))
    assert used + point.left == pytest.approx(program.own + cardinality_dual, rel=1e-6)


@pytest.mark.parametrize("outside", ["a dual", "a limit", "a star", "the price"])
def test_outside_the_barrier_is_minus_infinity(outside):
    program = made(4)
    row, left = 0.5 * program.most, np.ones(len(program.own))
    cardinality_dual = worth(program, row) + 0.1
    row[2] = {"a dual": 0.0, "a limit": program.most[2]}.get(outside, row[2])
    cardinality_dual = {"a star": worth(program, row), "the price": 0.0}.get(
        outside, cardinality_dual
    )
    assert barrier._barrier_at(program, DualPoint(row, cardinality_dual, left, 1.0)) == -np.inf


def test_a_stop_leaves_what_it_began_with():
    program = made(5)
    row = 0.5 * program.most
    found = ascend(program, row, 0.0, 1e-9, stop=lambda: True)
    assert (found.row == row).all()
    assert worth(program, row) < found.cardinality_dual


def test_parts_are_of_stars_in_use_and_hold_more_than_the_share():
    program = made(6)
    found = ascend(program, 0.5 * program.most, 0.0, 1e-9)
    clusters = parts(program, found, (0.1, 0.9))
    used = found.taken > barrier._USED
    assert len(clusters) == 2 * used.sum()
    assert (clusters[::2] >= clusters[1::2]).all()
    whole = np.zeros((len(used), 9), dtype=bool)
    whole[program.facilities.facility, program.facilities.block] = True
    assert (clusters <= np.repeat(whole[used], 2, axis=0)).all()


def test_more_is_asked_than_the_arithmetic_has_and_it_ends_all_the_same():
    program = made(7)
    found = ascend(program, 0.5 * program.most, 0.0, 0.0)
    assert objective(program, found) == pytest.approx(optimum(program), abs=1e-6)
