"""Notices: their kind, their title, and a way out."""

from ccviz.views.lab.keys import PAGE_KEYS, tell_keys
from ccviz.views.lab.notice import Notice
from ccviz.views.panels.header import NoticePanel


def test_a_notice_has_its_kind_its_title_and_a_button_that_switches(session):
    row = NoticePanel(session).__panel__()
    (html, take), _ = row
    assert not row.visible
    session.notice = Notice("warning", "It is <b>so</b>.", title="the solver gave up", take="sdp")
    assert row.visible
    assert row.css_classes == ["notice", "warning"]
    assert "<b>Warning: the solver gave up.</b> It is &lt;b&gt;so&lt;/b&gt;." in html.object
    assert (take.visible, take.name) == (True, "★ SDP branch-and-cut")
    take.clicks += 1
    assert session.solver.name == "sdp"
    assert session.notice is None
    assert not row.visible
    session.set_k(0)
    assert "<b>Error: nothing was changed.</b>" in html.object
    assert not take.visible


def test_keys_are_a_list(session):
    row = NoticePanel(session).__panel__()
    tell_keys(session)
    assert row[0][0].object.count("<dt>") == len(PAGE_KEYS)
    assert "Space: run or pause; " in session.notice.in_full
