import cvxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.admm import cold_start, exchange_cuts
from ccviz.solvers.relaxation.certificate import certify, spectral_bound
from ccviz.solvers.relaxation.cuts import no_cuts, separate
from ccviz.solvers.relaxation.engine import iterate, solve_by_cvxpy
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.relaxation.spectral_projection import (
    FilterParams,
    SpectralProjector,
    cap_simplex,
)
from tests.solvers.relaxation.cvxpy_reference import solve_textbook


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


# --- Certificate ----------------------------------------------------------------------------------


def perturbation_bound(relaxation, y, trace_dual, S, cut_part=0.0):
    """Return the safe bound of Piccialli et al. 2022, Theorem 3.2.

    `y` (s,): Multipliers of Z e = e (the constraint is symmetrised, E_i). `S` (s, s): What the
    other multipliers leave of the objective, in terms of Z: the theorem's S~. `cut_part`: Sum of
    the cuts' multipliers times their right sides.
    """
    negative = np.minimum(np.linalg.eigvalsh(S), 0.0).sum()
    dual = float(y.sum()) + relaxation.k * trace_dual
    return relaxation.constant + dual + cut_part + float(negative)


@given(st.integers(0, 10**6), st.floats(0.0, 10.0))
def test_any_multipliers_prove_a_bound_below_the_optimum(draw, optimum, seed, scale):
    problem = draw(seed, most=6)
    if problem is None:
        return
    relaxation = relax(contract(problem))
    rng = np.random.default_rng(seed)
    s = relaxation.s
    root = rng.normal(size=(s, s))
    cuts = separate(relaxation, np.abs(root @ root.T), no_cuts(relaxation.k), 20, 1e-6)
    size = scale * relaxation.constant
    multiplier = -size * rng.random() * (root + root.T)
    found = certify(relaxation, multiplier, cuts, size * rng.random(len(cuts)))
    assert found.lower_bound <= optimum(problem)
    assert (found.weights >= 0).all()


def test_no_multipliers_give_the_eigenvalue_bound():
    rng = np.random.default_rng(0)
    relaxation = relax(contract(Problem(rng.normal(size=(20, 3)), 3)))
    found = certify(relaxation, np.zeros((20, 20)), no_cuts(3), np.empty(0))
    leading = np.linalg.svd(relaxation.factor, compute_uv=False)[:2] ** 2
    expected = relaxation.constant - leading.sum()
    assert found.lower_bound == pytest.approx(expected)
    assert found.lower_bound < expected  # by the margin for rounding


def test_it_is_the_best_case_of_the_papers_perturbation_bound():
    rng = np.random.default_rng(1)
    relaxation = relax(contract(Problem(rng.normal(size=(15, 2)), 3, must_link=[(0, 1)])))
    s, u, e = relaxation.s, relaxation.u, relaxation.mass
    N = rng.random((s, s))
    S = relaxation.cost - 0.05 * (N + N.T)
    ours = spectral_bound(relaxation, S)
    inside = S - np.outer(u, S @ u) - np.outer(S @ u, u) + (u @ S @ u) * np.outer(u, u)
    for level in np.linspace(*np.linalg.eigvalsh(inside)[[0, 4]], 9):
        # Multipliers of Z e = e that take u out of S, in terms of Z.
        v = S @ u - 0.5 * (u @ S @ u) * u - 0.5 * level * u
        y = 2.0 * v * np.sqrt(e) / np.sqrt(relaxation.n)
        left = S - np.outer(u, v) - np.outer(v, u) - level * np.eye(s)
        in_z = left * np.sqrt(np.outer(e, e))
        theirs = perturbation_bound(relaxation, y, level, in_z)
        assert theirs <= ours + 1e-9


def test_single_precision_multipliers_lose_almost_nothing():
    rng = np.random.default_rng(2)
    relaxation = relax(contract(Problem(rng.normal(size=(30, 2)), 3)))
    N = rng.random((30, 30))
    N += N.T
    found = certify(relaxation, -0.01 * N, no_cuts(3), np.empty(0))
    exact = spectral_bound(relaxation, relaxation.cost - 0.01 * N)
    assert found.nonnegativity.dtype == np.float32
    assert found.lower_bound == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_multipliers_beyond_single_precision_are_kept_in_double(scale):
    X = scale * np.random.default_rng(3).normal(size=(12, 2))
    relaxation = relax(contract(Problem(X, 3)))
    found = certify(relaxation, -0.01 * np.abs(relaxation.cost), no_cuts(3), np.empty(0))
    assert found.nonnegativity.dtype == np.float64
    exact = spectral_bound(relaxation, relaxation.cost - 0.01 * np.abs(relaxation.cost))
    assert found.lower_bound == pytest.approx(exact, rel=1e-9)


# --- Conic backend --------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvxpy", "scs"])
def test_conic_solvers_prove_the_same_bound(solver):
    rng = np.random.default_rng(4)
    problem = Problem(rng.normal(size=(12, 2)), 3, must_link=[(0, 1)], cannot_link=[(2, 3), (4, 5)])
    relaxation = relax(contract(problem))
    at = exchange_cuts(relaxation, iterate(relaxation, cold_start(relaxation), 50), 30, 1e-4)[0]
    solved = solve_by_cvxpy(relaxation, at, solver, 1e-7)
    value, Z = solve_textbook(relaxation, at.cuts)
    assert solved.lower_bound == pytest.approx(value, rel=1e-4)
    assert solved.lower_bound <= value * (1 + 1e-7)
    np.testing.assert_allclose(relaxation.to_z(solved.Y), Z, atol=1e-3)
    assert solved.weights.shape == at.weights.shape
    assert len(at.cuts)


def test_a_solver_that_fails_gives_nothing(monkeypatch):
    def fail(*_, **__):
        raise cvxpy.error.SolverError("no luck")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    relaxation = relax(contract(Problem(np.eye(4), 2)))
    assert solve_by_cvxpy(relaxation, cold_start(relaxation), "scs", 1e-4) is None


def test_the_relaxation_lies_below_the_optimum(small_problems):
    checked = 0
    for problem, optimum in small_problems[:12]:
        relaxation = relax(contract(problem))
        if np.isfinite(optimum) and problem.X.std() > 0.1:
            value, Z = solve_textbook(relaxation, no_cuts(problem.k))
            assert value <= optimum + 1e-5 * relaxation.constant
            np.testing.assert_allclose(Z @ relaxation.mass, 1.0, atol=1e-4)
            checked += 1
    assert checked > 3


def test_two_far_pairs_are_solved_by_the_relaxation_alone():
    from ccviz.problem.problem import Problem

    problem = Problem([[0.0], [1.0], [100.0], [101.0]], 2)
    value, Z = solve_textbook(relax(contract(problem)), no_cuts(2))
    assert value == pytest.approx(1.0, abs=1e-3)
    assert Z[0, 1] == pytest.approx(0.5, abs=1e-3)
