"""Blocks worked out once more: the same as those of `ccviz.problem.blocks`."""

import numpy as np
import pytest

from ccviz import ContradictionError, Problem, contract
from ccviz.proof.blocks import MOST_BLOCKS, contract_plainly, number_blocks
from ccviz.proof.reading import FlawError

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
