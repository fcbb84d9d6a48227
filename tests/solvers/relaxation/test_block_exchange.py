import numpy as np

from ccviz import Partition, Problem
from ccviz.problem.blocks import contract
from ccviz.solvers.relaxation.exchange import exchange_blocks
from ccviz.solvers.relaxation.model import relax


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
