import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.frames.question import question
from ccviz.views.panels.question_popup import _words
from ccviz.views.panels.question_progress import AskButton, QuestionProgress
from ccviz.views.panels.scatter import ScatterPanel


def test_the_line_tells_how_far_it_is_and_why_it_is_enough(session):
    panel, button = QuestionProgress(session), AskButton(session)
    assert not panel._all.visible
    button._button.clicks += 1
    session.asking.settle()
    assert panel._all.visible
    assert "0 questions so far · 0 implied for free · ARI 0." in panel._html.object
    session.asking.asked = None
    assert "Working out" in panel._html.object
    button._button.clicks += 1
    assert not panel._all.visible


def test_the_clustering_so_far_is_on_the_plot_and_the_question_beside_its_point(session):
    panel = ScatterPanel(session)
    session.ask()
    asked = session.asking.settle()
    assert len(set(zip(panel.labels, asked.labels, strict=True))) == 3  # the same clusters
    assert panel._question.model.styles["visibility"] == "visible"
    assert panel._popup.model.styles["visibility"] == "hidden"
    session.pick(3)
    assert panel._question.model.styles["visibility"] == "hidden"
    before = panel.labels
    session.asking.stop()
    assert panel.labels.tolist() == before.tolist()  # without a run the colours stay


def test_names_from_a_file_are_no_markup():
    data = Dataset("<i>", np.array([[0.0], [1.0]]), ("<script>",), names=("<b>", "ox"))
    text = str(_words(question(data, (0, 1))))
    assert "<script>" not in text
    assert "<b>" not in text
    assert "&lt;b&gt; (0)" in text
