import numpy as np
import pytest

from ccviz.events import IncumbentFound, NodeOpened
from ccviz.views.figures.tree import TreeFigure
from ccviz.views.frames.tree import Tree
from ccviz.views.palette import LIGHT
from tests.made_up import played, stamped
from tests.views.frames.drawn import Drawn


def fed(problem, records, most_shown=500):
    tree = Drawn(problem, most_shown)
    tree.feed(records)
    return tree


def tips(frame):
    return ~np.isin(frame.node, frame.parent)


def test_every_node_is_there_once_between_its_children_and_below_its_parents_bound(
    problem, tree_records
):
    tree = fed(problem, tree_records(101))
    frame = tree.frame()
    assert frame.node.tolist() == list(range(101))
    assert frame.total == 101
    assert not frame.hidden.any()
    assert (np.diff(np.sort(frame.x[tips(frame)])) == 1).all()
    for parent in np.unique(frame.parent[frame.parent >= 0]):
        children = frame.x[frame.parent == parent]
        (at,) = frame.x[frame.node == parent]
        assert children[0] < at < children[1]
    assert (frame.y >= frame.parent_y).all()
    assert frame.y.max() <= frame.upper_bound * 1.1
    by_depth = tree.frame("depth")
    assert (by_depth.y == by_depth.depth).all()


def test_growing_moves_tips_by_one_at_most_and_keeps_their_order(problem, tree_records):
    tree, before = Tree(problem), {}
    for record in tree_records(201):
        tree.feed([record])
        shown = {node.number: node.slot for node in tree._tips}
        kept = sorted(before.keys() & shown.keys(), key=before.get)
        assert sorted(kept, key=shown.get) == kept
        assert all(abs(shown[number] - before[number]) <= 1 for number in kept)
        before = shown


def test_large_trees_are_folded_without_losing_a_node(problem, tree_records):
    frame = fed(problem, tree_records(3001), most_shown=200).frame()
    assert len(frame.node) <= 200
    assert len(frame.node) + frame.hidden.sum() == frame.total == 3001


def test_finished_subtrees_are_folded_before_open_ones(problem, tree_records):
    records = tree_records(801)
    frame = fed(problem, records[: len(records) * 9 // 10], most_shown=300).frame()
    folded = frame.hidden > 0
    assert folded.any()
    assert frame.hidden_open[folded].sum() <= frame.hidden[folded].sum()


def test_unfolding_a_node_shows_its_children_and_keeps_them(problem, tree_records):
    tree = fed(problem, tree_records(1001), most_shown=100)
    frame = tree.frame()
    folded = int(frame.node[frame.hidden > 0][0])
    tree.layout.toggle(folded)
    assert folded in tree.frame().parent
    tree.feed([])
    assert folded in tree.frame().parent
    tree.layout.toggle(folded)
    assert folded not in tree.frame().parent


def test_reveal_shows_a_hidden_node(problem, tree_records):
    tree = fed(problem, tree_records(1001), most_shown=100)
    hidden = next(number for number in tree.layout.nodes if number not in tree.frame().node)
    tree.layout.reveal(hidden)
    assert hidden in tree.frame().node


def test_the_incumbent_marks_the_node_worked_on(problem, tree_records):
    frame = fed(problem, tree_records(21)).frame()
    assert frame.state[0] == "incumbent"


def test_what_is_found_before_the_first_round_is_the_roots(problem, labels):
    events = [
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0), IncumbentFound(labels=labels)
    ]  # fmt: skip
    frame = fed(problem, stamped(problem, events)).frame()
    assert frame.state.tolist() == ["incumbent"]


def test_nothing_has_a_height_before_the_first_bound(problem, labels):
    events = [
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0), IncumbentFound(labels=labels)
    ]  # fmt: skip
    tree = fed(problem, stamped(problem, events))
    assert np.isnan(tree.frame().y).all()
    assert tree.frame("depth").y.tolist() == [0.0]
    figure = TreeFigure(LIGHT)
    figure.show(tree.frame())
    assert not any(item.visible for item in figure.plot.legend[0].items)


def test_from_a_run_and_from_its_records_alike(problem, tree_records):
    records = tree_records(61)
    run = played(problem, records)
    ours, theirs = Tree.of(run).frame(run.tree), fed(problem, records).frame()
    assert ours.node.tolist() == theirs.node.tolist()
    assert ours.lower_bound.tolist() == theirs.lower_bound.tolist()
    assert ours.upper_bound == pytest.approx(theirs.upper_bound)
    assert (np.diff(np.sort(ours.x[tips(ours)])) == 1).all()


def test_clear_forgets_all_but_what_was_unfolded(problem, tree_records):
    tree = fed(problem, tree_records(1001), most_shown=100)
    tree.layout.toggle(0)
    tree.layout.toggle(0)
    tree.layout.clear()
    assert tree.frame().total == 0
    assert tree.layout.kept == {0}


def test_an_empty_tree_has_an_empty_frame(problem):
    frame = Tree(problem).frame({})
    assert len(frame.node) == len(frame.x) == frame.total == 0


def test_decisions_about_places_are_put_in_words(problem, place_records):
    assert fed(problem, place_records).frame().decision.tolist() == [
        "the root: nothing is decided",
        "a centre near point 5 (as far as 8)",
        "no centre near point 5 (as far as 8)",
        "1 and 2 together",
        "1 and 2 apart",
        "a centre near point 7 (as far as 3)",
        "no centre near point 7 (as far as 3)",
    ]


def test_a_child_without_a_bound_of_its_own_hangs_below_its_parent(problem, tree_records):
    records = tree_records(41)
    opened = next(
        at for at, each in enumerate(records)
        if isinstance(each.event, NodeOpened) and each.event.parent is not None
    )  # fmt: skip
    frame = fed(problem, records[: opened + 1]).frame()
    fresh = (frame.state == "open") & (frame.depth > 0)
    assert fresh.any()
    assert (frame.y[fresh] > frame.parent_y[fresh]).all()
