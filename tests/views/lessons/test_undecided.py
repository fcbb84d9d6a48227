"""The pair that a relaxation is least sure about."""

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.events import RelaxationSolved
from ccviz.views.draft import draft_of
from ccviz.views.lessons.undecided import undecided
from ccviz.views.link_table import Link

X = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 0.0], [4.0, 0.0], [4.1, 0.0]])
POINTS = Dataset("row", X, ("x0", "x1"))


def relaxation(pairs):
    """Return a relaxation whose likeness of the pairs is as given, 1 on the diagonal."""
    Z = np.eye(5)
    for (i, j), share in pairs.items():
        Z[i, j] = Z[j, i] = share
    return RelaxationSolved(node=4, Z=Z, block_of=np.arange(5))


def test_it_is_the_one_nearest_to_one_half():
    event = relaxation({(0, 1): 0.99, (1, 2): 0.3, (2, 3): 0.55})
    assert undecided(draft_of(POINTS, 2), event) == (2, 3)


def test_pairs_that_links_decide_are_left_out():
    event = relaxation({(1, 2): 0.3, (2, 3): 0.55})
    linked = draft_of(POINTS, 2).with_link(Link("cannot", 2, 3))
    assert undecided(linked, event) == (1, 2)
    # With k = 2, what is kept apart from 3 belongs to 2.
    assert undecided(linked.with_link(Link("cannot", 1, 3)), event) is None
