import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.panels.plot import PlotPanel


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
