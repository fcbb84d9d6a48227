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
    assert panel.rows == [
        {"words": "diameter at most 4", "verdict": "", "holds": True, "joins": True}
    ]
    panel._handle_msg({"what": "drop", "place": 0})
    assert panel.rows == []
    panel._handle_msg({"what": "toggle"})
    assert not panel.shown


def test_the_form_joins_a_rule_to_another(session):
    panel = RulesPanel(session)
    panel._handle_msg({"what": "add", "kind": 0, "named": "", "limit": "4"})
    panel._handle_msg({"what": "join", "place": 0})
    assert (panel.shown, panel.joined) == (True, 0)
    panel._handle_msg({"what": "join", "place": 0})
    assert panel.joined == -1
    panel._handle_msg({"what": "join", "place": 0})
    panel._handle_msg({"what": "add", "kind": 2, "named": "", "limit": "60"})
    assert [row["words"] for row in panel.rows] == [
        "diameter at most 4, or at most 60 points a cluster"
    ]
    assert panel.joined == -1
