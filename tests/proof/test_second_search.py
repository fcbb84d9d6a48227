"""The search of `tools/check_search.py`, held against all sets of few blocks."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest

from tests.seeds import seeds


def nowhere(d=2):
    return np.zeros((0, d)), np.zeros(0), np.zeros(0)


@pytest.fixture
def budget(check_proof):
    return check_proof.Budget


@dataclass
class Blocks:
    x: np.ndarray
    m: np.ndarray
    conflict: np.ndarray


def draw(seed, d):
    rng = np.random.default_rng(seed)
    s = 8
    m = rng.integers(1, 4, s).astype(float)
    pairs = np.triu(rng.random((s, s)) < 0.25, 1)
    heavy = np.triu(rng.random((s, s)) < 0.3, 1).astype(float)
    T = heavy + heavy.T
    loads = (
        [],
        [(6.0, m, 0.0 * T)],
        [(1.0, 0.0 * m, T)],
        [(7.0, m, T), (2.0, (np.arange(s) < 4) * 1.0, 0.0 * T)],
    )[seed % 4]
    conflict = (pairs | pairs.T) if seed % 3 else np.zeros((s, s), bool)
    duals = rng.exponential(rng.choice([0.3, 1.0, 3.0]), s) * m
    return Blocks(rng.normal(size=(s, d)), m, conflict), duals, loads


def allowed(blocks, loads, inside):
    if blocks.conflict[np.ix_(inside, inside)].any():
        return False
    held = (w @ inside + 0.5 * inside @ T @ inside <= most for most, w, T in loads)
    return all(held)


def value(blocks, duals, inside, center=None):
    x, m = blocks.x[inside], blocks.m[inside]
    center = m @ x / m.sum() if center is None else center
    return float(m @ ((x - center) ** 2).sum(axis=1) - duals[inside].sum())


def sets(s):
    return (np.array(bits) for bits in product([False, True], repeat=s))


@pytest.mark.parametrize("few", [0, 14])
@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("seed", seeds(4, 16))
def test_it_agrees_with_all_sets_on_both_sides_of_the_least_value(
    check_search, budget, monkeypatch, seed, d, few
):
    monkeypatch.setattr(check_search, "FEW", few)
    blocks, duals, loads = draw(seed, d)
    every = (each for each in sets(8) if each.any() and allowed(blocks, loads, each))
    least = min(value(blocks, duals, each) for each in every)
    search = check_search.Search(blocks, duals, loads, nowhere(d), budget(looks=1e8))
    search.check(least * (1.0 + 1e-9))
    with pytest.raises(ValueError, match="overlooks"):
        search.check(least * (1.0 - 1e-6))


@dataclass
class Soft:
    pairs: dict


def draw_sized(seed):
    """Draw blocks with duals of any sign, conflicts, loads, soft links and limits on points."""
    rng = np.random.default_rng(seed)
    blocks, duals, loads = draw(seed, int(rng.integers(1, 5)))
    weights = {
        (i, j): rng.exponential(rng.choice([0.1, 1.0]), 2) * (rng.random(2) < 0.5)
        for i, j in combinations(range(8), 2)
        if rng.random() < 0.3
    }
    total = int(blocks.m.sum())
    fewest = int(rng.integers(1, total))
    most = int(rng.integers(fewest, total + 1))
    return blocks, duals - rng.exponential(0.5, 8), loads, Soft(weights), fewest, most


def sized_value(blocks, duals, soft, inside):
    found = value(blocks, duals, inside)
    for (i, j), (must, cannot) in soft.pairs.items():
        found += must / 2 * (inside[i] != inside[j]) + cannot * (inside[i] and inside[j])
    return found


@pytest.mark.parametrize("few", [0, 14])
@pytest.mark.parametrize("seed", seeds(30, 200))
def test_under_sizes_and_soft_links_it_agrees_with_all_sets(
    check_search, budget, monkeypatch, seed, few
):
    monkeypatch.setattr(check_search, "FEW", few)
    blocks, duals, loads, soft, fewest, most = draw_sized(seed)
    every = [each for each in sets(8) if each.any() and allowed(blocks, loads, each)]
    fits = [each for each in every if fewest <= blocks.m @ each <= most]
    least = min((sized_value(blocks, duals, soft, each) for each in fits), default=None)
    search = check_search.Search(
        blocks, duals, loads, nowhere(blocks.x.shape[1]), budget(looks=1e8), soft
    )
    if least is None:
        search.check(1e3, sizes=(fewest, most))
        return
    # Boxes alone do not settle every case: the search may give up, but it overlooks no set.
    gives_up = () if few else (check_search.Limit,)
    with suppress(*gives_up):
        search.check(least - 1e-9, sizes=(fewest, most))
    with pytest.raises(ValueError, match="overlooks" if few else "overlooks|too small"):
        search.check(least + 1e-6, sizes=(fewest, most))


@pytest.mark.parametrize("seed", seeds(9, 30))
def test_it_never_overlooks_a_set_about_a_centre_where_it_may_be(check_search, budget, seed):
    blocks, duals, loads = draw(seed, 2)
    rng = np.random.default_rng(seed)
    taken, empty = seed % 3, (seed // 3) % 3
    centre = blocks.x[rng.permutation(8)[: taken + empty]]
    prize = np.append(rng.exponential(1.0, taken), np.full(empty, np.nan))
    radius = rng.uniform(0.2, 1.2, taken + empty)
    search = check_search.Search(blocks, duals, loads, (centre, radius, prize), budget(looks=1e7))
    members = [each for each in sets(8) if allowed(blocks, loads, each)]
    low, high = blocks.x.min(axis=0), blocks.x.max(axis=0)
    means = [blocks.m[s] @ blocks.x[s] / blocks.m[s].sum() for s in members if s.any()]
    found = []
    for c in [*means, *rng.uniform(low, high, size=(100, 2))]:
        near = ((centre - c) ** 2).sum(axis=1) < radius**2
        if not (near & np.isnan(prize)).any():
            won = prize[near].sum()
            found.append(min(value(blocks, duals, s, c) for s in members) - won)
    least = min(found)
    if least < 0.0:
        with pytest.raises(ValueError, match=r"overlooks|more looks|too small"):
            search.check(least * (1.0 - 1e-6))
    search.check(-float(duals.sum() + np.nansum(prize)) - 1e-6)


def test_a_budget_of_looks_ends_in_a_sentence(check_search, budget):
    blocks, duals, _ = draw(4, 2)
    search = check_search.Search(blocks, duals, [], nowhere(), budget(looks=10))
    with pytest.raises(check_search.Limit, match="more looks at blocks than are allowed"):
        search.check(-1e-9)


def test_tight_clusters_far_from_each_other_cost_no_digits(check_search, budget):
    rng = np.random.default_rng(0)
    x = np.repeat([[0.0, 0.0], [1.0, 0.3]], 4, axis=0) + 1e-6 * rng.normal(size=(8, 2))
    blocks = Blocks(x, np.ones(8), np.zeros((8, 8), bool))
    duals = 1e-12 * rng.exponential(2.0, 8)
    least = min(value(blocks, duals, each) for each in sets(8) if each.any())
    search = check_search.Search(blocks, duals, [], nowhere(), budget(looks=1e8))
    search.check(least * (1.0 + 1e-8))


def in_whole_numbers(blocks, bits=60):
    """Give blocks that are exact in doubles what makes them whole numbers; return them."""
    blocks.x = np.round(blocks.x * 2.0**20) / 2.0**20
    sums = (blocks.m[:, None] * blocks.x * 2.0**bits).astype(object)
    whole = np.array([int(each) for each in sums.ravel()], dtype=object).reshape(sums.shape)
    blocks.whole = lambda: (whole, 1 << bits, 1)
    return blocks


def in_discs(x, places):
    """Return discs of places: point, radius, prize."""
    points, radius, prize = (np.array(each) for each in zip(*places, strict=True))
    whole = [
        (np.array([int(c * 2.0**60) for c in x[i]], dtype=object), int(r * 2.0**60) ** 2)
        for i, r, _ in places
    ]
    return x[points], radius, prize, whole


@pytest.mark.parametrize("seed", seeds(24, 200))
def test_in_whole_numbers_it_agrees_with_all_sets(check_search, budget, seed):
    blocks, duals, loads, soft, fewest, most = draw_sized(seed)
    in_whole_numbers(blocks)
    every = [each for each in sets(8) if each.any() and allowed(blocks, loads, each)]
    fits = [each for each in every if fewest <= blocks.m @ each <= most]
    least = min((sized_value(blocks, duals, soft, each) for each in fits), default=None)
    discs, looks = (*nowhere(blocks.x.shape[1]), []), budget(looks=1e8)
    search = check_search.Search(blocks, duals, loads, discs, looks, soft, exact=True)
    search.check(1e3 if least is None else least - 1e-9, sizes=(fewest, most))
    if least is not None:
        with pytest.raises(ValueError, match="overlooks"):
            search.check(least + 1e-6, sizes=(fewest, most))


def terms_about(c, blocks, duals):
    return blocks.m * ((blocks.x - c) ** 2).sum(axis=1) - duals


def value_about(c, blocks, duals, soft, discs, inside, needed):
    """Return what a set costs about a centre, inf if there it is of no concern."""
    q = terms_about(c, blocks, duals)
    near = ((discs[0] - c) ** 2).sum(axis=1) < discs[1] ** 2
    # Without a needed block that makes it no lower it is another box's set.
    if (near & np.isnan(discs[2])).any() or (soft is None and (q[needed] >= 0.0).any()):
        return np.inf
    cost = q[inside].sum() - discs[2][near].sum()
    for (i, j), (must, cannot) in (soft.pairs if soft else {}).items():
        cost += must / 2 * (inside[i] != inside[j]) + cannot * (inside[i] and inside[j])
    return cost


@pytest.mark.parametrize("seed", seeds(20, 120))
def test_no_guess_settles_a_box_in_whole_numbers_that_holds_a_lower_set(check_search, budget, seed):
    """A small box with shares that are right at its middle, and any prices and multipliers."""
    rng = np.random.default_rng(seed)
    blocks, duals, loads = draw(seed, 2)
    in_whole_numbers(blocks)
    duals, soft, sizes = abs(duals) + 0.1, None, (0, 0)
    places = [(0, 0.75, 0.5), (1, 0.5, np.nan), (2, 1.25, 0.25)]
    if seed % 2:
        places, soft, sizes = [], draw_sized(seed)[3], (2, 9)
    discs = in_discs(blocks.x, places) if places else (*nowhere(), [])
    search = check_search.Search(blocks, duals, loads, discs, budget(), soft, exact=True)
    search.fewest, search.most = sizes
    some, settled = search.some, 0
    for _ in range(40):
        mark, middle = rng.choice([0, 0, 0, 1, -1], len(some)), 0.7 * rng.normal(size=2)
        low, high = middle - 0.01, middle + 0.01
        prices = rng.exponential(0.5, len(search.priced)) * rng.integers(2)
        added = sum(price * w for price, (_, w) in zip(prices, search.priced, strict=True))
        t, q = rng.normal() * rng.integers(2), terms_about(middle, blocks, duals)[some]
        share = (q + added - t * blocks.m[some] < 0.0) * 1.0
        costs = [
            value_about(middle, blocks, duals, soft, discs, inside, some[mark == 1])
            for each in sets(len(some))
            if each[mark == 1].all() and not each[mark == -1].any()
            for inside in [np.isin(np.arange(8), some[each])]
            if allowed(blocks, loads, inside)
            and (soft is None or sizes[0] <= blocks.m @ inside <= sizes[1])
        ]

        def settles(v, about=(low, high, mark, (share, prices, t, middle))):
            return search.whole.settles(np.arange(len(about[2])), *about, v)

        least = min(costs, default=np.inf)
        settled += settles(min(least, 0.0) - 1.0)
        assert least == np.inf or not settles(least + 1e-9)
    assert settled


@pytest.mark.parametrize("seed", range(12))
def test_blocks_are_placed_exactly_where_they_can_be(check_clusters, budget, seed):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.random((7, 7)) < 0.6 * (seed % 2) + 0.3, 1)
    conflict, mass = pairs | pairs.T, rng.integers(1, 4, 7)
    for k in (2, 3, 4):
        free, nothing = np.zeros(k), np.zeros(7)
        lower = rng.integers(1, 2 * mass.sum() // k, k)
        upper = lower + rng.integers(0, 6, k)
        found = [*map(np.array, product(range(k), repeat=7))]
        found = [each for each in found if not conflict[np.equal.outer(each, each)].any()]
        assert check_clusters.placeable(nothing, conflict, free, free, budget()) == bool(found)
        sizes = [np.bincount(each, mass, k) for each in found]
        can = any((lower <= size).all() and (size <= upper).all() for size in sizes)
        assert check_clusters.placeable(mass, conflict, lower, upper, budget()) == can
