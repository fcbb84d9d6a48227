"""Exact pricing in discs, against every cluster and a grid of centres."""

import numpy as np
import pytest

from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.pricing.pricer import Pricer
from tests.seeds import seeds
from tests.solvers.colgen.model.test_discs import (
    centers_of,
    clusters,
    instance_of,
    points_of,
    within,
)


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_exact_pricing_finds_the_minimal_reduced_cost_among_centres_in_discs(seed):
    rng = np.random.default_rng(seed)
    X = points_of(seed)
    pairs = rng.permutation(8)[:4].reshape(2, 2).tolist()
    occupied, empty = [pairs[0]], [pairs[1]] if seed % 2 else []
    instance = instance_of(X, occupied, empty, [(0, 1), (2, 3)] if seed % 3 == 0 else [])
    duals = np.append(rng.exponential(1.5, 8), rng.exponential(0.5))
    found = Pricer((instance,)).exact(duals, 0.0, 0.0)
    assert found.exact
    i, j = [(0, 2), (1, 3)] if seed % 3 == 0 else [(), ()]
    every = clusters(8)
    every = every[~(every[:, list(i)] & every[:, list(j)]).any(axis=1)]
    best = np.inf
    for inside in (False, True):
        columns = np.pad(every, ((0, 0), (0, 1)), constant_values=inside)
        columns, costs, fits = in_discs(instance, columns, mark=False)
        centers, _ = centers_of(instance, columns)  # no mean is beyond all points
        fits &= (centers <= instance.points.max(axis=0) + 1e-9).all(axis=1)
        fits &= (centers >= instance.points.min(axis=0) - 1e-9).all(axis=1)
        best = min(best, (costs - columns @ duals)[fits].min(initial=np.inf))
    assert found.min_reduced_cost <= best + 1e-9
    if not empty:  # one disc: the nearest centre is the best one
        assert found.min_reduced_cost >= best - 1e-6 * abs(best)
    values = found.costs - found.columns @ duals
    assert values.min() == pytest.approx(found.min_reduced_cost, rel=1e-6)
    centers, fits = centers_of(instance, found.columns)
    assert fits.all()
    for p in range(len(empty)):
        radius = np.sqrt(instance.discs.reach[1 + p])
        gaps = np.sqrt(((centers - instance.discs.center[1 + p]) ** 2).sum(axis=1))
        assert (gaps >= radius * (1.0 - 1e-6)).all()


def test_no_centre_on_a_grid_has_a_smaller_reduced_cost():
    X = points_of(3)
    instance = instance_of(X, occupied=[(0, 1)], empty=[(2, 3)])
    duals = np.append(np.full(8, 0.7), 0.4)
    least = Pricer((instance,)).exact(duals, 0.0, 0.0).min_reduced_cost
    low, high = instance.points.min(axis=0), instance.points.max(axis=0)
    axes = [np.linspace(a, b, 200) for a, b in zip(low, high, strict=True)]
    for center in np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2):
        if within(instance, 1, center):
            continue
        gaps = ((instance.points - center) ** 2).sum(axis=1)
        value = np.minimum(gaps - duals[:8], 0.0).sum() - duals[8] * within(instance, 0, center)
        assert value >= least - 1e-9


def test_a_block_in_the_middle_of_an_empty_disc_is_equally_far_from_all_of_its_border():
    X = points_of(0)
    instance = instance_of(X, occupied=[(2, 3)], empty=[(0, 1)])
    radius = np.linalg.norm(X[0] - X[1])
    gaps = np.linalg.norm(X - X[0], axis=1)
    assert instance.away == pytest.approx(np.maximum(radius - gaps, 0.0) ** 2)
    duals = np.zeros(9)
    duals[0] = (1.0 - 1e-8) * radius**2  # just not worth it anywhere, and all but so on a circle
    found = Pricer((instance,)).exact(duals, 0.0, 0.0, visit_limit=1000)
    assert found.exact
    assert found.min_reduced_cost >= -1e-7


def test_a_discs_dual_counts_where_no_block_gains():
    instance = instance_of(points_of(0), occupied=[(0, 1)])
    duals = np.append(np.zeros(8), 1.0)
    assert Pricer((instance,)).exact(duals, 0.0, 0.0).min_reduced_cost <= -1.0
