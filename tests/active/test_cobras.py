"""COBRAS by its paper: split where answers differ, merge where they agree."""

import numpy as np

from ccviz.active.learner import Learner

X = np.concatenate([np.linspace(0, 1, 8), np.linspace(5, 6, 8), np.linspace(10, 11, 8)])[:, None]
OUTER = np.repeat([0, 1, 0], 8)  # one class on both sides of another


def test_a_cluster_may_be_made_of_far_super_instances():
    learner = Learner(X, 2, "cobras")
    while learner.asked < 15 and (pair := learner.question()) is not None:
        learner.answer(bool(OUTER[pair[0]] == OUTER[pair[1]]))
    labels = learner.labels
    assert len(np.unique(labels)) == 2
    assert labels[0] == labels[-1] != labels[12]


def test_before_the_first_merging_there_is_one_cluster():
    assert set(Learner(X, 2, "cobras").labels) == {0}
