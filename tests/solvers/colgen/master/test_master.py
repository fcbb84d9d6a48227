import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csc_array

from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.instance import DiscArrays
from ccviz.solvers.colgen.master import barrier, interior
from ccviz.solvers.colgen.master.barrier import DualPoint, DualProgram, ascend, parts
from ccviz.solvers.colgen.master.covering import Master, best_cover, column_costs
from ccviz.solvers.colgen.master.facilities import Facilities, make_facilities
from ccviz.solvers.colgen.master.facility_master import (
    LEAST_LOCAL_SAVING,
    FacilityDuals,
    FacilityMaster,
    Neighbourhoods,
    Region,
    ascend_near,
)
from ccviz.solvers.colgen.master.interior import solve
from ccviz.solvers.colgen.strong_branching import likely_discs
from tests.solvers.colgen.conftest import neighbourhoods_of
from tests.solvers.colgen.master.test_facilities import every_cluster, instance_of, nine  # noqa: F401


def random_pool(seed, s, m):
    """Return (m, s) clusters of points in the plane, dense ones and sparse ones, with costs."""
    rng = np.random.default_rng(seed)
    columns = rng.random((m, s)) < rng.uniform(0.05, 0.6, size=(m, 1))
    columns = np.concatenate([columns[columns.any(axis=1)], np.eye(s, dtype=bool)])
    return columns, column_costs(columns, rng.normal(size=(s, 2)), np.ones(s))


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_the_simplex_method(seed):
    columns, costs = random_pool(seed, s=20, m=80)
    master = Master(20, 4, np.full(20, 5.0), interior=True)
    master.add(columns, costs)
    objective = master.solve_to_vertex().objective
    assert master.solve(1e-9).objective == pytest.approx(objective, rel=1e-7, abs=1e-7)


def test_the_answer_is_feasible_and_its_duals_prove_how_good_it_is():
    columns, costs = random_pool(0, s=30, m=200)
    point = solve(csc_array(columns.T, dtype=np.float64), costs, np.full(30, 5.0), 5, 1e-3)
    assert (columns.T @ point.weights + point.uncovered >= 1.0 - 1e-4).all()
    assert point.weights.sum() <= 5.0 + 1e-4
    assert (costs - columns @ point.duals[:-1] - point.duals[-1] >= -1e-4).all()
    reached = costs @ point.weights + 5.0 * point.uncovered.sum()
    bound = point.duals[:-1].sum() + 5.0 * point.duals[-1]
    assert bound == pytest.approx(reached, rel=2e-3)


def strip(seed, s, m):
    """Return (m, s) clusters of neighbours on a line, as blocks in order have them, with costs."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, s - 4, m)
    columns = np.zeros((m, s), dtype=bool)
    for column, start in zip(columns, first, strict=True):
        column[start : start + rng.integers(2, 6)] = True
    columns = np.concatenate([columns, np.eye(s, dtype=bool)])
    return columns, column_costs(columns, np.arange(s)[:, None] / s, np.ones(s))


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_blocks_changes_nothing_but_the_work(seed):
    columns, costs = strip(seed, s=40, m=150)
    shuffled = np.random.default_rng(seed + 100).permutation(40)
    straight = Master(40, 9, np.full(40, 5.0), interior=True)
    crossed = Master(40, 9, np.full(40, 5.0), interior=True, order=shuffled)
    for master in (straight, crossed):
        master.add(columns, costs)
    one, other = straight.solve(1e-9), crossed.solve(1e-9)
    assert other.objective == pytest.approx(one.objective, rel=1e-8)
    assert other.duals == pytest.approx(one.duals, abs=1e-4)
    assert crossed.reduced_costs(one.duals) == pytest.approx(costs - columns @ one.duals, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_warm_start_ends_at_the_same_optimum(seed):
    columns, costs = random_pool(seed, s=20, m=120)
    order = np.random.default_rng(seed).permutation(len(costs))
    early, late = order[: len(order) // 2], order[len(order) // 2 :]
    master = Master(20, 4, np.full(20, 5.0), interior=True)
    for new in (early, late):
        master.add(columns[new], costs[new])
        warm = master.solve(1e-9)
    cold = Master(20, 4, np.full(20, 5.0), interior=True)
    cold.add(columns[order], costs[order])
    assert warm.objective == pytest.approx(cold.solve(1e-9).objective, rel=1e-7, abs=1e-7)
    assert warm.objective == pytest.approx(cold.solve_to_vertex().objective, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_a_warm_start_saves_steps_where_few_columns_are_new(seed, monkeypatch):
    taken = []
    step = interior._step
    monkeypatch.setattr(interior, "_step", lambda *args: taken.append(None) or step(*args))
    columns, costs = strip(seed, s=60, m=400)
    late = np.arange(len(costs)) % 20 == 0
    master = Master(60, 12, np.full(60, 5.0), interior=True)
    master.add(columns[~late], costs[~late])
    master.solve(1e-3)
    master.add(columns[late], costs[late])
    taken.clear()
    warm = master.solve(1e-3)
    steps = len(taken)
    master.middle = None
    cold = master.solve(1e-3)
    assert warm.objective == pytest.approx(cold.objective, rel=3e-3)
    assert steps < len(taken) - steps


def test_columns_dropped_between_two_solutions_leave_a_warm_start():
    columns, costs = random_pool(1, s=20, m=120)
    master = Master(20, 4, np.full(20, 5.0), interior=True)
    master.add(columns, costs)
    vertex = master.solve_to_vertex()
    master.solve(1e-6)
    mask = master.reduced_costs(vertex.duals) + vertex.cardinality_dual <= 0.5
    assert not mask.all()
    master.keep(mask)
    assert master.solve(1e-9).objective == pytest.approx(vertex.objective, rel=1e-7)
    assert master.solve_to_vertex().objective == pytest.approx(vertex.objective, rel=1e-9)


def test_a_cover_ends_when_it_is_told():
    rng = np.random.default_rng(0)
    points, centers = rng.normal(size=(400, 2)), rng.normal(size=(600, 2))
    reach = rng.uniform(0.1, 0.35, size=(600, 1)) ** 2
    near = ((points - centers[:, None]) ** 2).sum(axis=2) < reach
    columns = np.concatenate([near[near.any(axis=1)], np.eye(400, dtype=bool)])
    costs = rng.uniform(size=len(columns)) + column_costs(columns, points, np.ones(400))
    whole = best_cover(columns, costs, 200, node_limit=200)
    asked = []

    def stop():
        asked.append(True)
        return True

    first = best_cover(columns, costs, 200, node_limit=200, stop=stop)
    assert asked
    assert whole is not None
    assert first is None or costs[first].sum() > costs[whole].sum()


# --- Dual ascent in a neighbourhood: the duals hold there -----------------------------------------


K = 7


def near_columns(points, sizes=(4, 7, 10)):
    """Return the blocks nearest to each one, a number at a time."""
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(gaps, axis=1)
    columns = np.zeros((len(sizes), len(points), len(points)), dtype=bool)
    for column, size in zip(columns, sizes, strict=True):
        np.put_along_axis(column, order[:, :size], True, axis=1)
    return np.unique(columns.reshape(-1, len(points)), axis=0)


def solved(instance, columns, costs):
    """Return the master over all stars, with its solution."""
    master = FacilityMaster(instance, K, np.full(columns.shape[1], 1.0))
    master.add(columns, costs)
    return master.solve(1e-9)


@pytest.fixture
def sixty():
    """Return sixty points as an instance, with columns, costs, and the master's solution.

    Which is fractional.
    """
    X = np.random.default_rng(5).uniform(size=(60, 2))
    _, instance = instance_of(Problem(X, K))
    columns, costs, _ = in_discs(instance, near_columns(instance.points), mark=False)
    return instance, columns, costs, solved(instance, columns, costs)


SMALL = Neighbourhoods(K, neighbourhoods_of(20))


def raised_at(instance, columns, duals, cardinality_dual, region):
    caps, before = np.full(len(duals), 1.0), FacilityDuals(duals, cardinality_dual)
    return ascend_near(instance, columns, before, caps, region, 1e-7)


def test_where_all_blocks_are_near_it_is_the_whole_master(sixty):
    instance, columns, _, best = sixty
    region = Region(instance.points[0], Neighbourhoods(K), 10.0)
    found = raised_at(instance, columns, 0.98 * best.duals, best.cardinality_dual, region)
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-5)
    assert Neighbourhoods(K).blocks(instance, instance.points[0], 10.0).all()


def test_duals_rise_nearby_alone_and_no_facility_has_a_negative_reduced_cost(sixty):
    instance, columns, _, best = sixty
    at = instance.points[7]
    near = SMALL.blocks(instance, at)
    assert near.sum() == 21
    low = np.where(near, 0.98 * best.duals, best.duals)
    found = raised_at(instance, columns, low, best.cardinality_dual, Region(at, SMALL))
    assert (found.duals == low)[~near].all()
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-4)
    stars = make_facilities(instance, columns, low)
    part = (
        -stars.reduced_costs(low) >= LEAST_LOCAL_SAVING * best.cardinality_dual
    )  # the others are left to pricing
    assert part.sum() > 20
    assert -stars.reduced_costs(found.duals)[part].min() <= best.cardinality_dual * (1.0 + 1e-9)
    assert found.weights.sum() > 1.0
    assert (found.weights >= 0.0).all()


def test_a_disc_raises_duals_near_it_no_more_than_in_the_whole_master(sixty):
    instance, columns, _, best = sixty
    likely = likely_discs(instance, columns, best.weights, instance.points)
    rises = []
    for (near, far), side in itertools.product(likely[:4], (True, False)):
        center, border = instance.points[[near]], instance.points[[far]]
        reach = ((border - center) ** 2).sum(axis=1)
        there = instance._replace(discs=DiscArrays(center, reach, int(side)))
        wider = np.pad(columns, ((0, 0), (0, int(side))))
        wider, costs, fits = in_discs(there, wider, mark=True)
        duals = np.pad(best.duals, (0, int(side)))
        found = raised_at(
            there, wider[fits], duals, best.cardinality_dual, Region(center[0], SMALL)
        )
        rises.append(found.duals.sum() - best.duals.sum())
        assert (
            rises[-1] <= solved(there, wider[fits], costs[fits]).objective - best.objective + 1e-5
        )
    assert max(rises) > 1e-3


def test_the_dual_of_a_disc_is_held_by_facilities_that_saved_little(sixty):
    """Left out, they would have a negative reduced cost, and pricing would find them again."""
    instance, columns, _, best = sixty
    center, border = instance.points[[7]], instance.points[[12]]
    reach = ((border - center) ** 2).sum(axis=1)
    there = instance._replace(discs=DiscArrays(center, reach, 1))
    wider, _, fits = in_discs(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    wider = wider[fits]
    duals = np.append(0.5 * best.duals, 0.0)
    stars = make_facilities(there, wider, duals)
    inside = wider[:, -1]
    assert inside.any()
    assert (-stars.reduced_costs(duals)[inside] < LEAST_LOCAL_SAVING * best.cardinality_dual).all()
    found = raised_at(there, wider, duals, best.cardinality_dual, Region(center[0], SMALL))
    assert -stars.reduced_costs(found.duals)[inside].min() <= best.cardinality_dual * (1.0 + 1e-9)


def test_a_far_disc_keeps_its_dual(sixty):
    instance, columns, _, best = sixty
    at = instance.points[0]
    far = int(((instance.points - at) ** 2).sum(axis=1).argmax())
    there = instance._replace(discs=DiscArrays(instance.points[[far]], np.array([0.01]), 1))
    wider, _, fits = in_discs(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    duals = np.append(best.duals, 0.25 * best.cardinality_dual)
    found = raised_at(there, wider[fits], duals, best.cardinality_dual, Region(at, SMALL))
    assert found.duals[-1] == duals[-1]


def test_local_masters_are_used_where_a_neighbourhood_is_a_small_part():
    assert Neighbourhoods(100).are_local(5934)
    assert not Neighbourhoods(20).are_local(2152)
    assert not Neighbourhoods(3).are_local(10)


def test_almost_every_block_is_near_some_middle_of_a_cycle(sixty):
    instance = sixty[0]
    near = [SMALL.blocks(instance, at) for at in SMALL.cover(instance)]
    assert np.any(near, axis=0).mean() > 0.95


# --- Barrier --------------------------------------------------------------------------------------

# The barrier over duals: its derivatives, and that it ends at the optimum of the master's dual.


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


# --- The master over facilities, against the master over all columns ------------------------------


@pytest.mark.parametrize("links", [False, True])
def test_facilities_at_every_mean_are_as_good_as_every_column(links):
    X = np.random.default_rng(7).uniform(size=(9, 2))
    cannot = [(0, 1), (2, 3), (3, 4)] if links else []
    blocks, instance = instance_of(Problem(X, 3, cannot_link=cannot))
    columns = every_cluster(9)
    i, j = blocks.conflicts.T
    columns = columns[~(columns[:, i] & columns[:, j]).any(axis=1)]
    costs = column_costs(columns, blocks.centroid, blocks.mass)
    caps = np.full(9, 10.0)
    whole = Master(9, 3, caps, interior=False)
    whole.add(columns, costs)
    best = whole.solve().objective
    stars = FacilityMaster(instance, 3, caps)
    stars.add(columns, costs)
    assert stars.solve(1e-8).objective == pytest.approx(best, rel=1e-6)
    again = stars.solve(1e-8)  # warm
    assert again.objective == pytest.approx(best, rel=1e-6)
    assert again.weights.sum() <= 3.0 + 1e-6
    made = stars.parts(1e-8)
    assert not (made[:, i] & made[:, j]).any()


def test_few_facilities_are_better_than_their_columns_and_no_better_than_all(nine):  # noqa: F811
    blocks, instance = nine
    columns = np.eye(9, dtype=bool)
    costs = np.zeros(9)
    caps = np.full(9, 10.0)
    alone, stars = Master(9, 3, caps, interior=False), FacilityMaster(instance, 3, caps)
    for master in (alone, stars):
        master.add(columns, costs)
    assert stars.solve(1e-8).objective < alone.solve().objective - 1.0
    every = every_cluster(9)
    i, j = blocks.conflicts.T
    every = every[~(every[:, i] & every[:, j]).any(axis=1)]
    whole = Master(9, 3, caps, interior=False)
    whole.add(every, column_costs(every, blocks.centroid, blocks.mass))
    assert stars.solve(1e-8).objective >= whole.solve().objective - 1e-6
