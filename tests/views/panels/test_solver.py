import numpy as np

from ccviz.data.datasets import Dataset, load
from ccviz.views.lab.notice import advised
from ccviz.views.link_table import Link
from ccviz.views.panels.solver import SolverPanel, cited
from tests.views.person import At


def texts(panel):
    return [getattr(each, "object", "") or each.name for each in panel.__panel__().select()]


def test_a_paper_is_cited_in_short():
    assert cited("Lloyd (1982)") == "Lloyd 1982"
    assert cited("Lu and Leen (2007)") == "Lu and Leen 2007"
    assert cited("Babaki, Guns and Nijssen (2014)") == "Babaki et al. 2014"


def test_a_solver_that_cannot_handle_the_problem_says_so_at_once(session):
    panel = SolverPanel(session)
    session.edits.set_sizes("50, 50, 50")
    assert "cannot handle" not in "".join(texts(panel))
    session.set_solver("ipc-kmeans")
    said = "IPC-k-means cannot handle cluster sizes; these can: BH-kmeans, BLP k-means"
    assert said in "".join(texts(panel))
    session.edits.set_sizes("")
    assert "cannot handle" not in "".join(texts(panel))


def choice(panel):
    return At(panel)["Solver"]


def test_solvers_stand_in_groups_greyed_with_the_reason(session):
    panel = SolverPanel(session)
    groups = choice(panel).groups
    assert list(groups) == ["Quick", "Exact, with proof", "Noisy links", "From the papers"]
    assert groups["Exact, with proof"]["SDP branch-and-cut"] == "sdp"
    assert choice(panel).disabled_options == []
    session.edits.set_sizes("50, 50, 50")
    shown = choice(panel)
    assert shown.groups["From the papers"]["IPC-k-means (no cluster sizes)"] == "ipc-kmeans"
    assert "ipc-kmeans" in shown.disabled_options
    assert "blp-kmeans" not in shown.disabled_options
    session.set_solver("ipc-kmeans")  # by an address, say
    assert shown.value == "ipc-kmeans"
    assert "ipc-kmeans" not in shown.disabled_options
    session.set_solver("blp-kmeans")
    assert "ipc-kmeans" in shown.disabled_options
    session.edits.set_sizes("")
    assert shown.disabled_options == []


def test_a_table_too_large_for_the_solver_shown_brings_another_one(session):
    panel = SolverPanel(session)
    session.set_solver("sdp")
    session.chosen = False
    many = np.random.default_rng(0).normal(size=(200_000, 2))
    session.edits.load(Dataset("large", many, ("x", "y")))
    assert choice(panel).value == session.solver.name != "sdp"
    assert "sdp" in choice(panel).disabled_options


def test_only_backends_that_are_installed_are_offered(session):
    panel = SolverPanel(session)
    session.set_solver("sdp")
    assert [*At(panel)["Relaxation solver"].options] == ["splitting", "cvxpy", "clarabel", "scs"]
    panel = SolverPanel(session)
    session.set_solver("sdp", backend="mosek")  # by an address, say
    assert "mosek" in At(panel)["Relaxation solver"].options


def test_one_is_recommended_and_one_click_away(session):
    panel = SolverPanel(session)
    take = next(each for each in panel.__panel__().select() if "★" in each.name)
    assert take.name == "★ SDP branch-and-cut"
    take.clicks += 1
    assert session.solver.name == "sdp"
    assert not take.visible
    session.edits.add_links([Link("must", 0, 1, 1.0)])
    assert not take.visible
    session.set_solver("bh-kmeans")
    assert (take.visible, take.name) == (True, "★ SDP branch-and-cut")


def test_which_is_recommended_depends_on_the_time_limit(session):
    session.edits.load(load("digits"))
    panel = SolverPanel(session)
    take = next(each for each in panel.__panel__().select() if "★" in each.name)
    assert take.name == "★ BLP k-means"
    for limit, name in ((60.0, "SDP branch-and-cut"), (10.0, "Divide and bound")):
        session.time_limit = limit
        assert take.name == f"★ {name}"


def test_a_recommended_solver_that_is_taken_says_so_and_why(session):
    panel = SolverPanel(session)
    told = At(panel)["recommended"]
    assert not told.visible
    session.set_solver("sdp")
    assert told.visible
    assert "★ recommended" in told.object
    assert advised(session.draft).why in told.object
    session.set_solver("bh-kmeans")  # another is better
    assert not told.visible


def test_one_line_says_what_run_will_do(session):
    panel = SolverPanel(session)
    fold = next(each for each in panel.__panel__() if hasattr(each, "collapsed"))
    assert fold.title == "Quick, no proof"
    session.set_solver("sdp")
    assert fold.title == "Exact, with proof · a moment"
    session.edits.load(load("digits"))
    assert fold.title == "Exact, with proof · about 4 min"
    session.time_limit = 60.0
    assert fold.title == "At most 60 s, with a proved gap"
    session.set_solver("divide")
    assert fold.title == "Quick, with a bound"


def test_what_the_page_chose_stays_folded(session):
    def is_folded():
        return next(
            x for x in SolverPanel(session).__panel__() if hasattr(x, "collapsed")
        ).collapsed

    assert not is_folded()
    session.edits.choose_solver()
    assert is_folded()
    session.seed = 1
    assert not is_folded()


def test_points_may_be_left_out(session):
    panel = SolverPanel(session)
    field = At(panel)["Points that may be left out"]
    field.value = 4
    assert session.draft.outliers == 4
    assert advised(session.draft).solver == "blp-kmeans"
    assert "sdp" in choice(panel).disabled_options
    field.value = 149  # of 150 points
    assert field.value == 4
    session.edits.undo()
    assert field.value == 0


def test_groups_are_kept_only_of_points_that_have_some(example_session, example):
    session = example_session
    session.show_example(example.run_id)
    switch = At(SolverPanel(session))["Keep groups as they are"]
    assert not switch.visible  # nothing was edited
    session.edits.add_links([Link("must", 0, 60)])
    assert switch.visible
    session.edits.load(load("wine"))
    assert not switch.visible
    session.edits.undo()
    assert switch.visible
