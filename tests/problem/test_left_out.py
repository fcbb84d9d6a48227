"""Outliers: what a problem with them is, and that clusters of one point say the same."""

from itertools import combinations

import numpy as np
import pytest

from ccviz import Problem, ProblemError, solve
from ccviz.errors import ContradictionError
from ccviz.problem.asked import AskedRule
from ccviz.problem.reduction import with_rules
from ccviz.runs.codec import decode_problem, encode_problem
from tests import constrained
from tests.enumeration import least_wcss
from tests.seeds import seeds

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [99.0]])


def by_subsets(X, k, must_link, cannot_link, outliers):
    """Return the least WCSS with any points but linked ones left out, at most so many."""
    linked = {point for pair in must_link for point in pair}
    free = [point for point in range(len(X)) if point not in linked]
    best = np.inf
    for many in range(outliers + 1):
        for out in combinations(free, many):
            place = {point: at for at, point in enumerate(set(range(len(X))) - {*out})}
            links = [
                [(place[i], place[j]) for i, j in pairs if i in place and j in place]
                for pairs in (must_link, cannot_link)
            ]
            try:
                best = min(best, least_wcss(Problem(X[[*place]], k, *links)))
            except ProblemError:
                continue
    return best


@pytest.mark.parametrize("seed", seeds(8, 100))
def test_clusters_of_one_point_are_points_left_out(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 8)), int(rng.integers(1, 3))
    points = rng.normal(size=(n, 2))
    draw = lambda most: [tuple(map(int, rng.choice(n, 2, replace=False))) for _ in range(most)]  # noqa: E731
    must_link, cannot_link = draw(rng.integers(0, 3)), draw(rng.integers(0, 5))
    outliers = int(rng.integers(1, 1 + min(3, n - k)))
    try:
        problem = Problem(points, k, must_link, cannot_link, outliers=outliers)
    except ContradictionError:
        return
    except ProblemError:
        best = np.inf
    else:
        best = constrained.optimum(problem)
    assert best == pytest.approx(by_subsets(points, k, must_link, cannot_link, outliers))


def test_a_problem_counts_points_left_out_as_clusters():
    problem = Problem(X, 2, outliers=2)
    assert (problem.k, problem.n_clusters, problem.outliers) == (4, 2, 2)
    assert problem.sizes.upper.tolist() == [3, 3, 1, 1]
    assert "k=2" in repr(problem)
    assert "up to 2 outliers" in repr(problem)
    assert problem.shown(np.array([0, 0, 1, 2, 1, 3])).tolist() == [0, 0, 1, -1, 1, -1]
    again = decode_problem(encode_problem(problem))
    assert again.asks_the_same(problem)
    assert not Problem(X, 4, sizes=problem.sizes).asks_the_same(problem)


def test_a_linked_point_stays():
    problem = Problem(X, 2, [(0, 5), (1, 2)], outliers=3)
    assert problem.outliers == 2
    assert problem.notices == (
        "Of 3 outliers only 2 can be: no point with a must-link is left out.",
    )
    none = Problem(X, 2, [(0, 1), (2, 3), (4, 5)], outliers=3)
    assert (none.outliers, none.outliers_asked) == (0, 3)
    assert decode_problem(encode_problem(none)).outliers_asked == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"outliers": -1}, "not a whole number"),
        ({"outliers": 1.5}, "not a whole number"),
        ({"outliers": "many"}, "not a number of points"),
        ({"outliers": 5}, "leave fewer than 2"),
        ({"outliers": 1, "sizes": [3, 3]}, "beside cluster sizes"),
        ({"outliers": 1, "weights": np.arange(1.0, 7.0)}, "beside weights"),
        ({"outliers": 1, "must_link": [(0, 1, 2.0)]}, "beside soft links"),
    ],
)
def test_what_outliers_cannot_be_combined_with_is_said(given, words):
    with pytest.raises(ProblemError, match=words):
        Problem(X, 2, **given)


@pytest.mark.parametrize("rule", ["size>=2", "separation>=1.5", "overlap(known)<=2"])
def test_rules_that_points_left_out_would_break_are_refused(rule):
    asked = AskedRule.read(rule, lambda _: [0, 0, 0, 1, 1, 1])
    with pytest.raises(ProblemError, match="cannot be left out beside"):
        with_rules(Problem(X, 2, outliers=1), [asked], True)


@pytest.mark.parametrize("keeps_rules", [False, True])
def test_diameter_and_largest_size_hold_for_what_is_left(keeps_rules):
    rules = [AskedRule("diameter<=5"), AskedRule("size<=3")]
    problem = with_rules(Problem(X, 2, outliers=1), rules, keeps_rules)
    assert problem.outliers == 1
    assert problem.sizes.upper.tolist() == [3, 3, 1]
    assert constrained.optimum(problem) == pytest.approx(2.5)


def test_sizes_beside_outliers_are_refused_whatever_they_are():
    with pytest.raises(ProblemError, match="points cannot be left out beside cluster sizes"):
        Problem(X, 3, sizes=([1, 1, 1], [3, 3, 1]), outliers=1)


def test_must_links_of_a_rule_leave_fewer_points_to_leave_out():
    problem = Problem([[0.0], [1.0], [5.0]], 1, outliers=2)
    made = with_rules(problem, [AskedRule("together(V)", (3, 1, 3))], True)
    assert (made.outliers, made.outliers_asked, made.n_clusters) == (1, 2, 1)
    assert solve(made).objective == pytest.approx(12.5)
