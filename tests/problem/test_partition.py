"""Objective, violations and scores of labels."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from ccviz import Partition, Problem
from ccviz.errors import CcvizError, ProblemError
from ccviz.problem.asked import AskedRule
from ccviz.problem.partition import agreement
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import MaxSize
from ccviz.problem.sizes import Sizes, read_sizes, sizes_text

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


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=60)


def expected(truth, labels):
    confusion = metrics.pair_confusion_matrix(truth, labels)
    mirkin = (confusion[0, 1] + confusion[1, 0]) / max(confusion.sum(), 1)
    return {
        "ari": metrics.adjusted_rand_score(truth, labels),
        "ami": metrics.adjusted_mutual_info_score(truth, labels),
        "nmi": metrics.normalized_mutual_info_score(truth, labels),
        "mirkin": mirkin,
        "hubert": 1.0 - 2.0 * mirkin,
    }


@given(PAIRS)
def test_the_indices_are_those_of_scikit_learn(pairs):
    truth, labels = np.array(pairs).T
    single = len(set(truth)) == len(set(labels)) == len(pairs) > 1
    assume(not single)  # where scikit-learn before 1.7 has 0 for the index of equal partitions
    assert agreement(truth, labels) == pytest.approx(expected(truth, labels), abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_equal_partitions_agree_fully(n):
    for labels in (np.zeros(n, int), np.arange(n)):
        found = agreement(labels, labels[::-1].copy())
        assert found["ari"] == found["ami"] == found["nmi"] == 1.0


def test_the_numbers_of_many_points_are_exact():
    truth = np.arange(1_000_000) % 4
    assert agreement(truth, (truth + 1) % 4)["ari"] == 1.0


def test_points_of_no_known_class_do_not_count():
    truth, labels = np.array([0, 0, -1, 1, 1, -1]), np.array([1, 1, 1, 0, 0, 0])
    assert agreement(truth, labels)["ari"] == 1.0
    assert agreement(np.full(2, -1), np.arange(2)) == {}


@pytest.mark.parametrize(
    ("text", "words", "labels", "forced"),
    [
        ("labels(type)", [1, 0, 2, 0], [0, 0, 1, 1], True),
        ("labels(type)", [1, 0, 2, 2], [0, 0, 1, 1], True),
        ("labels(type)", [1, 0, 2, 0], [0, 0, 0, 1], False),
        ("labels(type)=2.5", [1, 0, 2, 0], [0, 0, 1, 1], False),
        ("together(type)", [1, 0, 2, 0], [0, 0, 1, 1], False),
        ("labels(type)", [1, 2, 0, 0], [0, 1, 1, 1], False),
        ("labels(type)", [1, 0, 1, 0], [0, 1, 0, 1], False),
    ],
)
def test_scores_are_forced_by_a_hard_rule_on_the_known_classes(text, words, labels, forced):
    plain = Problem(X[:4], 2, truth=[0, -1, 1, -1])
    problem = with_rules(plain, [AskedRule(text, tuple(words))], keeps_rules=False)
    assert Partition(problem, labels).forced_by == (text if forced else "")


# --- Sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("50, 50, 50", [50, 50, 50], [50, 50, 50]),
        ("40-60; 40–60 70", [40, 40, 70], [60, 60, 70]),
        ("40-60", [40, 40, 40], [60, 60, 60]),
        (" Equal ", [50, 50, 50], [51, 51, 51]),
        ("", [], []),
        (" , ", [], []),
    ],
)
def test_sizes_are_read_as_people_write_them(text, lower, upper):
    assert read_sizes(text, 152, 3) == (lower, upper)


@pytest.mark.parametrize(
    ("text", "words"),
    [("1,2", "there are 2 sizes in '1,2', but k is 3."), ("few", "'few' is not a size")],
)
def test_what_is_no_size_is_refused(text, words):
    with pytest.raises(ProblemError, match=words):
        read_sizes(text, 150, 3)


def test_sizes_are_written_as_they_are_read():
    lower, upper = [40, 50, 70], [60, 50, 70]
    assert read_sizes(sizes_text(lower, upper), 150, 3) == (lower, upper)


@pytest.mark.parametrize(
    ("points", "numbers"), [([2, 5, 1], [2, 0, 1]), ([1, 1, 5], [1, 2, 0]), ([5, 5, 1], None)]
)
def test_clusters_are_numbered_by_the_limits_that_they_keep(points, numbers):
    found = Sizes(np.array([4, 1, 1]), np.array([6, 1, 3])).numbers_of(np.array(points))
    assert (None if found is None else found.tolist()) == numbers
