from ccviz.data.datasets import load
from ccviz.data.examples import EXAMPLES
from ccviz.views.lab.loading import load_data


def test_an_example_problem_brings_links_solver_and_story(session):
    load_data(session, load("six_crowded_classes"))
    assert session.draft.data.is_named
    assert len(session.draft.links) == 50
    assert (session.solver.name, session.solver.cuts) == ("sdp", "paper")
    assert session.notice.text == EXAMPLES["six_crowded_classes"].story
    session.undo()
    assert session.draft.data.name == "iris"


def test_other_data_leave_the_solver(session):
    load_data(session, load("wine"))
    assert session.solver.name == "blp-kmeans"
    assert session.notice is None
    assert len(session.draft.links) == 0
