"""Minimal conflicts and the fewest links to give up, against enumeration."""

from itertools import combinations

import numpy as np
import pytest

from ccviz import Problem
from ccviz.feasibility.conflict import SIZES, explain_conflict
from tests.feasibility.test_check import draw, is_feasible
from tests.seeds import seeds


def without(problem, gone, with_sizes=True):
    """Return the problem without some links, numbered as must-links and then cannot-links."""
    must, cannot = problem.must_link.hard.pairs, problem.cannot_link.hard.pairs
    first = len(must)
    return Problem(
        problem.X, problem.k,
        np.delete(must, [i for i in gone if i < first], axis=0),
        np.delete(cannot, [i - first for i in gone if i >= first], axis=0),
        sizes=problem.sizes if with_sizes else None,
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


@pytest.mark.parametrize("seed", seeds(12, 200))
@pytest.mark.parametrize("with_sizes", [False, True])
def test_a_conflict_is_minimal_and_the_advice_is_the_best(seed, with_sizes):
    rng = np.random.default_rng([seed, with_sizes])
    problem = None
    while problem is None or len(problem.cannot_link) > 12 or is_feasible(problem):
        problem = draw(rng, with_sizes)
    conflict = explain_conflict(problem)
    assert conflict.is_minimal
    only = of_conflict(problem, conflict)
    assert not is_feasible(only)
    links = len(only.must_link) + len(only.cannot_link)
    assert all(is_feasible(without(only, [gone])) for gone in range(links))
    if conflict.with_sizes:
        assert is_feasible(without(only, [], with_sizes=False))
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
