"""As little change as possible on the page: after a run, the nearest clustering is shown."""

import numpy as np
import pytest

from ccviz.views.frames.card import card
from ccviz.views.lab.download import answer_download
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lessons.catalogue import SessionHere
from ccviz.views.link_table import Link
from ccviz.views.panels.result import ResultPanel
from ccviz.views.panels.scatter import ScatterPanel
from tests.patience import tick_until


@pytest.fixture
def session_kind():
    """Return the class of the session."""
    return SessionHere


def wait_for_one(session):
    tick_until(session, lambda: session.staying.found is not None)


@pytest.mark.slow
def test_few_points_move_and_say_why(session):
    plot = ScatterPanel(session)
    session.as_edited = False
    session.set_solver("sdp")
    session.start()
    shown = plot.labels.copy()
    session.staying.wanted = True
    assert not session.staying.busy  # there is no clustering before
    session.edits.add_links([Link("must", 0, 60), Link("cannot", 100, 120)])
    session.start()
    wait_for_one(session)
    change = session.staying.found
    partition = change.partition
    assert partition.violations.none_hard
    assert partition.objective >= session.run.objective - 1e-9
    assert len(change.moved) <= (session.run.incumbent.labels != change.old).sum()
    assert session.answer is partition
    assert (plot.labels != shown).sum() == len(change.moved) > 0
    assert "changed cluster (circled)" in plot.legend.note
    words = plot._figure.points.data["links"]
    assert all("Moved" in words[point] for point in change.moved)
    panel = ResultPanel(session, Inspection(session.archive, session.player), "").__panel__()
    said = panel.select(lambda each: each.name == "result")[0].object
    assert all(f"<b>{point}</b>: Moved {change.old[point]} → {partition.labels[point]}. " in said
               for point in change.moved)  # fmt: skip
    assert "The run&#39;s own answer costs" in said
    rows = answer_download(session, "rows")
    assert rows.work(*rows.args).count("\n") == 151
    # Without the links all stay where they are, though a better clustering exists.
    session.edits.remove_links(session.draft.links)
    session.start()
    wait_for_one(session)
    assert not len(session.staying.found.moved)
    assert session.answer.objective > session.run.objective
    assert session.run.status == "optimal"
    # The run's answer keeps this link, and what is shown breaks it.
    best, shown_now = session.run.incumbent.labels, session.answer.labels
    pair = np.argwhere((best[:, None] == best) & (shown_now[:, None] != shown_now))[0]
    session.edits.add_links([Link("must", *pair.tolist())])
    now = card(session.run, False, session.draft.problem, kept=session.kept)
    assert "breaks what you added" in now.caution
    assert now.status == "edited"
    session.edits.undo()
    session.staying.wanted = False
    assert session.staying.found is None
    assert plot.legend.note == ""
    assert np.unique(plot.labels).tolist() == [0, 1, 2]


@pytest.mark.slow
def test_next_months_table_keeps_groups_numbers_and_colours(session):
    importing, plot = Importing(session), ScatterPanel(session)

    def load_rows(*rows):
        importing.read_file("rows.csv", "\n".join(["id,x", *rows]).encode())
        importing.load()

    load_rows("a,0", "b,1", "c,5", "d,20", "e,21", "f,22")
    session.edits.set_k(2)
    session.set_solver("colgen")
    session.start()
    old = dict(zip("abcdef", plot.labels.tolist(), strict=True))
    assert len({old[name] for name in "abc"} | {old["d"]}) == 2
    session.staying.param.update(wanted=True, most=0)
    load_rows("g,19", "f,22", "c,18", "a,0", "b,2", "d,20")
    assert session.notice.text == "5 of 6 rows are matched by name, 1 new. Gone: e."
    assert session.draft.k == 2
    session.start()
    wait_for_one(session)
    # The nearest mean of c is another cluster's now, and no old point may move.
    assert plot.labels.tolist() == [old[name] for name in "dfcabd"]
    assert session.answer.objective > session.run.objective
    words = card(session.run, False, session.draft.problem, kept=session.kept).ending
    assert "no point changed cluster, 1 new placed, at most" in words
    session.staying.most = 1
    wait_for_one(session)
    assert plot.labels.tolist() == [old[name] for name in "dfdabd"]
    assert [session.draft.data.names[point] for point in session.kept.moved] == ["c"]
