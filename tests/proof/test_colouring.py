"""The exhaustive search for a colouring, against trying everything."""

from itertools import product

import numpy as np
import pytest

from ccviz.proof.check import colourable
from ccviz.proof.verdict import Budget


def graph(s, *pairs):
    conflict = np.zeros((s, s), dtype=bool)
    for i, j in pairs:
        conflict[i, j] = conflict[j, i] = True
    return conflict


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_what_trying_everything_finds(seed):
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(6) for j in range(i) if rng.random() < 0.6]
    conflict = graph(6, *pairs)
    for k in (1, 2, 3, 4):
        colours = product(range(k), repeat=6)
        exists = any(all(each[i] != each[j] for i, j in pairs) for each in colours)
        assert colourable(conflict, k, Budget.of(1.0)) is exists


def test_what_is_coloured_after_steps_back_is_found():
    rng = np.random.default_rng(0)
    every = np.array([*product(range(3), repeat=9)])
    answers = []
    for _ in range(150):
        pairs = [(i, j) for i in range(9) for j in range(i) if rng.random() < 0.5]
        i, j = np.array(pairs).T
        exists = bool((every[:, i] != every[:, j]).all(axis=1).any())
        assert colourable(graph(9, *pairs), 3, Budget.of(1.0)) is exists
        answers.append(exists)
    assert 30 < sum(answers) < 120


def test_a_wheel_needs_four_colours_and_a_search():
    rim = [(i, (i + 1) % 7) for i in range(7)]
    wheel = graph(8, *rim, *((7, i) for i in range(7)))
    assert colourable(wheel, 3, Budget.of(1.0)) is False
    assert colourable(wheel, 4, Budget.of(1.0)) is True


def test_each_step_is_paid_for():
    nothing = graph(3)
    steps = 3 * (2000 + 3 * 2)
    assert colourable(nothing, 2, Budget(steps)) is True
    assert colourable(nothing, 2, Budget(steps - 1)) is None
