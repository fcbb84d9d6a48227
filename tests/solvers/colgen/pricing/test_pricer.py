from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.rules import conjunction
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.covering import column_costs
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.phases.opening import scatter_of
from ccviz.solvers.colgen.pricing.pricer import Pricer
from tests.solvers.colgen.conftest import random_problem


def every_cluster(problem, blocks):
    """Return all allowed clusters of blocks, tested point by point."""
    for bits in product([False, True], repeat=blocks.s):
        column = np.array(bits)
        points = np.flatnonzero(column[blocks.block_of])
        if len(points) == 0 or (column[blocks.conflicts].all(axis=1)).any():
            continue
        if all(rule.allows(problem, points) for rule in problem.rules):
            yield column


@cache
def priced_by_hand(seed, rules):
    """Return the instances of a small problem, prices, and the value of every cluster."""
    problem = random_problem(seed, rules)
    blocks = contract(problem)
    instances = tuple(make_instance(blocks, loads) for loads in conjunction(problem, problem.rules))
    rng = np.random.default_rng(seed + 1000)
    duals = rng.exponential(rng.choice([0.3, 1.0, 3.0]), blocks.s) * blocks.mass
    duals = np.round(duals) if seed % 5 == 0 else duals  # ties
    clusters = np.array([*every_cluster(problem, blocks)])
    values = column_costs(clusters, blocks.centroid, blocks.mass) - clusters @ duals
    return instances, duals, clusters, values, scatter_of(problem, blocks)


def setup(seed, rules, method="space", turns=None):
    instances, duals, clusters, values, scatter = priced_by_hand(seed, rules)
    return Pricer(instances, method, turns or TurnParams(), scatter), duals, clusters, values


@pytest.mark.parametrize("method", ["space", "blocks", "printed"])
@pytest.mark.parametrize("seed", range(12))
def test_exact_pricing_finds_the_least_value(seed, rules, method):
    pricer, duals, _, values = setup(seed, rules, method)
    priced = pricer.exact(duals, 0.0, 0.0)
    found = priced.costs - priced.columns @ duals
    assert found.min(initial=0.0) == pytest.approx(min(values.min(), 0.0), abs=1e-9)
    assert priced.min_reduced_cost <= min(values.min(), 0.0)
    # Boxes within a relative 1e-9 of the best value are not split further.
    assert priced.min_reduced_cost == pytest.approx(min(values.min(), 0.0), rel=2e-9, abs=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_priced_columns_are_allowed_and_cost_what_they_say(seed, rules):
    pricer, duals, clusters, values = setup(seed, rules)
    known = {column.tobytes(): value for column, value in zip(clusters, values, strict=True)}
    for priced in (pricer.exact(duals, 0.0, 0.0), pricer.heuristic(duals, pricer.points)):
        for column, cost in zip(priced.columns, priced.costs, strict=True):
            assert cost - column @ duals == pytest.approx(known[column.tobytes()], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_seeds_that_meet_lose_no_column(seed, rules):
    pricer, duals, _, _ = setup(seed, rules)
    alone = [pricer.heuristic(duals, point[None, :]).columns for point in pricer.points]
    together = pricer.heuristic(duals, np.repeat(pricer.points, 2, axis=0)).columns
    found = [column.tobytes() for column in together]
    assert set(found) == {column.tobytes() for columns in alone for column in columns}


@pytest.mark.parametrize("method", ["space", "blocks", "both", "printed"])
def test_a_pricing_left_off_has_a_valid_bound_and_goes_on_to_the_same_end(rules, method):
    pricer, duals, _, values = setup(3, rules, method)
    whole = pricer.exact(duals, 0.0, 0.0)
    priced = pricer.exact(duals, 0.0, 0.0, visit_limit=1)
    slices, found = 1, [priced.columns]
    assert priced.search is not None
    assert not priced.exact
    while priced.search is not None:
        assert priced.min_reduced_cost <= values.min()
        priced = pricer.go_on(priced.search, visit_limit=5)
        found.append(priced.columns)
        slices += 1
    assert slices > 2
    assert priced.exact
    # Each method may stop a relative 1e-9 below the least value.
    assert priced.min_reduced_cost == pytest.approx(whole.min_reduced_cost, rel=2e-9, abs=1e-12)
    columns = np.concatenate(found)
    costs = np.concatenate([column_costs_of(pricer, each) for each in found])
    assert (costs - columns @ duals).min() == pytest.approx(min(values.min(), 0.0), abs=1e-9)


def column_costs_of(pricer, columns):
    first = pricer.alternatives[0]
    return column_costs(columns, first.points, first.mass)


def test_taking_turns_ends_with_the_method_that_is_done_first():
    turns = TurnParams(visits=2, visits_per_block=0)
    pricer, duals, _, values = setup(3, (), "both", turns)
    priced = pricer.exact(duals, 0.0, 0.0)
    assert priced.exact
    assert priced.min_reduced_cost == pytest.approx(min(values.min(), 0.0), rel=2e-9, abs=1e-8)


def test_many_blocks_are_not_searched_over():
    pricer, duals, _, values = setup(3, (), "both", TurnParams(most_enumerated=7))
    assert len(duals) == 7
    both = pricer.exact(duals, 0.0, 0.0, visit_limit=1).search
    assert len(both.states) == 2
    pricer = replace(pricer, turns=TurnParams(most_enumerated=6))
    space = pricer.exact(duals, 0.0, 0.0, visit_limit=1).search
    assert len(space.states) == 1
    whole = pricer.go_on(space)
    assert whole.exact
    assert whole.min_reduced_cost <= min(values.min(), 0.0)


def test_both_methods_agree_on_larger_blocks():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    from ccviz.problem.problem import Problem

    pairs = rng.choice(40, size=(25, 2))
    problem = Problem(X, 5, cannot_link=[(i, j) for i, j in pairs.tolist() if i != j])
    instance = make_instance(contract(problem))
    duals = rng.uniform(0.2, 1.2, 40)
    space, blocks = (Pricer((instance,), method) for method in ("space", "blocks"))
    # Each may lie a relative 1e-9 below the least value.
    assert space.exact(duals, 0.0, 0.0).min_reduced_cost == pytest.approx(
        blocks.exact(duals, 0.0, 0.0).min_reduced_cost, rel=2e-9
    )
