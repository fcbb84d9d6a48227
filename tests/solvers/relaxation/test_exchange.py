"""Parts of the relaxation: exchanges, closed forms, restarts."""

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.problem.blocks import contract
from ccviz.solvers.relaxation.admm import cold_start
from ccviz.solvers.relaxation.engine import RoundParams, iterate, restart, run_rounds
from ccviz.solvers.relaxation.exchange import exchange_blocks
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.search.tree import Multipliers

# --- Block exchange -------------------------------------------------------------------------------


def test_swaps_keep_links_and_sizes_and_leave_no_improving_swap():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 2))
    for sizes in ([8, 8, 8], ([4, 4, 4], [12, 12, 12])):
        labels = np.repeat([0, 1, 2], 8)
        problem = Problem(X, 3, cannot_link=[(0, 8), (1, 9), (2, 16)], sizes=sizes)
        blocks = contract(problem)
        found = exchange_blocks(blocks, relax(blocks), labels)
        partition = Partition(problem, found)
        assert partition.violations.none_hard
        assert partition.wcss < Partition(problem, labels).wcss
        for i in range(24):
            for j in range(i):
                swapped = found.copy()
                swapped[[i, j]] = swapped[[j, i]]
                other = Partition(problem, swapped)
                assert not other.violations.none_hard or other.wcss >= partition.wcss - 1e-9


# --- Multipliers that another run left start a node where it ended --------------------------------


@pytest.fixture(scope="module")
def left():
    """Return a problem's points, and the multipliers of its relaxation."""
    X = np.random.default_rng(2).normal(size=(20, 2))
    blocks = contract(Problem(X, 3))
    relaxation = relax(blocks)
    at, _ = run_rounds(RoundParams(), relaxation, cold_start(relaxation), np.inf, 8, bool)
    return X, at.best.lower_bound, Multipliers(at.best.arrays(), blocks.block_of)


@pytest.mark.parametrize("must", [(), [(0, 1)], [(0, 1), (2, 3), (3, 4)]])
def test_the_first_bound_is_near_the_last_one_of_the_other_run(left, must):
    X, bound, multipliers = left
    blocks = contract(Problem(X, 3, must_link=must))
    relaxation = relax(blocks)
    warm = iterate(relaxation, restart(relaxation, blocks.block_of, multipliers), 30)
    cold = iterate(relaxation, cold_start(relaxation), 30)
    assert warm.lower_bound > cold.lower_bound
    assert warm.lower_bound > 0.95 * bound


def test_blocks_that_are_parted_take_the_multipliers_too(left):
    X, _, _ = left
    joined = contract(Problem(X, 3, must_link=[(0, 1)]))
    at = iterate(relax(joined), cold_start(relax(joined)), 60)
    blocks = contract(Problem(X, 3))
    multipliers = Multipliers(at.best.arrays(), joined.block_of)
    first = restart(relax(blocks), blocks.block_of, multipliers)
    assert first.Y.shape == (20, 20)
    assert np.isfinite(iterate(relax(blocks), first, 10).lower_bound)


def test_without_multipliers_of_one_matrix_a_node_starts_cold(left):
    X, _, _ = left
    blocks = contract(Problem(X, 3))
    first = restart(relax(blocks), blocks.block_of, Multipliers({}, blocks.block_of))
    assert not first.M.any()
