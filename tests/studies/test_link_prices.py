"""Prices of links: against brute force, exact zeros, and refusals."""

from contextlib import suppress

import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve
from ccviz.errors import ContradictionError, ProblemError, UnsupportedError
from ccviz.studies.link_prices import link_prices, price_steps
from tests.exact import exact_optimum
from tests.seeds import seeds


def random_problem(rng):
    n, k = int(rng.integers(5, 9)), int(rng.integers(2, 4))
    pairs = np.array([(i, j) for j in range(n) for i in range(j)])
    chosen = pairs[rng.permutation(len(pairs))[: rng.integers(2, 7)]]
    is_must = rng.random(len(chosen)) < 0.4
    return Problem(rng.normal(size=(n, 2)), k, chosen[is_must], chosen[~is_must])


def feasible_problem(seed):
    rng = np.random.default_rng(seed)
    while True:
        with suppress(ContradictionError, ProblemError):
            problem = random_problem(rng)
            if exact_optimum(problem) is not None:
                return problem


def without(problem, price):
    must, cannot = (
        [pair for pair in links.pairs.tolist() if (kind, *pair) != (price.kind, price.i, price.j)]
        for kind, links in (("must", problem.must_link), ("cannot", problem.cannot_link))
    )
    return Problem(problem.X, problem.k, must, cannot)


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_prices_enclose_those_of_brute_force(seed):
    problem = feasible_problem(seed)
    run = solve(problem, "sdp").run
    whole = float(exact_optimum(problem))
    for known in price_steps(run):
        for price in known.rows:
            true = whole - float(exact_optimum(without(problem, price)))
            slack = 1e-9 * whole
            assert price.lower - slack <= true <= price.upper + slack
            assert not price.is_implied or price.lower == price.upper == 0.0
    assert len(known.rows) == len(problem.must_link) + len(problem.cannot_link)
    assert all(price.is_proved for price in known.rows)


def test_a_wrong_link_costs_most_and_implied_ones_nothing():
    points = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    problem = Problem(points, 3, must_link=[(0, 1), (1, 2), (0, 2), (2, 3)], cannot_link=[(0, 4)])
    result = solve(problem, "sdp")
    first, *others = result.link_prices()
    assert (first.kind, first.i, first.j) == ("must", 2, 3)
    assert first.lower > 10.0
    assert first.words.endswith("proved")
    implied = {(price.i, price.j) for price in others if price.is_implied}
    assert implied == {(0, 1), (1, 2), (0, 2)}
    assert all(price.words == "0: implied by others" for price in others if price.is_implied)
    estimates = result.link_prices(prove=False)
    assert (estimates[0].i, estimates[0].j) == (2, 3)
    assert estimates[0].words.endswith("at least")


@pytest.mark.parametrize(
    ("problem", "solver", "sentence"),
    [
        (Problem(np.eye(4), 2, must_link=[(0, 1)]), "k-means", "run an exact solver first"),
        (Problem(np.eye(4), 2, must_link=[(0, 1, 1.0)]), "bh-kmeans", "those of hard links"),
    ],
)
def test_prices_that_cannot_be_are_refused(problem, solver, sentence):
    run = solve(problem, solver).run
    with pytest.raises((CcvizError, UnsupportedError), match=sentence):
        link_prices(run)


def test_only_a_solver_that_proves_can_price():
    run = solve(Problem(np.eye(4), 2, must_link=[(0, 1)]), "sdp").run
    with pytest.raises(UnsupportedError, match="k-means proves no optimum"):
        link_prices(run, solver="k-means")
