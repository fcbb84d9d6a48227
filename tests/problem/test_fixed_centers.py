"""Fixed centres: heavy points say the same, but for a millionth, and never more."""

from itertools import product

import numpy as np
import pytest

from ccviz import ConstrainedKMeans, Partition, Problem, ProblemError, solve
from ccviz.problem.asked import AskedRule
from ccviz.problem.fixed_centers import HEAVY
from ccviz.problem.reduction import with_rules
from ccviz.proof.verify import verify
from ccviz.solvers.advice import advice, obstacles
from tests import constrained
from tests.seeds import seeds

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def about_centers(points, k, centers, must_link, cannot_link):
    """Return the least cost about given centres and means, of all labels that keep the links."""
    best, q = np.inf, len(centers)
    for labels in map(np.array, product(range(k), repeat=len(points))):
        if any(not (labels == j).any() for j in range(q, k)):
            continue
        if any(labels[i] != labels[j] for i, j in must_link):
            continue
        if any(labels[i] == labels[j] for i, j in cannot_link):
            continue
        where = [*centers, *(points[labels == j].mean(axis=0) for j in range(q, k))]
        best = min(best, ((points - np.array(where)[labels]) ** 2).sum())
    return best


@pytest.mark.parametrize("seed", seeds(6, 200))
def test_heavy_points_are_given_centres_but_for_a_millionth(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 7)), int(rng.integers(2, 4))
    points, q = rng.normal(size=(n, 2)), int(rng.integers(1, k + 1))
    centers = rng.normal(size=(q, 2)) * 1.5
    must_link, cannot_link = [(0, 1)] * (seed % 2), [(1, 2)] * (seed // 2 % 2)
    problem = Problem(points, k, must_link, cannot_link, fixed_centers=centers)
    best = about_centers(points, k, centers, must_link, cannot_link)
    found = constrained.optimum(problem)
    assert best * (1 - 1.01 / HEAVY) <= found <= best * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["blp-kmeans", "colgen"])
def test_the_estimator_keeps_centres(solver):
    model = ConstrainedKMeans(2, solver, fixed_centers=[[12.0]], random_state=0).fit(X)
    assert model.labels_.tolist() == [1, 1, 1, 0, 0, 0]
    assert model.cluster_centers_.ravel().tolist() == pytest.approx([12.0, 1.0], rel=1e-5)
    assert model.predict([[30.0], [-5.0]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fixed_centers": "here"}, "not rows of numbers"),
        ({"fixed_centers": [1.0, 2.0]}, "have the shape"),
        ({"fixed_centers": [[1.0, 2.0]]}, "not rows of 1 numbers"),
        ({"fixed_centers": [[np.nan]]}, "missing or infinite"),
        ({"fixed_centers": [[1.0], [2.0], [3.0]]}, "more than the k = 2"),
        ({"fixed_centers": [[1.0]], "sizes": [3, 4]}, "but there are 6 points"),
        ({"fixed_centers": [[1.0]], "weights": np.arange(6.0)}, "beside weights"),
        ({"fixed_centers": [[1.0]], "outliers": 1}, "beside outliers"),
        ({"fixed_centers": [[1.0]], "must_link": [(0, 6)]}, "6"),
        ({"fixed": 1}, "not points of the weight"),
    ],
)
def test_what_cannot_be_is_said(given, words):
    with pytest.raises(ProblemError, match=words):
        Problem(X, 2, **given)


def test_rules_beside_fixed_centres_are_refused():
    with pytest.raises(ProblemError, match="beside rules"):
        with_rules(Problem(X, 2, fixed_centers=[[1.0]]), [AskedRule("diameter<=3")], False)


def test_a_given_centre_may_have_no_points():
    partition = Partition(Problem(X, 2, fixed_centers=[[99.0]]), [0, 0, 0, 0, 0, 0, 1])
    assert partition.in_order().shown.tolist() == [1] * 6
    assert partition.violations.none_hard


def test_sizes_are_those_of_the_given_centres():
    problem = Problem(X, 2, sizes=[4, 2], fixed_centers=[[12.0], [1.0]])
    result = solve(problem, "colgen")
    about = [(x - 12.0) ** 2 - (x - 1.0) ** 2 for x in X[:, 0]]
    assert result.status == "optimal"
    assert result.labels.tolist() == [int(value > sorted(about)[3]) for value in about]
    assert verify(problem, [record.event for record in result.records()], 1e-6).accepted
    assert solve(problem, "blp-kmeans").objective == pytest.approx(result.objective)


@pytest.mark.parametrize(("centers", "exact"), [([[0.0], [9.0]], True), ([[0.0]], False)])
def test_who_proves_sizes_about_given_centres(centers, exact):
    problem = Problem(X, 2, sizes=[3, 3], fixed_centers=centers, cannot_link=[(0, 1)])
    assert ("colgen" in obstacles(problem)) != exact
    assert advice(problem).solver == ("colgen" if exact else "blp-kmeans")
    assert solve(problem).partition.kept_sizes.tolist() == [3, 3]
