import numpy as np

from ccviz.views.frames.race import Lane
from ccviz.views.panels.race import RacePanel


def lane(gap):
    some = np.array([1.0])
    return Lane("run", some, some, some, np.array([gap]), some, some)


def test_gaps_are_drawn_from_two_runs_on_until_a_person_chooses(session):
    panel = RacePanel(session, in_front=False)
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap, log"
    panel._choose_kind([lane(0.1), lane(np.nan)])  # the axis cannot show a gap of 0
    assert panel._kind.value == "Bounds"
    panel._kind.value = "Gap"
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap"
