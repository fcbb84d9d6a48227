"""What to change where constraints cannot all be kept; against brute force in `tests/truth`."""

import time
from itertools import pairwise

import numpy as np
import pytest

from ccviz import Problem, check_feasibility, explain_conflict
from ccviz.errors import ProblemError
from ccviz.feasibility.cure import cures, said_of
from ccviz.problem.asked import AskedRule, joined
from ccviz.problem.reduction import with_rules

LINE = np.arange(12.0)[:, None]
LOAD = (4.0,) * 4 + (1.0,) * 8


def rule(text, known=()):
    return AskedRule(text, known)


def clique(points):
    return [(i, j) for i in points for j in points if i < j]


@pytest.mark.parametrize(
    ("problem", "rules", "words"),
    [
        (
            Problem(LINE, 3, must_link=[(0, 1), (1, 2)], sizes="3-5"),
            [rule("sum(w)<=10", LOAD)],
            ["raise sum(w)<=10 to sum(w)<=12", "give up must-link 1–2"],
        ),
        (Problem(LINE, 3), [rule("diameter<=2")],
         ["raise diameter<=2 to diameter<=3", "take 4 clusters"]),
        (Problem(LINE, 2, cannot_link=[(0, 1)]), [rule("separation>=1.5")],
         ["lower separation>=1.5 to separation>=1"]),
        (Problem(LINE, 3, cannot_link=clique(range(5))), [],
         ["take 5 clusters", "give up cannot-link 0–1 and cannot-link 2–3"]),
        (Problem(LINE, 3, must_link=[(i, i + 1) for i in range(5)], sizes="equal"), [],
         ["allow sizes of 2-6", "give up must-link 2–3"]),
        (Problem(LINE, 5), [rule("size>=3")], ["lower size>=3 to size>=2", "take 4 clusters"]),
        (Problem(LINE, 2), [rule("sum(w)<=40%", LOAD)],
         ["raise sum(w)<=40% to sum(w)<=50%", "take 3 clusters"]),
        (Problem(LINE, 3), [rule("apart(room)", (1,) * 4 + (0,) * 8)],
         ["give up apart(room)", "take 4 clusters"]),
        (Problem(LINE, 2), [joined([rule("size<=4"), rule("diameter<=1")])], []),
        (Problem(LINE, 3, outliers=2, cannot_link=clique(range(8))), [], []),
    ],
)  # fmt: skip
def test_each_change_is_the_least_that_will_do(problem, rules, words):
    found = cures(problem, rules=rules, conflict=explain_conflict(problem, rules=rules))
    assert [cure.words for cure in found][: len(words)] == words or _alike(found, words)
    for cure in found:
        assert cure.is_least or "give up apart" in cure.words


def _alike(found, words):
    """Whether the changes are the same up to which links are given up, of equally many."""
    return [cure.words.split(" link")[0][:7] for cure in found] == [each[:7] for each in words]


def test_a_conflict_names_rules_of_every_kind():
    problem = with_rules(Problem(LINE, 2), [rule("diameter<=3"), rule("size<=8")], False)
    conflict = explain_conflict(problem)
    assert conflict.reason == "the rule diameter<=3 cannot be kept."
    assert said_of(cures(problem, conflict=conflict)) == (
        "A clustering exists if you raise diameter<=3 to diameter<=5 (no less will do), "
        "or take 3 clusters (no less will do)."
    )
    pulled = Problem(LINE, 2, must_link=[(0, 3)], neighbors=[(i, i + 1) for i in range(11)])
    apart = Problem(LINE, 2, [(0, 2), (1, 3)], [(0, 1)], neighbors=[(i, i + 1) for i in range(11)])
    assert explain_conflict(pulled) is None
    assert explain_conflict(apart).with_neighbors


def test_what_can_be_kept_needs_no_change():
    assert cures(Problem(LINE, 2), rules=[rule("diameter<=8")]) == ()
    assert said_of(()) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_large_problems_are_explained_within_ten_seconds(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(200, 1001)), int(rng.integers(3, 16))
    X, group = rng.normal(size=(n, 2)), rng.choice(n, k + 2, replace=False).tolist()
    load = tuple(rng.integers(1, 9, n).astype(float).tolist())
    kinds = [
        ({"cannot_link": clique(group)}, []),
        ({"must_link": [*pairwise(group)]}, [rule("sum(w)<=12", load)]),
        ({}, [rule("diameter<=1")]),
        (
            {"sizes": f"{n // k - 1}-{n // k + 1}"},
            [rule(f"sum(w)>={sum(load) / k + 30:.0f}", load)],
        ),
    ]
    given, rules = kinds[seed % 4]
    problem, began = Problem(X, k, **given), time.process_time()
    conflict = explain_conflict(problem, 5.0, rules)
    found = cures(problem, 5.0, rules, conflict)
    assert time.process_time() - began < 15.0  # ten, and what a busy machine adds
    assert conflict is not None
    assert found
    for cure in found:
        changed = Problem(
            X, cure.k or k, **{**given, **({"sizes": cure.sizes} if cure.sizes else {})}
        )
        asked = [rule(cure.text, load if "sum" in cure.text else ())] if cure.text else rules
        if cure.rule >= 0 and not cure.text:
            asked = []
        if not (cure.must_link or cure.cannot_link):
            made = with_rules(changed, asked, False)
            assert check_feasibility(made, with_sums=True).feasible


def test_a_refused_rule_is_still_refused():
    with pytest.raises(ProblemError):
        with_rules(Problem(LINE, 2), [rule("sum(w)<=11", LOAD)], True)
