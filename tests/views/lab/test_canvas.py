import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.views.draft import draft_of
from ccviz.views.frames.scatter import plane
from ccviz.views.lab.painter import Painter, blank_plane, spray, with_points, within, without_points
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lab.state import Screen
from ccviz.views.link_table import Link


def square():
    """Return four corners with two classes and a link across."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    data = Dataset("square", X, ("x0", "x1"), np.array([0, 0, 1, 1]), ("a", "b"))
    return draft_of(data, 2).with_links([Link("cannot", 0, 3), Link("must", 1, 3)])


def test_a_first_stroke_on_an_empty_sheet_is_a_data_set():
    painted = with_points(None, blank_plane(), np.array([[1.0, 2.0], [3.0, 4.0]]), cluster=1)
    assert painted.data.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert painted.data.truth.tolist() == [1, 1]
    assert painted.k == 1
    more = with_points(painted, plane(painted, "x0", "x1"), np.array([[5.0, 5.0]]), cluster=2)
    assert more.data.truth.tolist() == [1, 1, 2]
    assert more.k == 3
    assert more.problem.n == 3


def test_points_are_added_at_the_end_so_that_links_stay():
    painted = with_points(square(), plane(square(), "x1", "x0"), np.array([[7.0, 8.0]]), cluster=3)
    assert painted.data.X[-1].tolist() == [8.0, 7.0]
    assert painted.data.classes == ("a", "b", "class 3", "class 4")
    assert painted.links == square().links


def test_erased_points_take_their_links_along_and_the_others_are_renumbered():
    left = without_points(square(), plane(square(), "x0", "x1"), [0])
    assert left.data.X.tolist() == square().data.X[1:].tolist()
    assert left.links == (Link("must", 0, 2),)
    assert left.data.truth.tolist() == [0, 1, 1]


def test_the_last_points_stay():
    with pytest.raises(CcvizError, match="empty sheet"):
        without_points(square(), plane(square(), "x0", "x1"), [0, 1, 2, 3])


def test_data_of_many_features_become_what_is_drawn():
    iris = draft_of(load("iris"))
    where = plane(iris, "PC 1", "PC 2")
    painted = with_points(iris, where, np.array([[9.0, 9.0]]), cluster=0)
    assert painted.data.features == ("x0", "x1")
    np.testing.assert_allclose(painted.data.X[:150, 0], where.x)
    assert painted.k == 3
    assert painted.data.classes == iris.data.classes


def test_a_brush_sprays_the_same_points_for_the_same_seed():
    points = spray((3.0, -2.0), (0.5, 0.1), (1, 2), 400)
    assert np.array_equal(points, spray((3.0, -2.0), (0.5, 0.1), (1, 2), 400))
    np.testing.assert_allclose(points.mean(axis=0), [3.0, -2.0], atol=0.1)
    np.testing.assert_allclose(points.std(axis=0), [0.5, 0.1], rtol=0.2)


def test_an_eraser_is_an_ellipse_on_its_way():
    where = plane(square(), "x0", "x1")
    way = np.array([[-0.5, 0.0], [-0.5, 1.0]])
    assert within(where, way, (0.6, 0.1)).tolist() == [0, 2]
    assert within(where, way, (0.4, 0.1)).tolist() == []


SCREEN = Screen((0.0, 10.0), (0.0, 10.0), 500.0, 500.0)


@pytest.fixture
def painter(archive):
    """Return a painter whose session has iris."""
    session = Session(archive, RunQueue(), load("iris"))
    yield Painter(session)
    session.close()


def stroke(painter, where, *places):
    for place in places:
        painter.move(place, SCREEN)
    painter.lift(where, SCREEN)


def test_a_stroke_is_one_edit(painter):
    session = painter._session
    painter.take_blank()
    stroke(painter, blank_plane(), (2.0, 2.0), (2.001, 2.0), (4.0, 2.0))
    assert session.draft.data.name == "painted"
    assert session.draft.n == 8  # the second place lay within the brush
    assert not painter.blank
    session.edits.undo()
    assert session.draft.data.name == "iris"


def test_a_single_point_and_its_eraser(painter):
    session = painter._session
    painter.take_blank()
    painter.tool = "point"
    stroke(painter, blank_plane(), (2.0, 2.0), (8.0, 8.0))
    assert session.draft.data.X.tolist() == [[2.0, 2.0], [8.0, 8.0]]
    painter.tool = "erase"
    where = plane(session.draft, "x0", "x1")
    stroke(painter, where, (2.1, 2.1))
    assert session.draft.data.X.tolist() == [[8.0, 8.0]]
    stroke(painter, plane(session.draft, "x0", "x1"), (8.0, 8.0))
    assert "cannot be erased" in session.notice.text


def test_axes_stay_while_points_are_painted(painter):
    session = painter._session
    session.edits.load(load("moons"))
    session.show_axes("x1", "x0")
    painter.toggle()
    stroke(painter, plane(session.draft, "x1", "x0"), (0.5, 0.5))
    assert (session.x_axis, session.y_axis) == ("x1", "x0")
