import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.events import CutsAdded, Record
from ccviz.views.draft import Draft
from ccviz.views.frames.exact import CutsLog
from ccviz.views.frames.node import NodeLog, place_circles, why
from ccviz.views.frames.scatter import plane
from tests.made_up import played

BOX = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [3.0, 4.0]])
NO_PLACES = np.zeros((0, 2), dtype=np.int64)


def told(problem, records):
    """Return a run of records, and its log of nodes."""
    log = NodeLog()
    log.feed(records)
    return played(problem, records), log


@pytest.fixture(scope="module")
def searched(problem, tree_records):
    return told(problem, tree_records(61))


@pytest.fixture(scope="module")
def placed(problem, place_records):
    return told(problem, place_records)


def deepest(run):
    return max(run.tree.values(), key=lambda node: node.depth)


def test_decisions_are_those_on_the_way_from_the_root(searched):
    run, log = searched
    node = deepest(run)
    facts = log.frame(run, node.node)
    assert len(facts.must_link) + len(facts.cannot_link) == node.depth == facts.depth
    assert node.pair in map(tuple, np.concatenate([facts.must_link, facts.cannot_link]).tolist())


def test_the_root_has_decided_nothing(searched):
    run, log = searched
    facts = log.frame(run, 0)
    for decided in (facts.must_link, facts.cannot_link, facts.taken, facts.empty):
        assert decided.shape == (0, 2)


def test_places_are_no_links(placed):
    run, log = placed
    facts = log.frame(run, 6)  # under a taken place and a pair put together
    assert facts.must_link.tolist() == [[1, 2]]
    assert facts.cannot_link.shape == (0, 2)
    assert facts.taken.tolist() == [[5, 8]]
    assert facts.empty.tolist() == [[7, 3]]


def on(X, across="a", up="b"):
    """Return points on two axes."""
    features = ("a", "b", "c")[: X.shape[1]]
    return plane(Draft(Dataset("box", X, features), 1), across, up)


@pytest.mark.parametrize("axes", [("a", "b"), ("b", "a")])
def test_a_circle_reaches_from_its_centre_to_the_point_on_its_border(axes):
    circles = place_circles(np.array([[0, 3], [2, 3], [1, 1]]), on(BOX, *axes))
    assert circles.radius.tolist() == [5.0, 3.0, 0.0]
    centers = np.column_stack([circles.x, circles.y])
    assert centers.tolist() == BOX[[0, 2, 1]][:, [0, 1] if axes[0] == "a" else [1, 0]].tolist()


@pytest.mark.parametrize(
    "where",
    [
        on(np.column_stack([BOX, np.arange(4.0)])), on(BOX, "PC 1", "PC 2"), on(BOX, "a", "PC 1"),
        on(BOX, "a", "a"), on(BOX[:, :1], "a", "PC 1"), on(BOX[:, :1], "a", "a"),
    ],
)  # fmt: skip
def test_there_is_no_circle_where_the_axes_are_not_all_features(where):
    assert place_circles(np.array([[0, 3]]), where) is None
    assert place_circles(NO_PLACES, where) is None


def test_a_lone_point_has_no_places_and_one_of_no_size():
    where = on(BOX[:1])
    assert place_circles(NO_PLACES, where).radius.shape == (0,)
    assert place_circles(np.array([[0, 0]]), where).radius.tolist() == [0.0]


def test_a_bound_only_rises_and_starts_where_something_is_known(searched):
    run, log = searched
    for node in run.tree:
        facts = log.frame(run, node)
        assert (np.diff(facts.lower_bound) >= 0).all()
        assert (facts.lower_bound > 0).all()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("branched", "was split in two"),
        ("bound", "closed by its bound"),
        ("infeasible", "closed as infeasible"),
    ],
)
def test_why_in_words(searched, state, words):
    run, _ = searched
    node = next(node for node in run.tree.values() if node.state == state)
    assert words in why(run, node)


def test_why_of_an_open_and_of_a_solved_node(problem, tree_records):
    run = played(problem, tree_records(61)[:12])
    node = next(node for node in run.tree.values() if node.state == "open")
    assert "It is open" in why(run, node)
    node.state = "integral"
    assert "closed as solved" in why(run, node)


def test_why_a_node_was_split_by_a_place_or_by_a_pair(placed):
    run, _ = placed
    assert why(run, run.tree[0]).endswith(
        "so one child has a centre near point 5 (as far as 8), and the other has none there."
    )
    assert "points 1 and 2 are put together in one child" in why(run, run.tree[1])


def test_a_node_lives_from_when_it_was_opened_to_when_it_was_closed(problem, tree_records):
    log, records = NodeLog(), tree_records(5)
    log.feed(records)
    times = {type(each.event).__name__: each.time_s for each in records[::-1] if
             getattr(each.event, "node", None) == 0}  # fmt: skip
    lives = log.lives(np.array([0, 999]))
    opened, closed = lives["opened"], lives["closed"]
    assert (opened[0], closed[0]) == (times["NodeOpened"], times["NodeBranched"])
    assert np.isnan([opened[1], closed[1]]).all()


def log_of(records):
    log = CutsLog()
    log.feed(records)
    return log


def test_a_row_a_round(relaxation_records):
    frame = log_of(relaxation_records).frame(0)
    assert frame.at.tolist() == [1, 2, 3, 4, 5, 6]
    assert frame.triangle.tolist() == [200, 160, 120, 80, 40, 0]
    assert frame.totals == {"pair": 45, "triangle": 600, "clique": 15, "rows": 0}


def test_rounds_are_told_apart_by_node():
    events = [
        CutsAdded(
            node=at % 2, round=at, lower_bound=1.0, pair=at, triangle=0, clique=0, dropped=0,
            active=0,
        )
        for at in range(10)
    ]  # fmt: skip
    log = log_of(Record(at, 0.0, event) for at, event in enumerate(events))
    assert log.frame(1).pair.tolist() == [1, 3, 5, 7, 9]
    assert log.frame().pair.tolist() == list(range(10))
    assert len(log.frame(7).at) == 0


def test_only_the_newest_rounds_are_shown(relaxation_records):
    rounds = [record for record in relaxation_records if isinstance(record.event, CutsAdded)]
    frame = log_of(rounds * 100).frame()
    assert len(frame.at) == 400
    assert frame.at[-1] == 600
    assert (np.diff(frame.at) == 1).all()


def test_clear_forgets(relaxation_records):
    log = log_of(relaxation_records)
    log.clear()
    assert len(log.frame().at) == 0
