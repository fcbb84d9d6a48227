"""The checker's search within size limits, by boxes against enumeration."""

import math

import numpy as np
import pytest

from ccviz.proof.partition_pricing import Limits, _least_of_all, none_below_within
from ccviz.proof.question import Limit, Pricing
from ccviz.proof.verdict import Budget
from tests.seeds import seeds


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
