import math

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.solvers.divide.bounding import Effort, PartBound, bound_part
from ccviz.solvers.divide.partition import (
    SHARED,
    Anticlustering,
    anticluster,
    cost,
    dropped,
    filled,
    take_parts,
)
from ccviz.solvers.divide.schedule import PartState, branch_part, contracted, next_steps

K = 3


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(1).integers(K, size=400)


@pytest.fixture(scope="module")
def points(labels):
    return 5.0 * np.eye(K)[labels] + np.random.default_rng(0).normal(size=(len(labels), K))


def blocks_of(X, **links):
    return contract(Problem(X, K, **links))


def test_every_piece_has_its_clusters_centroid(points, labels):
    blocks = blocks_of(points)
    parts = take_parts(blocks, anticluster(blocks, labels, 8, 0, 0), labels)
    assert sum(part.blocks.s for part in parts) == blocks.s
    lost = cost(blocks, labels) - sum(cost(part.blocks, part.labels) for part in parts)
    assert 0.0 <= lost < 1e-3 * cost(blocks, labels)


def test_parts_have_about_as_many_blocks_each(points, labels):
    counts = np.bincount(anticluster(blocks_of(points), labels, 7, 0, 0).part_of, minlength=7)
    assert counts.max() - counts.min() <= K


def test_a_far_block_is_shared_and_its_mass_adds_up(points, labels):
    points = np.concatenate([points, [[900.0, 0.0, 0.0]]])
    labels = np.append(labels, 0)
    blocks = blocks_of(points)
    found = anticluster(blocks, labels, 4, 1, 0)
    assert np.flatnonzero(found.part_of == SHARED).tolist() == [400]
    parts = take_parts(blocks, found, labels)
    assert sum(part.blocks.mass.sum() / part.scale for part in parts) == 401
    assert all((part.blocks.mass == np.round(part.blocks.mass)).all() for part in parts)
    whole = sum(cost(part.blocks, part.labels) / part.scale for part in parts)
    assert whole == pytest.approx(cost(blocks, labels), rel=1e-3)


def test_conflicts_keep_their_ends_in_one_part_where_they_can(points, labels):
    pairs = np.arange(400).reshape(-1, 2)[:60]
    blocks = blocks_of(points, cannot_link=pairs)
    found = anticluster(blocks, labels, 6, 0, 0)
    assert dropped(blocks, found) == 0
    parts = take_parts(blocks, found, labels)
    assert sum(len(part.blocks.conflicts) for part in parts) == 60
    star = blocks_of(points, cannot_link=[(0, i) for i in range(1, 40)])
    assert dropped(star, anticluster(star, labels, 6, 0, 0)) > 0


def test_conflicts_with_shared_blocks_hold_in_every_part(points, labels):
    points = np.concatenate([points, [[900.0, 0.0, 0.0], [0.0, 900.0, 0.0]]])
    labels = np.append(labels, [0, 1])
    blocks = blocks_of(points, cannot_link=[(400, 401), (400, 0)])
    found = anticluster(blocks, labels, 4, 2, 0)
    kept = [len(part.blocks.conflicts) for part in take_parts(blocks, found, labels)]
    assert sorted(kept) == [1, 1, 1, 2]
    assert dropped(blocks, found) == 0


def test_merged_parts_have_both_shares_and_the_links_between_them(points, labels):
    points = np.concatenate([points, [[900.0, 0.0, 0.0]]])
    labels = np.append(labels, 0)
    pairs = np.random.default_rng(3).integers(400, size=(900, 2))
    blocks = blocks_of(points, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    found = anticluster(blocks, labels, 4, 1, 0)
    both, rest = take_parts(blocks, found, labels, [(0, 2), (1,)])
    single = {part.numbers: part.blocks for part in take_parts(blocks, found, labels)}
    assert both.numbers == (0, 2)
    assert both.blocks.mass[-1] == 2 == 2 * rest.blocks.mass[-1]
    assert both.own == both.blocks.s - 1 == single[0,].s + single[2,].s - 2
    assert np.array_equal(rest.blocks.mass, single[1,].mass)
    conflicts = [len(single[number,].conflicts) for number in (0, 2)]
    assert len(both.blocks.conflicts) > sum(conflicts)


def test_must_linked_points_are_one_weighted_block(points, labels):
    blocks = blocks_of(points, must_link=[(0, 1), (1, 2)])
    found = anticluster(blocks, blocks.project(labels), 4, 0, 0)
    parts = take_parts(blocks, found, blocks.project(labels))
    assert sum(part.blocks.mass.sum() for part in parts) == 400
    assert max(part.blocks.mass.max() for part in parts) == 3


def test_clusters_that_are_missing_from_a_part_are_split_off():
    blocks = contract(Problem([[0.0], [1.0], [5.0], [9.0]], K))
    assert filled(blocks, np.array([7, 7, 7, 7])).tolist() == [0, 0, 2, 1]


# --- Branching ------------------------------------------------------------------------------------


EFFORT = Effort(tolerance=1e-6, patience=200.0)


@pytest.fixture(scope="module")
def part():
    """A part that its relaxation alone leaves open."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    pairs = rng.choice(40, size=(60, 2))
    problem = Problem(X, 3, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    blocks = contract(problem)
    labels = solve(problem, "s-mdeclust").labels
    return take_parts(blocks, Anticlustering(np.zeros(blocks.s, dtype=np.int64), 1), labels)[0]


@pytest.mark.slow
def test_branching_raises_the_bound_and_the_least_leaf_is_it(part):
    root = bound_part(EFFORT, part)
    tree = branch_part(EFFORT, part, root)
    assert tree.lower_bound > root.lower_bound
    assert not tree.certificate
    assert tree.lower_bound == min(leaf.lower_bound for leaf in tree.leaves)
    more = branch_part(EFFORT, part, tree)
    assert more.lower_bound >= tree.lower_bound
    assert more.rounds > tree.rounds


def test_the_leaves_leave_nothing_out(part):
    leaves = branch_part(EFFORT, part, bound_part(EFFORT, part)).leaves
    assert math.fsum(2.0 ** -len(leaf.decisions) for leaf in leaves) == 1.0


def test_what_is_together_is_one_block_of_the_same_scatter(part):
    group, blocks = contracted(part.blocks, ((0, 4, True), (4, 9, True), (1, 2, False)))
    assert blocks.s == part.blocks.s - 2
    assert group[0] == group[4] == group[9] == 0
    assert blocks.mass.sum() == part.blocks.mass.sum()
    assert [group[1], group[2]] in blocks.conflicts.tolist()
    spread = [(b.mass @ (b.centroid**2).sum(axis=1)) + b.scatter for b in (part.blocks, blocks)]
    assert spread[0] == pytest.approx(spread[1])


CERTIFICATE = {"weights": None}


def standing(number, lower, *, upper=10.0, gain=0.0, cost=10.0, own=30, **bound):
    known = PartBound(lower, upper, CERTIFICATE, rounds=5, gain=gain, **bound)
    return PartState((number,), own, 0, cost, known)


def chosen(*standings, largest=60, in_vain=(), gains=None):
    found = next_steps(
        list(standings), allowed=1e-3, largest=largest, in_vain=in_vain, gains=gains or {}
    )
    return {(choice.what, choice.group) for choice in found}


def test_what_gains_fast_is_gone_on_with():
    assert chosen(standing(0, 9.0, gain=0.5), standing(1, 9.0)) == {("go on", (0,))}


def test_parts_are_merged_where_the_cut_has_lost_most():
    parts = [standing(number, 9.995, cost=cost) for number, cost in enumerate((10, 12, 10, 12))]
    assert chosen(*parts) == {("merge", (1, 3))}


def test_nothing_is_merged_beyond_the_largest_size_or_in_vain():
    closed = [standing(number, 9.999, cost=12.0) for number in range(2)]
    assert chosen(*closed) == {("merge", (0, 1))}
    assert chosen(*closed, largest=59) == set()
    assert chosen(*closed, in_vain={(0, 1)}) == set()


def test_what_stands_still_is_branched_unless_that_was_in_vain():
    assert chosen(standing(0, 9.0)) == {("branch", (0,))}
    assert chosen(standing(0, 9.0, is_exhausted=True)) == set()
    assert chosen(standing(0, 9.9999)) == set()


def test_what_branching_and_merging_gained_so_far_counts():
    parts = [standing(number, 9.0) for number in range(2)]
    assert chosen(*parts) == {("merge", (0, 1))}
    both = {("branch", (0,)), ("branch", (1,))}
    assert chosen(*parts, gains={"merge": 1e-4, "branch": 0.9}) == both
