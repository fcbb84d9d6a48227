import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from ccviz import Problem, solve
from ccviz.problem.links import closure
from ccviz.solvers.base import Context
from ccviz.solvers.ccl import bent_distances, cut


def test_distances_are_those_of_shortest_paths_through_must_links():
    rng = np.random.default_rng(0)
    X, must = rng.normal(size=(25, 2)), [(0, 1), (1, 2), (5, 9), (10, 20)]
    block_of = closure(25, np.array(must))
    bent = bent_distances(Problem(X, 3, must_link=must), block_of, Context())
    plain = cdist(X, X)
    for i, j in must:
        plain[i, j] = plain[j, i] = 1e-7  # zero would be no edge
    paths = shortest_path(plain, directed=False)
    assert np.allclose(bent[block_of][:, block_of], paths, atol=1e-6)


def test_cannot_linked_blocks_are_farther_apart_than_any_others():
    X = np.arange(6.0)[:, None]
    problem = Problem(X, 2, must_link=[(0, 1)], cannot_link=[(0, 2)])
    bent = bent_distances(problem, closure(6, problem.must_link.pairs), Context())
    assert bent[0, 1] == bent[1, 0] > np.sort(bent.ravel())[-3]
    result = solve(problem, "ccl")
    assert result.partition.violations.none_hard


def test_equal_heights_still_leave_k_clusters():
    distance = np.ones((6, 6)) - np.eye(6)
    assert [len(set(cut(distance, k))) for k in range(1, 7)] == [1, 2, 3, 4, 5, 6]
