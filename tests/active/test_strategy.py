"""What every strategy keeps: each is asked the same things."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ccviz.active import classic
from ccviz.active.learner import STRATEGIES, Learner
from ccviz.data.datasets import blobs

names = pytest.mark.parametrize("name", [strategy.name for strategy in STRATEGIES])
DATA = blobs(60, 3, 1.0, seed=4)


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    monkeypatch.setattr(classic, "_TREES", 5)


def lead(learner, questions, reply):
    """Answer a number of questions and return the pairs."""
    pairs = []
    while len(pairs) < questions and (pair := learner.question()) is not None:
        learner.answer(reply(*pair))
        pairs.append(pair)
    return pairs


def truth(i, j):
    return bool(DATA.truth[i] == DATA.truth[j])


@names
def test_no_question_is_asked_that_answers_imply(name):
    learner = Learner(DATA.X, 3, name)
    for _ in range(25):
        pair = learner.question()
        if pair is None:
            break
        assert learner.answers.known(*pair) is None
        learner.answer(truth(*pair))


@names
def test_same_seed_and_same_answers_same_questions(name):
    first, second = (lead(Learner(DATA.X, 3, name, seed=5), 15, truth) for _ in range(2))
    assert first == second


@names
def test_resumed_it_asks_what_it_would_have_asked(name):
    whole, part = Learner(DATA.X, 3, name), Learner(DATA.X, 3, name)
    pairs = lead(whole, 20, truth)
    lead(part, 12, truth)
    resumed = Learner.resumed(DATA.X, part.state)
    if name == "npu":  # its forests are drawn again
        assert resumed.question() is not None
    else:
        assert lead(resumed, 8, truth) == pairs[12:]


@names
def test_true_answers_lead_to_the_classes_or_near(name):
    learner = Learner(DATA.X, 3, name)
    lead(learner, 40, truth)
    assert adjusted_rand_score(DATA.truth, learner.labels) > 0.3
    assert not learner.answers.broken


@names
def test_answers_by_chance_never_lead_to_a_dead_end(name):
    rng = np.random.default_rng(0)
    learner = Learner(DATA.X, 3, name, noise=0.3)
    pairs = lead(learner, 40, lambda i, j: [True, False, None][rng.integers(3)])
    assert pairs
    assert learner.labels.shape == (60,)


@names
def test_who_never_knows_is_not_asked_for_ever(name):
    learner = Learner(DATA.X[:12], 3, name)
    pairs = lead(learner, 200, lambda i, j: None)
    assert len(pairs) <= 66
    assert learner.labels.shape == (12,)


@names
def test_points_that_coincide_are_no_trouble(name):
    learner = Learner(np.zeros((9, 2)), 2, name)
    lead(learner, 50, lambda i, j: i % 2 == j % 2)
    assert learner.labels.shape == (9,)
