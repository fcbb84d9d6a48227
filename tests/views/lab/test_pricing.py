"""Prices of the run shown: proved in a process of their own, kept with it, ended with it."""

import pytest

from ccviz.views.lab.queued_call import Pricing
from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.links import LinkList, LinksPanel
from tests.patience import tick_until
from tests.views.person import At

LINKS = [Link("must", 0, 1), Link("must", 2, 60), Link("cannot", 3, 70)]


class PricedApart(SessionHere):
    """A session whose runs take no process, but whose prices do."""

    pricing_kind = Pricing


@pytest.fixture
def session_kind():
    """Return the class of the session."""
    return PricedApart


def price(session):
    """Prove the prices of the run shown, to the end."""
    session.pricing.start()
    tick_until(session, lambda: not session.needs_tick)


def run_proof(session):
    session.edits.add_links(LINKS)
    session.set_solver("sdp")
    session.start()


def test_prices_are_proved_listed_kept_and_said_to_be_of_before_an_edit(session):
    panel = At(LinksPanel(session))
    assert not session.pricing.may_start
    run_proof(session)
    assert session.pricing.may_start
    price(session)
    assert all(row.is_proved for row in session.pricing.known.rows)
    assert [row["pair"] for row in panel.of(LinkList).rows] == ["3 – 70", "2 – 60", "0 – 1"]
    panel["Highest first"].value = True
    first = panel.of(LinkList).rows[0]
    assert (first["pair"], first["share"]) == ("2 – 60", 1.0)
    assert "proved" in first["words"]
    assert panel.text.count("3 of 3 prices proved") == 1
    session.as_edited = False
    kept, run_id = session.pricing.known.rows, session.player.run_id
    session.edits.remove_links([LINKS[1]])
    assert "before your last edit" in panel.text
    session.start()
    assert session.pricing.known is None
    session.open_run(run_id)
    assert session.pricing.known.rows == kept
    assert not session.pricing.busy


def test_a_proof_of_prices_ends_when_told_and_with_its_run(session):
    with pytest.raises(Exception, match="proven optimum"):
        session.pricing.start()
    run_proof(session)
    session.pricing.start()
    assert session.needs_tick
    assert session.runner._queue.join().waiting == 1  # it has its place in the line
    session.pricing.stop()
    assert not session.needs_tick
    session.pricing.start()
    session.edits.set_scaling("standard")  # other points: the run is closed
    assert not session.pricing.busy
