import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import make_moons

from ccviz import Problem, solve
from ccviz.data.random_links import random_pairs
from ccviz.events import GenerationEnded, IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.solvers.base import Context
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.common.link_passes import local_search
from ccviz.solvers.dils import Dils


def moons():
    X, truth = make_moons(80, noise=0.05, random_state=0)
    links = random_pairs(truth, 120, seed=0)
    return Problem(X, 2, must_link=links.must_link, cannot_link=links.cannot_link, truth=truth)


def test_finds_the_moons_that_the_links_tell_of():
    result = solve(moons(), Dils(generations=300), seed=1)
    assert result.partition.scores["ari"] > 0.9
    assert result.partition.violations.hard == 0


def test_the_best_only_gets_better_and_every_generation_is_told():
    events = list(Dils(generations=40).steps(moons(), Context(seed=2)))
    found = [event.objective for event in events if isinstance(event, IncumbentFound)]
    assert found == sorted(found, reverse=True)
    generations = [event for event in events if isinstance(event, GenerationEnded)]
    assert [event.generation for event in generations] == list(range(40))
    assert all(event.objectives.shape == (2,) for event in generations)
    assert min(event.objectives.min() for event in generations) == found[-1]


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
