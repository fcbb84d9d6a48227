"""The clustering shown, repaired after an edit that breaks it."""

import numpy as np
import pytest

from ccviz.problem.partition import Partition
from ccviz.views.frames.card import card
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

    def is_over():
        run, gone = solved.run, solved.repair.partition is None
        found_none = run.incumbent is None or run.finished is not None
        assert not gone or found_none or run.objective <= found.objective
        return not solved.needs_tick

    tick_until(solved, is_over)
    assert solved.repair.partition is None
    assert Partition(solved.draft.problem, solved.run.labels).violations.none_hard
