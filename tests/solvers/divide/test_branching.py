import math

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.solvers.divide.bounding import Effort, bound_part
from ccviz.solvers.divide.branching import branch_part, contracted
from ccviz.solvers.divide.partition import Anticlustering
from ccviz.solvers.divide.parts import take_parts

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
