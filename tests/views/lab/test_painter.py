import pytest

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.views.frames.scatter import plane
from ccviz.views.lab.canvas import blank_plane
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.picker import Screen
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session

SCREEN = Screen((0.0, 10.0), (0.0, 10.0), 500.0, 500.0)


@pytest.fixture
def painter(tmp_path):
    """Return a painter whose session has iris."""
    with Archive(tmp_path / "runs.sqlite") as archive:
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
    session.undo()
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
    session.load(load("moons"))
    session.show_axes("x1", "x0")
    painter.toggle()
    stroke(painter, plane(session.draft, "x1", "x0"), (0.5, 0.5))
    assert (session.x_axis, session.y_axis) == ("x1", "x0")
