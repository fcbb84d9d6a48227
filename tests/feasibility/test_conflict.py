"""Minimal conflicts and the fewest links to give up, against enumeration."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ccviz import Problem
from ccviz.feasibility.conflict import SIZES, explain_conflict
from ccviz.problem.asked import AskedRule
from ccviz.problem.reduction import with_rules
from ccviz.problem.sums import MaxSum
from tests.feasibility.test_check import draw, is_feasible, with_sums
from tests.seeds import seeds


def without(problem, gone, with_sizes=True):
    """Return the problem without some links, numbered as must-links and then cannot-links."""
    must, cannot = problem.must_link.hard.pairs, problem.cannot_link.hard.pairs
    first = len(must)
    return Problem(
        problem.X, problem.k,
        np.delete(must, [i for i in gone if i < first], axis=0),
        np.delete(cannot, [i - first for i in gone if i >= first], axis=0),
        sizes=problem.sizes if with_sizes else None, rules=problem.rules,
    )  # fmt: skip


def fewest(problem):
    """Return how many links must go, by trying every set."""
    m = len(problem.must_link) + len(problem.cannot_link)
    subsets = (gone for many in range(m + 1) for gone in combinations(range(m), many))
    return next(len(gone) for gone in subsets if is_feasible(without(problem, gone)))


def of_conflict(problem, conflict):
    """Return a problem that has only the constraints of a conflict."""
    return Problem(
        problem.X, problem.k, conflict.must_link, conflict.cannot_link,
        sizes=problem.sizes if conflict.with_sizes else None,
    )  # fmt: skip


def check_minimal(only, conflict):
    """Check that the constraints of a conflict cannot be kept, and can without any one of them."""
    assert not is_feasible(only)
    links = len(only.must_link) + len(only.cannot_link)
    assert all(is_feasible(without(only, [gone])) for gone in range(links))
    if conflict.with_sizes:
        assert is_feasible(without(only, [], with_sizes=False))


@pytest.mark.parametrize("seed", seeds(12, 30))
@pytest.mark.parametrize("with_sizes", [False, True])
def test_a_conflict_is_minimal_and_the_advice_is_the_best(seed, with_sizes):
    rng = np.random.default_rng([seed, with_sizes])
    problem = None
    while problem is None or len(problem.cannot_link) > 12 or is_feasible(problem):
        problem = draw(rng, with_sizes)
    conflict = explain_conflict(problem)
    assert conflict.is_minimal
    check_minimal(of_conflict(problem, conflict), conflict)
    assert conflict.is_fewest
    assert len(conflict.give_up_must) + len(conflict.give_up_cannot) == fewest(problem)
    must = {*map(tuple, problem.must_link.pairs)} - {*map(tuple, conflict.give_up_must)}
    cannot = {*map(tuple, problem.cannot_link.pairs)} - {*map(tuple, conflict.give_up_cannot)}
    rest = Problem(problem.X, problem.k, sorted(must), sorted(cannot), sizes=problem.sizes)
    assert is_feasible(rest)


def test_a_feasible_problem_has_no_conflict():
    assert explain_conflict(Problem(np.arange(4.0)[:, None], 2, cannot_link=[(0, 1)])) is None


def test_one_clique_among_a_thousand_links_is_found():
    rng = np.random.default_rng(0)
    sparse = rng.permutation(2000).reshape(-1, 2)
    clique = list(combinations([3, 50, 900, 1500], 2))
    problem = Problem(np.zeros((2000, 1)), 3, cannot_link=[*sparse.tolist(), *clique])
    conflict = explain_conflict(problem)
    assert {*map(tuple, conflict.cannot_link.tolist())} == {*clique}
    assert len(conflict.give_up_cannot) == 1
    assert conflict.is_fewest


def test_sizes_that_a_block_exceeds_are_said_in_words():
    problem = Problem(np.zeros((6, 1)), 2, must_link=[(0, 1), (1, 2), (2, 3)], sizes=[3, 3])
    conflict = explain_conflict(problem)
    assert conflict.reason == (
        "the cluster sizes, must-link 0–1, must-link 1–2 and must-link 2–3 cannot all be kept; "
        "without any one of them the others can."
    )
    assert conflict.advice.startswith("A clustering exists without must-link")
    assert conflict.advice.endswith("; no fewer links will do.")


def test_no_time_is_no_explanation():
    problem = Problem(np.zeros((3, 1)), 2, cannot_link=[(0, 1), (1, 2), (0, 2)])
    conflict = explain_conflict(problem, time_limit=0.0)
    assert conflict is None or not conflict.is_minimal
    assert SIZES < 0


@pytest.mark.parametrize("seed", seeds(12, 30))
@pytest.mark.parametrize("with_sizes", [False, True])
def test_a_conflict_with_limits_on_sums_is_minimal(seed, with_sizes):
    rng = np.random.default_rng([seed, with_sizes, 7])
    problem = None
    while problem is None or len(problem.cannot_link) > 8 or is_feasible(problem):
        problem = draw(rng, with_sizes)
        problem = problem and with_sums(rng, problem)
    conflict = explain_conflict(problem)
    assert conflict.is_minimal
    named = {text: limit for limit in problem.rules if (text := words(limit)) in conflict.sums}
    assert len(named) == len(conflict.sums)
    only = replace(of_conflict(problem, conflict), rules=tuple(named.values()))
    check_minimal(only, conflict)
    for gone in named.values():
        assert is_feasible(replace(only, rules=tuple({*only.rules} - {gone})))
    without_links = without(problem, range(len(problem.must_link) + len(problem.cannot_link)))
    assert conflict.is_fewest == is_feasible(without_links)
    if conflict.is_fewest:
        assert len(conflict.give_up_must) + len(conflict.give_up_cannot) == fewest(problem)


def words(limit):
    return f"sum{'<=' if isinstance(limit, MaxSum) else '>='}{limit.limit:.6g}"


def test_sums_that_no_clustering_keeps_are_named_as_they_were_given():
    people = (6, 6, 6, 1, 1, 1)
    rules = [AskedRule(f"sum(people){sign}", people) for sign in ("<=8", ">=6")]
    assert explain_conflict(with_rules(Problem(np.eye(6), 3), rules, True)) is None
    apart = with_rules(Problem(np.eye(6), 3, must_link=[(3, 4), (4, 5)]), rules, True)
    conflict = explain_conflict(apart)
    assert conflict.sums == ("sum(people)<=8",)
    assert "the rule sum(people)<=8" in conflict.reason
    assert conflict.is_fewest
    assert len(conflict.give_up_must) == 1
