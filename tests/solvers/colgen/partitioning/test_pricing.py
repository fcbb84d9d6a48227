"""Pricing within size limits and under soft links, against all clusters."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.blocks import contract
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.partitioning.cluster import descend, reduced_cost
from ccviz.solvers.colgen.partitioning.master import cluster_costs, make_model, size_classes
from ccviz.solvers.colgen.partitioning.pricer import pricer_of
from tests.seeds import seeds


def drawn(seed):
    """Draw blocks with conflicts and soft links, duals of any sign, and size limits."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 11)), int(rng.integers(1, 4))
    pairs = rng.choice(n, (8, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    soft = [(int(i), int(j), float(rng.exponential())) for i, j in pairs[4:]]
    lower = int(rng.integers(1, n))
    upper = int(rng.integers(lower, n + 1))
    X = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))  # with ties
    problem = Problem(
        X,
        1,
        must_link=[(0, 1)] * int(rng.integers(2)) + soft[::2],
        cannot_link=soft[1::2],
        sizes=([1], [n]),
    )
    blocks = contract(problem)
    conflicts = np.sort(rng.choice(blocks.s, (3, 2)), axis=1)
    conflicts = conflicts[conflicts[:, 0] != conflicts[:, 1]]
    object.__setattr__(blocks, "conflicts", conflicts)
    duals = rng.normal(size=blocks.s) * rng.choice([0.3, 1.0, 3.0])
    return problem, blocks, duals, float(lower), float(upper)


def least_of_all(blocks, duals, lower, upper):
    """Return the least reduced cost of any cluster, inf if there is none."""
    inside = (np.arange(1, 1 << blocks.s)[:, None] >> np.arange(blocks.s) & 1).astype(bool)
    mass = inside @ blocks.mass
    allowed = (mass >= lower) & (mass <= upper)
    for i, j in blocks.conflicts:
        allowed &= ~(inside[:, i] & inside[:, j])
    inside = inside[allowed]
    costs = cluster_costs(make_model(blocks), inside)
    return min(costs - inside @ duals, default=np.inf)


@pytest.mark.parametrize("method", ["space", "blocks", "both"])
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_exact_pricing_finds_the_least_of_all_clusters(method, seed):
    for each in range(12 * seed, 12 * seed + 12):
        problem, blocks, duals, lower, upper = drawn(each)
        least = least_of_all(blocks, duals, lower, upper)
        pricer = pricer_of(problem, blocks, method, TurnParams(visits=50, visits_per_block=1))
        (first,) = size_classes(blocks)
        limited = type(pricer)(
            pricer.models, (first._replace(lower=lower, upper=upper),), method, pricer.turns
        )
        cutoff = 100.0
        priced = limited.exact(duals, np.array([cutoff]), 1e-7)
        assert priced.least[0] <= least + 1e-12
        assert priced.least[0] == pytest.approx(min(least, cutoff), abs=1e-6)
        if np.isfinite(least):
            found = priced.costs - priced.columns @ duals
            assert min(found) == pytest.approx(least, abs=1e-6)
            assert all(limited.permits(column) for column in priced.columns)


def test_descents_end_at_clusters_of_the_reduced_cost_that_they_report():
    for seed in range(10):
        _, blocks, duals, lower, upper = drawn(seed)
        model = make_model(blocks)
        columns, values = np.zeros((20, blocks.s), dtype=bool), np.zeros(20)
        seed_points = model.instance.points.copy()
        found = descend(model, duals, lower, upper, seed_points, 1e9, columns, values)
        least = least_of_all(blocks, duals, lower, upper)
        mean = np.empty(model.instance.points.shape[1])
        for column, value in zip(columns[:found], values[:found], strict=True):
            again, mass = reduced_cost(model, duals, column, mean)
            assert value == pytest.approx(again, abs=1e-9)
            assert value == pytest.approx(
                cluster_costs(model, column[None])[0] - duals[column].sum(), abs=1e-9
            )
            assert lower <= mass <= upper
            assert value >= least - 1e-9


def test_classes_are_the_distinct_limits():
    blocks = contract(Problem(np.arange(9.0)[:, None], 3, sizes=([2, 3, 2], [3, 4, 3])))
    assert [tuple(each) for each in size_classes(blocks)] == [(2.0, 3.0, 2), (3.0, 4.0, 1)]
    free = contract(Problem(np.arange(9.0)[:, None], 3))
    assert [tuple(each) for each in size_classes(free)] == [(1.0, 9.0, 3)]
