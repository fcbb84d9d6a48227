import dataclasses

import pytest

from ccviz.data import load
from ccviz.events import ColumnsPriced, Finished, NodeOpened, RelaxationSolved, Started
from ccviz.runs.archive import Archive
from ccviz.views.inside import CATALOGUE, _refuse
from ccviz.views.lab.inspection import Inspection, views_of
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session


def names(kinds):
    return [view.name for view in views_of(kinds, CATALOGUE)]


def test_a_run_has_no_view_without_its_events():
    assert names({Started, Finished}) == []


def test_views_come_in_the_catalogues_order():
    assert names({RelaxationSolved, NodeOpened}) == ["tree", "relaxation"]
    assert names({NodeOpened, ColumnsPriced}) == ["tree", "columns"]


@pytest.mark.parametrize("view", CATALOGUE, ids=lambda view: view.name)
def test_every_view_can_be_drawn_where_there_is_no_run(view, tmp_path):
    with Archive(tmp_path / "runs.sqlite") as archive:  # this file is also run by itself
        session = Session(archive, RunQueue(), load("iris"))
        panel = view.panel(session, Inspection(archive, session.player, CATALOGUE))
        panel.refresh()
        assert panel.__panel__() is not None
        session.close()


def test_a_view_of_nonsense_is_left_out():
    right = CATALOGUE[0]
    assert _refuse(right) == ""
    for wrong in ({"name": 5}, {"title": None}, {"panel": "x"}, {"events": [5]}, {"logs": [5]}):
        assert _refuse(dataclasses.replace(right, **wrong))
