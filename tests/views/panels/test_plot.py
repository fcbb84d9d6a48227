import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.panels.plot import PlotPanel
from ccviz.views.panels.scatter import Legend, ScatterPanel
from tests.patience import tick_until
from tests.views.person import At

NAMES = ("setosa", "versicolor", "virginica")


@pytest.fixture
def plot(session):
    """Return the plot with its bar."""
    return At(PlotPanel(session, Inspection(session.archive, session.player), Painter(session)))


def test_points_take_the_colours_of_their_classes_and_give_them_back(plot, session):
    legend = plot.of(Legend)
    assert legend.rows == []
    plot.press("Classes")
    assert [row["words"] for row in legend.rows] == [f"{name}: 50" for name in NAMES]
    assert session.draft.data.classes == NAMES
    assert plot["Classes"].button_type == "primary"
    plot.press("Classes")
    assert legend.rows == []


def test_data_without_classes_offer_none(plot, session):
    assert plot["Classes"].visible
    session.edits.load(Dataset("bare", np.arange(12.0).reshape(6, 2), ("x", "y")))
    assert not plot["Classes"].visible


def run_to_its_end(session, meanwhile=None):
    session.player.pace = "Live"
    session.start()
    if meanwhile is not None:
        session.cluster_colors.keep(meanwhile)

    tick_until(session, lambda: session.run is not None and session.run.finished is not None)


def test_the_next_run_of_the_same_points_ends_in_the_same_colours(session):
    plot = ScatterPanel(session)
    run_to_its_end(session)
    first = plot.labels
    assert set(first) == {0, 1, 2}
    run_to_its_end(session, meanwhile=(first + 1) % 3)  # as a start at random may look
    assert plot.labels.tolist() == first.tolist()
    answer = session.run.incumbent
    assert session.cluster_colors.of(answer).tolist() == first.tolist()


def test_many_clusters_leave_the_plot_its_room(session):
    legend = Legend(session)
    legend.show(np.arange(24), {})
    assert (len(legend.rows), legend.more) == (24, 0)
    legend.show(np.repeat(np.arange(100), 2), {})
    assert (len(legend.rows), legend.more) == (12, 88)
    assert legend.rows[0]["words"] == "0: 2"
    legend.show(np.array([-1]), {})
    assert (legend.rows, legend.more) == ([], 0)
