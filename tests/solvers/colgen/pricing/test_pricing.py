from dataclasses import replace
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.problem.rules import conjunction
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.covering import column_costs
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.phases.opening import scatter_of
from ccviz.solvers.colgen.pricing.enumeration import least_extension
from ccviz.solvers.colgen.pricing.pricer import Pricer, adjusted
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


# --- Duals that are lowered for clusters of negative reduced cost ---------------------------------


PRICE = 0.3


@pytest.fixture
def clusters():
    """Return 40 points, three of them in one block, and random clusters of near ones."""
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(40, 2))
    blocks = contract(Problem(X, 5, must_link=[(0, 1), (1, 2)]))
    seeds = rng.uniform(size=(25, 2))
    columns = ((blocks.centroid[:, None] - seeds) ** 2).sum(axis=2).T < 0.06
    columns = columns[columns.any(axis=1)]
    duals = blocks.mass * rng.uniform(0.0, 0.1, size=blocks.s)
    return blocks, make_instance(blocks), columns, duals


def worth(blocks, columns, duals):
    return columns @ duals - column_costs(columns, blocks.centroid, blocks.mass)


def test_no_cluster_is_left_above_the_price_and_each_excess_is_taken_once(clusters):
    blocks, instance, columns, duals = clusters
    before = worth(blocks, columns, duals)
    assert (before > PRICE).sum() > 3
    order = np.argsort(-before)
    low, needed = adjusted(instance, columns, order, duals, PRICE, 0.0)
    assert (worth(blocks, columns, low) <= PRICE + 1e-12).all()
    assert (low >= 0.0).all()
    assert (low <= duals).all()
    touched = columns[needed].any(axis=0)
    assert (low[~touched] == duals[~touched]).all()
    assert 0 < needed.sum() < (before > PRICE).sum()


def test_one_cluster_loses_its_excess_and_its_twin_is_not_needed(clusters):
    blocks, instance, columns, duals = clusters
    best = columns[[np.argmax(worth(blocks, columns, duals))] * 2]
    shown = duals * best[0]
    cost = ((blocks.centroid - blocks.centroid[best[0]].mean(axis=0)) ** 2).sum(axis=1)
    shown = np.where(best[0], np.maximum(shown, 2.0 * blocks.mass * cost), 0.0)
    excess = worth(blocks, best[:1], shown)[0] - PRICE
    low, needed = adjusted(instance, best, np.arange(2), shown, PRICE, 0.0)
    assert needed.tolist() == [True, False]
    assert worth(blocks, best[:1], low)[0] == pytest.approx(PRICE, abs=1e-3)
    assert shown.sum() - low.sum() == pytest.approx(excess, rel=1e-2)


def test_what_exceeds_the_price_by_too_little_is_left(clusters):
    blocks, instance, columns, duals = clusters
    order = np.argsort(-worth(blocks, columns, duals))
    for more, left in ((0.0, False), (duals.sum(), True)):
        low, needed = adjusted(instance, columns, order, duals, PRICE, more)
        assert needed.any() != left
        assert (low == duals).all() == left


# --- The bound as printed beside its definition, and beside every cluster -------------------------


def as_defined(X, members, inside, candidates, gain):
    """Return the bound of section 4.3, size by size, and the least value of all extensions.

    Both over points, with the paper's duals of the blocks.
    """

    def between(a, b):
        return sum(((X[i] - X[j]) ** 2).sum() for i in a for j in b)

    def within(a):
        return sum(((X[i] - X[j]) ** 2).sum() for i, j in combinations(a, 2))

    together = [p for b in inside for p in members[b]]
    beta = {c: within(members[c]) + between(members[c], together) for c in candidates}
    size = {c: len(members[c]) for c in candidates}
    near = sorted(candidates, key=lambda c: beta[c] / size[c])
    rich = sorted(candidates, key=lambda c: -gain[c] / size[c])
    own = sum(gain[b] for b in inside)
    bound = within(together) / len(together) - own
    for more in range(1, sum(size.values()) + 1):
        few = max(i for i in range(len(near) + 1) if sum(size[c] for c in near[:i]) <= more)
        many = min(i for i in range(len(rich) + 1) if sum(size[c] for c in rich[:i]) >= more)
        distances = within(together) + sum(beta[c] for c in near[:few])
        duals = own + sum(gain[c] for c in rich[:many])
        bound = min(bound, distances / (len(together) + more) - duals)
    least = np.inf
    for count in range(len(candidates) + 1):
        for chosen in combinations(candidates, count):
            whole = together + [p for c in chosen for p in members[c]]
            value = within(whole) / len(whole) - own - sum(gain[c] for c in chosen)
            least = min(least, value)
    return bound, least


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_the_paper_prints_and_below_every_extension(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(9, 2)), int(rng.integers(0, 3)))
    must = [tuple(pair) for pair in rng.choice(9, (3, 2)).tolist() if pair[0] != pair[1]]
    problem = Problem(X, 2, must_link=must)
    blocks = contract(problem)
    members = [blocks.members(b).tolist() for b in range(blocks.s)]
    scatter, mass = scatter_of(problem, blocks), blocks.mass
    duals = rng.exponential(2.0, blocks.s) * mass
    chosen = rng.permutation(blocks.s)
    taken, candidates = chosen[:2], chosen[2:]
    gaps = ((blocks.centroid[:, None] - blocks.centroid) ** 2).sum(axis=2)
    apart = mass[:, None] * mass * gaps
    inside = np.isin(np.arange(blocks.s), taken)
    spread = apart[taken[0], taken[1]]
    bound = least_extension(
        apart[taken].sum(axis=0), spread, duals[taken].sum(), inside, candidates,
        (np.array(mass), duals, scatter),
    )  # fmt: skip
    printed, least = as_defined(X, members, taken.tolist(), candidates.tolist(), duals + scatter)
    assert bound == pytest.approx(printed, rel=1e-9, abs=1e-9)
    assert bound < printed  # lowered for rounding
    assert printed <= least + 1e-9
