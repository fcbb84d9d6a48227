"""The share of wrong answers that is learned."""

import numpy as np
import pytest

from ccviz.active.answers import Answer, Answers
from ccviz.active.learner import FIRST, Learner, error_rate
from ccviz.data.datasets import load
from ccviz.data.scaling import scale


def answers(k, *given):
    found = Answers(k)
    for i, j, together in given:
        found.add(Answer(i, j, together, 0.9))
    return found


def test_answers_that_nothing_contradicts_could_be_all_wrong():
    assert error_rate(Answers(3)) == FIRST
    assert error_rate(answers(4, (0, 1, True), (1, 2, True), (3, 4, False), (5, 6, None))) == FIRST


def test_answers_that_agree_lower_it_and_others_raise_it():
    agreed = answers(4, (0, 1, True), (1, 2, True), (0, 2, True))
    assert error_rate(agreed) == pytest.approx(1.0 / 11.0)
    broken = answers(4, (0, 1, True), (1, 2, True), (0, 2, True), (0, 2, True), (0, 1, False))
    assert error_rate(broken) == pytest.approx(2.0 / 13.0)


@pytest.mark.parametrize(
    "wrong", [0.3, *(pytest.param(few, marks=pytest.mark.slow) for few in (0.0, 0.1))]
)
def test_it_comes_near_the_true_rate(wrong):
    iris, rng, rates = load("iris"), np.random.default_rng(3), []
    for seed in range(4):
        learner = Learner(scale(iris.X, "range"), 3, seed=seed, noise="learned")
        while learner.asked < 120 and (pair := learner.question()) is not None:
            same = iris.truth[pair[0]] == iris.truth[pair[1]]
            learner.answer(bool(same) != bool(rng.random() < wrong))
        rates.append(learner.noise)
    assert abs(np.mean(rates) - wrong) < 0.1


def test_a_learner_goes_on_with_the_rate_that_it_learned():
    X = np.random.default_rng(0).normal(size=(30, 2))
    learner = Learner(X, 3, noise="learned")
    for i, j, together in ((0, 1, True), (1, 2, True), (0, 2, True), (0, 2, False)):
        learner.tell(i, j, together)
    assert learner.learns_noise
    assert learner.noise != FIRST
    again = Learner.resumed(X, learner.state)
    assert again.learns_noise
    assert again.noise == learner.noise
    again.start_over()
    assert again.noise == FIRST
