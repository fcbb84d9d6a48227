"""Very many points: a picture, and the points themselves where few are in view."""

import numpy as np
import pytest
from bokeh.models import PlainText

from ccviz.data.datasets import Dataset
from ccviz.views.draft import Draft
from ccviz.views.figures.base import plain_figure
from ccviz.views.figures.overlays import DENSE_FROM
from ccviz.views.figures.scatter import AxisNames, ScatterFigure, shortened
from ccviz.views.figures.tree import with_room
from ccviz.views.frames.links import MOST_LINES, lines, some_of
from ccviz.views.frames.scatter import Coloring, plane
from ccviz.views.link_table import Link, LinkTable
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


def test_a_path_follows_its_points():
    box = Draft(Dataset("box", np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0]]), ("a", "b")), 2)
    figure, where = ScatterFigure(look(False)), plane(box, "a", "b")
    figure.show_path(where, (2, 0, 1))
    lit = figure.plot.select_one({"name": "path"}).data_source.data
    assert lit["x"].tolist() == [0, 0, 1]
    assert lit["y"].tolist() == [4, 0, 0]


def test_crosses_of_many_centres_do_not_hide_the_points(figure):
    crosses = [
        each.glyph for each in figure.plot.renderers if getattr(each.glyph, "marker", "") == "cross"
    ]
    covered = []
    for k in (3, 30, 300):
        centers = np.random.default_rng(0).random((k, 2))
        figure.show_clusters(Coloring(np.arange(N) % k, centers, np.arange(k)))
        covered.append(sum(k * glyph.size * glyph.line_width for glyph in crosses))
    assert crosses
    assert covered[2] == pytest.approx(covered[1], rel=0.2)
    assert 5 < min(glyph.size for glyph in crosses) < 10


def test_an_empty_part_says_how_points_come_back(figure):
    x = figure.plot.x_range
    whole = x.start, x.end
    for (x.start, x.end), is_empty in ((whole, False), ((1.2, 1.3), True), (whole, False)):
        figure._on_view()
        assert figure._empty.visible == is_empty


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


def test_what_tooltips_say_of_links_stands_in_no_other_column():
    draft = Draft(Dataset("few", np.eye(3), ("x", "y", "z")), 2)
    figure = ScatterFigure(look(False))
    figure.show_plane(plane(draft, "x", "y"))
    figure.say("links", ["must-link 1", "", ""])
    assert figure.points.data["links"][0] == "must-link 1"
    assert list(figure.points.data["name"]) == ["", "", ""]


def test_links_are_drawn_as_faint_as_asked():
    draft = Draft(
        Dataset("few", np.eye(3), ("x", "y", "z")), 2, links=LinkTable.of([Link("must", 0, 1)])
    )
    where = plane(draft, "x", "y")
    must, cannot = (lines(draft, kind, where, np.array([0, 1, 1])) for kind in ("must", "cannot"))
    figure = ScatterFigure(look(False))

    def seen(drawn):
        figure.show_links(must, cannot, drawn)
        assert figure.plot.tags == [drawn]
        return [
            list(each.data_source.data["alpha"])
            for each in figure.plot.renderers
            if len(each.data_source.data.get("alpha", ()))
        ]

    glow, line = seen("all")
    assert 0 < glow[0] < line[0] == 1
    assert seen("faded")[1][0] < 1
    assert seen("broken") == [glow, line]
    assert seen("near") == [[0], [0]]


def test_thousands_of_links_are_a_picture_and_the_broken_ones_lines():
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(0, 200, (9000, 2)), axis=1), axis=0)
    links = tuple(Link("cannot", i, j) for i, j in pairs[pairs[:, 0] < pairs[:, 1]].tolist())
    data = Dataset("many", rng.random((200, 2)), ("x", "y"))
    draft, labels = Draft(data, 2, links=LinkTable.of(links)), np.arange(200) % 20
    where = plane(draft, "x", "y")
    frames = [lines(draft, kind, where, labels) for kind in ("must", "cannot")]
    broken = int(frames[1].broken.sum())
    figure = ScatterFigure(look(False))
    figure.show_plane(where)

    def drawn(how):
        figure.show_links(*frames, how)
        (picture,) = figure.plot.select("link density")
        (segments,) = figure.plot.select("cannot")
        image = picture.data_source.data["image"]
        return len(image), len(segments.data_source.data["x0"]), picture.glyph.global_alpha

    assert len(links) > MOST_LINES > broken > 0
    assert drawn("all") == (1, broken, drawn("all")[2])
    assert drawn("faded")[2] < drawn("all")[2]
    assert drawn("broken")[:2] == (0, broken)
    assert drawn("near")[:2] == (0, MOST_LINES)
    few = [some_of(frame, np.arange(len(frame.x0)) < 9) for frame in frames]
    figure.show_links(*few)
    assert len(figure.plot.select("link density")[0].data_source.data["image"]) == 0


def test_the_wheel_leads_neither_far_past_the_points_nor_into_nothing(figure):
    axis = figure.plot.y_range
    (low, high), (least, most) = (axis.start, axis.end), axis.bounds
    assert least < low < 0 < 3 < high < most
    assert most - least == pytest.approx(3 * (high - low))
    assert 0 < axis.min_interval < 1e-4 * (high - low)


X, Y = np.array([0.0, 30.0, 100.0, 100.0]), np.array([0.0, 0.0, 0.0, 40.0])
WIDE = np.full(4, 50.0)


@pytest.mark.parametrize(
    ("width", "height", "order", "written"),
    [
        (WIDE, 20.0, [0, 1, 2, 3], [True, False, True, True]),  # what the first covers is not
        (WIDE, 20.0, [1, 0, 2, 3], [False, True, True, True]),
        (WIDE, 41.0, [2, 3], [False, False, True, False]),  # over one another
        (np.array([0.0, 50.0, 0.0, 0.0]), 20.0, range(4), [False, True, False, False]),  # empty
    ],
)
def test_labels_are_written_where_there_is_room(width, height, order, written):
    assert with_room(X, Y, width, height, order).tolist() == written


def labels(plot):
    return [axis.axis_label.text for axis in (*plot.xaxis, *plot.yaxis)]


def test_names_stand_at_the_axes_as_they_are():
    plot = plain_figure("a")
    AxisNames(plot).show("$$x^2$$", r"\(y\)")
    assert labels(plot) == ["$$x^2$$", r"\(y\)"]
    assert all(isinstance(axis.axis_label, PlainText) for axis in plot.axis)


def test_a_name_is_as_long_as_its_axis_at_most():
    plot = plain_figure("a")
    AxisNames(plot).show("age of the customer", "PC 2 (5% of the variance)")
    plot.trigger("inner_height", None, None)
    whole = labels(plot)
    plot._property_values["inner_width"], plot._property_values["inner_height"] = 600, 100
    plot.trigger("inner_height", 450, 100)
    assert labels(plot)[0] == whole[0] == "age of the customer"
    short = labels(plot)[1]
    assert short.endswith("…")
    assert whole[1].startswith(short[:-1])
    assert len(short) * 6 < 100


def test_no_space_is_left_before_the_dots():
    assert [shortened("ab cd", most) for most in (5, 4, 3)] == ["ab cd", "ab…", "ab…"]
