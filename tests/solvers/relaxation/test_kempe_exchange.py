import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.kempe_exchange import exchange
from ccviz.solvers.relaxation.model import relax


@given(st.integers(0, 10**6))
def test_exchanges_keep_the_links_and_never_make_it_worse(seed):
    rng = np.random.default_rng(seed)
    n, k = 20, int(rng.integers(2, 5))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    drawn = rng.choice(n, size=(8, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    same = truth[drawn[:, 0]] == truth[drawn[:, 1]]
    problem = Problem(
        rng.normal(size=(n, 2)), k, must_link=drawn[same][:2], cannot_link=drawn[~same]
    )
    blocks = contract(problem)
    relaxation = relax(blocks)
    better = exchange(blocks, relaxation, blocks.project(truth))
    before, after = Partition(problem, truth), Partition(problem, blocks.lift(better))
    assert after.violations.none_hard
    assert after.wcss <= before.wcss * (1 + 1e-12)
    again = exchange(blocks, relaxation, better)
    np.testing.assert_array_equal(again, better)


def test_conflicting_blocks_change_places():
    problem = Problem([[0.0], [10.0], [0.1], [9.9]], 2, cannot_link=[(2, 3)])
    blocks = contract(problem)
    better = exchange(blocks, relax(blocks), np.array([0, 1, 1, 0]))
    np.testing.assert_array_equal(better[2:], better[:2])
