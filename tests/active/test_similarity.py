"""Views of similarity."""

import numpy as np
import pytest

from ccviz.active.belief import views


@pytest.mark.parametrize("n", [4, 30])
def test_every_view_is_a_similarity(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    for view in views(X, 2, seed=0):
        assert view.shape == (n, n)
        assert np.diag(view) == pytest.approx(1)
        assert view == pytest.approx(view.T)
        assert np.linalg.eigvalsh(view).min() > -1e-9


def test_points_that_coincide_are_alike_in_every_view():
    assert all(np.isfinite(view).all() for view in views(np.zeros((6, 2)), 2, seed=0))
