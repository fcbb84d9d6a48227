import math
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ProblemError
from ccviz.events import BoundImproved, ColumnsPriced, IncumbentFound, InfeasibilityProved
from ccviz.problem.rules import MaxSize
from ccviz.proof import pricing as module
from ccviz.proof.partition_pricing import Limits, _least_of_all, none_below_within
from ccviz.proof.pricing import least_value, none_below
from ccviz.proof.question import Limit, Pricing, pricings
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Centroids
from ccviz.proof.verdict import Budget
from ccviz.solvers.colgen.master.covering import SCHEMES
from tests.enumeration import least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import RULES, random_problem


def draw(seed):
    rng = np.random.default_rng(seed)
    s, d = 9, int(rng.integers(1, 4))
    mass = rng.integers(1, 4, s).astype(float)
    pairs = np.triu(rng.random((s, s)) < 0.25, 1)
    heavy = np.triu(rng.random((s, s)) < 0.3, 1).astype(float)
    limits = (
        (),
        (Limit(6.0, mass, np.zeros((s, s))),),
        (Limit(1.0, np.zeros(s), heavy + heavy.T),),
        (Limit(7.0, mass, heavy + heavy.T), Limit(2.0, (np.arange(s) < 4) * 1.0, heavy * 0.0)),
    )[seed % 4]
    conflict = (pairs | pairs.T) if seed % 3 else np.zeros((s, s), dtype=bool)
    points = rng.normal(size=(s, d))
    duals = rng.exponential(rng.choice([0.3, 1.0, 3.0]), s) * mass
    return Pricing(points, mass, duals, conflict, limits)


def enumerated(pricing):
    clusters = (np.array(bits) for bits in product([False, True], repeat=len(pricing.mass)))
    return min(pricing.value(each) for each in clusters if each.any() and pricing.allows(each))


@pytest.fixture(params=["boxes", "clusters"])
def method(request, monkeypatch):
    """Let the boxes be searched, or all clusters be looked at."""
    if request.param == "boxes":
        monkeypatch.setattr("ccviz.proof.pricing.FEW", 0)


@pytest.mark.parametrize("seed", range(24))
def test_it_agrees_with_enumeration_on_both_sides_of_the_least_value(method, seed):
    pricing = draw(seed)
    least = enumerated(pricing)
    assert least < 0.0
    assert none_below(pricing, least * (1.0 + 1e-9), Budget(1e9)) is True
    assert none_below(pricing, least * (1.0 - 1e-6), Budget(1e9)) is False


def test_looking_at_all_clusters_finds_the_least_value():
    for seed in range(8):
        pricing = draw(seed)
        assert least_value(pricing) <= enumerated(pricing)
        assert least_value(pricing) == pytest.approx(enumerated(pricing), rel=1e-12)


def test_it_says_when_the_budget_runs_out(monkeypatch):
    monkeypatch.setattr("ccviz.proof.pricing.FEW", 0)
    pricing = draw(4)
    assert none_below(pricing, enumerated(pricing) * (1.0 + 1e-9), Budget(100.0)) is None


def test_tight_clusters_far_from_each_other_cost_no_digits(method):
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 0.0], [1.0, 0.3]], 4, axis=0) + 1e-6 * rng.normal(size=(8, 2))
    duals = 1e-12 * rng.exponential(2.0, 8)
    pricing = Pricing(points, np.ones(8), duals, np.zeros((8, 8), bool))
    assert none_below(pricing, enumerated(pricing) * (1.0 + 1e-8), Budget(1e8)) is True


def test_blocks_worth_nothing_make_no_cluster(method):
    points, mass = np.arange(4.0)[:, None], np.ones(4)
    pricing = Pricing(points, mass, np.zeros(4), np.zeros((4, 4), bool))
    assert none_below(pricing, 0.0, Budget(1e4)) is True


@pytest.mark.parametrize("seed", range(8))
def test_blocks_worth_nothing_are_left_out_with_all_that_is_theirs(seed):
    drawn = draw(seed)
    pricing = replace(drawn, duals=np.where(np.arange(9) % 3, drawn.duals, 0.0))
    least = enumerated(pricing)
    assert none_below(pricing, least * (1.0 + 1e-9), Budget(1e9)) is True
    assert none_below(pricing, least * (1.0 - 1e-6), Budget(1e9)) is False


def test_cliques_share_no_block():
    conflict = np.zeros((4, 4), dtype=bool)
    for i, j in ((0, 1), (0, 2), (1, 2), (0, 3)):
        conflict[i, j] = conflict[j, i] = True
    assert module.cliques_of(conflict).tolist() == [0, 0, 0, 1]


def test_terms_are_rounded_away_from_what_they_are(monkeypatch):
    monkeypatch.setattr(module, "gamma", lambda count: 1e-5 * count)
    pricing = draw(1)
    gap = np.abs(np.random.default_rng(0).normal(size=(2, *pricing.points.shape)))
    squares = pricing.mass * (gap * gap).sum(axis=2)
    slack = 1e-5 * (gap.shape[2] + 8) * (squares + pricing.duals)
    for side in (-1.0, 1.0):
        asked = squares - pricing.duals + side * slack
        np.testing.assert_allclose(module._term(pricing, gap, side), asked, rtol=1e-12)


def blocks_of(problem, block_of):
    mass = np.bincount(block_of).astype(float)
    points = np.array([problem.X[block_of == b].mean(axis=0) for b in range(len(mass))])
    return Centroids(points, mass, np.zeros((len(mass), len(mass)), bool), 0.0, 0.0)


class Crowd:
    """A rule of points 0 to 3: weights, and pairs of which each counts for one."""

    def __init__(self, ways=1):
        self.ways = ways

    def alternatives(self, problem):
        weight = np.arange(1.0, problem.n + 1.0)
        pairs = np.array([[0, 1], [0, 2], [3, 1]])
        return [[SimpleNamespace(weight=weight, pairs=pairs, limit=5.0)]] * self.ways


def test_a_rule_over_points_is_one_over_blocks():
    block_of = np.array([0, 0, 1, 2])
    problem = Problem(np.arange(8.0).reshape(4, 2), 2)
    blocks, duals = blocks_of(problem, block_of), np.ones(3)
    asked = SimpleNamespace(rules=(Crowd(), MaxSize(3)), n=4)
    (question,) = pricings(asked, block_of, blocks, duals)
    assert question.points is blocks.points
    assert question.mass is blocks.mass
    assert question.duals is duals
    assert question.conflict is blocks.conflict
    crowd, size = question.limits
    assert (crowd.most, size.most) == (5.0, 3.0)
    assert crowd.weight.tolist() == [1.0 + 2.0 + 1.0, 3.0, 4.0]  # the pair 0, 1 is inside a block
    assert crowd.together.tolist() == [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert size.weight.tolist() == [2.0, 1.0, 1.0]


def test_rules_are_kept_in_so_many_ways_at_most():
    block_of = np.arange(4)
    problem = Problem(np.arange(8.0).reshape(4, 2), 2)
    ways = [(16, 16, True), (16, 17, False)]
    for one, other, fits in ways:
        asked = SimpleNamespace(rules=(Crowd(one), Crowd(other)), n=4)
        if fits:
            found = pricings(asked, block_of, blocks_of(problem, block_of), np.ones(4))
            assert len(found) == 256
            continue
        with pytest.raises(FlawError, match=r"^the rules can be kept in more than 256 ways$"):
            pricings(asked, block_of, blocks_of(problem, block_of), np.ones(4))


def test_a_rule_that_makes_no_sense_says_so():
    class Nonsense:
        def alternatives(self, problem):
            raise ProblemError(f"nothing of {problem.n} points.")

    with pytest.raises(FlawError, match=r"^nothing of 4 points$"):
        pricings(SimpleNamespace(rules=(Nonsense(),), n=4), np.arange(4), None, np.ones(4))


# --- Column generation as printed: the paper's bound in pricing, and Farkas pricing ---------------


PRINTED = {"pricing": "printed", "repair": "farkas", "stabilisation": "perturbation", "starts": 0}


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def run(problem, **settings):
    return [record.event for record in start(problem, "colgen", **settings)]


@pytest.mark.parametrize(
    "settings", [PRINTED, {**PRINTED, "pricing": "both", "stabilisation": "interior"}]
)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_it_proves_what_brute_force_finds(seed, rules, settings, both):
    problem = random_problem(seed, RULES[rules])
    best = least_wcss(problem)
    events = run(problem, **settings)
    if np.isinf(best):
        assert len(of(events, InfeasibilityProved)) == 1
        assert not of(events, IncumbentFound)
    else:
        assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
        rounds = [event for event in of(events, ColumnsPriced) if event.node == 0]
        for event in of(events, BoundImproved) + rounds:
            assert event.lower_bound <= best * (1.0 + 1e-9)
    both.accept(problem, events)


@pytest.mark.slow
def test_its_tree_has_the_optimum_of_ours(column_proof, both):
    problem, ours = column_proof
    events = run(problem, **PRINTED)
    best = of(ours, IncumbentFound)[-1].objective
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    both.accept(problem, events)


@pytest.mark.parametrize("stabilisation", SCHEMES)
@pytest.mark.parametrize("seed", seeds(3, 30))
def test_points_that_coincide_leave_the_master_a_unit(seed, stabilisation, both):
    """A clustering that breaks the rule may cost nothing; the master is not made in its unit."""
    rng = np.random.default_rng(seed)
    drawn = [Problem([[3.0], [0.0], [0.0], [0.0]], 2, rules=(MaxSize(2),))]
    for _ in range(3):
        n, scale = int(rng.integers(3, 8)), 10.0 ** rng.integers(-6, 6)
        points, most = scale * rng.integers(0, 3, (n, 1)), int(rng.integers(1, n))
        drawn.append(Problem(points, 2, rules=(MaxSize(most),)))
    for problem in drawn:
        best = least_wcss(problem)
        made = start(problem, "colgen", repair="farkas", stabilisation=stabilisation, seed=seed)
        events = [record.event for record in made]
        assert made.result().status == ("infeasible" if np.isinf(best) else "optimal")
        assert made.result().objective == pytest.approx(best) or np.isinf(best)
        both.accept(problem, events)


def test_farkas_values_prove_that_no_clustering_keeps_the_links(both):
    wheel = [(i, (i + 1) % 5) for i in range(5)] + [(i, 5) for i in range(5)]
    problem = Problem(np.zeros((6, 2)), 3, cannot_link=wheel)
    events = run(problem, **PRINTED)
    assert len(of(events, InfeasibilityProved)) == 1
    both.accept(problem, events)


# --- The checker's search within size limits, by boxes against enumeration ------------------------


def drawn(seed):
    """Draw a pricing problem with duals of any sign, conflicts, size limits and soft links."""
    rng = np.random.default_rng(seed)
    s = int(rng.integers(3, 10))
    points = np.round(rng.normal(size=(s, int(rng.integers(1, 4)))), 1)
    mass = rng.integers(1, 4, s).astype(float)
    duals = rng.normal(size=s) * 2.0
    conflict = rng.random((s, s)) < 0.15
    conflict = np.triu(conflict, 1) | np.triu(conflict, 1).T
    pairs = np.triu(rng.normal(size=(s, s)) * (rng.random((s, s)) < 0.2), 1)
    pairs = pairs + pairs.T
    cut = np.abs(np.minimum(pairs, 0.0)).sum(axis=1) / 2.0
    lower = float(rng.integers(1, int(mass.sum())))
    limits = Limits(lower, float(rng.integers(lower, int(mass.sum()) + 1)), pairs, cut)
    rules = (
        (Limit(float(mass.sum()) - 2.0, mass.copy(), np.zeros((s, s))),) if seed % 3 == 0 else ()
    )
    return Pricing(points, mass, duals, conflict, rules), limits


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_boxes_answer_as_enumeration_does(seed):
    for each in range(10 * seed, 10 * seed + 10):
        pricing, limits = drawn(each)
        least = _least_of_all(pricing, limits)
        threshold = least if math.isfinite(least) else 1.0
        for below, expected in ((1e-6, True), (-1e-6, not math.isfinite(least))):
            answer = none_below_within(pricing, limits, threshold - below, Budget.of(100.0), few=0)
            assert answer is expected, (each, below)


def test_a_search_beyond_the_budget_has_no_answer():
    pricing, limits = drawn(1)
    assert none_below_within(pricing, limits, 1e3, Budget(10.0), few=0) is None
