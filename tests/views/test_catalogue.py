from ccviz.events import Assigned, ColumnsPriced, Finished, NodeOpened, RelaxationSolved
from ccviz.views.catalogue import CATALOGUE, views_of
from ccviz.views.panels.inside import PANELS


def names(kinds):
    return [view.name for view in views_of(kinds)]


def test_k_means_has_none_of_the_solvers_views():
    assert names({Assigned, Finished}) == []


def test_views_come_in_the_catalogues_order():
    assert names({RelaxationSolved, NodeOpened}) == ["tree", "relaxation"]
    assert names({NodeOpened, ColumnsPriced}) == ["tree", "columns"]


def test_every_view_has_its_panel():
    assert {view.name for view in CATALOGUE} == PANELS
