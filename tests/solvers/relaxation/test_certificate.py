import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.certificate import certify, spectral_bound
from ccviz.solvers.relaxation.cuts import no_cuts, separate
from ccviz.solvers.relaxation.model import relax


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
