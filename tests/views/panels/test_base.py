from pathlib import Path

from ccviz.views import panels
from ccviz.views.panels.base import Panel, reactions, watches


class Listener(Panel):
    """Writes down what it hears."""

    def __init__(self, session):
        super().__init__()
        self.heard = []
        self.follow(session, painter=None)

    @watches("picked", "asking.active", "painter.active")
    def first(self, *events):
        self.heard += [("first", event.name) for event in events]

    @watches("picked")
    def second(self, _):
        self.heard.append(("second", "picked"))


def test_methods_hear_in_the_order_in_which_they_are_declared(session):
    listener = Listener(session)
    session.picked = (1,)
    session.asking.active = True
    assert listener.heard == [("first", "picked"), ("second", "picked"), ("first", "active")]


def test_nothing_is_heard_once_the_session_has_ended(session):
    listener = Listener(session)
    session.close()
    session.picked = (1,)
    assert listener.heard == []


def test_who_reacts_is_listed():
    assert {("Listener", "first"), ("Listener", "second")} <= set(reactions("picked"))


def test_no_panel_shows_html_in_another_way():
    """Panel's own pane, in a hidden tab, loads sheets from a CDN (`upstream.html_pane`)."""
    sources = sorted(Path(panels.__file__).parent.glob("*.py"))
    assert "base.py" in {source.name for source in sources}
    others = [source.name for source in sources if "pane.HTML" in source.read_text("utf-8")]
    assert others == []
