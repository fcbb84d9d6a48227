import numpy as np
import pytest
from sklearn.cluster import KMeans as Rival

from ccviz import Problem, solve
from ccviz.problem.partition import cluster_means
from ccviz.solvers import kmeans
from ccviz.solvers.kmeans import RunningMeans


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


FAR = np.array([[60.0, 0.0], [0.0, -70.0], [-80.0, 50.0]])


@pytest.fixture
def groups():
    rng = np.random.default_rng(4)
    points = np.concatenate([rng.normal(c, 0.3, size=(12, 2)) for c in (0.0, 4.0, 8.0)])
    return np.concatenate([FAR, points])


@pytest.mark.parametrize("solver", ["k-means", "blp-kmeans"])
def test_far_points_are_left_out(groups, solver):
    result = solve(Problem(groups, 3, outliers=3), solver, seed=1, n_init=10)
    assert np.flatnonzero(result.labels < 0).tolist() == [0, 1, 2]
    assert set(result.labels.tolist()) == {-1, 0, 1, 2}
    without = solve(Problem(groups[3:], 3), solver, seed=1, n_init=10)
    assert result.objective == pytest.approx(without.objective)


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_means_are_those_of_all_points(d, is_weighted):
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2.0, size=200) if is_weighted else None
    problem = Problem(rng.normal(size=(200, d)) + 100.0, 5, weights=weights)
    means, labels = RunningMeans(problem), rng.integers(5, size=200)
    for changed in (200, 3, 0, 150, 1, *[2] * 20):
        labels = labels.copy()
        labels[rng.choice(200, changed, replace=False)] = rng.integers(5, size=changed)
        right = cluster_means(problem.X, labels, 5, problem.weights)
        assert means.of(labels) == pytest.approx(right, rel=1e-12)


def test_a_cluster_that_runs_empty_has_no_mean():
    means = RunningMeans(Problem(np.arange(40.0).reshape(-1, 1), 2))
    one = np.zeros(40, dtype=np.int64)
    one[0] = 1
    means.of(one)
    assert np.isnan(means.of(np.zeros(40, dtype=np.int64))[1]).all()
