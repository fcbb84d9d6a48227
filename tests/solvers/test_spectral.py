import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.solvers.spectral import Spectral, additively, affinities, by_degrees, nearest


def moons():
    turn = np.linspace(0, np.pi, 60)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    lower = np.column_stack([1 - np.cos(turn), 0.4 - np.sin(turn)])
    return np.concatenate([upper, lower]), np.repeat([0, 1], 60)


def test_normalised_rows_add_up_to_one():
    problem = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)
    affinity = affinities(problem, 1.0)
    assert np.allclose(additively(affinity).sum(axis=1), 1.0)
    assert np.linalg.eigvalsh(by_degrees(affinity)).max() == pytest.approx(1.0)
    graph = nearest(affinity, 4)
    assert (graph == graph.T).all()
    assert ((graph > 0).sum(axis=1) >= 5).all()


@pytest.mark.parametrize("propagation", ["links", "exhaustive"])
def test_it_finds_clusters_that_no_centres_find(propagation):
    X, truth = moons()
    rng = np.random.default_rng(1)
    pairs = rng.choice(120, size=(40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 2, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    settings = {"propagation": propagation, "width": 0.3, "neighbours": 8}
    assert solve(problem, "spectral", seed=0, **settings).partition.scores["ari"] > 0.95
    assert solve(problem, "k-means", seed=0).partition.scores["ari"] < 0.6


def test_exhaustive_links_reach_points_that_have_none():
    problem = Problem(moons()[0], 2, must_link=[(0, 4)])
    solver = Spectral(propagation="exhaustive", neighbours=8)
    before = nearest(affinities(problem, 0.3), 8)
    after = solver._spread(problem, before.copy())
    assert after[1, 3] > before[1, 3]
