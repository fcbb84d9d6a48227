import numpy as np
import pytest
from scipy.spatial.distance import pdist

from ccviz import Problem
from ccviz.problem.partition import Partition
from ccviz.solvers.common.softening import priced_graph, soften
from ccviz.solvers.dils._search import local_search


def fitness_of(problem, labels):
    """Return D (1 + v) as the paper defines it, from all pairs."""
    clusters = [problem.X[labels == j] for j in range(problem.k)]
    spread = np.mean([pdist(each).mean() if len(each) > 1 else 0.0 for each in clusters])
    return spread * (1.0 + Partition(problem, labels).penalty)


@pytest.mark.parametrize("seed", range(5))
def test_moves_are_weighed_as_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.permuted(np.tile(np.arange(20), (12, 1)), axis=1)[:, :2], axis=1)
    problem = soften(
        Problem(rng.normal(size=(20, 3)), 3, must_link=pairs[:6, :], cannot_link=[(0, 19, 0.5)])
    )
    labels = np.concatenate([np.arange(3), rng.integers(3, size=17)])
    before = fitness_of(problem, labels)
    order = np.stack([rng.permutation(20) for _ in range(20)])
    turns = rng.integers(2, size=order.shape)
    broken = Partition(problem, labels).penalty
    found, left = local_search(
        problem.X, labels, 3, priced_graph(problem, 1.0), broken, order, turns, 800
    )
    assert found < before
    assert found == pytest.approx(fitness_of(problem, labels), rel=1e-9)
    assert left == pytest.approx(Partition(problem, labels).penalty, abs=1e-9)
    assert (np.bincount(labels, minlength=3) > 0).all()
