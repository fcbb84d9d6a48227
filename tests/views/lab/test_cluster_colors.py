"""Colours that stay from run to run."""

import numpy as np

from ccviz import Partition, Problem
from ccviz.views.lab.cluster_colors import ClusterColors


def test_a_run_follows_the_answer_before_it_and_not_its_own_random_start():
    hues = ClusterColors()
    hues.keep(np.array([0, 0, 1, 1]), is_answer=True)
    hues.keep(np.array([1, 0, 0, 0]))  # the first clusters of the next run
    assert hues.before.tolist() == [0, 0, 1, 1]
    assert hues.shown.tolist() == [1, 0, 0, 0]


def test_without_an_answer_a_run_follows_what_is_shown():
    hues = ClusterColors()
    assert hues.before is None
    hues.keep(np.array([1, 1, 0, 0]))
    hues.keep(np.full(4, -1), is_answer=True)  # nothing was found: nothing is known
    assert hues.before.tolist() == [1, 1, 0, 0]
    answer = Partition(Problem(np.arange(4.0)[:, None], 2), [0, 0, 1, 1])
    assert hues.of(answer).tolist() == [1, 1, 0, 0]


def test_other_points_begin_anew():
    hues = ClusterColors()
    hues.keep(np.array([1, 1, 0, 0]), is_answer=True)
    hues.forget()
    assert hues.before is None
