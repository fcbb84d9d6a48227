"""The search of `tools/check_clusters.py`, held against all sets of few blocks."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest

from tests.seeds import seeds


def nowhere(d=2):
    return np.zeros((0, d)), np.zeros(0), np.zeros(0)


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
    check_clusters, monkeypatch, seed, d, few
):
    monkeypatch.setattr(check_clusters, "FEW", few)
    blocks, duals, loads = draw(seed, d)
    every = (each for each in sets(8) if each.any() and allowed(blocks, loads, each))
    least = min(value(blocks, duals, each) for each in every)
    search = check_clusters.Search(
        blocks, duals, loads, nowhere(d), check_clusters.Budget(looks=1e8)
    )
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
def test_under_sizes_and_soft_links_it_agrees_with_all_sets(check_clusters, monkeypatch, seed, few):
    monkeypatch.setattr(check_clusters, "FEW", few)
    blocks, duals, loads, soft, fewest, most = draw_sized(seed)
    every = [each for each in sets(8) if each.any() and allowed(blocks, loads, each)]
    fits = [each for each in every if fewest <= blocks.m @ each <= most]
    least = min((sized_value(blocks, duals, soft, each) for each in fits), default=None)
    search = check_clusters.SizedSearch(
        blocks, duals, loads, nowhere(blocks.x.shape[1]), check_clusters.Budget(looks=1e8), soft
    )
    if least is None:
        search.check_sizes(1e3, fewest, most)
        return
    # Boxes alone do not settle every case: the search may give up, but it overlooks no set.
    gives_up = () if few else (check_clusters.Limit,)
    with suppress(*gives_up):
        search.check_sizes(least - 1e-9, fewest, most)
    with pytest.raises(ValueError, match="overlooks" if few else "overlooks|too small"):
        search.check_sizes(least + 1e-6, fewest, most)


@pytest.mark.parametrize("seed", seeds(9, 30))
def test_it_never_overlooks_a_set_about_a_centre_where_it_may_be(check_clusters, seed):
    blocks, duals, loads = draw(seed, 2)
    rng = np.random.default_rng(seed)
    taken, empty = seed % 3, (seed // 3) % 3
    centre = blocks.x[rng.permutation(8)[: taken + empty]]
    prize = np.append(rng.exponential(1.0, taken), np.full(empty, np.nan))
    radius = rng.uniform(0.2, 1.2, taken + empty)
    search = check_clusters.Search(
        blocks, duals, loads, (centre, radius, prize), check_clusters.Budget(looks=1e7)
    )
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


def test_a_budget_of_looks_ends_in_a_sentence(check_clusters):
    blocks, duals, _ = draw(4, 2)
    search = check_clusters.Search(blocks, duals, [], nowhere(), check_clusters.Budget(looks=10))
    with pytest.raises(check_clusters.Limit, match="more looks at blocks than are allowed"):
        search.check(-1e-9)


def test_tight_clusters_far_from_each_other_cost_no_digits(check_clusters):
    rng = np.random.default_rng(0)
    x = np.repeat([[0.0, 0.0], [1.0, 0.3]], 4, axis=0) + 1e-6 * rng.normal(size=(8, 2))
    blocks = Blocks(x, np.ones(8), np.zeros((8, 8), bool))
    duals = 1e-12 * rng.exponential(2.0, 8)
    least = min(value(blocks, duals, each) for each in sets(8) if each.any())
    search = check_clusters.Search(blocks, duals, [], nowhere(), check_clusters.Budget(looks=1e8))
    search.check(least * (1.0 + 1e-8))


@pytest.mark.parametrize("seed", range(12))
def test_colours_are_found_exactly_where_there_are_enough(check_clusters, seed):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.random((7, 7)) < 0.6, 1)
    conflict = pairs | pairs.T
    for k in (2, 3, 4):
        colourings = (np.array(each) for each in product(range(k), repeat=7))
        can = any(not conflict[np.equal.outer(each, each)].any() for each in colourings)
        assert check_clusters.colourable(conflict, k, check_clusters.Budget()) == can
