import numpy as np

from ccviz.views.figures.overlays import along
from ccviz.views.frames.links import Lines
from ccviz.views.lab.state import Screen

SCREEN = Screen((0.0, 4.0), (0.0, 2.0), 40.0, 20.0)


def frame(*ends):
    x0, y0, x1, y1 = np.array(ends, dtype=float).reshape(-1, 4).T
    m = len(x0)
    return Lines(x0, y0, x1, y1, np.zeros(m, bool), np.zeros(m, bool), [""] * m, np.full(m, np.nan))


def test_places_lie_along_the_part_in_view():
    must = frame((-4, 1, 8, 1), (1, -9, 1, 9))
    cannot = frame((0, 0, 4, 2), (9, 9, 10, 10), (5, 0, 5, 2))  # the last two are out of view
    x, y, kind = along((must, cannot), SCREEN)
    assert set(kind) == {0, 1}
    assert (np.bincount(kind) == [2 * len(x) // 3, len(x) // 3]).all()
    assert x.min() >= 0
    assert x.max() <= 4
    assert y.min() >= 0
    assert y.max() <= 2
    across = y[(kind == 0) & (y == 1)]
    assert len(across) >= len(x) // 3
    assert np.allclose(x[kind == 1], 2 * y[kind == 1])


def test_of_very_many_lines_some_stand_for_all():
    rng = np.random.default_rng(0)
    x, _, kind = along((frame(*rng.random((50_000, 4))), frame()), SCREEN)
    assert 0 < len(x) <= 4_000_000
    assert (kind == 0).all()


def test_lines_that_are_points_or_missing_are_no_trouble():
    x, y, _ = along((frame((1, 1, 1, 1)), frame()), SCREEN)
    assert len(x) == len(y)
    assert len(along((frame(), frame()), SCREEN)[0]) == 0
