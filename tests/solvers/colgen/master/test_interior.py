import numpy as np
import pytest
from scipy.sparse import csc_array

from ccviz.solvers.colgen.master import interior
from ccviz.solvers.colgen.master.covering import Master, best_cover, column_costs
from ccviz.solvers.colgen.master.interior import solve


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
