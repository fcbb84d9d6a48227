"""Weights of points beside points given twice, points left out, and weights of another unit."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import UnsupportedError
from ccviz.proof.verify import verify
from ccviz.solvers import SOLVERS, check, make_solver

PROVING = [solver.name for solver in SOLVERS if solver.supports.weights and solver.supports.bounds]
EXACT = [name for name in PROVING if make_solver(name).supports.exact]


@pytest.mark.parametrize("name", EXACT)
def test_weight_2_is_a_point_given_twice_under_a_must_link(name):
    rng = np.random.default_rng(3)
    X, twice = rng.normal(size=(8, 2)), [1, 4, 5]
    weights = np.ones(8)
    weights[twice] = 2.0
    links = {"cannot_link": [(0, 4), (1, 2)]}
    one = start(Problem(X, 3, weights=weights, **links), name, seed=1).result()
    copies = Problem(
        np.concatenate([X, X[twice]]), 3, [(i, 8 + at) for at, i in enumerate(twice)], **links
    )
    assert one.objective == pytest.approx(start(copies, name, seed=1).result().objective)
    assert one.lower_bound == pytest.approx(one.objective, rel=1e-4)


@pytest.mark.parametrize("name", EXACT)
def test_a_point_of_weight_0_changes_nothing_and_has_a_label(name):
    rng = np.random.default_rng(5)
    X, far = rng.normal(size=(9, 2)), np.array([[50.0, 50.0]])
    without = start(Problem(X, 3), name, seed=1).result()
    beside = Problem(np.concatenate([far, X]), 3, weights=[0.0] + [1.0] * 9)
    stepper = start(beside, name, seed=1)
    events = [record.event for record in stepper]
    result = stepper.result()
    assert result.status == "optimal"
    assert result.objective == pytest.approx(without.objective)
    assert result.partition.labels.shape == (10,)
    assert name == "rbba" or verify(beside, events).accepted


@pytest.mark.parametrize("factor", [1e-9, 1e9])
@pytest.mark.parametrize("name", PROVING)
def test_the_unit_of_the_weights_does_not_matter(name, factor):
    rng = np.random.default_rng(7)
    X, weights = rng.normal(size=(14, 2)), rng.random(14) + 0.1
    one = start(Problem(X, 3, weights=weights), name, seed=1).result()
    other = start(Problem(X, 3, weights=factor * weights), name, seed=1).result()
    assert other.status == one.status
    assert other.objective == pytest.approx(factor * one.objective, rel=1e-9)
    assert other.lower_bound == pytest.approx(factor * one.lower_bound, rel=2e-4)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("dils", {"weights": [1.0, 2.0, 1.0, 1.0]}, "cannot handle weights of points"),
        (
            "sdp",
            {"weights": [1.0, 0.0, 1.0, 1.0], "cannot_link": [(0, 1)]},
            "cannot handle constraints on points of weight 0; no solver here can",
        ),
    ],
)
def test_what_is_not_honoured_is_refused_in_a_sentence(name, given, words):
    with pytest.raises(UnsupportedError) as refused:
        check(make_solver(name), Problem(np.arange(4.0)[:, None], 2, **given))
    assert words in str(refused.value)
