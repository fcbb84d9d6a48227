"""What a clustering costs at most, and whether it keeps everything that must hold."""

import re

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.problem.rules import MaxOverlap, MaxSize
from ccviz.proof.check import check_clustering
from ccviz.proof.reading import Clustering, FlawError
from ccviz.proof.rounding import unit_of

X = np.random.default_rng(0).normal(size=(6, 2))
LABELS = np.array([0, 0, 1, 1, 0, 2])


def cost(labels, k=3, **constraints):
    problem = Problem(X, k, **constraints)
    unit = unit_of(problem)
    return unit.back(check_clustering(problem, unit, Clustering(np.asarray(labels), None)))


def test_the_cost_is_the_sum_of_squares_rounded_up():
    wcss = Partition(Problem(X, 3), LABELS).wcss
    assert wcss <= cost(LABELS) <= wcss * (1 + 1e-12)
    linked = {"must_link": [(2, 3), (0, 4)], "cannot_link": [(0, 5), (1, 2)]}
    assert cost(LABELS, **linked, rules=(MaxSize(3),)) == cost(LABELS)


@pytest.mark.parametrize(
    ("constraints", "sentence"),
    [
        ({"must_link": [(0, 1), (1, 2)]}, "a clustering breaks the link 1-2"),
        ({"cannot_link": [(0, 5), (2, 3), (0, 1)]}, "a clustering breaks the link 0-1"),
        ({"rules": (MaxSize(3), MaxSize(2))}, "a clustering breaks a rule"),
        ({"rules": (MaxOverlap((0, 99), 1),)}, "a rule names point 99"),
    ],
)
def test_what_is_broken_is_named(constraints, sentence):
    with pytest.raises(FlawError, match=f"^{re.escape(sentence)}") as flaw:
        cost(LABELS, **constraints)
    assert not str(flaw.value).endswith(".")
