"""Very many points: a picture, and the points themselves where few are in view."""

import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.views.draft import Draft
from ccviz.views.figures.density import DENSE_FROM
from ccviz.views.figures.scatter import ScatterFigure
from ccviz.views.frames.scatter import Coloring, plane
from ccviz.views.palette import look

N = 4 * DENSE_FROM
NOWHERE = np.zeros((0, 2)), np.zeros(0, dtype=np.int64)


@pytest.fixture
def figure():
    """Return a figure of points in four equal rows, 0 to 3 up."""
    X = np.column_stack([np.linspace(0, 1, N), np.arange(N) % 4])
    draft = Draft(Dataset("rows", X, ("x", "y")), 2)
    figure = ScatterFigure(look(False))
    figure.show_plane(plane(draft, "x", "y"))
    return figure


def zoom(figure, bottom, top):
    figure.plot.y_range.update(start=bottom, end=top)
    figure._redraw()


def picture(figure):
    return next(each for each in figure.plot.renderers if each.name == "density").data_source


def test_of_very_many_points_the_browser_has_a_picture(figure):
    figure.show_clusters(Coloring(np.arange(N) % 2, *NOWHERE))
    assert len(figure.rows) == 0
    assert len(picture(figure).data["image"]) == 1


def test_few_in_view_are_drawn_themselves(figure):
    labels = np.arange(N) // (N // 2)
    figure.show_clusters(Coloring(labels, *NOWHERE))
    zoom(figure, 1.9, 2.1)
    assert np.array_equal(figure.rows, np.arange(2, N, 4))
    assert np.array_equal(figure.points.data["label"], labels[2::4])
    assert len(picture(figure).data["image"]) == 0
    figure.show_clusters(Coloring(1 - labels, *NOWHERE))
    assert np.array_equal(figure.points.data["label"], 1 - labels[2::4])
    zoom(figure, -1.0, 4.0)
    assert len(figure.rows) == 0
    assert len(picture(figure).data["image"]) == 1
