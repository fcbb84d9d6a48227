from dataclasses import replace

import numpy as np
import panel as pn

from ccviz.data import read_table
from ccviz.data.datasets import load
from ccviz.problem.rules import RULE_KINDS
from ccviz.views.link_table import Link
from ccviz.views.panels.links import LinkList, LinksPanel, LinkTools, PointField, RulesPanel
from tests.views.person import At


def test_points_are_picked_and_names_suggested(session, monkeypatch):
    sent = []
    monkeypatch.setattr(PointField, "_send_msg", lambda _, message: sent.append(message))
    points = PointField(session)
    points._handle_msg({"what": "pick", "text": "3, 999"})
    assert session.notice.text == "'999' is no point: they are 0 to 149."
    assert sent == []
    points._handle_msg({"what": "pick", "text": "3, 140"})
    assert session.picked == (3, 140)
    assert session.notice is None
    assert sent == ["picked"]
    assert not points.named
    names = tuple(f"flower {i}" for i in range(150))
    session.edits.adopt(replace(session.draft, data=replace(session.draft.data, names=names)))
    assert points.named
    points._handle_msg({"what": "type", "text": "flower 3, ER 14"})
    assert points.suggestions["names"][:2] == ["flower 14", "flower 140"]
    assert len(points.suggestions["names"]) == 8


def test_without_a_weight_new_links_are_hard(session):
    weight = At(LinkTools(session))["Weight of new links"]
    weight.value = 2.5
    assert session.weight == 2.5
    weight.value = None
    assert session.weight == float("inf")
    assert weight.get_root().value is None


def test_all_links_of_a_source_get_a_weight_at_once(session):
    tools = At(LinksPanel(session))
    source = tools["Links of a source"]
    assert source.options == {}
    given = [Link("must", 0, 1, source="R"), Link("must", 2, 3), Link("cannot", 0, 5, 2.0, "R")]
    session.edits.add_links(given)
    assert source.options == {"R (2)": "R"}
    assert [row["source"] for row in tools.of(LinkList).rows if not row["implied"]] == [
        "R",
        "",
        "R",
    ]
    tools["Their weight"].value = 5.0
    tools.press("Set their weight")
    assert [link.weight for link in session.draft.links] == [5.0, float("inf"), 5.0]
    assert session.draft.links.many_of() == {"R": 2, "": 1}
    session.edits.undo()
    assert [link.weight for link in session.draft.links][2] == 2.0
    session.edits.add_links([Link("must", 1, 5)])
    tools["Their weight"].value = None
    tools.press("Set their weight")
    assert session.notice.title == "links contradict each other"


def test_without_classes_no_links_are_drawn_from_them(session):
    tools = At(LinkTools(session))
    draw = tools["Draw from classes"]
    group = next(each for each in tools.root.select(pn.Column) if draw in each.objects)
    assert group.visible
    session.edits.adopt(replace(session.draft, data=replace(session.draft.data, truth=None)))
    assert not group.visible
    session.edits.undo()
    assert group.visible


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
    place = [*RULE_KINDS].index("size<=")
    panel._handle_msg({"what": "add", "kind": place, "named": "", "limit": "60"})
    assert [row["words"] for row in panel.rows] == [
        "diameter at most 4, or at most 60 points a cluster"
    ]
    assert panel.joined == -1


def test_the_form_offers_words_for_counts_and_shares(session):
    panel = RulesPanel(session)
    panel._handle_msg({"what": "toggle"})
    words = panel.columns["words"]
    assert words[0] == "class"
    assert words[1].startswith("class=")
    place = next(at for at, kind in enumerate(panel.kinds) if "Share" in kind["label"])
    panel._handle_msg({"what": "add", "kind": place, "named": words[1], "limit": "90%"})
    assert panel.refused == ""
    panel._handle_msg({"what": "add", "kind": place, "named": "class", "limit": "95%"})
    assert [row["words"] for row in panel.rows] == [
        f"at most 90 % of each cluster are {words[1]}",
        "at most 95 % of each cluster are of one class",
    ]


def test_labels_that_some_rows_have_become_links_and_names(session):
    panel = At(LinksPanel(session))
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 3, axis=0) + np.eye(6)[:, :2]
    called = ["ill", "", "", "well", "", ""]
    rows = "".join(f"{x},{y},{c}\n" for (x, y), c in zip(X.tolist(), called, strict=True))
    session.edits.load(read_table(f"x,y,type\n{rows}".encode(), "cells.csv", label="type"))
    button = panel["Link them"]
    row = next(each for each in panel.root if button in getattr(each, "objects", ()))
    assert row.visible
    assert row[0].object == "2 of 6 rows are labelled."
    button.clicks += 1
    assert not row.visible
    assert [rule.text for rule in session.draft.rules] == ["labels(type)"]
    assert session.draft.problem.cannot_link.pairs.tolist() == [[0, 3]]
    assert session.cluster_names(np.repeat([1, 0], 3)) == {1: "ill", 0: "well"}
    assert session.cluster_names(np.zeros(6, np.int64)) == {}
    session.edits.undo()
    assert row.visible
    session.edits.load(load("iris"))
    assert not row.visible
