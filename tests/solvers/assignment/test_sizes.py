"""Sizes without links: leaving points out changes no answer."""

import numpy as np
import pytest

from ccviz.solvers.assignment.transport import solve_sizes


def problem(seed, n=400, k=5):
    """Return costs, and ranges of sizes that bind."""
    rng = np.random.default_rng(seed)
    cost = ((rng.normal(size=(n, 1, 2)) - rng.normal(size=(k, 2))) ** 2).sum(axis=2)
    lower = rng.multinomial(n * 3 // 4, np.full(k, 1 / k))
    return cost, lower, lower + n // (2 * k)


def total(cost, labels):
    return cost[np.arange(len(labels)), labels].sum()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("exact", [False, True])
def test_what_is_left_out_changes_nothing(seed, exact):
    cost, lower, upper = problem(seed)
    if exact:
        lower = upper = np.random.default_rng(seed).multinomial(400, np.full(5, 1 / 5))
    _, whole, _ = solve_sizes(lambda rows: cost[rows], 400, lower, upper, None)
    asked = []

    def costs(rows):
        if isinstance(rows, np.ndarray):
            asked.append(len(rows))
        return cost[rows]

    feasible, labels, prices = solve_sizes(costs, 400, lower, upper, None, left_out_from=300)
    load = np.bincount(labels, minlength=5)
    assert feasible
    assert (load >= lower).all()
    assert (load <= upper).all()
    assert total(cost, labels) == pytest.approx(total(cost, whole))
    least = (cost - prices).min(axis=1)
    assert (cost - prices)[np.arange(400), labels] == pytest.approx(least)
    assert min(asked) < 300


@pytest.mark.parametrize("prices", [np.zeros(5), np.array([9.0, 0.0, -9.0, 0.0, 3.0])])
def test_bad_prices_cost_time_only(prices):
    cost, lower, upper = problem(1)
    _, whole, _ = solve_sizes(lambda rows: cost[rows], 400, lower, upper, None)
    _, labels, _ = solve_sizes(lambda rows: cost[rows], 400, lower, upper, prices, 300)
    assert total(cost, labels) == pytest.approx(total(cost, whole))


def test_what_cannot_be_is_said():
    cost, lower, upper = problem(2)
    cost[:390, 1:] = np.inf  # too many for one cluster
    assert not solve_sizes(lambda rows: cost[rows], 400, lower, upper, None, 300)[0]
