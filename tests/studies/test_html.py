"""The report says what was asked, the results, and nothing unknown."""

import math
from dataclasses import replace
from datetime import date
from html import escape

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.data import read_table
from ccviz.data.scaling import scale
from ccviz.problem.asked import Asked, AskedRule
from ccviz.solvers import solver_class
from ccviz.studies.html import report_html

N = 60
TABLE = "Kunde,<b>Umsatz,Alter,Ort\n" + "".join(
    f"<i>K{i},{1000 * (i % 2) + i},{30 + i % 7},Ort {i % 3}\n" for i in range(N)
)
DATA = read_table(TABLE.encode(), roles={"Kunde": "name", "Ort": "ignore"})


@pytest.fixture(scope="module")
def result():
    """Return an answer without a proof, under links of names and a rule that cannot be kept."""
    problem = Problem(
        scale(DATA.X, "range"), 2,
        must_link=[(i, i + 2) for i in range(25)], cannot_link=[(0, 1), (0, 2, 0.5)],
    )  # fmt: skip
    rules = (AskedRule.read("size>=10"), AskedRule.read("size<=12"))
    kept = replace(problem, asked=Asked(rules, problem.must_link, problem.cannot_link, None))
    found = solve(Problem(problem.X, 2), solver_class("k-means")())
    labels = np.arange(N) % 2
    return replace(found, partition=replace(found.partition, problem=kept, labels=labels))


def test_it_says_what_was_asked_and_what_became_of_it(result):
    text = report_html(DATA, result, day=date(2026, 3, 1))
    for words in (
        "<td>date</td><td>2026-03-01</td>",
        "<td>features</td><td>from 0 to 1</td>",
        "<td>size&gt;=10</td><td>holds</td><td>30</td>",
        "<td>size&lt;=12</td><td>broken</td><td>30</td>",
        "<td>&lt;i&gt;K0 – &lt;i&gt;K2</td><td>hard</td><td>kept</td>",
        "<td>&lt;i&gt;K0 – &lt;i&gt;K2</td><td>0.5</td><td>broken</td>",
        "<p>and 5 more</p>",
        "<td>Ort</td><td>leave out</td>",
        "<p>Cluster 1: 30 points; &lt;b&gt;Umsatz 1,030 against 529.5 in all; Alter ",
    ):
        assert words in text
    assert text.count("more</p>") == 1
    assert "<b>" not in text
    assert "<i>" not in text
    assert "ignore" not in text


def test_it_has_a_picture_of_the_points(result):
    assert report_html(DATA, result).count("<circle") == N
    wishes = Problem(np.zeros((4, 1)), 2, must_link=[(0, 1, 1.0)], sizes=[2, 2])
    answer = replace(result.partition, problem=wishes, labels=np.array([0, 0, 1, 1]))
    data = replace(DATA, X=wishes.X, names=(), features=("a",), truth=None)
    assert report_html(data, replace(result, partition=answer)).count("<circle") == 4


def test_a_bound_is_told_where_there_is_one(result):
    assert "lower bound" not in report_html(DATA, replace(result, lower_bound=-math.inf))
    assert "<td>lower bound</td><td>0.25</td>" in report_html(
        DATA, replace(result, lower_bound=0.25)
    )


def test_without_links_rules_and_names_it_is_short():
    data = replace(DATA, names=(), origin=None)
    problem = Problem(3 * data.X + 1, 2)
    plain = report_html(data, solve(problem, solver_class("k-means")()))
    assert not any(title in plain for title in (">Rules<", ">Must-links<", ">Cannot-links<"))
    assert "<td>features</td>" not in plain
    linked = Problem(data.X, 2, must_link=[(0, 2)])
    shown = report_html(data, solve(linked, solver_class("cop-kmeans")()))
    assert f"<td>{escape('0 – 2')}</td><td>hard</td><td>kept</td>" in shown
