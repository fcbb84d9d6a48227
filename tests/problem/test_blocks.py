"""Contraction to blocks and back."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import ContradictionError, Partition, Problem, contract
from ccviz.problem.blocks import refine, two_colouring
from ccviz.problem.rules import MaxSize

X = np.random.default_rng(0).normal(size=(7, 2))


@st.composite
def problems(draw):
    """Draw small problems with hard and soft links of both kinds."""
    n, k = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    soft = st.tuples(pair, st.floats(0.1, 5)).map(lambda item: (*item[0], item[1]))
    links = [draw(st.lists(kind, max_size=4)) for kind in (pair, pair, soft, soft)]
    try:
        return Problem(X[:n], min(k, n), links[0] + links[2], links[1] + links[3])
    except ValueError:
        return Problem(X[:n], 1, (), links[3])


@given(problems(), st.randoms(use_true_random=False))
def test_lifting_what_was_projected_is_the_identity(problem, random):
    blocks = contract(problem)
    block_labels = np.array([random.randrange(problem.k) for _ in range(blocks.s)])
    assert (blocks.project(blocks.lift(block_labels)) == block_labels).all()


@given(problems(), st.randoms(use_true_random=False))
def test_objective_of_blocks_is_that_of_points(problem, random):
    blocks = contract(problem)
    block_labels = np.array([random.randrange(problem.k) for _ in range(blocks.s)])
    partition = Partition(problem, blocks.lift(block_labels))
    distance = ((blocks.centroid - partition.centers[block_labels]) ** 2).sum(1)
    assert blocks.scatter + blocks.mass @ distance == pytest.approx(partition.wcss)


@given(problems(), st.randoms(use_true_random=False))
def test_penalty_of_blocks_is_that_of_points(problem, random):
    blocks = contract(problem)
    labels = np.array([random.randrange(problem.k) for _ in range(blocks.s)])
    cost = blocks.penalty
    for links, broken_if_same in ((blocks.soft_must, False), (blocks.soft_cannot, True)):
        same = labels[links.pairs[:, 0]] == labels[links.pairs[:, 1]]
        cost += links.weights[same == broken_if_same].sum()
    assert cost == pytest.approx(Partition(problem, blocks.lift(labels)).penalty)


@given(problems())
def test_blocks_keep_exactly_the_hard_links(problem):
    """Every labelling that keeps the hard links is a labelling of blocks that keeps conflicts."""
    blocks = contract(problem)
    a, b = blocks.conflicts.T
    from_blocks = set()
    for block_labels in product(range(problem.k), repeat=blocks.s):
        labels = np.array(block_labels)
        if (labels[a] != labels[b]).all():
            from_blocks.add(tuple(blocks.lift(labels).tolist()))
    from_points = {
        labels
        for labels in product(range(problem.k), repeat=problem.n)
        if Partition(problem, labels).violations.hard == 0
    }
    assert from_blocks == from_points


def test_mass_and_members():
    blocks = contract(Problem(X, 2, must_link=[(0, 5), (5, 6), (2, 3)]))
    assert blocks.block_of.tolist() == [0, 1, 2, 2, 3, 0, 0]
    assert blocks.mass.tolist() == [3, 1, 2, 1]
    assert blocks.members(0).tolist() == [0, 5, 6]
    assert blocks.n == 7


def test_conflicts_are_unique_pairs_of_blocks():
    blocks = contract(Problem(X, 3, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 2), (3, 2)]))
    assert blocks.conflicts.tolist() == [[0, 1], [1, 2]]
    assert blocks.conflict_graph.toarray().sum() == 4


def test_conflicts_that_repeat_later_are_unique_too():
    blocks = contract(Problem(X, 3, must_link=[(1, 2)], cannot_link=[(0, 3), (1, 3), (2, 3)]))
    assert blocks.conflicts.tolist() == [[0, 2], [1, 2]]


def test_all_points_may_be_one_block():
    blocks = contract(Problem(X, 1, must_link=[(i, i + 1) for i in range(6)]))
    assert blocks.mass.tolist() == [7]
    assert blocks.centroid == pytest.approx(X.mean(0, keepdims=True))
    assert blocks.scatter == pytest.approx(((X - X.mean(0)) ** 2).sum())


def test_blocks_keep_the_rest_of_the_problem():
    rules = (MaxSize(5),)
    problem = Problem(X, 2, must_link=[(0, 1)], sizes=([1, 2], [5, 6]), rules=rules)
    blocks = contract(problem)
    assert (blocks.k, blocks.sizes, blocks.rules) == (2, problem.sizes, rules)


def test_a_problem_is_contracted_once():
    problem = Problem(X, 2, must_link=[(0, 1)])
    assert contract(problem) is contract(problem)


def test_labels_are_whole_numbers():
    blocks = contract(Problem(X, 2, must_link=[(0, 5)]))
    assert blocks.project(np.zeros(7, dtype=np.int64)).dtype == np.int64
    assert blocks.block_of.dtype == np.int64


def test_two_clusters_merge_no_more_than_they_must():
    """The names that components and lone blocks get on the way do not meet."""
    for n in range(2, 8):
        for i in range(n - 1):
            blocks = contract(Problem(X[:n], 2, cannot_link=[(i, i + 1)]))
            assert blocks.block_of.tolist() == [*range(n)]


def test_two_clusters_merge_what_has_a_common_enemy():
    blocks = contract(Problem(X, 2, cannot_link=[(0, 1), (1, 2), (2, 3), (4, 5)]))
    assert blocks.block_of.tolist() == [0, 1, 0, 1, 2, 3, 4]
    assert blocks.conflicts.tolist() == [[0, 1], [2, 3]]


def test_two_clusters_leave_an_odd_cycle_alone():
    blocks = contract(Problem(X, 2, cannot_link=[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)]))
    assert blocks.block_of.tolist() == [0, 1, 2, 3, 4, 3, 5]


def test_soft_links_inside_a_block_cost_or_vanish():
    problem = Problem(
        X, 2, must_link=[(0, 1), (1, 2), (0, 2, 4.0), (0, 3, 1.0), (1, 3, 2.0)],
        cannot_link=[(0, 1, 3.0)],
    )  # fmt: skip
    blocks = contract(problem)
    assert blocks.penalty == 3.0
    assert blocks.soft_must.pairs.tolist() == [[0, 1]]
    assert blocks.soft_must.weights.tolist() == [3.0]
    assert len(blocks.soft_cannot) == 0


def test_refine_adds_hard_pairs():
    problem = refine(Problem(X, 3, must_link=[(0, 1, 2.0)]), [(2, 3)], [(0, 1)])
    assert problem.must_link.hard.pairs.tolist() == [[2, 3]]
    assert problem.cannot_link.hard.pairs.tolist() == [[0, 1]]
    with pytest.raises(ContradictionError):
        refine(problem, [(0, 1)], [])


def test_refine_keeps_the_rest_of_the_problem():
    truth, rules = [0, 0, 0, 1, 1, 1, 1], (MaxSize(5),)
    problem = Problem(X, 2, sizes=([1, 2], [5, 6]), truth=truth, rules=rules)
    refined = refine(problem, [(0, 1)], [])
    assert refined.sizes.lower.tolist() == [1, 2]
    assert refined.sizes.upper.tolist() == [5, 6]
    assert refined.truth.tolist() == truth
    assert refined.rules == rules


def test_two_colouring_names_sides_and_odd_components():
    pairs = np.array([[0, 1], [1, 2], [3, 4], [4, 5], [3, 5], [5, 6]])
    component, side = two_colouring(pairs, 8)
    assert component.tolist() == [0, 0, 0, 1, 1, 1, 1, 2]
    assert side.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert (component.dtype, side.dtype) == (np.int64, np.int64)
