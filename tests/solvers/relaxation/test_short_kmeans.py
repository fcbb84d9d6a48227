import numpy as np
import pytest
from scipy.cluster.vq import ClusterError, kmeans2

from ccviz.solvers.relaxation.short_kmeans import drawn_centers, short_kmeans


@pytest.mark.parametrize("d", [2, 4, 12])
def test_it_is_the_k_means_of_scipy(d):
    rows = np.random.default_rng(d).normal(size=(90, d))
    for seed in range(20):
        drawn = drawn_centers(rows, 4, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        centers, labels = kmeans2(rows, 4, minit="++", missing="raise", rng=rng)
        own_centers, own_labels = short_kmeans(rows, drawn)
        np.testing.assert_array_equal(own_labels, labels)
        np.testing.assert_allclose(own_centers, centers, rtol=1e-12)


def test_a_cluster_that_runs_empty_is_reported():
    rows = np.array([[0.0], [1.0], [2.0]])
    centers = np.array([[1.0], [50.0]])
    with pytest.raises(ClusterError):
        kmeans2(rows, centers, minit="matrix", missing="raise")
    assert short_kmeans(rows, centers) is None


def test_equal_rows_are_drawn_too():
    drawn = drawn_centers(np.ones((5, 2)), 3, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, np.ones((3, 2)))
