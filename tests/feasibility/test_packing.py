"""Packing blocks of points into clusters of given sizes."""

import math
from itertools import product

import numpy as np
import pytest

from ccviz.feasibility.packing import Packing, pack_by_highs, pack_quickly


def draw(rng):
    s, k = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    mass = rng.integers(1, 5, s)
    pairs = np.array([(a, b) for a in range(s) for b in range(a + 1, s)]).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.3].astype(np.int64)
    lower = rng.integers(0, 1 + mass.sum() // k, k)
    amounts, limits = [mass], [(lower, lower + rng.integers(0, 4, k))]
    if rng.random() < 0.5:  # and a column whose sum is limited
        amounts.append(rng.integers(0, 9, s) / 8)
        share = amounts[1].sum() / k
        limits.append((np.full(k, 0.5 * share), np.full(k, 1.5 * share)))
    lowest, highest = np.array(limits, dtype=float).transpose(1, 0, 2)
    return Packing(np.array(amounts, dtype=float), edges, lowest, highest)


def keeps(packing, labels):
    a, b = packing.edges.T
    loads = [
        [math.fsum(row[labels == cluster]) for cluster in range(packing.k)]
        for row in packing.amounts
    ]
    inside = (loads >= packing.lower) & (loads <= packing.upper)
    return bool(inside.all() and (labels[a] != labels[b]).all())


@pytest.mark.parametrize("seed", range(60))
def test_highs_answers_as_enumeration(seed):
    packing = draw(np.random.default_rng(seed))
    every = product(range(packing.k), repeat=packing.s)
    possible = any(keeps(packing, np.array(labels)) for labels in every)
    feasible, labels = pack_by_highs(packing, np.zeros(0, dtype=np.int64), 10.0)
    assert feasible is possible
    assert labels is None or keeps(packing, labels)


@pytest.mark.parametrize("seed", range(60))
def test_quick_answers_are_right(seed):
    packing = draw(np.random.default_rng(seed))
    labels = pack_quickly(packing)
    assert labels is None or keeps(packing, labels)


def test_a_clique_is_fixed_only_where_clusters_are_interchangeable():
    """The heavy block must go to the last cluster; fixing it in the first would be wrong."""
    edges = np.array([[0, 1]])
    exact = np.array([[1.0, 5.0]])
    packing = Packing(np.array([[5.0, 1.0]]), edges, exact, exact)
    feasible, labels = pack_by_highs(packing, np.array([0, 1]), 10.0)
    assert feasible
    assert labels.tolist() == [1, 0]
