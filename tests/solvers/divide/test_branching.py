import math

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.solvers.divide.bounding import Effort, PartBound, bound_part
from ccviz.solvers.divide.partition import Anticlustering, take_parts
from ccviz.solvers.divide.schedule import PartState, branch_part, contracted, next_steps

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
