"""Margins of points and pairs: against brute force, refusals, and what is kept with a run."""

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve
from ccviz.errors import ArchiveError, ContradictionError, ProblemError, UnsupportedError
from ccviz.problem.blocks import contract
from ccviz.problem.rules import MaxDiameter
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.solvers import make_solver
from ccviz.studies.how_sure import how_sure, margin_steps, pair_margin
from ccviz.studies.margin_table import Margin
from ccviz.studies.stored import margins_in_process, margins_of_stored, stored_margins
from tests.enumeration import feasible, least_objective
from tests.made_soft import draw_soft
from tests.seeds import seeds
from tests.studies.test_link_prices import feasible_problem


def with_opposite(problem, margin):
    """Return the least cost with the opposite of a decision, by brute force."""
    pair = (min(margin.i, margin.j), max(margin.i, margin.j))
    rows = {
        name: [
            (*each, weight)
            for each, weight in zip(links.pairs.tolist(), links.weights.tolist(), strict=True)
        ]
        for name, links in (("must", problem.must_link), ("cannot", problem.cannot_link))
    }
    kind, other = ("cannot", "must") if margin.together else ("must", "cannot")
    broken = sum(row[2] for row in rows[other] if row[:2] == pair)
    if np.isinf(broken):
        return np.inf
    rows[other] = [row for row in rows[other] if row[:2] != pair]
    rows[kind] = [*(row for row in rows[kind] if row[:2] != pair), (*pair, np.inf)]
    try:
        changed = Problem(problem.X, problem.k, rows["must"], rows["cannot"], sizes=problem.sizes)
    except (ContradictionError, ProblemError):
        return np.inf
    return least_objective(changed) + broken


def assert_true(problem, whole, margin):
    true = with_opposite(problem, margin) - whole
    slack = 1e-9 * whole
    assert margin.lower - slack <= true <= margin.upper + slack or true == margin.lower


@pytest.mark.slow
@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("seed", seeds(3, 10))
def test_margins_enclose_those_of_brute_force(seed, soft):
    problem = feasible_problem(seed, soft)
    run = solve(problem, "sdp").run
    whole = least_objective(problem)
    for known in margin_steps(run, prove=True):
        for margin in known.rows:
            if margin.j < 0:
                assert (margin.lower, margin.upper) == (0.0, np.inf)
            else:
                assert_true(problem, whole, margin)
    assert not known.todo
    assert all(margin.is_proved for margin in known.rows if margin.j >= 0)
    for i, j in combinations(range(problem.n), 2):
        together = bool(known.labels[i] == known.labels[j])
        least = known.least_of_pair(i, j)
        assert_true(problem, whole, Margin(i, j, together, least, np.inf, whole))
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(problem.n), 2))
    for place in rng.permutation(len(pairs))[:6].tolist():
        assert_true(problem, whole, pair_margin(run, *pairs[place]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1, 8))
def test_margins_under_sizes(seed):
    problem = draw_soft(seed)
    if problem is None or least_objective(problem) == np.inf:
        return
    run = solve(problem, "sdp").run
    for margin in how_sure(run, prove=seed % 2 == 0).rows:
        if margin.j >= 0:
            assert_true(problem, least_objective(problem), margin)


@pytest.mark.parametrize("seed", seeds(4, 16))
def test_margins_under_sizes_beside_weights(seed):
    """Sizes count points, and the relaxation's masses weight: it is made without the sizes."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 7)), 2
    weights = rng.integers(1, 6, n).astype(float)
    problem = Problem(
        rng.integers(0, 9, (n, 1)), k, sizes=([1, 1], [n - 2, n - 1]), weights=weights
    )
    result, whole = solve(problem, "sdp"), next(feasible(problem)).objective
    for i, j in combinations(range(n), 2):
        margin = result.how_sure((i, j))
        kind = "cannot_link" if margin.together else "must_link"
        opposite = next(feasible(replace(problem, asked=None, **{kind: [(i, j)]})), None)
        true = np.inf if opposite is None else opposite.objective - whole
        assert margin.lower <= true + 1e-9 * whole <= margin.upper + 2e-9 * whole


def test_a_point_between_two_clusters_is_the_least_sure():
    points = np.array([[0.0], [1.0], [2.0], [5.4], [9.0], [10.0], [11.0]])
    result = solve(Problem(points, 2), "sdp")
    margins = result.how_sure()
    first, *_, last = margins.rows
    assert first.i == 3
    assert first.is_proved
    assert margins.surely_there(first.shares[0] + 1e-6).sum() == 6
    assert last.lower > 10.0
    assert margins.least_of_pair(0, 2) > 10.0
    assert margins.least_of_pair(0, 6) > 10.0
    assert margins.least_of_pair(0, 3) == pytest.approx(first.lower)
    assert result.how_sure((0, 6)).lower > 10.0
    assert not result.how_sure((0, 6)).together


def test_must_links_leave_no_opposite():
    problem = Problem(np.eye(5), 2, must_link=[(0, 1)], cannot_link=[(1, 2)])
    run = solve(problem, "sdp").run
    assert pair_margin(run, 0, 1).lower == np.inf
    assert pair_margin(run, 2, 0).lower == np.inf


def test_margins_that_cannot_be_are_refused():
    problem = Problem(np.eye(4), 2)
    with pytest.raises(CcvizError, match="Without one, the column 'why' of --table"):
        how_sure(solve(problem, "k-means").run)
    run = solve(problem, "sdp").run
    with pytest.raises(UnsupportedError, match="k-means proves no optimum"):
        how_sure(run, solver="k-means")
    with pytest.raises(CcvizError, match="no two of the points 0 to 3"):
        pair_margin(run, 0, 4)
    run.problem = replace(problem, rules=(MaxDiameter(9.0),))
    with pytest.raises(UnsupportedError, match="only where no rules"):
        how_sure(run)


@pytest.mark.parametrize("given", [{"outliers": 1}, {"fixed_centers": [[0.0]]}])
def test_margins_beside_outliers_and_fixed_centres_are_refused(given):
    run = solve(Problem(np.array([[0.0], [1.0], [5.0], [6.0], [9.0]]), 2, **given), "colgen").run
    with pytest.raises(UnsupportedError, match="Margins are not known beside"):
        how_sure(run, solver="colgen")


def test_margins_are_kept_with_their_run_and_go_on(tmp_path):
    result = solve(feasible_problem(1), "sdp")
    with Archive(tmp_path / "runs.sqlite") as archive:
        run_id = archive.create(result.run.problem, "sdp", {})
        archive.append(run_id, result.records(), summarise(result.run))
        assert stored_margins(archive, run_id, result.run) is None
        first = next(iter(margins_of_stored(archive, run_id)))
        kept = stored_margins(archive, run_id, result.run)
        assert kept.rows == first.rows
        assert kept.todo == first.todo
        assert margins_in_process(archive.path, run_id, make_solver("sdp")) == 0
        whole = stored_margins(archive, run_id, result.run)
        assert whole.rows == result.how_sure().rows
        for broken in (b"no margins", archive.study(run_id, "margins")[:-1]):
            archive.keep_study(run_id, "margins", broken)
            with pytest.raises(ArchiveError, match="cannot be read"):
                stored_margins(archive, run_id, result.run)
        archive.delete(run_id)
        assert not archive._file.read("SELECT * FROM margins")


def test_each_point_is_descended_from_once(monkeypatch):
    problem = feasible_problem(1, soft=False)
    run = solve(problem, "sdp").run
    module = sys.modules[how_sure.__module__]
    found = []
    descend = module.descended
    monkeypatch.setattr(module, "descended", lambda *given: found.append(given) or descend(*given))
    first, *_ = margin_steps(run)
    centres = int((first.center >= 0).sum())
    assert len(found) <= len(set(contract(problem).block_of)) + centres * (centres - 1) // 2
