"""Every update of the splitting is held against the augmented Lagrangian it has to minimise."""

import numpy as np
import pytest

from ccviz.problem.sizes import Sizes
from ccviz.solvers.lp_box import CoupledSplitting, Splitting, to_sphere

MUST = np.array([[0, 1], [1, 2], [3, 4]])
CANNOT = np.array([[0, 5], [2, 6]])


def after_three_iterations(kind):
    rng = np.random.default_rng(0)
    X, x = rng.normal(size=(12, 2)), np.eye(3)[rng.integers(3, size=12)]
    made = kind(X, x, MUST, CANNOT, Sizes(np.array([4, 4, 4]), np.array([4, 4, 4])), 20.0)
    for _ in range(3):
        made.iterate()
    return made


@pytest.fixture(params=[Splitting, CoupledSplitting])
def splitting(request):
    return after_three_iterations(request.param)


@pytest.fixture
def coupled():
    return after_three_iterations(CoupledSplitting)


def lagrangian(splitting, x, w, copies):
    """Return the value of eq. 8 where the given variables are replaced."""
    rho = splitting.rho

    def held(multiplier, gap):
        return (multiplier * gap).sum() + rho / 2 * (gap**2).sum()

    means = w.T @ splitting.X
    total = (x * ((splitting.X[:, None] - means) ** 2).sum(axis=2)).sum()
    total += held(splitting.y_sum, x.sum(axis=1) - 1)
    total += held(splitting.y_box, x - splitting.z_box)
    total += held(splitting.y_sphere, x - splitting.z_sphere)
    total += held(splitting.y_size, x.sum(axis=0) - splitting.size_target)
    if isinstance(splitting, CoupledSplitting):
        total += held(splitting.y_means, x - w * x.sum(axis=0))
    for each, copy in zip(splitting.pair_products, copies, strict=True):
        together = (copy[each.pairs[:, 0]] * x[each.pairs[:, 1]]).sum()
        total += held(np.array(each.y), np.array(together - each.target))
        total += held(each.y_copy, x - copy)
    return total


def steepest(function, at):
    """Return the largest entry of the gradient by central differences."""
    slopes = []
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-5
        slopes.append(abs(function(at + step) - function(at - step)) / 2e-5)
    return max(slopes)


def copies_of(splitting):
    return [each.z for each in splitting.pair_products]


def test_x_is_stationary_after_its_update(splitting):
    w, copies = splitting.w, copies_of(splitting)

    def value(x):
        return lagrangian(splitting, x, w, copies)

    assert steepest(value, splitting.x) > 1.0
    splitting.update_x()
    assert steepest(value, splitting.x) < 1e-4


def test_w_is_stationary_after_the_papers_update(coupled):
    coupled.update_w()
    x, copies = coupled.x, copies_of(coupled)
    assert steepest(lambda w: lagrangian(coupled, x, w, copies), coupled.w) < 1e-4


@pytest.mark.parametrize("which", [0, 1])
def test_pair_copies_are_stationary_after_their_update(splitting, which):
    splitting.pair_products[which].update_copy(splitting.x, splitting.rho)

    def value(copy):
        copies = copies_of(splitting)
        copies[which] = copy
        return lagrangian(splitting, splitting.x, splitting.w, copies)

    assert steepest(value, splitting.pair_products[which].z) < 1e-4


def test_the_sphere_goes_through_the_binary_points():
    rng = np.random.default_rng(1)
    binary = rng.integers(2, size=(5, 3)).astype(float)
    np.testing.assert_allclose(to_sphere(binary), binary)
    projected = to_sphere(rng.normal(size=(5, 3)))
    assert ((projected - 0.5) ** 2).sum() == pytest.approx(15 / 4)


def test_size_targets_stay_within_a_range():
    rng = np.random.default_rng(2)
    x = np.eye(2)[rng.integers(2, size=10)]
    sizes = Sizes(np.array([2, 4]), np.array([6, 8]))
    splitting = Splitting(rng.normal(size=(10, 2)), x, MUST[:0], CANNOT[:0], sizes, 1.0)
    for _ in range(5):
        splitting.iterate()
        assert (splitting.size_target >= sizes.lower).all()
        assert (splitting.size_target <= sizes.upper).all()


def on_a_line(kind):
    """Return the splitting of twelve points at -1 and 1; two of them start in the wrong cluster."""
    X, none = np.repeat([-1.0, 1.0], 6)[:, None], np.zeros((0, 2), dtype=np.int64)
    labels = np.array([0] * 5 + [1] + [1] * 5 + [0])
    made = kind(X, np.eye(2)[labels], none, none, None, 20.0)
    for iteration in range(1, 301):
        made.iterate()
        made.rho *= 1.1 if iteration % 5 == 0 else 1.0
    return labels, made


def test_the_printed_coupling_holds_the_start_and_its_multiplier_stays_zero():
    labels, printed = on_a_line(CoupledSplitting)
    assert printed.x.argmax(axis=1).tolist() == labels.tolist()
    assert np.abs(printed.y_means).max() < 1e-6
    assert np.allclose(printed.w, printed.x / printed.x.sum(axis=0))
    _, ours = on_a_line(Splitting)
    found = ours.x.argmax(axis=1)
    assert len(set(found[:6])) == len(set(found[6:])) == 1
    assert found[0] != found[6]
