"""How sure points are on the page: bounds in a process, on the plot, and in questions."""

import pytest

from ccviz.problem.rules import RULE_KINDS
from ccviz.views.frames.links import answer_words
from ccviz.views.lab.loading import add_rule, drop_rule
from ccviz.views.lab.queued_call import Sureness
from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.prices import PriceTools, SureTools
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


def test_beside_rules_it_says_why_no_point_has_a_margin(session):
    tools, prices = At(SureTools(session)), At(PriceTools(session))
    session.edits.add_links([Link("must", 0, 1)])
    assert add_rule(session, RULE_KINDS["sum()>="], "20%", session.draft.data.features[0]) == ""
    session.set_solver("sdp")
    session.start()
    assert session.run.status == "optimal"
    for each, name in ((tools, "How sure"), (prices, "Prices")):
        assert not each[name].visible
        assert "no rules are kept" in each.text
    drop_rule(session, session.draft.rules[0])
    session.start()
    assert tools["How sure"].visible
    assert "no rules are kept" not in tools.text
