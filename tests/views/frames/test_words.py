import numpy as np
import pytest

from ccviz import events
from ccviz.views.frames.words import _SENTENCES, sentence


def test_every_event_has_a_sentence():
    assert set(_SENTENCES) == set(events.AnyEvent.__args__)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            events.Assigned(iteration=2, labels=np.array([0, -1]), objective=1.5, moved=1),
            "Iteration 2: 1 point changed cluster, 1 point still without a cluster; objective 1.5.",
        ),
        (
            events.PartBounded(part=3, merged=(1, 2), lower_bound=9.0, upper_bound=10.0, rounds=1),
            "Part 3 and 2 others as one: gap 0.1.",
        ),
        (
            events.NodeOpened(
                node=4, parent=1, depth=2, lower_bound=0.0, pair=(3, 9), together=True
            ),
            "Node 4 under node 1: points 3 and 9 together.",
        ),
        (
            events.NodePruned(node=4, reason="infeasible", lower_bound=1.0),
            "Node 4 closed: no clustering keeps its decisions and the links.",
        ),
        (
            events.NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
            "Node 0: the root of the tree.",
        ),
        (
            events.NodeOpened(
                node=4, parent=1, depth=2, lower_bound=0.0, pair=(9, 3), together=True, place=True
            ),
            "Node 4 under node 1: a centre near point 9 (as far as 3).",
        ),
        (
            events.NodeOpened(node=5, parent=1, depth=2, lower_bound=0.0, pair=(9, 3), place=True),
            "Node 5 under node 1: no centre near point 9 (as far as 3).",
        ),
        (
            events.NodeBranched(node=1, pair=(3, 9), lower_bound=0.0),
            "Node 1 branched on points 3 and 9.",
        ),
        (
            events.NodeBranched(node=1, pair=(9, 3), lower_bound=0.0, place=True),
            "Node 1 branched on whether a centre is near point 9 (as far as 3).",
        ),
        (events.Finished(termination="time_limit"), "The time limit was reached."),
    ],
)
def test_sentences(event, words):
    assert sentence(event) == words
