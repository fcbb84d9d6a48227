import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.blocks import contract
from ccviz.solvers.divide.bounding import Effort, batched, bound_part, bound_several
from ccviz.solvers.divide.partition import anticluster, take_parts
from ccviz.solvers.relaxation.admm import cold_start
from ccviz.solvers.relaxation.model import relax

EFFORT = Effort(tolerance=1e-4)


def only_part(X, k, labels, **links):
    blocks = contract(Problem(X, k, **links))
    (part,) = take_parts(blocks, anticluster(blocks, labels, 1, 0, 0), labels)
    return part


@pytest.fixture(scope="module")
def part():
    labels = np.arange(60) % 3
    X = 4.0 * np.eye(3)[labels] + np.random.default_rng(0).normal(size=(60, 3))
    labels[[3, 4]] = [1, 2]
    return only_part(X, 3, labels, cannot_link=[(0, 3), (1, 4)])


def test_both_bounds_meet(part):
    bound = bound_part(EFFORT, part)
    assert bound.upper_bound * (1.0 - 1e-4) <= bound.lower_bound <= bound.upper_bound


def test_it_goes_on_from_its_certificate_and_never_gets_worse(part):
    first = bound_part(Effort(tolerance=0.0, rounds=2), part)
    second = bound_part(Effort(tolerance=0.0, rounds=1), part, first)
    assert second.lower_bound > first.lower_bound
    assert second.rounds == 3
    afresh = bound_part(Effort(tolerance=0.0, rounds=1), part)
    assert second.lower_bound > afresh.lower_bound


def test_rounds_in_two_calls_prove_what_they_prove_in_one(part):
    def rounds(count, known=None):
        return bound_part(Effort(tolerance=0.0, rounds=count, patience=1e9), part, known)

    whole = rounds(3)
    halves = rounds(2, rounds(1))
    assert halves.rounds == whole.rounds
    assert halves.lower_bound == pytest.approx(whole.lower_bound, rel=1e-5)
    assert halves.reached.iterations == whole.reached.iterations
    assert halves.reached.cut_count > 0


def test_a_part_that_is_closed_keeps_no_iterate(part):
    assert bound_part(EFFORT, part).reached is None
    assert bound_part(Effort(tolerance=0.0, rounds=0), part).reached is None


def test_multipliers_that_prove_little_are_moved_in_longer_steps():
    def penalty(apart):
        labels = np.arange(60) % 3
        X = apart * np.eye(3)[labels] + np.random.default_rng(0).normal(size=(60, 3))
        part = only_part(X, 3, labels)
        usual = cold_start(relax(part.blocks)).penalty
        return bound_part(Effort(tolerance=0.0, rounds=0), part).penalty / usual

    assert penalty(apart=0.0) == 1.0 > penalty(apart=40.0)


def test_no_more_blocks_than_clusters_cost_nothing():
    bound = bound_part(EFFORT, only_part([[0.0], [5.0]], 2, np.array([0, 1])))
    assert (bound.lower_bound, bound.upper_bound, bound.certificate) == (0.0, 0.0, {})


def test_one_cluster_is_bounded_by_what_it_costs():
    X = np.random.default_rng(1).normal(size=(30, 2))
    bound = bound_part(EFFORT, only_part(X, 1, np.zeros(30, dtype=int)))
    assert bound.lower_bound == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())


def test_bundles_have_work_enough_but_leave_some_for_every_worker(part):
    def sizes(rounds, least):
        task = (Effort(tolerance=0.0, rounds=rounds), part, None)
        batches = batched([task] * 12, least)
        assert [each for batch in batches for each in batch] == [task] * 12
        return [len(batch) for batch in batches]

    assert sizes(rounds=0, least=1) == [12]
    assert sizes(rounds=0, least=4) == [3] * 4
    assert sizes(rounds=1000, least=4) == [1] * 12
    assert batched([], 4) == []


def test_several_parts_are_bounded_as_one_by_one(part):
    tasks = [(Effort(tolerance=0.0, rounds=rounds), part, None) for rounds in (0, 1)]
    alone = [bound_part(*task).lower_bound for task in tasks]
    assert [bound.lower_bound for bound in bound_several(bound_part, tasks)] == alone
