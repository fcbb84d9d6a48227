import numpy as np
from bokeh.models import Div

from ccviz.data.datasets import Dataset
from ccviz.views.panels.plot import AskButton, QuestionProgress, QuestionSetPanel
from ccviz.views.panels.scatter import ScatterPanel
from tests.views.person import At, popups


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
