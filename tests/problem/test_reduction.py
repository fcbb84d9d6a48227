"""Rules as links and sizes, against every clustering there is."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz import Partition, Problem, solve
from ccviz.errors import ContradictionError, ProblemError
from ccviz.problem import column_links, rule_base
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.problem.relaxed import Lacking, is_within, lacking_of, relaxed, shared
from ccviz.problem.rules import Both, MaxDiameter, MaxOverlap, MaxSize, MinSeparation, MinSize

X = np.random.default_rng(5).uniform(size=(7, 2)) * 4
GAPS = cdist(X, X)
K = 3


def keeps(labels, wishes):
    same = labels[:, None] == labels
    counts = np.bincount(labels, minlength=K)
    for wish in wishes:
        if isinstance(wish, MaxDiameter):
            good = GAPS[same].max() <= wish.limit
        elif isinstance(wish, MinSeparation):
            good = same.all() or GAPS[~same].min() >= wish.limit
        else:
            good = counts.min() >= wish.limit if isinstance(wish, MinSize) else (
                counts.max() <= wish.limit
            )  # fmt: skip
        if not good:
            return False
    return counts.min() > 0


def brute_force(wishes):
    problem = Problem(X, K)
    labelings = np.indices((K,) * len(X)).reshape(len(X), -1).T
    return min(
        (Partition(problem, labels).wcss for labels in labelings if keeps(labels, wishes)),
        default=math.inf,
    )


WISHES = {
    "diameter": (MaxDiameter(2.2),),
    "separation": (MinSeparation(0.9),),
    "both": (MaxDiameter(3.2), MinSeparation(0.6)),
    "sizes": (MaxSize(3), MinSize(2)),
    "impossible": (MaxDiameter(0.1),),
}


# The exact solvers keep no least sizes.
EXACT = [(solver, asked) for solver in ("sdp", "colgen") for asked in WISHES if asked != "sizes"]


@pytest.mark.parametrize(("solver", "asked"), EXACT + [("blp-kmeans", asked) for asked in WISHES])
def test_the_optimum_is_that_of_the_rules(solver, asked):
    wishes, best = WISHES[asked], brute_force(WISHES[asked])
    problem = with_rules(Problem(X, K), wishes, keeps_rules=solver == "colgen")
    result = solve(problem, solver, seed=0)
    if math.isinf(best):
        assert result.status == "infeasible"
        return
    assert keeps(result.labels, wishes)
    assert result.objective >= best * (1 - 1e-9)
    assert result.status == "feasible" or result.objective <= best * (1 + 1e-4)
    assert result.lower_bound <= best * (1 + 1e-9)


def test_what_is_no_link_stays_a_rule():
    overlap = MaxOverlap((0, 1, 2), 1)
    problem = with_rules(Problem(X, K), [Both((overlap, MaxDiameter(2.2)))], keeps_rules=True)
    assert problem.rules == (overlap,)
    assert len(problem.cannot_link) == (np.triu(GAPS) > 2.2).sum()


def test_sizes_that_were_given_are_narrowed():
    sizes = Problem(X, K, sizes=([1, 1, 1], [5, 5, 3])).sizes
    problem = with_rules(Problem(X, K, sizes=sizes), [MinSize(2), MaxSize(4)], keeps_rules=True)
    assert problem.sizes.lower.tolist() == [2, 2, 2]
    assert problem.sizes.upper.tolist() == [4, 4, 3]


def test_too_many_links_are_a_sentence(monkeypatch):
    monkeypatch.setattr(rule_base, "MOST_LINKS", 3)
    with pytest.raises(ProblemError, match="makes more than the 3 cannot-links"):
        with_rules(Problem(X, K), [MaxDiameter(0)], keeps_rules=False)
    monkeypatch.setattr(column_links, "MOST_PAIRS", 3)
    with pytest.raises(ProblemError, match="too many of 7 points"):
        with_rules(Problem(X, K), [MaxDiameter(0)], keeps_rules=False)


def test_rules_that_contradict_links_are_a_sentence():
    far = np.unravel_index(GAPS.argmax(), GAPS.shape)
    with pytest.raises(ProblemError, match="contradicts the must-link"):
        with_rules(Problem(X, K, must_link=[far]), [MaxDiameter(1.0)], keeps_rules=False)


def test_a_contradiction_names_the_rule_that_made_a_link():
    problem = Problem(np.array([[0.0], [1.0], [5.0]]), 2, cannot_link=[(0, 1)])
    words = r"must-link 0-1 \(0-1 follows from 'separation>=3'\)"
    with pytest.raises(ContradictionError, match=words):
        with_rules(problem, [read_asked("separation>=3")], keeps_rules=True)


# --- Relaxed --------------------------------------------------------------------------------------


NONE = np.empty((0, 2), dtype=np.int64)
PROBLEM = Problem(
    np.arange(6.0)[:, None], 2, [(0, 1), (2, 3, 5.0)], [(0, 4)], sizes=([2, 2], [4, 4])
)


def test_links_and_sizes_are_left_out():
    lacking = Lacking(np.array([[2, 3]]), np.array([[0, 4]]), np.empty((0, 2), dtype=np.int64))
    left = relaxed(PROBLEM, lacking)
    assert left.must_link.pairs.tolist() == [[0, 1]]
    assert len(left.cannot_link) == 0
    assert left.sizes is None
    assert lacking_of(lacking.arrays()).must.tolist() == [[2, 3]]
    assert Lacking(NONE, NONE).arrays() == {}


@pytest.mark.parametrize(
    "lacking",
    [
        Lacking(np.array([[0, 5]]), NONE),
        Lacking(NONE, np.array([[0, 1]])),
        Lacking(NONE, NONE, np.array([[3, 2], [4, 4]])),
        Lacking(NONE, NONE, np.array([[2, 2], [4, 3]])),
        Lacking(NONE, NONE, np.array([[2], [4]])),
    ],
)
def test_what_is_not_there_cannot_be_left_out(lacking):
    with pytest.raises(ProblemError):
        relaxed(PROBLEM, lacking)


def test_sizes_are_within_others_and_links_among_others():
    assert is_within(PROBLEM.sizes, None)
    assert not is_within(None, PROBLEM.sizes)
    other = Problem(PROBLEM.X, 2, [(0, 1), (2, 3, 4.0)])
    assert shared(PROBLEM.must_link, other.must_link, 6).tolist() == [True, False]
    assert shared(PROBLEM.cannot_link, other.cannot_link, 6).tolist() == [False]
