from itertools import product

import numpy as np
import pytest

from ccviz.proof.budget import Budget
from ccviz.proof.pricing import Limit, Pricing, least_value, none_below


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
        monkeypatch.setattr("ccviz.proof.pricing._FEW", 0)


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
    monkeypatch.setattr("ccviz.proof.pricing._FEW", 0)
    pricing = draw(4)
    assert none_below(pricing, enumerated(pricing) * (1.0 + 1e-9), Budget(100.0)) is None


def test_tight_clusters_far_from_each_other_cost_no_digits(method):
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 0.0], [1.0, 0.3]], 4, axis=0) + 1e-6 * rng.normal(size=(8, 2))
    duals = 1e-12 * rng.exponential(2.0, 8)
    pricing = Pricing(points, np.ones(8), duals, np.zeros((8, 8), bool))
    assert none_below(pricing, enumerated(pricing) * (1.0 + 1e-8), Budget(1e8)) is True


def test_blocks_worth_nothing_make_no_cluster():
    points, mass = np.arange(4.0)[:, None], np.ones(4)
    pricing = Pricing(points, mass, np.zeros(4), np.zeros((4, 4), bool))
    assert none_below(pricing, 0.0, Budget(1e4)) is True
