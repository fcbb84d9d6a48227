"""The number of clusters that a problem asks for."""

import numpy as np
import pytest

from ccviz import ConstrainedKMeans, Problem
from ccviz.errors import ParameterError, ProblemError
from ccviz.problem.asked import parse_rule
from ccviz.problem.reduction import with_rules
from ccviz.studies.choose_k import choose_k

X = np.random.default_rng(0).normal(size=(23, 2))


def test_the_least_number_under_a_largest_size_is_proved():
    found = choose_k(lambda k: Problem(X, k, sizes="1-5"), "least")
    assert (found.k, found.at_least, found.proved) == (5, 5, True)
    assert "20 at most" in found.words


def test_a_clique_of_cannot_links_needs_a_cluster_each():
    clique = [(i, j) for i in range(6) for j in range(i)]
    found = choose_k(lambda k: Problem(X, k, cannot_link=clique), "least")
    assert (found.k, found.proved) == (6, True)
    assert "exclude each other" in found.why


def test_a_diameter_says_how_many_clusters_are_needed():
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    rule = parse_rule("diameter<=2")
    found = choose_k(lambda k: with_rules(Problem(points, k), [rule], False), "least")
    assert (found.k, found.proved) == (3, True)


def test_points_left_out_make_fewer_clusters_do():
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    rule = parse_rule("diameter<=2")
    found = choose_k(lambda k: with_rules(Problem(points, k, outliers=1), [rule], False), "least")
    assert (found.k, found.proved) == (2, True)


def test_the_number_that_costs_least_is_proved():
    points = np.concatenate([np.arange(4.0), 100 + np.arange(3.0), 200 + np.arange(4.0)])[:, None]
    found = choose_k(lambda k: Problem(points, k, sizes=f"3-{len(points)}"), "free")
    assert (found.k, found.proved) == (3, True)
    assert found.objective == pytest.approx(2 * 5.0 + 2.0)
    assert found.lower_bound <= found.objective


@pytest.mark.parametrize(
    ("make", "choice", "words"),
    [
        (lambda k: Problem(X, k, sizes="30"), "least", "no number of clusters can keep"),
        (lambda k: Problem(X, k), "free", "give a least size"),
        (lambda k: Problem(X, k), "most", "neither a number nor"),
        (lambda k: Problem(X, k, outliers=2), "free", "beside outliers"),
        (lambda k: Problem(X, k, fixed_centers=[[0.0, 0.0]]), "least", "beside fixed centres"),
        (lambda k: Problem(X, k, must_link=[(0, 99)]), "least", "99"),
    ],
)
def test_what_cannot_be_chosen_is_said(make, choice, words):
    with pytest.raises(ProblemError, match=words):
        choose_k(make, choice)


def test_the_search_ends_at_its_limit_without_a_clustering_too():
    with pytest.raises(ProblemError, match="no clustering was found that keeps everything in the"):
        choose_k(lambda k: Problem(X, k, sizes="3-23"), "free", time_limit=0.0)


def test_the_estimator_chooses():
    model = ConstrainedKMeans("least", size_max=5, random_state=0).fit(X)
    assert model.n_clusters_ == 5
    assert np.bincount(model.labels_).max() <= 5
    assert model.transform(X).shape == (23, 5)
    with pytest.raises(ParameterError, match="one number of clusters"):
        ConstrainedKMeans("least", metric="learned").fit(X, must_link=[(0, 1)])
