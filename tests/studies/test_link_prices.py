"""Prices of links: against brute force, exact zeros, and refusals."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve
from ccviz.errors import ArchiveError, ContradictionError, ProblemError, UnsupportedError
from ccviz.problem.rules import MaxDiameter
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.solvers import make_solver
from ccviz.studies.link_prices import link_prices, price_steps
from ccviz.studies.stored import price_in_process, price_stored, stored_prices
from tests.enumeration import least_objective
from tests.seeds import seeds


def random_problem(rng, soft=False):
    n, k = int(rng.integers(5, 9)), int(rng.integers(2, 4))
    pairs = np.array([(i, j) for j in range(n) for i in range(j)])
    chosen = pairs[rng.permutation(len(pairs))[: rng.integers(2, 7)]]
    is_must = rng.random(len(chosen)) < 0.4
    weights = np.where(rng.random(len(chosen)) < 0.6, rng.exponential(2.0, len(chosen)), np.inf)
    rows = np.c_[chosen, weights] if soft else chosen
    return Problem(rng.normal(size=(n, 2)), k, rows[is_must], rows[~is_must])


def feasible_problem(seed, soft=False):
    rng = np.random.default_rng(seed)
    while True:
        with suppress(ContradictionError, ProblemError):
            problem = random_problem(rng, soft)
            if least_objective(problem) < np.inf:
                return problem


def without(problem, price):
    must, cannot = (
        [
            (*pair, weight)
            for pair, weight in zip(links.pairs.tolist(), links.weights.tolist(), strict=True)
            if (kind, *pair) != (price.kind, price.i, price.j)
        ]
        for kind, links in (("must", problem.must_link), ("cannot", problem.cannot_link))
    )
    return Problem(problem.X, problem.k, must, cannot)


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("seed", seeds(3, 16))
def test_prices_enclose_those_of_brute_force(seed, soft):
    problem = feasible_problem(seed, soft)
    run = solve(problem, "sdp").run
    whole = least_objective(problem)
    for known in price_steps(run):
        for price in known.rows:
            true = whole - least_objective(without(problem, price))
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


def test_a_soft_link_costs_at_most_its_weight():
    points = np.array([[0.0], [1.0], [9.0], [10.0]])
    problem = Problem(points, 2, cannot_link=[(0, 1, 5.0)], must_link=[(1, 2, 0.25)])
    prices = solve(problem, "sdp").link_prices(prove=False)
    assert {(price.kind, price.upper) for price in prices} == {("cannot", 5.0), ("must", 0.25)}


def test_prices_that_cannot_be_are_refused():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1)])
    with pytest.raises(CcvizError, match="run an exact solver first"):
        link_prices(solve(problem, "k-means").run)
    run = solve(problem, "sdp").run
    run.problem = replace(problem, rules=(MaxDiameter(9.0),))
    with pytest.raises(UnsupportedError, match="only where no rules"):
        link_prices(run)


def test_prices_are_refused_where_must_links_allow_none_of_the_outliers_asked_for():
    """Without such a link a point could be left out, so the optimum falls by more."""
    points, links = [[0.0], [4.0], [0.0], [5.0]], [(0, 1), (2, 3)]
    result = solve(Problem(points, 2, links, outliers=1), "colgen")
    less = solve(Problem(points, 2, links[:1], outliers=1), "colgen")
    assert result.objective - less.objective == pytest.approx(12.5)
    with pytest.raises(UnsupportedError, match="not known beside outliers"):
        link_prices(result.run)


def test_prices_are_kept_with_their_run_and_go_on(tmp_path):
    result = solve(feasible_problem(1), "sdp")
    with Archive(tmp_path / "runs.sqlite") as archive:
        run_id = archive.create(result.run.problem, "sdp", {})
        archive.append(run_id, result.records(), summarise(result.run))
        assert stored_prices(archive, run_id, result.run) is None
        (first,) = price_stored(archive, run_id, prove=False)
        kept = stored_prices(archive, run_id, result.run)
        assert kept.rows == first.rows
        assert kept.todo == first.todo
        assert price_in_process(archive.path, run_id, make_solver("sdp"), 60.0) == 0
        whole = stored_prices(archive, run_id, result.run)
        assert whole.rows == result.link_prices()
        assert next(iter(price_stored(archive, run_id))).rows == whole.rows
        archive.keep_study(run_id, "prices", b"no prices")
        with pytest.raises(ArchiveError, match="cannot be read"):
            stored_prices(archive, run_id, result.run)
        archive.delete(run_id)
        assert not archive._file.read("SELECT * FROM prices")


def test_only_a_solver_that_proves_can_price():
    run = solve(Problem(np.eye(4), 2, must_link=[(0, 1)]), "sdp").run
    with pytest.raises(UnsupportedError, match="k-means proves no optimum"):
        link_prices(run, solver="k-means")
