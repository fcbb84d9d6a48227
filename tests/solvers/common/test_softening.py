import numpy as np

from ccviz import Problem
from ccviz.solvers.common.softening import priced_graph, soften


def test_hard_links_get_weight_one_and_soft_ones_keep_theirs():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1), (1, 2, 0.5)], cannot_link=[(0, 3)])
    soft = soften(problem)
    assert soft.must_link.weights.tolist() == [1.0, 0.5]
    assert soft.cannot_link.weights.tolist() == [1.0]


def test_the_graph_charges_cannot_links_and_rewards_must_links():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1, 2.0)], cannot_link=[(1, 3, 1.0)])
    start, neighbour, cost = priced_graph(problem, 3.0)
    assert start.tolist() == [0, 1, 3, 3, 4]
    assert neighbour.tolist() == [1, 0, 3, 1]
    assert cost.tolist() == [-6.0, -6.0, 3.0, 3.0]
