import numpy as np
import pytest

from ccviz.runs.run import Run
from ccviz.views.frames.node import NodeLog, why


@pytest.fixture(scope="module")
def played(problem, tree_records):
    run, log = Run(problem), NodeLog()
    records = tree_records(61)
    for record in records:
        run.apply(record)
    log.feed(records)
    return run, log


def deepest(run):
    return max(run.tree.values(), key=lambda node: node.depth)


def test_decisions_are_those_on_the_way_from_the_root(played):
    run, log = played
    node = deepest(run)
    facts = log.frame(run, node.node)
    assert len(facts.must_link) + len(facts.cannot_link) == node.depth == facts.depth
    assert node.pair in map(tuple, np.concatenate([facts.must_link, facts.cannot_link]).tolist())


def test_the_root_has_decided_nothing(played):
    run, log = played
    facts = log.frame(run, 0)
    assert facts.must_link.shape == facts.cannot_link.shape == (0, 2)


def test_a_bound_only_rises_and_starts_where_something_is_known(played):
    run, log = played
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
def test_why_in_words(played, state, words):
    run, _ = played
    node = next(node for node in run.tree.values() if node.state == state)
    assert words in why(run, node)


def test_why_of_an_open_and_of_a_solved_node(problem, tree_records):
    run = Run(problem)
    for record in tree_records(61)[:12]:
        run.apply(record)
    node = next(node for node in run.tree.values() if node.state == "open")
    assert "It is open" in why(run, node)
    node.state = "integral"
    assert "closed as solved" in why(run, node)
