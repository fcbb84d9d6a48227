"""Objective, violations and scores of labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from ccviz import Partition, Problem
from ccviz.errors import CcvizError
from ccviz.problem.rules import MaxSize

X = np.random.default_rng(0).normal(size=(8, 2))
labellings = st.lists(st.integers(0, 2), min_size=8, max_size=8)


@given(labellings)
def test_wcss_is_the_mean_of_squared_distances_within_clusters(labels):
    partition = Partition(Problem(X, 3), labels)
    labels = np.array(labels)
    expected = 0.0
    for j in range(3):
        points = X[labels == j]
        if len(points):
            squared = ((points[:, None] - points[None, :]) ** 2).sum()
            expected += squared / (2 * len(points))
    assert partition.wcss == pytest.approx(expected)


@given(labellings)
def test_mirkin_and_hubert_count_pairs(labels):
    truth = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    scores = Partition(Problem(X, 3, truth=truth), labels).scores
    labels = np.array(labels)
    i, j = np.triu_indices(8, 1)
    disagree = (labels[i] == labels[j]) != (truth[i] == truth[j])
    assert scores["mirkin"] == pytest.approx(disagree.mean())
    assert scores["hubert"] == pytest.approx(1 - 2 * disagree.mean())
    assert scores["ari"] == pytest.approx(metrics.adjusted_rand_score(truth, labels))


def test_scores_without_truth_are_empty():
    assert Partition(Problem(X, 2), [0, 1] * 4).scores == {}


def test_violations_by_kind():
    problem = Problem(
        X, 3, must_link=[(0, 1), (2, 3, 5.0)], cannot_link=[(0, 2), (4, 5, 0.5)],
        sizes=([1, 1, 1], [4, 8, 8]), rules=(MaxSize(4),),
    )  # fmt: skip
    broken = Partition(problem, [0, 1, 0, 1, 0, 0, 0, 1]).violations
    assert (broken.must_link, broken.cannot_link, broken.hard) == (2, 2, 2)
    assert broken.sizes == 2  # cluster 0 holds five, cluster 2 none
    assert broken.rules == 1
    assert not broken.none_hard


def test_soft_links_cost_and_do_not_count_as_hard():
    problem = Problem(X, 2, must_link=[(0, 1, 5.0)], cannot_link=[(2, 3, 0.5), (4, 5, 0.25)])
    partition = Partition(problem, [0, 1, 0, 0, 0, 1, 1, 1])
    assert partition.penalty == 5.5
    assert partition.violations.none_hard


@pytest.mark.parametrize("labels", [[0] * 7, [0] * 7 + [2], [-1] + [0] * 7])
def test_refuses_labels(labels):
    with pytest.raises(CcvizError, match="needs 8 labels, each from 0 to 1"):
        Partition(Problem(X, 2), labels)


def test_center_of_an_empty_cluster_is_missing():
    partition = Partition(Problem(X, 2), [0] * 8)
    assert np.isnan(partition.centers[1]).all()
    assert partition.cluster_sizes.tolist() == [8, 0]
    assert np.isfinite(partition.wcss)


@pytest.mark.parametrize(("n", "d"), [(50, 3000), (3, 70_000), (70_000, 2)])
def test_tables_are_summed_in_strips(n, d):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(n, d)) + 10.0, np.arange(n) % 3
    partition = Partition(Problem(X, 3), labels)
    means = np.stack([X[labels == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(partition.centers, means, rtol=1e-12)
    assert partition.wcss == pytest.approx(((X - means[labels]) ** 2).sum(), rel=1e-11, abs=1e-20)
