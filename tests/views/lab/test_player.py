import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.events import (
    Assigned,
    BoundImproved,
    CentersMoved,
    Finished,
    IncumbentFound,
    NodeOpened,
    Record,
)
from ccviz.runs.earlier import stored_run
from ccviz.views.lab.player import Player


@pytest.fixture
def stored(archive, problem, labels):
    """Return a run of a thousand records: assignments, bounds, two incumbents."""
    run_id = archive.create(problem, "blp-kmeans", {})
    records = [Record(seq, 0.001 * seq, event) for seq, event in enumerate(events(labels))]
    archive.append(run_id, records, None)
    return run_id


def events(labels):
    for at in range(499):
        if at in (100, 300):
            yield IncumbentFound(labels=labels if at == 300 else np.roll(labels, 1))
        else:
            yield Assigned(iteration=at, labels=np.roll(labels, at), objective=1.0, moved=3)
        yield BoundImproved(lower_bound=float(at))
    yield CentersMoved(iteration=499, centers=np.zeros((3, 2)))
    yield Finished(termination="proved")


def state(run):
    """Return what tells one moment of a run from another."""
    centers = None if run.centers is None else run.centers.tolist()
    return (
        run.seq, run.lower_bound, run.objective, run.iteration, run.labels.tolist(), centers,
        len(run.history), run.termination,
    )  # fmt: skip


@pytest.fixture
def player(archive, stored):
    """Return a player with the run open, before its first record."""
    player = Player(archive)
    player.open(stored)
    return player


def test_stepping_shows_every_record_once(player):
    for seq in range(3):
        assert player.step()
        assert player.shot.seq == seq
    assert player.shot.run.lower_bound == 0.0
    assert type(player.shot.event).__name__ == "Assigned"


def test_seeking_is_the_same_as_playing_up_to_there(player, archive, stored):
    for seq in (700, 130, 650, 999, 2):
        player.seek(seq)
        reached = state(player.shot.run)
        fresh = Player(archive)
        fresh.open(stored)
        while fresh.shot.seq < seq:
            fresh.step()
        assert reached == state(fresh.shot.run)


def test_back_undoes_a_step(player):
    player.seek(410)
    before = state(player.shot.run)
    player.step()
    player.back()
    assert state(player.shot.run) == before


def test_before_the_first_and_after_the_last(player):
    player.seek(-5)
    assert player.shot.seq == -1
    assert player.shot.event is None
    player.seek(5000)
    assert player.shot.at_end
    assert not player.step()


def test_the_pace_is_kept(player):
    player.pace = "100 / s"
    for _ in range(10):
        player.tick(0.1)
    assert player.shot.seq == 99
    player.pace = "Live"
    player.tick(0.1)
    assert player.shot.at_end
    assert not player.playing


def test_a_jump_far_ahead_goes_on_from_where_the_player_is(archive, problem):
    run_id = archive.create(problem, "blp-kmeans", {})
    bounds = [Record(seq, 0.0, BoundImproved(lower_bound=float(seq))) for seq in range(7000)]
    archive.append(run_id, bounds, None)
    player = Player(archive)
    player.open(run_id)
    player.pace = "Live"
    player.tick(0.1)
    run = player.shot.run
    assert (run.seq, len(run.history)) == (6999, 7000)
    more = [Record(seq, 0.0, BoundImproved(lower_bound=float(seq))) for seq in range(7000, 11000)]
    archive.append(run_id, more, None)
    player.tick(0.1)
    assert player.shot.run is run
    assert (run.seq, len(run.history)) == (10999, 11000)
    player.seek(40)
    assert (player.shot.run.seq, player.shot.run.lower_bound) == (40, 40.0)


def test_auto_is_never_far_behind(player):
    for _ in range(40):
        player.tick(0.12)
    assert player.shot.seq > 700


def test_gaps_of_a_busy_worker_are_stepped_over(archive, problem, labels):
    run_id = archive.create(problem, "blp-kmeans", {})
    kept = [Record(0, 0.0, BoundImproved(lower_bound=1.0))]
    kept += [Record(40, 0.1, BoundImproved(lower_bound=2.0))]
    archive.append(run_id, kept, None)
    player = Player(archive)
    player.open(run_id, playing=False)
    player.step()
    player.step()
    assert player.shot.seq == 40
    player.back()
    assert player.shot.run.lower_bound == 1.0


def test_the_player_reaches_back_over_an_edit(archive):
    X = np.random.default_rng(4).normal(size=(12, 2))
    first = Stored(archive, solve(Problem(X, 3), "sdp", cuts="none"))
    other = int(np.flatnonzero(first.labels != first.labels[0])[0])
    edited = Problem(X, 3, must_link=[(0, other)])
    second = Stored(archive, solve(edited, "sdp", cuts="none", start=first.earlier))
    player = Player(archive)
    player.open(second.run_id)
    player.tick(0.0)
    assert len(player.shot.run.tree) == second.kept_nodes  # at once, however slow the pace
    player.back()
    assert player.run_id == first.run_id
    assert player.shot.at_end
    assert player.step()
    assert player.run_id == second.run_id
    assert len(player.shot.run.tree) == second.kept_nodes
    archive.delete(first.run_id)
    player.back()
    assert player.run_id == second.run_id


class Stored:
    """A result in an archive."""

    def __init__(self, archive, result):
        self.run_id = archive.create(result.run.problem, "sdp", {})
        archive.append(self.run_id, result.records(), None)
        self.labels, self.earlier = result.labels, stored_run(archive, self.run_id)
        kept = result.run.kept_tree
        events = [record.event for record in result.records()]
        begun = events[: 3 + kept.following] if kept else []
        self.kept_nodes = sum(isinstance(event, NodeOpened) for event in begun)
