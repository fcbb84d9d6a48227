import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.panels.plot import PlotPanel
from tests.patience import wait_until


def test_points_take_the_colours_of_their_classes_and_give_them_back(session):
    panel = PlotPanel(session, Inspection(session.archive, session.player), Painter(session))
    assert set(panel._scatter.labels) == {-1}
    panel._classes.clicks += 1
    assert panel._scatter.labels.tolist() == session.draft.data.truth.tolist()
    assert panel._classes.button_type == "primary"
    panel._classes.clicks += 1
    assert set(panel._scatter.labels) == {-1}


def test_data_without_classes_offer_none(session):
    panel = PlotPanel(session, Inspection(session.archive, session.player), Painter(session))
    assert panel._classes.visible
    session.load(Dataset("bare", np.arange(12.0).reshape(6, 2), ("x", "y")))
    assert not panel._classes.visible


def run_to_its_end(session, meanwhile=None):
    session.player.pace = "Live"
    session.start()
    if meanwhile is not None:
        session.cluster_colors.keep(meanwhile)

    def ended():
        session.tick()
        return session.run is not None and session.run.finished is not None

    wait_until(ended)


def test_the_next_run_of_the_same_points_ends_in_the_same_colours(session):
    panel = PlotPanel(session, Inspection(session.archive, session.player), Painter(session))
    run_to_its_end(session)
    first = panel._scatter.labels
    assert set(first) == {0, 1, 2}
    run_to_its_end(session, meanwhile=(first + 1) % 3)  # as a start at random may look
    assert panel._scatter.labels.tolist() == first.tolist()
    answer = session.run.incumbent
    assert session.cluster_colors.of(answer).tolist() == first.tolist()
