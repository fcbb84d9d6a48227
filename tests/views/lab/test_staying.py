"""As little change as possible on the page: after a run, the nearest clustering is shown."""

import numpy as np
import pytest

from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.scatter import ScatterPanel
from tests.patience import wait_until


@pytest.fixture
def session_kind():
    """Return the class of the session."""
    return SessionHere


@pytest.mark.slow
def test_few_points_move_and_say_why(session):
    plot = ScatterPanel(session)
    session.as_edited = False
    session.set_solver("sdp")
    session.start()
    shown = plot.labels.copy()
    session.staying.wanted = True
    assert not session.staying.busy  # there is no clustering before
    session.edits.add_links([Link("must", 0, 60), Link("cannot", 100, 120)])
    session.start()

    def found():
        session.tick()
        return session.staying.found is not None

    wait_until(found)
    change = session.staying.found
    partition = change.partition
    assert partition.violations.none_hard
    assert partition.objective <= 1.01 * session.run.objective + 1e-9
    assert len(change.moved) <= (session.run.incumbent.labels != change.old).sum()
    assert (plot.labels != shown).sum() == len(change.moved) > 0
    assert "changed cluster (circled)" in plot.legend.note
    words = plot._figure._points.data["links"]
    assert all("Moved" in words[point] for point in change.moved)
    session.staying.wanted = False
    assert session.staying.found is None
    assert plot.legend.note == ""
    assert np.unique(plot.labels).tolist() == [0, 1, 2]
