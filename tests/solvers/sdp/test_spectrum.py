import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.solvers.sdp.spectrum import SpectralProjector, cap_simplex


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12), st.integers(0, 12))
def test_capped_simplex_projection_satisfies_its_optimality_conditions(values, total):
    values = np.sort(np.array(values))[::-1]
    total = min(total, len(values))
    x = cap_simplex(values, total)
    assert x.sum() == pytest.approx(total, abs=1e-9)
    assert (x >= 0).all()
    assert (x <= 1).all()
    inside = (x > 1e-9) & (x < 1 - 1e-9)
    if inside.any():
        level = (values - x)[inside]
        assert np.ptp(level) < 1e-9
        assert (values[x <= 1e-9] <= level[0] + 1e-9).all()
        assert (values[x >= 1 - 1e-9] - 1 >= level[0] - 1e-9).all()


def by_definition(W, u, total):
    P = np.eye(len(u)) - np.outer(u, u)
    values, vectors = np.linalg.eigh(P @ W @ P - 1e6 * np.outer(u, u))
    weights = cap_simplex(values[::-1], total)
    return (vectors[:, ::-1] * weights) @ vectors[:, ::-1].T


@pytest.mark.parametrize("s", [2, 3, 10, 120])
def test_projection_is_that_of_the_definition(s):
    rng = np.random.default_rng(s)
    u = rng.random(s)
    u /= np.linalg.norm(u)
    W = rng.normal(size=(s, s))
    W += W.T
    total = min(3, s - 1)
    F = SpectralProjector(u, total)(W)
    np.testing.assert_allclose(F @ F.T, by_definition(W, u, total), atol=1e-8)


def test_warm_start_follows_a_slowly_moving_matrix():
    rng = np.random.default_rng(0)
    s, total = 150, 4
    u = np.full(s, 1 / np.sqrt(s))
    low = rng.normal(size=(s, total)) / np.sqrt(s)
    noise = rng.normal(size=(s, s)) / np.sqrt(s)
    W = 3.0 * low @ low.T + 0.1 * (noise + noise.T)
    drift = 1e-3 * (noise @ noise.T)
    project = SpectralProjector(u, total)
    project(W)
    for step in range(1, 6):
        F = project(W + step * drift)
        assert project.basis.shape[1] < s // 4  # it did not fall back to the whole spectrum
    np.testing.assert_allclose(F @ F.T, by_definition(W + 5 * drift, u, total), atol=1e-5)


def test_no_clusters_but_one_leaves_nothing():
    assert SpectralProjector(np.array([0.6, 0.8]), 0)(np.eye(2)).shape == (2, 0)
