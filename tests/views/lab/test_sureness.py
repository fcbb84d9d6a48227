"""How sure points are on the page: bounds in a process, on the plot, and in questions."""

import pytest

from ccviz.views.frames.links import answer_words
from ccviz.views.lab.queued_call import Sureness
from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.prices import SureTools
from ccviz.views.panels.scatter import ScatterPanel
from tests.patience import tick_until
from tests.views.person import At


@pytest.fixture
def session_kind():
    """Return the class of the session."""
    return SessionHere


@pytest.mark.slow
def test_points_that_might_leave_lose_their_colour(session):
    plot, tools = ScatterPanel(session), At(SureTools(session))
    assert not session.sureness.may_start
    with pytest.raises(Exception, match="proven optimum"):
        session.sureness.start()
    session.set_solver("sdp")
    session.start()
    assert tools["How sure"].visible
    tools.press("How sure")
    assert isinstance(session.sureness, Sureness)
    assert session.sureness.busy

    tick_until(session, lambda: (known := session.sureness.known) and len(known.todo) < 140)
    known = session.sureness.known
    surely = known.surely_there(session.rise)
    assert session.rise == 0.02
    assert ((plot.labels >= 0) == surely).all()
    assert "proved to belong here unless the cost may rise by more than 2 %" in tools.text
    tools["Show on the plot"].value = False
    assert (plot.labels >= 0).all()
    apart = (int(known.center[0]), int(known.center[1]))
    problem = session.draft.problem
    assert answer_words(known, apart, problem).startswith("“Together” raises the cost by at least")
    session.as_edited = False
    session.edits.add_links([Link("must", *apart)])
    assert answer_words(known, apart, session.draft.problem)
    tools.press("Stop bounds")
    assert not session.sureness.busy
    session.edits.remove_links([Link("must", *apart)])
    session.edits.set_k(4)
    assert answer_words(known, apart, session.draft.problem) == ""
