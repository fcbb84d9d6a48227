"""The transportation against linear programming and against its own duals."""

import numpy as np
import pytest
from scipy.optimize import linprog

from ccviz.solvers.assignment import Structure, solve_assignment
from ccviz.solvers.assignment.transport import transport


def linear_program(cost, lower, upper):
    n, k = cost.shape
    centre = np.tile(np.eye(k), n)
    point = np.kron(np.eye(n), np.ones(k))
    answer = linprog(
        cost.ravel(),
        A_ub=np.vstack([centre, -centre]),
        b_ub=np.concatenate([upper, -lower]),
        A_eq=point,
        b_eq=np.ones(n),
    )
    return answer.fun if answer.success else np.inf


@pytest.mark.parametrize("seed", range(40))
def test_equals_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    cost = rng.uniform(0, 1, (n, k)) + rng.uniform(0, 1, k)
    lower = rng.integers(0, n // k + 1, k)
    upper = np.maximum(lower, rng.integers(n // k - 1, n, k))
    prices = np.zeros(k) if seed % 2 else rng.uniform(-0.5, 0.5, k)
    feasible, flow = transport(cost, prices, lower, upper)
    exact = linear_program(cost, lower, upper)
    assert feasible == np.isfinite(exact)
    if feasible:
        size = np.bincount(flow.labels, minlength=k)
        assert (lower <= size).all()
        assert (size <= upper).all()
        assert cost[np.arange(n), flow.labels].sum() == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_duals_prove_optimality_in_any_unit(unit):
    rng = np.random.default_rng(5)
    points, centers = rng.normal(size=(3000, 3)) * unit, rng.normal(size=(7, 3)) * unit
    cost = ((points[:, None] - centers) ** 2).sum(axis=2)
    lower, upper = np.full(7, 400), np.full(7, 450)
    feasible, flow = transport(cost, np.zeros(7), lower, upper)
    assert feasible
    n, k = cost.shape
    charged = cost - flow.potential[:k]
    own = charged[np.arange(n), flow.labels]
    assert (own - charged.min(axis=1)).max() <= 1e-12 * cost.max()
    size = np.bincount(flow.labels, minlength=k)
    price = flow.potential[:k] - flow.potential[k]
    # A cluster that the sink charges for is full; one that it pays for is at its least.
    rounding = 1e-12 * cost.max()
    assert (size[price < -rounding] == upper[price < -rounding]).all()
    assert (size[price > rounding] == lower[price > rounding]).all()


def test_forbidden_centres_and_impossible_sizes():
    cost = np.array([[0.0, np.inf], [0.0, np.inf], [0.0, 1.0]])
    none = np.empty((0, 2), dtype=np.int64)
    sized = [Structure.from_edges(3, 2, none, lower=[2, 1], upper=[2, m]) for m in (1, 2)]
    assert solve_assignment(cost, sized[0]).labels.tolist() == [0, 0, 1]
    cost[2, 1] = np.inf
    assert solve_assignment(cost, sized[1]).infeasible


def test_prices_of_the_iteration_before_change_nothing_but_the_work():
    rng = np.random.default_rng(8)
    cost = rng.uniform(0, 1, (300, 5))
    none = np.empty((0, 2), dtype=np.int64)
    structure = Structure.from_edges(300, 5, none, lower=[60] * 5, upper=[60] * 5)
    first = solve_assignment(cost, structure)
    moved = cost + rng.normal(0, 0.05, cost.shape)
    cold, warm = (solve_assignment(moved, structure, prices=p) for p in (None, first.prices))
    assert warm.objective == pytest.approx(cold.objective, rel=1e-12)
