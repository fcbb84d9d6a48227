import numpy as np
import pytest
from sklearn.cluster import KMeans as Rival

from ccviz import Problem, solve
from ccviz.solvers import kmeans


def test_it_is_as_good_as_its_rival_and_says_which_links_it_breaks():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, size=(30, 3)) for c in (0, 3, 6)])
    result = solve(Problem(X, 3, cannot_link=[(0, 1), (0, 89)]), "k-means", seed=0)
    assert result.objective == pytest.approx(Rival(3, n_init=10, random_state=0).fit(X).inertia_)
    assert result.status == "unknown"
    assert "1 hard links are broken" in result.run.notes[0]


def test_strips_change_nothing():
    problem = Problem(np.random.default_rng(0).normal(size=(50, 2)), 4)
    labels, paid = kmeans._nearest(problem.X, problem.X[:4])
    in_strips, same = kmeans._nearest(problem.X, problem.X[:4], strip=7)
    assert (in_strips == labels).all()
    assert (same == paid).all()
