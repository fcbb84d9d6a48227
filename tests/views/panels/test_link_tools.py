from dataclasses import replace

import panel as pn

from ccviz.views.panels.link_tools import LinkTools
from ccviz.views.panels.point_field import PointField


def field(panel, name):
    return next(each for each in panel.__panel__().select() if each.name == name)


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
    session.adopt(replace(session.draft, data=replace(session.draft.data, names=names)))
    assert points.named
    points._handle_msg({"what": "type", "text": "flower 3, ER 14"})
    assert points.suggestions["names"][:2] == ["flower 14", "flower 140"]
    assert len(points.suggestions["names"]) == 8


def test_without_a_weight_new_links_are_hard(session):
    weight = field(LinkTools(session), "Weight of new links")
    weight.value = 2.5
    assert session.weight == 2.5
    weight.value = None
    assert session.weight == float("inf")
    assert weight.get_root().value is None


def test_without_classes_no_links_are_drawn_from_them(session):
    tools = LinkTools(session)
    draw = field(tools, "Draw from classes")
    group = next(each for each in tools.__panel__().select(pn.Column) if draw in each.objects)
    assert group.visible
    session.adopt(replace(session.draft, data=replace(session.draft.data, truth=None)))
    assert not group.visible
    session.undo()
    assert group.visible
