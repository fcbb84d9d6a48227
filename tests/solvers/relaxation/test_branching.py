import numpy as np

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.branching import branching_pair
from ccviz.solvers.relaxation.model import relax


def test_it_takes_the_pair_farthest_from_both_decisions():
    relaxation = relax(contract(Problem([[0.0], [1.0], [2.0], [3.0]], 2)))
    Z = np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0, 0, 0.7, 0.3], [0, 0, 0.3, 0.7]])
    assert branching_pair(relaxation, Z) == (2, 3)


def test_conflicting_pairs_are_never_taken():
    problem = Problem([[0.0], [1.0], [2.0]], 3, cannot_link=[(0, 1), (0, 2), (1, 2)])
    relaxation = relax(contract(problem))
    assert branching_pair(relaxation, np.full((3, 3), 0.3)) is None
    two = Problem([[0.0], [1.0], [2.0]], 3, cannot_link=[(0, 1), (0, 2)])
    assert branching_pair(relax(contract(two)), np.full((3, 3), 0.3)) == (1, 2)
