import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.solvers.relaxation.spectral_projection import (
    FilterParams,
    SpectralProjector,
    cap_simplex,
)


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


def moving(s, total, rank=None):
    """Return u and a matrix of a few large eigenvalues, and what it moves by."""
    rng = np.random.default_rng(0)
    low = rng.normal(size=(s, rank or total)) / np.sqrt(s)
    noise = rng.normal(size=(s, s)) / np.sqrt(s)
    u = np.full(s, 1 / np.sqrt(s))
    return u, 3.0 * low @ low.T + 0.1 * (noise + noise.T), 1e-3 * (noise @ noise.T)


def counting(project):
    """Count how often the whole spectrum is computed."""
    times = []
    whole = project._whole
    project._whole = lambda W: times.append(1) or whole(W)
    return times


def test_warm_start_follows_a_slowly_moving_matrix():
    s, total = 150, 4
    u, W, drift = moving(s, total)
    project = SpectralProjector(u, total)
    project(W)
    for step in range(1, 6):
        F = project(W + step * drift)
        assert project.basis.shape[1] < s // 4  # it did not fall back to the whole spectrum
    np.testing.assert_allclose(F @ F.T, by_definition(W + 5 * drift, u, total), atol=1e-5)


def test_another_projector_goes_on_from_a_basis_of_many_blocks():
    params = FilterParams(large=150)
    u, W, drift = moving(150, 4)
    before = SpectralProjector(u, 4, params=params)
    before(W)
    after = SpectralProjector(u, 4, before.basis, params)
    times = counting(after)
    for step in range(1, 6):
        F = after(W + step * drift)
    assert not times
    np.testing.assert_allclose(F @ F.T, by_definition(W + 5 * drift, u, 4), atol=1e-5)


def test_where_more_eigenvectors_count_than_are_followed_others_join_them():
    params = FilterParams(large=200)
    u, W, _ = moving(200, 4)
    project = SpectralProjector(u, 4, params=params)
    project(W)
    followed = project.basis.shape[1]
    _, wide, _ = moving(200, 4, rank=40)
    times = counting(project)
    for _ in range(12):
        F = project(0.2 * wide)
    assert project.basis.shape[1] > followed
    assert not times
    np.testing.assert_allclose(F @ F.T, by_definition(0.2 * wide, u, 4), atol=1e-4)


@pytest.mark.parametrize("W", [np.zeros((80, 80)), 3.0 * np.eye(80)])
def test_a_basis_of_a_matrix_that_says_nothing_is_no_harm(W):
    params = FilterParams(large=80)
    u, other, _ = moving(80, 4)
    before = SpectralProjector(u, 4, params=params)
    before(other)
    basis = before.basis.copy()
    basis[:, 1] = 0.0
    F = SpectralProjector(u, 4, basis, params)(W)
    assert np.trace(F @ F.T) == pytest.approx(4.0)
    assert np.abs(u @ F).max() < 1e-6


def test_no_clusters_but_one_leaves_nothing():
    assert SpectralProjector(np.array([0.6, 0.8]), 0)(np.eye(2)).shape == (2, 0)
