"""k-means in the metric of its own clusters."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ccviz.active.own_metric import own_metric
from ccviz.solvers.common.seeding import plain_kmeans


def stretched(n, units=(1.0, 1.0)):
    """Return two clusters, one above the other, each much wider than high."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    X = np.column_stack((rng.normal(0.0, 4.0, n), 3.0 * truth + rng.normal(0.0, 0.3, n)))
    return X * units, truth


def test_stretched_clusters_are_found():
    X, truth = stretched(200)
    assert adjusted_rand_score(truth, plain_kmeans(X, 2, 0, n_init=5).labels_) < 0.1
    assert adjusted_rand_score(truth, own_metric(X, 2, 0).clusters) == 1


def test_the_clusters_are_round_in_the_new_coordinates():
    X, _ = stretched(2000)
    found = own_metric(X, 2, 0)
    for c in (0, 1):
        wide, high = found.points[found.clusters == c].std(axis=0)
        assert 1.0 < wide / high < 2.5  # 13 in the given coordinates


def test_the_rest_of_many_points_go_to_the_nearest_centre():
    X, truth = stretched(5000)
    assert adjusted_rand_score(truth, own_metric(X, 2, 0).clusters) > 0.99


def test_many_features_are_seen_in_few_directions():
    X, truth = stretched(120)
    wide = np.column_stack((X, np.random.default_rng(1).normal(0.0, 0.01, (120, 90))))
    found = own_metric(wide, 2, 0)
    assert found.points.shape == (120, 50)
    assert adjusted_rand_score(truth, found.clusters) == 1


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 3), (6, 2), (6, 1)])
def test_points_that_coincide_have_some_clustering(n, k):
    found = own_metric(np.ones((n, 2)), k, 0)
    assert found.clusters.shape == (n,)
    assert np.isfinite(found.points).all()
