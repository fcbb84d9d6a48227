"""Annealing by single moves: the sum it keeps is true and conflicts stay kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from ccviz.feasibility.repair import find_labels
from ccviz.problem.links import Links
from ccviz.solvers.assignment import Structure, objective_of, solve_assignment
from ccviz.solvers.assignment.bound import relabelled
from ccviz.solvers.assignment.kernels.moves import anneal, anneal_moves
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.assignment.transport import transport


@given(st.integers(0, 10**6))
def test_the_gain_is_true_and_conflicts_are_kept(seed):
    rng = np.random.default_rng(seed)
    pairs = np.unique(np.sort(rng.integers(0, 20, (30, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    hard, soft = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    half = len(soft) // 2
    structure = Structure.from_edges(
        20,
        4,
        hard,
        soft_must=Links(soft[:half], rng.random(half)),
        soft_cannot=Links(soft[half:], rng.random(len(soft) - half)),
    )
    cost = rng.random((20, 4))
    paid, labels = cost[structure.linked], cost.argmin(axis=1)
    found, labels[structure.linked] = find_labels(paid, structure.graph, 100, rng)
    assert found
    gained, better = anneal_moves(paid, structure.graph, labels[structure.linked], 10, 0.3, rng)
    after = labels.copy()
    after[structure.linked] = better
    difference = objective_of(after, cost, structure) - objective_of(labels, cost, structure)
    assert gained == pytest.approx(difference, abs=1e-9)


def test_clusters_go_to_the_centres_where_they_cost_least():
    cost = np.array([[5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [0.0, 5.0, 5.0]])
    assert relabelled(cost, np.array([0, 0, 2])).tolist() == [1, 1, 0]


def random_structure(rng, s, k):
    pairs = np.array([(i, j) for i in range(s) for j in range(i + 1, s)])
    kind = rng.integers(0, 8, len(pairs))
    weight = rng.uniform(0.2, 2, len(pairs))
    return Structure.from_edges(
        s,
        k,
        pairs[kind == 0],
        soft_must=Links(pairs[kind == 1], weight[kind == 1]),
        soft_cannot=Links(pairs[kind == 2], weight[kind == 2]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_keeps_conflicts_never_gets_worse_and_finds_small_optima(seed):
    rng = np.random.default_rng(seed)
    structure, cost = random_structure(rng, 10, 4), rng.uniform(0, 3, (10, 4))
    feasible = milp_assignment(rng.uniform(0, 1, (10, 4)), structure).labels
    linked, labels = structure.linked, cost.argmin(axis=1)
    labels[linked] = anneal(cost[linked], structure.graph, feasible[linked], 20_000, 3.0, 0.01, rng)
    found = objective_of(labels, cost, structure)
    assert found <= objective_of(feasible, cost, structure)
    assert found == pytest.approx(milp_assignment(cost, structure).objective, rel=1e-6)


def test_annealing_ends_when_it_is_to_stop():
    rng = np.random.default_rng(0)
    structure, cost = random_structure(rng, 10, 4), rng.uniform(0, 3, (10, 4))
    linked = structure.linked
    start = milp_assignment(rng.uniform(0, 1, (10, 4)), structure).labels[linked]
    looks = iter([False, True])
    about = cost[linked], structure.graph, start, 1_000_000, 3.0, 0.01, rng
    after = anneal(*about, lambda: next(looks))  # a third look would raise
    assert not np.array_equal(after, start)
    assert np.array_equal(anneal(*about, lambda: True), start)


# --- The transportation against linear programming and against its own duals ----------------------


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
