import numpy as np

from ccviz import Problem
from ccviz.runs.run import Run
from ccviz.views.frames.bounds import Lane
from ccviz.views.panels.result import RacePanel
from ccviz.views.panels.right import ProofBounds
from tests.views.panels.test_node import chosen
from tests.views.person import At


def lane(gap):
    some = np.array([1.0])
    return Lane("run", some, some, some, np.array([gap]), some, some)


def test_runs_of_another_problem_are_named(session):
    panel = RacePanel(session, in_front=False)
    near, far = (Run(Problem([[0.0], [1.0], [4.0]], k)) for k in (2, 1))
    panel._warn([("this run", near), ("the same again", near)])
    assert not panel._other.visible
    panel._warn([("this run", near), ("the same again", near), ("one cluster", far)])
    assert panel._other.visible
    assert "one cluster" in panel._other.object
    assert "again" not in panel._other.object


def test_gaps_are_drawn_from_two_runs_on_until_a_person_chooses(session):
    panel = RacePanel(session, in_front=False)
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap, log"
    panel._choose_kind([lane(0.1), lane(np.nan)])  # the axis cannot show a gap of 0
    assert panel._kind.value == "Bounds"
    panel._kind.value = "Gap"
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap"


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
    assert not At(panel).seen
    session.player.end()
    panel.refresh()
    assert At(panel).seen
    assert moments(panel)[1]
