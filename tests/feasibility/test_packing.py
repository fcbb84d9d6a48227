"""Packing blocks of points into clusters of given sizes."""

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
    return Packing(mass, edges, lower, lower + rng.integers(0, 4, k))


def keeps(packing, labels):
    load = np.bincount(labels, weights=packing.mass, minlength=packing.k)
    a, b = packing.edges.T
    inside = (load >= packing.lower) & (load <= packing.upper)
    return bool(inside.all() and (labels[a] != labels[b]).all())


@pytest.mark.parametrize("seed", range(60))
def test_highs_answers_as_enumeration(seed):
    packing = draw(np.random.default_rng(seed))
    every = product(range(packing.k), repeat=len(packing.mass))
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
    packing = Packing(np.array([5, 1]), edges, np.array([1, 5]), np.array([1, 5]))
    feasible, labels = pack_by_highs(packing, np.array([0, 1]), 10.0)
    assert feasible
    assert labels.tolist() == [1, 0]
