"""Runs by the dozen, and the clustering repaired after an edit."""

import numpy as np
import psutil
import pytest

from ccviz.numbers import number
from ccviz.problem.partition import Partition
from ccviz.runs.stop import NO_LIMITS
from ccviz.solvers import make_solver
from ccviz.views.frames.card import card
from ccviz.views.frames.tables import sentence
from ccviz.views.link_table import Link
from ccviz.views.panels.links import LinkList, LinksPanel
from ccviz.views.panels.runs import BatchPanel
from tests.patience import tick_until, wait_until
from tests.views.person import At

# --- test batch -----------------------------------------------------------------------------------


ASKED = {"what": "start", "low": 2, "high": 3, "seeds": 2, "first": 5, "seconds": 0,
         "links": []}  # fmt: skip


def wait_for_records(session):
    tick_until(session, lambda: any(info.last_seq > 3 for info in session.archive.runs()))


def over(session):
    tick_until(session, lambda: not session.batch.busy)


def test_every_run_is_done_beside_the_page_and_what_cannot_be_is_said(session):
    session.edits.set_scaling("range")
    session.edits.add_links([Link("cannot", 0, 1, 2.0)])
    panel = BatchPanel(session)
    panel.open()
    assert panel.shown
    (blp,) = (s for g in panel.form["groups"] for s in g["solvers"] if s["name"] == "blp-kmeans")
    assert blp["why"] == "no soft links"
    panel._act(ASKED | {"solvers": ["bh-kmeans", "blp-kmeans"]})
    assert session.needs_tick
    assert panel.state["words"].startswith("0 of 4 runs have ended. waiting in the queue")
    assert "Left out: blp-kmeans, k = 2: no soft links" in panel.state["words"]
    over(session)
    found = [(info.solver, info.k, info.seed) for info in reversed(session.archive.runs())]
    assert found == [("bh-kmeans", k, seed) for k in (2, 3) for seed in (5, 6)]
    assert {info.scaling for info in session.archive.runs()} == {"range"}
    assert panel.state["words"].startswith("4 of 4 runs have ended.")
    assert not panel.state["busy"]
    best = [min(i.objective for i in session.archive.runs() if i.k == k) for k in (2, 3)]
    assert [(row[:4], row[4]) for row in panel.state["rows"]] == [
        ((f"{k}", "bh-kmeans", "2", "0"), number(least))
        for k, least in zip((2, 3), best, strict=True)
    ]
    panel._act({"what": "close"})
    assert not panel.shown


def test_a_batch_that_is_stopped_ends_its_run_and_its_process(session):
    endless = make_solver("cop-kmeans", n_init=100_000_000)
    session.batch.start(session.draft, [endless], [0, 1], [3], NO_LIMITS)
    wait_for_records(session)
    (info,) = session.archive.runs()
    assert session.batch.at == "cop-kmeans, seed 0, k = 3"
    session.batch.stop()
    assert session.archive.info(info.id).termination == "interrupted"
    wait_until(lambda: not psutil.pid_exists(info.pid))  # the fork server reaps it
    assert session.runner._queue.join().waiting == 0  # its place in the line is free


def test_a_killed_process_costs_the_run_under_way_and_no_other(session):
    endless = make_solver("cop-kmeans", n_init=100_000_000)
    quick = make_solver("k-means")
    session.batch.start(session.draft, [endless, quick], [0], [3], NO_LIMITS)
    wait_for_records(session)
    psutil.Process(session.archive.runs()[0].pid).kill()
    over(session)
    ended = {info.solver: info.termination for info in session.archive.runs()}
    assert ended == {"cop-kmeans": "failed", "k-means": "converged"}
    assert session.batch.done == 2
    assert {(each.solver, each.runs) for each in session.batch.outcomes} == {
        ("cop-kmeans", 1), ("k-means", 1)
    }  # fmt: skip


def test_nothing_to_run_is_a_sentence(session):
    panel = BatchPanel(session)
    panel.open()
    panel._act(ASKED | {"solvers": []})
    assert "Choose at least one solver" in panel.state["words"]
    panel._act(ASKED | {"solvers": ["k-means"], "low": 1, "high": 150, "seeds": 100})
    assert "more than 1,000" in panel.state["words"]
    assert not session.batch.busy


def test_links_of_earlier_states_have_runs_and_rows_of_their_own(session):
    for link in (Link("cannot", 0, 60), Link("must", 0, 1)):
        session.edits.add_links([link])
    session.edits.undo()
    session.edits.add_links([Link("must", 0, 2)])
    panel = BatchPanel(session)
    panel.open()
    names = ["2 links", "1 link", "no links"]
    assert [(each["name"], each["ticked"]) for each in panel.form["links"]] == [
        (name, name == "2 links") for name in names
    ]
    asked = ASKED | {"solvers": ["blp-kmeans"], "high": 2, "links": names}
    panel._act(asked)
    over(session)
    assert [row[1:3] for row in panel.state["rows"]] == [
        (f"blp-kmeans · {name}", "2") for name in names
    ]
    found = [(info.name, info.links) for info in reversed(session.archive.runs())]
    assert found[::2] == [
        (f"{name}: blp-kmeans, seed 5, k = 2", many)
        for name, many in zip(names, (2, 1, 0), strict=True)
    ]
    panel._act(asked | {"links": ["1 link"]})
    over(session)
    assert session.archive.runs()[0].links == 1


# --- The clustering shown, repaired after an edit that breaks it ----------------------------------


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
