"""The checker's pricing where some discs hold a mean and others none."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ccviz.proof import pricing as module
from ccviz.proof.pricing import none_below
from ccviz.proof.question import Box, Places, Pricing
from ccviz.proof.verdict import Budget
from tests.seeds import seeds

SEEDS = seeds(10, 40)


def draw(seed):
    """Return blocks in the plane with up to two taken and two empty places among them."""
    rng = np.random.default_rng(seed)
    s, taken, empty = 9, seed % 3, (seed // 3) % 3
    points = rng.normal(size=(s, 2))
    mass = rng.integers(1, 4, s).astype(float)
    duals = rng.exponential(rng.choice([0.3, 1.0, 3.0]), s) * mass
    center = points[rng.permutation(s)[: taken + empty]]
    prize = np.append(rng.exponential(1.0, taken), np.full(empty, np.nan))
    places = Places(center, rng.uniform(0.2, 1.2, taken + empty), prize)
    conflict = np.zeros((s, s), dtype=bool)
    if seed % 4 == 3:
        conflict[0, 1] = conflict[1, 0] = True
    return Pricing(points, mass, duals, conflict, (), places)


def worth_of(places, center):
    """Return what places add to a centre (2,); nan if it may not be there."""
    inside = np.sqrt(((places.center - center) ** 2).sum(axis=1)) < places.radius
    if (inside & ~places.taken).any():
        return np.nan
    return np.nan_to_num(places.prize)[inside].sum()


def enumerated(pricing):
    """Return the least value of a cluster at its mean."""
    best = np.inf
    for bits in product([False, True], repeat=len(pricing.mass)):
        each = np.array(bits)
        if not each.any() or not pricing.allows(each):
            continue
        mean = pricing.mass[each] @ pricing.points[each] / pricing.mass[each].sum()
        worth = worth_of(pricing.places, mean)
        if not np.isnan(worth):
            best = min(best, pricing.value(each) - worth)
    return best


def at(pricing, mark, center):
    """Return the least that the blocks which are not out come to at a centre."""
    terms = pricing.mass * ((pricing.points - center) ** 2).sum(axis=1) - pricing.duals
    return terms[mark == 1].sum() + np.minimum(terms[mark == 0], 0.0).sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_bound_of_a_box_is_above_what_a_centre_in_it_comes_to(seed):
    pricing = replace(draw(seed), conflict=np.zeros((9, 9), dtype=bool))
    rng = np.random.default_rng(seed)
    middle, half = rng.normal(size=(30, 2)), rng.exponential(0.4, (30, 2))
    mark = rng.choice([0, 0, 0, 1, -1], (30, 9)).astype(np.int8)
    boxes = module.Boxes(middle - half, middle + half, mark)
    view = module._look(pricing, np.arange(9), boxes)
    seen = 0
    for row in range(30):
        for share in rng.uniform(-1.0, 1.0, (60, 2)):
            center = middle[row] + share * half[row]
            worth = worth_of(pricing.places, center)
            out = (mark[row] == 1) & (view.least[row] >= 0.0)  # then it may leave: none is smallest
            if np.isnan(worth) or out.any():
                continue
            seen += 1
            assert view.bound[row] <= at(pricing, mark[row], center) - worth + 1e-12
    assert seen > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_it_never_overlooks_a_cluster_with_its_mean_where_it_may_be(seed):
    pricing = draw(seed)
    least = enumerated(pricing)
    assert none_below(pricing, least * (1.0 - 1e-6), Budget(1e6)) is not True
    lowest = -float(pricing.duals.sum() + np.nan_to_num(pricing.places.prize).sum())
    assert none_below(pricing, lowest, Budget(1e9)) is True


def test_a_border_costs_what_it_is_off_the_mean():
    points = np.array([[0.0, 0.0], [0.2, 0.0]])
    places = Places(np.array([[0.1, 0.0]]), np.array([1.0]), np.array([np.nan]))
    pricing = Pricing(points, np.ones(2), np.full(2, 3.0), np.zeros((2, 2), dtype=bool), (), places)
    # On the border the two are 1 off their mean, each: 2 above it.
    best = 0.02 - 6.0 + 2.0
    assert none_below(pricing, best - 1e-6, Budget(1e9)) is True
    inside = replace(places, prize=np.array([0.5]))  # taken, and so where the mean is
    taken = replace(pricing, places=inside)
    assert none_below(taken, 0.02 - 6.0 - 0.5 + 1e-9, Budget(1e9)) is False
    assert none_below(taken, 0.02 - 6.0 - 0.5 - 1e-9, Budget(1e9)) is True


@pytest.mark.parametrize("box", [None, Box(np.array([-1.0, -1.0]), np.array([1.0, 1.0]))])
def test_a_prize_is_won_where_no_block_is_of_worth_too(box):
    points = np.array([[0.0, 0.0], [0.5, 0.0]])
    places = Places(points[:1], np.array([0.4]), np.array([7.0]))
    pricing = Pricing(points, np.ones(2), np.zeros(2), np.zeros((2, 2), dtype=bool), (), places)
    assert none_below(pricing, -6.99, Budget.of(1.0), box) is not True
    assert none_below(pricing, -7.01, Budget.of(1.0), box) is True
