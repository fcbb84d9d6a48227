"""The clustering shown, repaired after an edit that breaks it."""

import numpy as np
import pytest

from ccviz.problem.partition import Partition
from ccviz.views.frames.card import card
from ccviz.views.frames.tables import sentence
from ccviz.views.link_table import Link
from ccviz.views.panels.links import LinkList, LinksPanel
from tests.patience import tick_until
from tests.views.person import At


@pytest.fixture
def solved(session):
    """Return a session that shows a heuristic's clustering of iris."""
    session.player.pace = "Live"
    session.start()
    settle(session)
    return session


def settle(session):
    tick_until(session, lambda: not session.needs_tick)


def test_a_broken_clustering_is_repaired_and_undo_gives_the_old_one_back(solved):
    labels = solved.run.labels
    i, j = (int(np.flatnonzero(labels == cluster)[0]) for cluster in (0, 1))
    solved.edits.add_links([Link("must", i, j)])
    assert not solved.repair.busy
    found = solved.repair.partition
    assert found.violations.none_hard
    assert found.labels[i] == found.labels[j]
    assert found.wcss >= solved.run.objective
    shown = card(solved.run, False, solved.draft.problem, found)
    assert shown.headline == "Repaired"
    assert dict(shown.rows)["Constraints"] == "all kept"
    assert "lower bound" not in shown.caution  # a heuristic has none
    assert not any(row["broken"] for row in At(LinksPanel(solved)).of(LinkList).rows)
    solved.edits.undo()
    assert solved.repair.partition is None


def test_what_keeps_the_edit_or_is_soft_needs_no_repair(solved):
    together = np.flatnonzero(solved.run.labels == 0)
    solved.edits.add_links([Link("must", int(together[0]), int(together[1]))])
    assert not solved.repair.busy
    solved.edits.add_links([Link("cannot", int(together[0]), int(together[2]), 1.0)])
    assert not solved.repair.busy


def test_under_sizes_a_process_repairs(solved):
    labels = solved.run.labels
    solved.edits.set_sizes("50, 50, 50")
    assert solved.repair.busy
    settle(solved)
    assert solved.repair.partition.violations.none_hard
    assert np.bincount(solved.repair.partition.labels).tolist() == [50, 50, 50]
    assert not np.array_equal(solved.repair.partition.labels, labels)


def test_a_repair_is_shown_until_the_run_has_a_clustering(solved):
    labels = solved.run.labels
    i, j = (int(np.flatnonzero(labels == cluster)[0]) for cluster in (0, 1))
    solved.edits.add_links([Link("must", i, j)])
    solved.start(paused=True)
    solved.tick()
    found = solved.repair.partition
    shown = card(solved.run, False, solved.draft.problem, found)
    assert solved.run.labels is None
    assert (shown.headline, shown.status) == ("Repaired", "edited")
    assert dict(shown.rows)["Constraints"] == "all kept"
    solved.start()
    settle(solved)
    assert solved.repair.partition is None
    assert Partition(solved.draft.problem, solved.run.labels).violations.none_hard


def test_an_exact_run_after_an_edit_begins_with_the_repaired_clustering(solved):
    i, j = (int(np.flatnonzero(solved.run.labels == cluster)[0]) for cluster in (0, 1))
    solved.edits.add_links([Link("must", i, j)])
    repaired = solved.repair.partition
    solved.set_solver("rbba")
    solved.start(paused=True)
    solved.step()
    tick_until(solved, lambda: solved.run is not None and solved.run.started is not None)
    solved.step()
    tick_until(solved, lambda: solved.run.incumbent is not None)
    assert solved.run.objective == pytest.approx(repaired.wcss)
    assert sentence(solved.player.shot.event).startswith(
        "The run begins with an earlier clustering"
    )
