import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz.events import RelaxationSolved
from ccviz.views.frames.guess import guess


def test_a_matrix_that_is_a_clustering_is_read_off(problem, labels):
    Z = (labels[:, None] == labels) / np.bincount(labels)[labels]
    event = RelaxationSolved(node=0, Z=Z, block_of=np.arange(len(labels)))
    assert adjusted_rand_score(labels, guess(problem, event)) == 1.0


def test_a_grey_matrix_still_gives_labels(problem, labels):
    together = (labels[:, None] == labels) / np.bincount(labels)[labels]
    Z = 0.6 * together + 0.4 / len(labels)
    event = RelaxationSolved(node=0, Z=Z, block_of=np.arange(len(labels)))
    found = guess(problem, event)
    assert found.min() >= 0
    assert found.max() < problem.k
    assert adjusted_rand_score(labels, found) == 1.0


def test_points_of_a_block_share_their_label(problem):
    block_of = np.arange(problem.n) // 2
    event = RelaxationSolved(node=0, Z=np.eye(20) / 2, block_of=block_of)
    found = guess(problem, event)
    assert (found[::2] == found[1::2]).all()
