"""The short descent in numpy: it keeps all links, or finds nothing."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import CcvizError
from ccviz.problem.partition import Partition
from ccviz.views.lab.calls import quick_repair
from tests.seeds import seeds


@pytest.mark.parametrize("seed", seeds(10, 300))
def test_what_is_repaired_keeps_all_links(seed):
    rng = np.random.default_rng(seed)
    n, k = 30, 3
    pairs = rng.permutation(np.array([(i, j) for j in range(n) for i in range(j)]))[:12]
    is_must = rng.random(12) < 0.5
    try:
        problem = Problem(rng.normal(size=(n, 2)), k, pairs[is_must], pairs[~is_must])
    except CcvizError:
        return
    labels = rng.integers(k, size=n)
    found = quick_repair(problem, labels)
    if found is not None:
        assert Partition(problem, found).violations.none_hard


def test_a_broken_link_is_kept_and_the_rest_stays():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    linked = quick_repair(Problem(X, 2, must_link=[(2, 3)]), labels)
    assert linked[2] == linked[3]
    apart = quick_repair(Problem(X, 2, cannot_link=[(0, 1)]), labels)
    assert apart[0] != apart[1]
    assert apart[3:].tolist() == [1, 1, 1]


def test_other_constraints_and_impossible_ones_are_left_to_solvers():
    X = np.arange(6.0)[:, None]
    labels = np.array([0, 0, 0, 1, 1, 1])
    assert quick_repair(Problem(X, 2, sizes=[3, 3]), labels) is None
    assert quick_repair(Problem(X, 2, must_link=[(0, 5, 1.0)]), labels) is None
    clique = Problem(X, 2, cannot_link=[(0, 1), (1, 2), (0, 2)])
    assert quick_repair(clique, labels) is None
