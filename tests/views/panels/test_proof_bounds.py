import numpy as np

from ccviz.views.panels.proof_bounds import ProofBounds
from tests.views.panels.test_node import chosen


def moments(panel):
    return panel._moments._source.data["at"], panel._moments._chosen.visible


def test_the_life_of_the_chosen_node_is_on_the_bounds(session, problem, tree_records):
    inspection = chosen(session, problem, tree_records(21), 5)
    panel = ProofBounds(session, inspection)
    panel.refresh()
    at, lit = moments(panel)
    assert lit
    assert len(at)
    assert np.all(np.diff(at) >= 0)
    inspection.select(None)
    at, lit = moments(panel)
    assert not lit
    assert len(at) == 0


def test_nothing_is_drawn_before_a_bound_is_proved(session, problem, tree_records):
    inspection = chosen(session, problem, tree_records(21), 0)
    panel = ProofBounds(session, inspection)
    session.player.seek(1)
    panel.refresh()
    assert not panel._pane.visible
    session.player.end()
    panel.refresh()
    assert panel._pane.visible
    assert moments(panel)[1]
