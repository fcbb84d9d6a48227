"""Proofs about fixed centres, by both checkers."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.runs.codec import decode_problem, encode_problem

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def test_labels_are_those_of_the_points_and_given_centres_come_first(both):
    stepper = start(Problem(X, 3, fixed_centers=[[12.0], [40.0]]), "colgen", seed=1)
    problem, events = stepper.problem, [record.event for record in stepper]
    result = stepper.result()
    assert result.status == "optimal"
    assert result.labels.tolist() == [2, 2, 2, 0, 0, 0]
    assert result.objective == pytest.approx(2.0 + 6.0, rel=2e-6)
    both.accept(problem, events)
    again = decode_problem(encode_problem(problem))
    assert again.asks_the_same(problem)
    assert again.fixed == 2
