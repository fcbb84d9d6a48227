from ccviz.views.panels.question_progress import QuestionProgress
from ccviz.views.panels.question_set import QuestionSetPanel
from ccviz.views.panels.scatter import ScatterPanel


def test_a_set_is_shown_above_the_plot_and_numbered_in_it(session):
    panel, plot = QuestionSetPanel(session), ScatterPanel(session)
    session.ask()
    session.asking.settle()
    assert not panel.visible
    session.ask_about(5)
    points = session.asking.settle().points
    assert panel.visible
    assert [each["name"] for each in panel.shown["points"]] == [f"point {p}" for p in points]
    assert plot._question.model.styles["visibility"] == "hidden"
    assert plot._popup.model.styles["visibility"] == "hidden"
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
    line = QuestionProgress(session)
    session.ask()
    line._size.value = 5
    assert session.asking.size == 5
    session.asking.settle()
    assert "colours are" not in line._html.object
    session.ask_about(2)
    assert line._size.value == 2
    session.asking.settle()
    assert "colours are" in line._html.object
