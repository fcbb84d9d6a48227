import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from ccviz.problem.agreement import agreement

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
