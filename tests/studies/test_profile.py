"""What marks the clusters, against pandas."""

import csv
import math
import re
from dataclasses import replace
from datetime import date
from html import escape

import numpy as np
import pandas as pd
import pytest

from ccviz import Problem, solve
from ccviz.data import read_table
from ccviz.data.cells import CsvStyle
from ccviz.data.scaling import scale
from ccviz.problem.asked import Asked, AskedRule
from ccviz.solvers import solver_class
from ccviz.studies.html import report_html
from ccviz.studies.profile import profile, profile_csv, profile_markdown

X = np.array([[0.0, 5.0, 1.0], [2.0, 5.0, 7.0], [10.0, 5.0, 2.0], [12.0, 5.0, 8.0], [14.0, 5.0, 3]])
LABELS = np.array([0, 0, 1, 1, 1])


def test_means_and_spreads_are_those_of_the_clusters():
    found = profile(X, LABELS, 2, ("a", "b|c", "d"))
    assert found.features == ("a", "d", "b|c")
    groups = pd.DataFrame(X[:, [0, 2, 1]]).groupby(LABELS)
    assert found.means == pytest.approx(groups.mean().to_numpy())
    assert found.spreads == pytest.approx(groups.std(ddof=0).to_numpy())
    assert found.sizes.tolist() == [2, 3]
    assert found.mean == pytest.approx(X[:, [0, 2, 1]].mean(axis=0))
    assert found.spread == pytest.approx(X[:, [0, 2, 1]].std(axis=0))


def test_separation_is_the_share_of_variance_between_clusters():
    found = profile(X, LABELS, 2, ("a", "b", "d"))
    within = ((X[:, 0] - np.array([1.0, 12.0])[LABELS]) ** 2).sum()
    assert found.separation[0] == pytest.approx(
        1 - within / ((X[:, 0] - X[:, 0].mean()) ** 2).sum()
    )
    assert found.separation[2] == 0  # constant
    assert profile(X, np.arange(5), 5, ("a", "b", "d")).separation[0] == 1


def test_an_empty_cluster_leaves_no_trace_in_the_separation():
    found = profile(X, LABELS, 3, ("a", "b", "d"))
    assert np.isnan(found.means[2]).all()
    assert found.separation == pytest.approx(profile(X, LABELS, 2, ("a", "b", "d")).separation)


def test_points_left_out_count_among_all_only():
    found = profile(X, np.array([0, 0, 1, 1, -1]), 2, ("a", "b", "d"))
    assert found.sizes.tolist() == [2, 2]
    assert found.mean[0] == pytest.approx(X[:, 0].mean())
    assert found.spread[0] == pytest.approx(X[:, 0].std())
    assert found.means[:, 0] == pytest.approx([1.0, 11.0])


def test_rounding_of_a_constant_separates_nothing():
    constant = np.full((30, 1), 0.1)
    assert profile(constant, np.arange(30) % 3, 3, ("a",)).separation.tolist() == [0.0]


def test_many_features_are_passed_over_by_rows():
    wide = np.random.default_rng(0).random((40, 50), np.float32)
    found = profile(wide, np.arange(40) % 4, 4, [f"x{j}" for j in range(50)])
    columns = [int(name[1:]) for name in found.features]
    groups = pd.DataFrame(wide[:, columns].astype(float)).groupby(np.arange(40) % 4)
    assert found.spreads == pytest.approx(groups.std(ddof=0).to_numpy())


def test_as_text():
    found = profile(X, LABELS, 2, ("a", "b|c", "d"))
    lines = profile_markdown(found).splitlines()
    assert lines[0] == "| feature | separation | all | cluster 0 | cluster 1 |"
    assert lines[2] == "| points |  | 5 | 2 | 3 |"
    assert lines[3].startswith("| a | 0.")
    assert "1 ± 1 | 12 ± 1.633 |" in lines[3]
    assert lines[5].startswith("| b\\|c |")
    head, sizes, first, *_ = csv.reader(profile_csv(found).splitlines())
    assert head[:4] == ["feature", "separation", "all mean", "all spread"]
    assert sizes[2::2] == ["5", "2", "3"]
    assert float(first[4]) == 1.0


def test_a_profile_of_many_clusters_fits_into_80_characters():
    X = np.random.default_rng(0).normal(1e3, 250.0, (200, 30))
    found = profile(X, np.arange(200) % 12, 12, [f"column {j}" for j in range(30)])
    text = profile_markdown(found)
    parts = [part.splitlines() for part in text.split("\n\n")]
    assert max(map(len, text.splitlines())) <= 80
    assert parts[0][0].startswith("| feature | separation | all | cluster 0 |")
    named = [word for part in parts for word in re.findall(r"cluster \d+", part[0])]
    assert named == [f"cluster {j}" for j in range(12)]
    assert {tuple(line.split(" | ")[0] for line in part[2:]) for part in parts} == {
        ("| points", *(f"| {name}" for name in found.features))
    }
    long = profile(X, np.arange(200) % 2, 2, ["a" * 90] * 30)  # one cluster a table at least
    assert profile_markdown(long).count("| points |") == 2


def test_a_profile_is_written_like_its_file():
    found = profile(X, LABELS, 3, ("a", "b", "d"))
    text = profile_csv(found, CsvStyle(";", comma=True))
    _, sizes, first, *_ = csv.reader(text.splitlines(), delimiter=";")
    assert sizes[2::2] == ["5", "2", "3", "0"]
    assert first[-2:] == ["", ""]
    assert float(first[1].replace(",", ".")) == found.separation[0]
    assert "nan" not in text


# --- The report says what was asked, the results, and nothing unknown -----------------------------


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
