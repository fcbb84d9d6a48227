from itertools import product

import numpy as np

from ccviz.proof.check import packable
from ccviz.proof.verdict import Budget


def test_it_agrees_with_trying_everything():
    rng = np.random.default_rng(0)
    answers = set()
    for _ in range(300):
        s, k = int(rng.integers(2, 7)), int(rng.integers(1, 4))
        mass = rng.integers(1, 4, size=s).astype(float)
        conflict = np.triu(rng.random((s, s)) < 0.3, 1)
        conflict |= conflict.T
        lower = rng.integers(1, 4, size=k)
        upper = lower + rng.integers(0, 3, size=k)

        def keeps(labels, mass=mass, conflict=conflict, lower=lower, upper=upper, k=k):
            labels = np.array(labels)
            size = np.bincount(labels, mass, k)
            together = labels[:, None] == labels[None, :]
            return (size >= lower).all() and (size <= upper).all() and not conflict[together].any()

        expected = any(map(keeps, product(range(k), repeat=s)))
        assert packable(mass, conflict, lower, upper, Budget.of(5.0)) is expected
        answers.add(expected)
    assert answers == {True, False}


def test_a_budget_that_is_spent_leaves_no_answer():
    mass, conflict = np.ones(12), np.zeros((12, 12), dtype=bool)
    assert packable(mass, conflict, np.full(3, 4), np.full(3, 4), Budget(10.0)) is None
