import numpy as np
import pytest
from bokeh.events import Tap
from bokeh.models import CustomAction

from ccviz.data.datasets import load
from ccviz.views.draft import draft_of
from ccviz.views.figures.matrix import PairsFigure
from ccviz.views.frames.scatter import pairs
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
