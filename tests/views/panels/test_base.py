"""Panels over the page: their base, windows, header, questions and link tools."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import panel as pn
import pytest
from bokeh.models import Div

from ccviz.data import read_table
from ccviz.data.datasets import Dataset, load
from ccviz.problem.rules import RULE_KINDS
from ccviz.views import panels
from ccviz.views.draft import group_links
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.personal_archive import WORDS
from ccviz.views.lab.session import PAGE_KEYS, show_keys
from ccviz.views.lab.state import Screen
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.link_table import Link
from ccviz.views.panels.base import Panel, reactions, watches
from ccviz.views.panels.header import NoticePanel, WelcomePanel
from ccviz.views.panels.links import LinkList, LinksPanel, LinkTools, PointField, RulesPanel
from ccviz.views.panels.plot import AskButton, QuestionProgress, QuestionSetPanel
from ccviz.views.panels.popup import LinkPopup, anchor, frame, move, spot
from ccviz.views.panels.scatter import ScatterPanel
from tests.views.person import At, popups

# --- Base -----------------------------------------------------------------------------------------


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


# --- Floating -------------------------------------------------------------------------------------


SCREEN = Screen((0.0, 10.0), (0.0, 6.0), 1000.0, 600.0)
"""A hundred pixels a unit."""


@pytest.mark.parametrize(
    ("at", "corner"),
    [((1, 5), ("top", "left")), ((5, 5), ("top", "center")), ((9, 1), ("bottom", "right"))],
)
def test_the_buttons_open_to_where_there_is_room(at, corner):
    assert anchor(at, SCREEN) == corner


@pytest.mark.parametrize(
    ("at", "beside", "corner"),
    [
        ((5, 4), (5.2, 3.5), ("top", "right")),
        ((1.5, 4), (2, 3.5), ("bottom", "left")),
        ((1, 5.8), (1.5, 5.4), ("top", "left")),
        ((5, 4), (9, 1), ("top", "center")),
        ((5, 4), (5, 4.5), ("top", "center")),
    ],
)
def test_the_other_point_stays_in_sight_where_that_can_be(at, beside, corner):
    assert anchor(at, SCREEN, beside) == corner


@pytest.mark.parametrize(
    ("at", "beside"),
    [((5, 3), (5.2, 3.1)), ((0, 0), (10, 6)), ((9, 1), (1, 5)), ((3, 5), (7, 3.8))],
)
def test_a_large_frame_stays_within_the_plot_and_off_both_points(at, beside):
    left, top = spot(at, SCREEN, beside, (360, 230))
    assert 0 <= left <= 6.4
    assert 2.3 <= top <= 6
    for x, y in (at, beside):
        assert not (left < x < left + 3.6 and top - 2.3 < y < top)


def test_it_is_never_on_the_very_edge():
    """There rounding may put it outside, and Bokeh would take it away."""
    screen = Screen((0.0, 1.0), (0.0, 1.0), 500, 400)
    for at in product((0.0, 0.5, 1.0), repeat=2):
        left, top = spot(at, screen, at, (300, 150))
        assert 0 < left < 1
        assert 0 < top < 1


def test_a_frame_that_is_moved_keeps_its_position():
    """For a new one Bokeh would walk through the whole page."""
    panel = frame()
    position = panel.position
    move(panel, (0.25, 4.0))
    assert panel.position is position
    assert (position.x, position.y) == (0.25, 4.0)


def test_on_a_phone_the_buttons_for_a_pair_are_within_the_plot():
    nothing: list[None] = []
    popup = LinkPopup(nothing.append, nothing.clear, nothing.clear)
    phone = Screen((0.0, 1.0), (0.0, 1.0), 300, 260)
    popup.show([0, 1], [], (0.9, 0.5), phone, (0.6, 0.6))
    assert popup.model.anchor == "top_left"
    assert 0 < popup.model.position.x < 0.05
    popup.show([0, 1], [], (9.0, 1.0), SCREEN, (1.0, 5.0))
    assert popup.model.anchor == "bottom_right"


# --- Notices: their kind, their title, and a way out ----------------------------------------------


def test_a_notice_has_its_kind_its_title_and_a_button_that_switches(session):
    row = NoticePanel(session).__panel__()
    (html, take, cures), _ = row
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
    session.edits.set_k(0)
    assert "<b>Error: nothing was changed.</b>" in html.object
    assert not take.visible
    assert not cures.visible


def test_a_notice_offers_changes_that_make_a_problem_solvable(session):
    row = NoticePanel(session).__panel__()
    session.edits.set_k(2)
    session.edits.add_links(group_links("cannot", (0, 50, 100)))
    (_, _, cures), _ = row
    assert cures[0].name == "Take 3 clusters"
    cures[0].clicks += 1
    assert session.draft.k == 3
    assert session.notice is None


def test_keys_are_a_list(session):
    row = NoticePanel(session).__panel__()
    show_keys(session)
    assert row[0][0].object.count("<dt>") == len(PAGE_KEYS)
    assert "Space: run or pause; " in session.notice.in_full


def test_it_stays_over_an_edit_with_other_words_and_goes_with_the_data(example_session, example):
    session = example_session
    session.show_example(example.run_id)
    panel = WelcomePanel(session, Course(session), lambda: None)
    assert (panel.visible, panel.words) == (True, WORDS)
    session.edits.add_links([Link("must", 0, 1)])
    assert panel.visible
    assert panel.words != WORDS
    session.edits.load(load("wine"))
    assert not panel.visible
    session.edits.undo()
    assert not panel.visible


def test_a_lesson_puts_it_away(example_session, example):
    session = example_session
    session.show_example(example.run_id)
    course = Course(session)
    panel = WelcomePanel(session, course, lambda: None)
    course.begin(LESSONS[0])
    assert not panel.visible


# --- Question popup -------------------------------------------------------------------------------


def test_the_line_tells_how_far_it_is_and_why_it_is_enough(session):
    panel, button = At(QuestionProgress(session)), At(AskButton(session))
    assert not panel.seen
    button.press("Ask me")
    session.asking.settle()
    assert panel.seen
    assert "0 questions so far · 0 implied for free · ARI 0." in panel.text
    session.asking.asked = None
    assert "Working out" in panel.text
    button.press("Ask me")
    assert not panel.seen


def test_the_clustering_so_far_is_on_the_plot_and_the_question_beside_its_point(session):
    panel = ScatterPanel(session)
    session.edits.ask()
    asked = session.asking.settle()
    assert len(set(zip(panel.labels, asked.labels, strict=True))) == 3  # the same clusters
    assert popups(panel) == [False, True]
    session.edits.pick(3)
    assert popups(panel) == [False, False]
    before = panel.labels
    session.asking.stop()
    assert panel.labels.tolist() == before.tolist()  # without a run the colours stay


def test_names_from_a_file_are_no_markup(session):
    data = Dataset("<i>", np.array([[0.0], [1.0]]), ("<script>",), names=("<b>", "ox"))
    session.edits.load(data, 2)
    panel = ScatterPanel(session)
    session.edits.ask()
    session.asking.settle()
    figure = panel.__panel__().object
    text = "".join(each.text for each in figure.select({"type": Div}))
    assert "<script>" not in text
    assert "<b>" not in text
    assert "&lt;b&gt; (0)" in text


def test_a_set_is_shown_above_the_plot_and_numbered_in_it(session):
    panel, plot = QuestionSetPanel(session), ScatterPanel(session)
    session.edits.ask()
    session.asking.settle()
    assert not panel.visible
    session.edits.ask_about(5)
    points = session.asking.settle().points
    assert panel.visible
    assert [each["name"] for each in panel.shown["points"]] == [f"point {p}" for p in points]
    assert popups(plot) == [False, False]
    assert plot._figure._asked.data["number"] == ["1", "2", "3", "4", "5"]
    panel._handle_msg({"what": "mark", "place": "3"})
    assert panel.odd == [3]
    assert len(plot._figure._odd.data["x"]) == 1
    panel._handle_msg({"what": "answer", "place": None})
    session.asking.settle()
    assert len(session.draft.links.of_kind("cannot")) == 1
    assert panel.odd == []
    panel._handle_msg({"what": "enough"})
    assert not panel.visible
    assert len(plot._figure._asked.data["x"]) == 0


def test_the_choice_follows_the_session_both_ways(session):
    line = At(QuestionProgress(session))
    session.edits.ask()
    line["Points of a question"].value = 5
    assert session.asking.size == 5
    session.asking.settle()
    assert "colours are" not in line.text
    session.edits.ask_about(2)
    assert line["Points of a question"].value == 2
    session.asking.settle()
    assert "colours are" in line.text


# --- Link tools -----------------------------------------------------------------------------------


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
