"""Learned weights of features: in drafts, sessions, files and addresses, and beside kept proofs."""

from dataclasses import replace
from urllib.parse import parse_qsl

import msgspec
import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.data.scaling import is_weighted
from ccviz.errors import CcvizError, ProblemError
from ccviz.quota import ONE_PERSON
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run
from ccviz.views.draft import Draft, draft_of, draft_of_problem
from ccviz.views.frames.clusters import is_outdated, listed_weights, origin_words
from ccviz.views.frames.scatter import plane
from ccviz.views.frames.tables import run_row
from ccviz.views.lab.painter import flattened
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.notebook.given import given_draft
from ccviz.views.panels.data import FeatureWeightsPanel, ProblemFields
from ccviz.views.share.address import apply_query, query
from ccviz.views.share.code import as_command, as_python
from ccviz.views.share.project import read_project, save_project, take_project
from tests.patience import tick_until

LINKS = (Link("must", 0, 20), Link("must", 60, 90), Link("cannot", 0, 60), Link("cannot", 60, 120))


@pytest.fixture
def draft():
    """Return iris with four links, from which its weights were learned."""
    return draft_of(load("iris"), 3).with_links(LINKS).with_scaling("learned")


@pytest.fixture
def open_session(tmp_path, draft):
    """Return a maker of sessions, the first with learned weights."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        opened = [Session(archive, RunQueue(), load("iris")) for _ in range(2)]
        opened[0].edits.adopt(draft)
        yield lambda: opened.pop(0)
        for session in opened:
            session.close()


def test_weights_stay_when_links_change_until_they_are_learned_again(draft):
    assert origin_words(draft) == "Weights learned from 4 links."
    linked = draft.with_link(Link("must", 1, 2))
    assert linked.X is draft.X
    assert is_outdated(linked)
    assert origin_words(linked) == "Weights learned from 4 links; the links have changed since."
    assert not is_outdated(linked.without_links([Link("must", 1, 2)]))
    again = linked.with_scaling("learned")
    assert not is_outdated(again)
    assert not again.has_points_of(draft)
    plain = again.with_scaling("none")
    assert (len(plain.learned_from), plain.X is plain.data.X) == (0, True)


def test_the_list_says_what_each_feature_counts(draft):
    found = listed_weights(draft)
    assert sum(each.share for each in found) == pytest.approx(1)
    assert [each.share for each in found] == sorted((e.share for e in found), reverse=True)
    assert found[0].name.startswith("petal")


def test_without_links_there_is_a_sentence(draft):
    bare = draft_of(load("iris"), 3)
    with pytest.raises(ProblemError, match="no links"):
        bare.with_scaling("learned")
    with pytest.raises(CcvizError, match="no scaling 'log'"):
        bare.with_scaling("log")
    with pytest.raises(CcvizError, match="2 weights for 4 features"):
        bare.with_scaling("weights:1,2")


def test_a_stored_problem_comes_back_with_its_weights(draft):
    back = draft_of_problem(draft.problem, draft_of(load("iris")), "iris", draft.scaling)
    assert (back.data.name, back.scaling) == ("iris", draft.scaling)
    asked = draft.with_fixed_centers([[5.0, 3.4, 1.5, 0.2]])
    again = draft_of_problem(asked.problem, draft, "iris")
    assert again.fixed_centers == asked.fixed_centers
    assert again.learned_from == draft.learned_from
    other = Draft(Dataset("two", np.arange(12.0).reshape(6, 2), ("a", "b")), 2)
    assert draft_of_problem(other.problem, draft, "two", draft.scaling).scaling == "none"


def test_a_proof_is_kept_over_a_link_and_let_go_when_weights_are_learned_again(open_session):
    session = open_session()
    session.set_solver("sdp")
    session.player.pace = "Live"
    session.start()

    tick_until(session, lambda: not session.needs_tick)
    run_id, labels = session.player.run_id, session.answer.labels
    kept = next((i, j) for i in range(150) for j in range(i) if labels[i] == labels[j])
    session.edits.add_links([Link("must", *kept)])
    assert session.player.run_id == run_id
    assert session.proofs.proof_of(session.draft.problem) == run_id
    session.edits.set_scaling("learned")
    assert session.run is None
    assert session.proofs.proof_of(session.draft.problem) != run_id
    session.edits.undo()
    assert session.proofs.proof_of(session.draft.problem) == run_id


def test_projects_and_addresses_hold_the_weights(open_session):
    session, other = open_session(), open_session()
    archive = session.archive
    project = read_project(save_project(session), "a.ccvizlab", archive.path, session.person)
    take_project(other, project)
    assert np.array_equal(other.draft.X, session.draft.X)
    assert other.draft.learned_from == session.draft.learned_from
    other.edits.load(load("wine"))
    apply_query(other, dict(parse_qsl(query(session))))
    assert other.notice is None
    assert np.array_equal(other.draft.X, session.draft.X)
    assert origin_words(other.draft) == "Each feature has a weight of its own."
    assert f"--scale {session.draft.scaling}" in as_command(session)
    assert f"scale(data.X, '{session.draft.scaling}')" in as_python(session)


def test_a_broken_scaling_of_a_project_is_refused(open_session):
    session = open_session()
    session.edits.adopt(replace(session.draft, scaling="weights:1,1,1,1"))
    content = save_project(session).replace(b"weights:1,1,1,1", b"weights:1,1,1,x")
    with pytest.raises(CcvizError, match="no sound project"):
        read_project(content, "a.ccvizlab", session.archive.path, session.person)


def test_painting_into_weighted_points_makes_the_axes_features(draft):
    flat = flattened(draft, plane(draft, "PC 1", "PC 2"))
    assert (flat.scaling, flat.data.features, len(flat.learned_from)) == ("none", ("x0", "x1"), 0)


def test_a_project_with_too_many_learned_links_is_refused(open_session, monkeypatch):
    session = open_session()
    session.edits.adopt(session.draft.without_links(session.draft.links))
    content = save_project(session)
    monkeypatch.setattr("ccviz.views.person.ONE_PERSON", replace(ONE_PERSON, links=3))
    with pytest.raises(CcvizError, match="links"):
        read_project(content, "a.ccvizlab", session.archive.path, session.person)


def test_a_run_file_keeps_all_weights(open_session, tmp_path):
    session = open_session()
    archive, wide = session.archive, "weights:" + ",".join(["1.234e-05"] * 4)
    run_id = archive.create(session.draft.problem, "sdp", {}, scaling=wide)
    archive.finish(run_id, "converged", "It ended.")
    export_run(archive, run_id, tmp_path / "a.ccviz")
    info = archive.info(import_run(archive, tmp_path / "a.ccviz"))
    assert info.scaling == wide
    assert "weights" in run_row(info).cells


def test_the_fields_follow_and_learn_again(open_session):
    session = open_session()
    fields, panel = ProblemFields(session), FeatureWeightsPanel(session)
    assert fields.scaling.value == "learned"
    assert (panel._box.visible, panel._again.visible) == (True, False)
    session.edits.add_links([Link("must", 3, 4)])
    assert panel._again.visible
    panel._again.clicks += 1
    assert not panel._again.visible
    assert session.draft.learned_from == session.draft.links
    session.edits.set_scaling("none")
    assert not panel._box.visible
    session.edits.adopt(session.draft.without_links(session.draft.links))
    fields.scaling.value = "learned"
    assert "There are no links" in session.notice.text
    assert fields.scaling.value == "none"


def test_names_of_features_are_text(draft):
    data = replace(draft.data, features=("<b>", "b", "c", "d"))
    draft = replace(draft, data=data)
    session_like = type("S", (), {"draft": draft})()
    panel = FeatureWeightsPanel.__new__(FeatureWeightsPanel)
    panel._session = session_like
    assert "<b>" not in panel._listed()
    assert is_weighted(draft.scaling)


def test_explore_learns(draft):
    must, cannot = (
        [link.pair for link in LINKS if link.kind == kind] for kind in ("must", "cannot")
    )
    found = given_draft(draft.data.X, 3, must, cannot, scaling="learned")
    assert found.scaling == draft.scaling
    assert msgspec.json.encode(found.scaling)
