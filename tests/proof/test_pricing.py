from itertools import product

import numpy as np
import pytest

from ccviz.proof.pricing import Limit, Pricing, none_below


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


def least_value(pricing):
    clusters = (np.array(bits) for bits in product([False, True], repeat=len(pricing.mass)))
    return min(pricing.value(each) for each in clusters if each.any() and pricing.allows(each))


@pytest.mark.parametrize("seed", range(24))
def test_it_agrees_with_enumeration_on_both_sides_of_the_least_value(seed):
    pricing = draw(seed)
    least = least_value(pricing)
    assert least < 0.0
    assert none_below(pricing, least * (1.0 + 1e-9), 200_000) is True
    assert none_below(pricing, least * (1.0 - 1e-6), 200_000) is False


def test_it_says_when_the_boxes_run_out():
    pricing = draw(4)
    assert none_below(pricing, least_value(pricing) * (1.0 + 1e-9), 3) is None


def test_blocks_worth_nothing_make_no_cluster():
    points, mass = np.arange(4.0)[:, None], np.ones(4)
    assert none_below(Pricing(points, mass, np.zeros(4), np.zeros((4, 4), bool)), 0.0, 10) is True
