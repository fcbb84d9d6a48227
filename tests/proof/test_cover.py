"""Trees that cover their problem, and trees that do not."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.proof.check import check_cover, links_at
from ccviz.proof.reading import FlawError, Leaf, Opened, Proof

LEAF = Leaf("bound", 1.0, {})


def tree(opened=(), branched=(), leaves=(2, 3, 4)):
    """Return a tree with the root, a branch below it, and what is changed."""
    nodes = {
        0: Opened(None, None, False),
        1: Opened(0, (0, 2), True),
        2: Opened(0, (0, 2), False),
        3: Opened(1, (1, 3), True),
        4: Opened(1, (1, 3), False),
    }
    nodes = {node: each for node, each in {**nodes, **dict(opened)}.items() if each is not None}
    pairs = {0: ((0, 2), False), 1: ((1, 3), False), **dict(branched)}
    pairs = {node: pair for node, pair in pairs.items() if pair is not None}
    return Proof(opened=nodes, branched=pairs, leaves=dict.fromkeys(leaves, LEAF))


def test_a_tree_that_covers_has_no_flaw():
    check_cover(tree())
    check_cover(Proof(opened={5: Opened(None, None, False)}, leaves={5: LEAF}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"opened": {0: None}}, "the tree has no single root"),
        ({"opened": {4: Opened(None, None, False)}}, "the tree has no single root"),
        ({"opened": {0: Opened(None, (0, 1), True)}}, "the tree has no single root"),
        ({"opened": {3: Opened(9, (1, 3), True)}}, "node 3 has no parent before it"),
        ({"opened": {3: Opened(4, (1, 3), True)}}, "node 3 has no parent before it"),
        ({"opened": {3: Opened(3, (1, 3), True)}}, "node 3 has no parent before it"),
        ({"leaves": (2, 3)}, "node 4 is still open"),
        ({"leaves": (1, 2, 3, 4)}, "node 1 is both branched and closed"),
        ({"leaves": (2, 3, 4, 9, 8)}, "node 8 is closed but was never opened"),
        ({"branched": {7: ((0, 1), False)}}, "node 7 is closed but was never opened"),
        ({"branched": {1: None}, "leaves": (1, 2, 3, 4)}, "node 1 has children but was not"),
        ({"branched": {1: ((0, 3), False)}}, "the children of node 1 do not cover it"),
        ({"branched": {1: ((1, 3), True)}}, "the children of node 1 do not cover it"),
        ({"opened": {4: Opened(1, (1, 3), False, True)}}, "the children of node 1 do not cover it"),
        ({"opened": {4: Opened(1, (1, 3), True)}}, "the children of node 1 do not cover it"),
        ({"opened": {4: Opened(1, (1, 2), False)}}, "the children of node 1 do not cover it"),
        ({"opened": {4: None}, "leaves": (2, 3)}, "the children of node 1 do not cover it"),
        ({"opened": {5: Opened(1, (1, 3), True)}, "leaves": (2, 3, 4, 5)}, "do not cover it"),
    ],
)
def test_a_tree_that_does_not_cover_is_named(changes, words):
    with pytest.raises(FlawError, match=words):
        check_cover(tree(**changes))


def test_the_links_of_a_node_are_the_problems_and_its_decisions():
    X = [[0.0], [1.0], [2.0], [5.0], [6.0]]
    linked = Problem(X, 2, must_link=[(0, 4)], cannot_link=[(2, 3)])
    for node, together, apart in (
        (0, [], []), (2, [], [[0, 2]]), (3, [[0, 2], [1, 3]], []), (4, [[0, 2]], [[1, 3]]),
    ):  # fmt: skip
        must, cannot = links_at(linked, tree(), node)
        assert sorted(must.tolist()) == sorted([[0, 4], *together])
        assert sorted(cannot.tolist()) == sorted([[2, 3], *apart])
    for pairs in links_at(Problem(X, 2), tree(), 0):
        assert pairs.shape == (0, 2)
        assert pairs.dtype == np.int64
