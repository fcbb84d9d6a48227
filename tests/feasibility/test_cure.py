"""What to change where constraints cannot all be kept; against brute force in `tests/truth`."""

import re
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ccviz import Problem, check_feasibility, explain_conflict
from ccviz.errors import ProblemError
from ccviz.feasibility.cure import cures, explain
from ccviz.problem.asked import AskedRule, joined
from ccviz.problem.reduction import with_rules

LINE = np.arange(12.0)[:, None]
LOAD = (4.0,) * 4 + (1.0,) * 8


def rule(text, known=()):
    return AskedRule(text, known)


def clique(points):
    return [(i, j) for i in points for j in points if i < j]


@pytest.mark.parametrize(
    ("problem", "rules", "sentences"),
    [
        (
            Problem(LINE, 3, must_link=[(0, 1), (1, 2)], sizes="3-5"),
            [rule("sum(w)<=10", LOAD)],
            ["raise sum(w)<=10 to sum(w)<=12 (no less will do)",
             "give up must-link 1–2 (no fewer will do)"],
        ),
        (Problem(LINE, 3), [rule("diameter<=2")],
         ["raise diameter<=2 to diameter<=3 (no less will do)", "take 4 clusters"]),
        (Problem(LINE / 4.0, 3), [rule("diameter<=0.5")],
         ["raise diameter<=0.5 to diameter<=0.75 (no less will do)", "take 4 clusters"]),
        (Problem(LINE / 3.0, 3), [rule("diameter<=0.7")],
         ["raise diameter<=0.7 to diameter<=1.00001", "take 4 clusters"]),
        (Problem(LINE / 7.0, 3), [rule("diameter<=0.3")],
         ["raise diameter<=0.3 to diameter<=0.429 (diameter<=0.428 will not do)",
          "take 4 clusters"]),
        (Problem(LINE, 2, cannot_link=[(0, 1)]), [rule("separation>=1.5")],
         ["lower separation>=1.5 to separation>=1 (no less will do)"]),
        (Problem(LINE, 3, cannot_link=clique(range(5))), [],
         ["take 5 clusters (4 will not do)",
          "give up cannot-link 0–1 and cannot-link 2–3 (no fewer will do)"]),
        (Problem(LINE, 3, must_link=[(i, i + 1) for i in range(5)], sizes="equal"), [],
         ["allow sizes of 3-6 (neither 4-6 nor 3-5 will do)",
          "give up must-link 2–3 (no fewer will do)"]),
        (Problem(LINE, 3, must_link=[(i, i + 1) for i in range(5)], sizes="3-5"), [],
         ["allow sizes of 3-6 (no less will do)", "give up must-link 4–5 (no fewer will do)"]),
        (Problem(LINE, 3, must_link=[(i, i + 1) for i in range(7)], sizes="4-8"), [],
         ["allow sizes of 2-8 (no less will do)", "take 2 clusters",
          "give up must-link 3–4 (no fewer will do)"]),
        (Problem(LINE, 5), [rule("size>=3")],
         ["lower size>=3 to size>=2 (no less will do)", "take 4 clusters"]),
        (Problem(LINE, 2), [rule("sum(w)<=38.2%", LOAD)],
         ["raise sum(w)<=38.2% to sum(w)<=50% (sum(w)<=49% will not do)", "take 3 clusters"]),
        (Problem(LINE, 3), [rule("apart(room)", (1,) * 4 + (0,) * 8)],
         ["give up apart(room)", "take 4 clusters"]),
        (Problem(LINE, 3, outliers=2, cannot_link=clique(range(6))), [],
         ["take 4 clusters", "give up cannot-link i–j (no fewer will do)"]),
        (Problem(LINE, 3, outliers=1), [rule("size<=3")],
         ["raise size<=3 to size<=4 (no less will do)", "take 4 clusters"]),
    ],
)  # fmt: skip
def test_each_change_says_what_less_will_not_do(problem, rules, sentences):
    found = explain(problem, rules=rules)[1]
    shown = [re.sub(r"\d+–\d+", "i–j", cure.sentence) for cure in found.found]
    assert shown == [re.sub(r"\d+–\d+", "i–j", each) for each in sentences]
    assert not found.unknown


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ([joined([rule("size<=4"), rule("diameter<=1")])],
         "A clustering exists if you give up size<=4 or diameter<=1. "
         "Beside the rule size<=4 or diameter<=1 no other change is known."),
        ([rule("apart(room)", (1,) * 12), rule("sum(w)<=3", LOAD)],
         "No change of one rule, of the sizes or of the number of clusters alone will do."),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said(rules, sentence):
    assert explain(Problem(LINE, 2), rules=rules)[1].sentence == sentence


def test_a_search_that_is_out_of_time_says_so():
    assert cures(Problem(LINE, 3), 0.0, [rule("diameter<=2")]).unknown


def test_a_conflict_names_rules_of_every_kind():
    problem = with_rules(Problem(LINE, 2), [rule("diameter<=3"), rule("size<=8")], False)
    conflict, found = explain(problem)
    assert conflict.reason == "the rule diameter<=3 cannot be kept."
    assert found.sentence == (
        "A clustering exists if you raise diameter<=3 to diameter<=5 (no less will do), "
        "or take 3 clusters."
    )
    pulled = Problem(LINE, 2, must_link=[(0, 3)], neighbors=[(i, i + 1) for i in range(11)])
    apart = Problem(LINE, 2, [(0, 2), (1, 3)], [(0, 1)], neighbors=[(i, i + 1) for i in range(11)])
    assert explain_conflict(pulled) is None
    assert explain_conflict(apart).with_neighbors


def test_what_can_be_kept_needs_no_change():
    assert cures(Problem(LINE, 2), rules=[rule("diameter<=8")]).found == ()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_large_problems_are_explained_within_ten_seconds(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(200, 1001)), int(rng.integers(3, 16))
    X, group = rng.normal(size=(n, 2)), rng.choice(n, k + 2, replace=False).tolist()
    load = tuple(rng.integers(1, 9, n).astype(float).tolist())
    sizes = f"{n // k - 1}-{n // k + 1}"
    # Kinds that cannot be kept, each with another that can.
    given, rules = [
        ({"cannot_link": clique(group), "sizes": sizes}, []),
        ({"must_link": [*pairwise(group)], "sizes": "1-500"}, [rule("sum(w)<=12", load)]),
        ({"must_link": [*pairwise(group[:3])]}, [rule("diameter<=1")]),
        ({"sizes": sizes}, [rule(f"sum(w)>={sum(load) / k + 30:.0f}", load), rule("diameter<=9")]),
    ][seed % 4]
    problem, began = Problem(X, k, **given), time.process_time()
    conflict, found = explain(problem, 60.0, rules)  # on a busy machine, six times as long
    assert time.process_time() - began < 10.0
    assert conflict is not None
    assert found.found
    for cure in found.found:
        made = with_rules(*changed(problem, rules, cure), False)
        assert check_feasibility(made, with_sums=True).feasible, cure.sentence


def changed(problem, rules, cure):
    """Return a problem without rules, and its rules, after a cure."""
    rules = [*rules]
    if cure.rule >= 0:
        old = rules.pop(cure.rule)
        rules += [replace(old, text=cure.text)] * bool(cure.text)
    gone = {*cure.must_link, *cure.cannot_link}
    must, cannot = (
        [pair for pair in links.pairs.tolist() if tuple(pair) not in gone]
        for links in (problem.must_link, problem.cannot_link)
    )
    return Problem(problem.X, cure.k or problem.k, must, cannot, cure.sizes or problem.sizes), rules


def test_a_refused_rule_is_still_refused():
    with pytest.raises(ProblemError):
        with_rules(Problem(LINE, 2), [rule("sum(w)<=11", LOAD)], True)


def test_a_rule_with_or_is_named_where_all_else_can_be_kept():
    X = [[0.0], [1.0], [8.0], [9.0]]
    either = joined([AskedRule("size<=1"), AskedRule("diameter<=0.5")])
    _, cures = explain(Problem(X, 2), rules=[either])
    assert [cure.sentence for cure in cures.found] == [f"give up {either.text}"]
    assert cures.sentence.startswith(f"A clustering exists if you give up {either.text}. Beside")
    _, cures = explain(Problem(X, 2, sizes=[3, 1], must_link=[(0, 1), (2, 3)]), rules=[either])
    assert not cures.found  # the sizes cannot be kept without it either
