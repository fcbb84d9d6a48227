import numpy as np
from sklearn.datasets import make_moons

from ccviz import Problem, solve
from ccviz.data.random_links import random_pairs
from ccviz.events import GenerationEnded, IncumbentFound
from ccviz.solvers.base import Context
from ccviz.solvers.common.clusters import fill_randomly
from ccviz.solvers.dils.solver import Dils


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


def test_same_seed_same_answer():
    first, second = (solve(moons(), Dils(generations=30), seed=3).labels for _ in range(2))
    assert (first == second).all()


def test_empty_clusters_are_filled():
    labels = fill_randomly(np.zeros(6, dtype=np.int64), 3, np.random.default_rng(0))
    assert set(labels.tolist()) == {0, 1, 2}


def test_one_cluster_needs_no_search():
    assert solve(Problem(np.eye(4), 1), Dils(generations=2)).labels.tolist() == [0, 0, 0, 0]
