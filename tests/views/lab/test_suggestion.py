import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.events import Finished, IncumbentFound, Record, RelaxationSolved, Started
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.views.draft import Link, draft_of
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lab.suggestion import by_disagreement, by_relaxation, suggest_pair

X = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 0.0], [4.0, 0.0], [4.1, 0.0]])
POINTS = Dataset("row", X, ("x0", "x1"))


def relaxation(pairs):
    """Return a relaxation whose likeness of the pairs is as given, 1 on the diagonal."""
    Z = np.eye(5)
    for (i, j), share in pairs.items():
        Z[i, j] = Z[j, i] = share
    return RelaxationSolved(node=4, Z=Z, block_of=np.arange(5))


def test_the_relaxation_names_the_pair_nearest_to_one_half():
    draft = draft_of(POINTS, 2)
    event = relaxation({(0, 1): 0.99, (1, 2): 0.3, (2, 3): 0.55})
    found = by_relaxation(draft, event)
    assert found.pair == (2, 3)
    assert "Node 4's relaxation puts points 2 and 3 together by 55 %" in found.why


def test_pairs_that_links_decide_are_not_asked_again():
    event = relaxation({(1, 2): 0.3, (2, 3): 0.55})
    linked = draft_of(POINTS, 2).with_link(Link("cannot", 2, 3))
    assert by_relaxation(linked, event).pair == (1, 2)
    # With k = 2, what is kept apart from 3 belongs to 2.
    both = linked.with_link(Link("cannot", 1, 3))
    assert by_relaxation(both, event) is None


def test_runs_that_disagree_name_the_closest_of_the_disputed_pairs():
    runs = [np.array(labels) for labels in ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])]
    found = by_disagreement(draft_of(POINTS, 2), runs)
    assert found.pair == (1, 2)
    assert found.why.startswith("1 of the last 2 runs put points 1 and 2 together")
    assert by_disagreement(draft_of(POINTS, 2), runs[:1] * 3) is None


@pytest.fixture
def session(tmp_path):
    """Return a session with five points in a row."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        session = Session(archive, RunQueue(), POINTS)
        session.set_k(2)
        yield session
        session.close()


def remember(session, labels):
    """Enter a run that found a clustering."""
    run_id = session.archive.create(session.draft.problem, "by hand", {})
    began = Started(solver="by hand", settings={}, seed=0, n=5, d=2, k=2, n_blocks=5)
    events = [began, IncumbentFound(labels=np.array(labels)), Finished(termination="converged")]
    records = [Record(seq, 0.0, event) for seq, event in enumerate(events)]
    session.archive.append(run_id, records, None)
    session.archive.append(run_id, [], summarise(session.archive.load(run_id)))


def test_without_any_run_it_says_what_to_do(session):
    suggest_pair(session)
    assert "nothing to go by" in session.notice.text
    assert session.notice.kind == "info"
    assert session.picked == ()


def test_that_nothing_is_disputed_is_news_and_no_mistake(session):
    remember(session, [0, 0, 0, 1, 1])
    remember(session, [0, 0, 0, 1, 1])
    suggest_pair(session)
    assert session.notice.text == "The last 2 runs agree on every pair that is still open."
    assert session.notice.kind == "info"


def test_the_pair_is_picked_lit_and_answered_by_a_link(session):
    remember(session, [0, 0, 0, 1, 1])
    remember(session, [0, 0, 1, 1, 1])
    suggest_pair(session)
    assert session.picked == session.lit == (1, 2)
    assert "no pair is more disputed. M or C?" in session.notice.text
    session.link("cannot")
    assert session.draft.links == (Link("cannot", 1, 2),)
    suggest_pair(session)
    assert session.picked not in ((), (1, 2))


def test_runs_on_other_points_do_not_count(session):
    remember(session, [0, 0, 0, 1, 1])
    remember(session, [0, 0, 1, 1, 1])
    session.load(Dataset("other", X + 1.0, ("x0", "x1")), 2)
    suggest_pair(session)
    assert "nothing to go by" in session.notice.text
