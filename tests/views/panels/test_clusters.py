"""The table of the clusters: at once, or after a sentence where the table is large."""

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from ccviz.views.panels import right as clusters
from ccviz.views.panels.right import ClustersPanel
from tests.views.lab.test_session import play_out


@pytest.fixture
def answered(session):
    """Return a session with an answer."""
    session.start()
    play_out(session)
    return session


def test_before_a_run_there_is_a_sentence(session):
    panel = ClustersPanel(session)
    panel.in_front = True
    assert "after a run" in panel.table["about"]
    assert "heads" not in panel.table


def test_a_large_table_is_announced_before_it_is_made(answered, monkeypatch):
    monkeypatch.setattr(clusters, "_AT_ONCE", 0)
    panel, document = ClustersPanel(answered), Document()
    with set_curdoc(document):
        panel.in_front = True
        assert panel.table == {"about": clusters._SOON}
        (later,) = document.session_callbacks
        later.callback()
    assert len(panel.table["heads"]) == 3


def test_what_was_announced_is_not_made_for_an_answer_that_has_gone(answered, monkeypatch):
    made, make = [], clusters.clusters
    monkeypatch.setattr(clusters, "clusters", lambda *args: made.append(args) or make(*args))
    monkeypatch.setattr(clusters, "_AT_ONCE", 0)
    panel, document = ClustersPanel(answered), Document()
    with set_curdoc(document):
        panel.in_front = True
        answered.edits.name_cluster(0, "small")  # the table is announced again
        for each in document.session_callbacks:
            each.callback()
    assert len(made) == 1
    assert panel.table["heads"][0]["name"] == "small"
