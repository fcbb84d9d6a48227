import numpy as np
import pytest
from bokeh.events import Tap
from bokeh.models import BoxAnnotation, CustomAction

from ccviz.data.datasets import load
from ccviz.studies.sweep import Curve
from ccviz.views.draft import draft_of
from ccviz.views.figures.curves import save_sweep, sweep_plots
from ccviz.views.figures.matrix import PairsFigure
from ccviz.views.figures.overlays import along, density
from ccviz.views.frames.links import Lines
from ccviz.views.frames.scatter import pairs
from ccviz.views.lab.state import Screen
from ccviz.views.palette import DARK, LIGHT


@pytest.fixture
def tapped():
    """Return the list of what was clicked."""
    return []


@pytest.fixture
def figure(tapped):
    """Return the scatter matrix of iris."""
    frame = pairs(draft_of(load("iris")))
    return PairsFigure(LIGHT, frame, lambda *names: tapped.append(names))


def test_one_plot_for_each_pair(figure):
    assert [plot.name for plot in figure.plots] == [
        "pairs-0-1", "pairs-0-2", "pairs-1-2", "pairs-0-3", "pairs-1-3", "pairs-2-3",
    ]  # fmt: skip
    assert [plot.yaxis.visible for plot in figure.plots] == [True, True, False, True, False, False]
    axis = figure.plots[0].xaxis[0]
    assert axis.axis_label.text == load("iris").features[0]


def test_labels_and_rings(figure):
    labels = np.arange(150) % 3
    figure.show_labels(labels)
    assert np.array_equal(figure._source.data["label"], labels)
    X = load("iris").X
    figure.show_picked(X, load("iris").features, (3, 140))
    assert figure._picked.data["c2"].tolist() == X[[3, 140], 2].tolist()
    figure.apply_theme(DARK)
    assert figure.plots[0].background_fill_color == DARK.paper


def test_a_click_names_its_features(figure, tapped):
    figure.plots[2]._trigger_event(Tap(figure.plots[2]))
    assert tapped == [load("iris").features[1:3]]


def test_a_cell_has_its_own_picture_tools_and_few_ticks(figure):
    for plot in figure.plots:
        assert [type(tool) for tool in plot.tools] == [CustomAction]
        assert plot.toolbar_location == "above"
        assert plot.xaxis.ticker.desired_num_ticks == 3


# --- Density --------------------------------------------------------------------------------------


SCREEN = Screen((0.0, 4.0), (0.0, 2.0), 40.0, 20.0)
COLORS = ["#ff0000", "#0000ff"]


def channel(image, place):
    return (image >> (8 * place)) & 0xFF


def test_points_take_the_colours_of_their_clusters():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 1, 4000), rng.uniform(3, 4, 4000)])
    y = rng.uniform(0, 2, 8000)
    labels = np.repeat([0, 1], 4000)
    image = density(x, y, labels, COLORS, SCREEN)
    assert image.shape == (20, 40)
    left, right, between = image[:, :8], image[:, -8:], image[:, 14:26]
    assert (channel(left, 0) > 200).all()
    assert (channel(left, 2) == 0).all()
    assert (channel(right, 2) > 200).all()
    assert (channel(between, 3) == 0).all()


def test_low_rows_come_first_and_what_is_out_of_view_is_left_out():
    image = density(np.full(9, 0.05), np.full(9, 0.05), np.zeros(9, int), COLORS, SCREEN)
    assert channel(image, 3)[0, 0] > 0
    assert (channel(image, 3)[10:] == 0).all()
    image = density(np.array([9.0]), np.array([1.0]), np.array([0]), COLORS, SCREEN)
    assert (channel(image, 3) == 0).all()


# --- Link density ---------------------------------------------------------------------------------


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


# --- Sweep ----------------------------------------------------------------------------------------


def curves():
    p = np.array([0.0, 0.1, 0.2])
    return [
        Curve(noise, p, np.array(ari), np.zeros(3))
        for noise, ari in ((0.0, [0.1, 0.99, 1.0]), (0.2, [0.2, 0.9, 0.3]))
    ]


def test_shades_the_good_range_and_darker_the_common_one():
    plots = [plot for plot, *_ in sweep_plots(curves()).children]
    spans = [
        sorted(
            ((box.left, box.right) for box in plot.select(BoxAnnotation) if box.fill_alpha < 0.5),
            reverse=True,
        )
        for plot in plots
    ]
    assert spans == [[(0.1, 0.2), (0.1, 0.1)], [(0.1, 0.1), (0.1, 0.1)]]


def test_the_page_needs_nothing_else(tmp_path):
    save_sweep(curves(), tmp_path / "sweep.html")
    page = (tmp_path / "sweep.html").read_text()
    assert "noise q = 0.2" in page
    assert '<script type="text/javascript" src=' not in page
    assert "<link" not in page
