"""What each constraint adds to a proof that a checker accepts."""

from dataclasses import replace
from itertools import product

import msgspec
import numpy as np
import pytest

from ccviz import ContradictionError, Problem, contract, start
from ccviz.events import IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.blocks import MOST_BLOCKS, contract_plainly, number_blocks
from ccviz.proof.check import packable
from ccviz.proof.reading import FlawError
from ccviz.proof.verdict import Budget
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_problem, encode_problem
from tests.made_up import events_of

# --- Blocks worked out once more: the same as those of `ccviz.problem.blocks` ---------------------


NONE = np.zeros((0, 2), dtype=np.int64)


def pairs_of(*pairs):
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@pytest.mark.parametrize("seed", range(40))
def test_both_contract_alike(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 12)), int(rng.integers(2, 4))
    must, cannot = (rng.integers(n, size=(int(rng.integers(0, 6)), 2)) for _ in range(2))
    must, cannot = (pairs[pairs[:, 0] != pairs[:, 1]] for pairs in (must, cannot))
    problem = Problem(rng.normal(size=(n, 2)), k)
    try:
        linked = Problem(problem.X, k, must_link=must, cannot_link=cannot)
    except ContradictionError:
        assert contract_plainly(problem, must, cannot) is None
        return
    plain, blocks = contract_plainly(problem, must, cannot), contract(linked)
    if plain is None:  # an odd cycle where there are two clusters
        assert k == 2
        return
    assert plain.block_of.tolist() == blocks.block_of.tolist()
    assert plain.mass.tolist() == blocks.mass.tolist()
    assert plain.mass.dtype == np.float64
    assert plain.conflict.dtype == bool
    assert plain.conflict.tolist() == blocks.conflict_graph.toarray().astype(bool).tolist()


def test_an_odd_cycle_contradicts_two_clusters_only():
    triangle = pairs_of((0, 1), (1, 2), (0, 2))
    assert number_blocks(4, 2, NONE, triangle) is None
    assert number_blocks(4, 3, NONE, triangle).tolist() == [0, 1, 2, 3]


def test_two_clusters_join_what_an_even_walk_joins():
    cannot = pairs_of((1, 2), (2, 3), (4, 5))
    assert number_blocks(7, 2, NONE, cannot).tolist() == [0, 1, 2, 1, 3, 4, 5]
    assert number_blocks(7, 2, pairs_of((0, 4)), cannot).tolist() == [0, 1, 2, 1, 0, 3, 4]


def test_a_long_chain_is_one_block():
    chain = np.column_stack([np.arange(99)[::-1], np.arange(1, 100)[::-1]])
    assert not number_blocks(100, 3, chain, NONE).any()


def test_more_blocks_than_a_matrix_should_have_are_a_flaw():
    problem = Problem(np.arange(MOST_BLOCKS + 2.0)[:, None], 2)
    with pytest.raises(FlawError, match="has 32,769 blocks, and at most 32,768"):
        contract_plainly(problem, pairs_of((0, 1)), NONE)


# --- Proofs under what bounds leave out: sums, sizes beside weights, soft links of parts ----------


@pytest.fixture
def kept():
    """A problem whose best clustering without the limits breaks one of them, and a proof."""
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    rules = (
        MinSum((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 2.0),
        MaxSum((3.0, 0.0, 2.0, 1.0, 1.0, 1.0), 4.0),
    )
    problem = Problem(X, 3, rules=rules)
    return problem, events_of(problem, "sdp")


def test_a_proof_is_of_its_limits(kept, second, both):
    problem, events = kept
    both.accept(problem, events)
    for rules in (
        (MinSum(problem.rules[0].values, 3.0), problem.rules[1]),
        (problem.rules[0], MaxSum(problem.rules[1].values, 2.5)),
    ):
        other = replace(problem, rules=rules)
        assert not verify(other, events).accepted
        assert "breaks a rule" in second(other, events)[1]


def test_the_best_clustering_without_limits_is_refused(kept, second):
    problem, events = kept
    labels = np.array([0, 0, 0, 1, 1, 2])
    better = IncumbentFound(
        labels=labels, source="forged", objective=Partition(problem, labels).wcss
    )
    forged = [events[0], better, *events[1:]]
    assert "breaks a rule" in verify(problem, forged).sentence
    assert "breaks a rule" in second(problem, forged)[1]


def test_both_accept_parts_beside_soft_links(both):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 0.2, size=(8, 2)) for c in (0.0, 3.0)])
    problem = Problem(X, 2, must_link=[(0, 1, 1.0), (0, 8, 0.5)], cannot_link=[(2, 3, 0.2)])
    events = events_of(problem, "divide", part_size=8)
    both.accept(problem, events, 0.9)


@pytest.mark.slow
def test_both_accept_parts_under_sums(both):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, size=(20, 2)) for c in (0.0, 3.0, 6.0)])
    problem = Problem(X, 3, rules=(MinSum((1.0,) * 60, 19.0), MaxSum((1.0,) * 60, 22.0)))
    events = events_of(problem, "divide", part_size=15)
    both.accept(problem, events, 0.1)


# --- Proofs that leave points out, by both checkers -----------------------------------------------


FAR = np.array([[60.0, 0.0], [0.0, -70.0], [-80.0, 50.0]])


def test_a_proof_leaves_points_out_and_both_checkers_accept_it(both):
    rng = np.random.default_rng(2)
    points = np.concatenate([FAR, rng.normal(size=(14, 2)), rng.normal(5.0, size=(6, 2))])
    problem = Problem(points, 3, [(3, 4)], [(5, 6), (0, 7)], outliers=3)
    stepper = start(problem, "colgen", seed=1)
    events = [record.event for record in stepper]
    result = stepper.result()
    assert result.status == "optimal"
    assert np.flatnonzero(result.labels < 0).tolist() == [0, 1, 2]
    both.accept(problem, events)


def test_outliers_that_are_no_clusters_of_one_point_are_refused(second, monkeypatch):
    problem = Problem(np.arange(6.0)[:, None], 4, sizes=([1, 1, 1, 1], [3, 3, 1, 1]))
    events = [record.event for record in start(problem, "colgen")]
    for outliers, is_right in ((2, True), (3, False), (4, False), (0, False), (True, False)):

        def forged(problem, outliers=outliers):
            return msgspec.msgpack.encode(
                {**msgspec.msgpack.decode(encode_problem(problem)), "outliers": outliers}
            )

        monkeypatch.setattr("tests.proof.conftest.encode_problem", forged)
        assert second(problem, events)[0] == is_right, outliers


# --- Proofs about fixed centres, by both checkers -------------------------------------------------


X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def test_labels_are_those_of_the_points_and_given_centres_come_first(both):
    stepper = start(Problem(X, 3, fixed_centers=[[12.0], [40.0]]), "colgen", seed=1)
    problem, events = stepper.problem, [record.event for record in stepper]
    result = stepper.result()
    assert result.status == "optimal"
    assert result.labels.tolist() == [2, 2, 2, 0, 0, 0]
    assert result.objective == pytest.approx(2.0 + 6.0, rel=2e-6)
    both.accept(problem, events)
    again = decode_problem(encode_problem(problem))
    assert again.asks_the_same(problem)
    assert again.fixed == 2


# --- Packing --------------------------------------------------------------------------------------


def test_it_agrees_with_trying_everything():
    rng = np.random.default_rng(0)
    answers = set()
    for _ in range(300):
        s, k = int(rng.integers(2, 7)), int(rng.integers(1, 4))
        mass = rng.integers(1, 4, size=s).astype(float)
        conflict = np.triu(rng.random((s, s)) < 0.3, 1)
        conflict |= conflict.T
        lower = rng.integers(1, 4, size=k)
        upper = lower + rng.integers(0, 3, size=k)

        def keeps(labels, mass=mass, conflict=conflict, lower=lower, upper=upper, k=k):
            labels = np.array(labels)
            size = np.bincount(labels, mass, k)
            together = labels[:, None] == labels[None, :]
            return (size >= lower).all() and (size <= upper).all() and not conflict[together].any()

        expected = any(map(keeps, product(range(k), repeat=s)))
        assert packable(mass, conflict, lower, upper, Budget.of(5.0)) is expected
        answers.add(expected)
    assert answers == {True, False}


def test_a_budget_that_is_spent_leaves_no_answer():
    mass, conflict = np.ones(12), np.zeros((12, 12), dtype=bool)
    assert packable(mass, conflict, np.full(3, 4), np.full(3, 4), Budget(10.0)) is None
