import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ccviz import events
from ccviz.data.datasets import Dataset
from ccviz.events import RelaxationSolved
from ccviz.views.frames.scatter import guess, links_of, marks
from ccviz.views.frames.tables import _OF_POINTS, _SENTENCES, sentence
from ccviz.views.link_table import Link


def test_every_event_has_a_sentence():
    assert {*_SENTENCES, *_OF_POINTS} == set(events.AnyEvent.__args__)


OPENED = {"parent": 1, "depth": 2, "lower_bound": 0.0}
SENTENCES = {
    "Iteration 2: 1 point changed cluster, 1 point still without a cluster; objective 1.5.":
        events.Assigned(iteration=2, labels=np.array([0, -1]), objective=1.5, moved=1),
    "Part 3 and 2 others as one: gap 0.1.":
        events.PartBounded(part=3, merged=(1, 2), lower_bound=9.0, upper_bound=10.0, rounds=1),
    "Node 4 under node 1: points 3 and 9 together.":
        events.NodeOpened(node=4, pair=(3, 9), together=True, **OPENED),
    "Node 4 closed: no clustering keeps its decisions and the links.":
        events.NodePruned(node=4, reason="infeasible", lower_bound=1.0),
    "Node 0: the root of the tree.":
        events.NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
    "Node 4 under node 1: a centre near point 9 (as far as 3).":
        events.NodeOpened(node=4, pair=(9, 3), together=True, place=True, **OPENED),
    "Node 5 under node 1: no centre near point 9 (as far as 3).":
        events.NodeOpened(node=5, pair=(9, 3), place=True, **OPENED),
    "Node 1 branched on points 3 and 9.":
        events.NodeBranched(node=1, pair=(3, 9), lower_bound=0.0),
    "Node 1 branched on whether a centre is near point 9 (as far as 3).":
        events.NodeBranched(node=1, pair=(9, 3), lower_bound=0.0, place=True),
    "The time limit was reached.": events.Finished(termination="time_limit"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "event"), SENTENCES.items())
def test_sentences(words, event):
    assert sentence(event) == words


X = np.array([[0.0, 5.0, 1.0], [2.0, 6.0, 1.0], [10.0, 5.0, 1.0], [12.0, 6.0, 1.0]])
DATA = Dataset("four", X, ("first", "second", "same"), names=("Anna", "Bert", "Carl", "Dora"))


def test_what_marks_a_point_out():
    assert marks(DATA, 2)[0] == "first 0 (-1.2σ), second 5 (-1.0σ)"


def test_the_links_of_a_point():
    links = [Link("must", 0, 1), Link("cannot", 2, 0, 3.0)]
    assert links_of(DATA, links) == [
        "must-link Bert, cannot-link Carl", "must-link Anna", "cannot-link Anna", "",
    ]  # fmt: skip
    nameless = Dataset("many", np.zeros((9, 1)), ("x",))
    many = links_of(nameless, [Link("cannot", 0, j) for j in range(1, 9)])
    assert many[0].endswith("cannot-link 6, 2 more")
    assert many[8] == "cannot-link 0"


def test_a_grey_matrix_still_gives_labels(problem, labels):
    together = (labels[:, None] == labels) / np.bincount(labels)[labels]
    Z = 0.6 * together + 0.4 / len(labels)
    event = RelaxationSolved(node=0, Z=Z, block_of=np.arange(len(labels)))
    found = guess(problem, event)
    assert found.min() >= 0
    assert found.max() < problem.k
    assert adjusted_rand_score(labels, found) == 1.0


def test_points_of_a_block_share_their_label(problem):
    block_of = np.arange(problem.n) // 2
    event = RelaxationSolved(node=0, Z=np.eye(20) / 2, block_of=block_of)
    found = guess(problem, event)
    assert (found[::2] == found[1::2]).all()


def test_points_are_called_by_their_names_where_they_have_any():
    opened = events.NodeOpened(
        node=3, parent=1, depth=2, lower_bound=1.0, pair=(0, 2), together=False
    )
    names = ("Anna", "Bert", "Cleo")
    assert sentence(opened) == "Node 3 under node 1: points 0 and 2 apart."
    assert sentence(opened, names) == "Node 3 under node 1: points Anna and Cleo apart."
    assert sentence(events.NodeBranched(node=3, lower_bound=1.0, pair=(1, 3)), names) == (
        "Node 3 branched on points Bert and 3."  # a given centre
    )
    assert "point Bert." in sentence(events.DeadEnded(iteration=0, point=1), names)
