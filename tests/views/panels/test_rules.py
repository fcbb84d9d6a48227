"""The rules of the left rail, without a browser."""

from ccviz.views.panels.rules import RulesPanel


def test_a_rule_is_added_refused_and_taken_away(session):
    panel = RulesPanel(session)
    assert panel.rows == []
    panel._handle_msg({"what": "toggle"})
    assert (panel.shown, panel.runs) == (True, [])
    add = {"what": "add", "kind": 0, "named": ""}
    panel._handle_msg(add | {"limit": "wide"})
    assert "a number of at least 0" in panel.refused
    panel._handle_msg(add | {"limit": "4"})
    assert panel.refused == ""
    assert panel.rows == [{"words": "diameter at most 4", "verdict": "", "holds": True}]
    panel._handle_msg({"what": "drop", "place": 0})
    assert panel.rows == []
    panel._handle_msg({"what": "toggle"})
    assert not panel.shown
