"""Counts, shares and means in each cluster."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ccviz import ConstrainedKMeans, Problem, solve
from ccviz.errors import ProblemError, UnfillableError
from ccviz.problem.asked import parse_rule, read_asked
from ccviz.problem.reduction import with_rules
from tests.enumeration import clusterings

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
COLUMNS = {
    "gender": ["girl", "boy", "girl", "boy", "girl", "boy"],
    "class": ["a", "a", "b", "b", "c", ""],
    "age": [30.1, 29.9, 31.0, 29.0, 30.0, 30.0],
    "degrees": [-5, -3, -4, 1, 2, -9],
    "grade": [1.0, 2.0, 1.0, 2.0, 1.0, np.nan],
}


def asked(text):
    return read_asked(text, column=COLUMNS.__getitem__)


def ruled(*texts, k=2):
    return with_rules(Problem(X, k), [asked(text) for text in texts], keeps_rules=True)


def keeps(text, points):
    """Say in whole numbers and fractions whether a cluster keeps a rule."""
    name, sign, limit = text.replace("<=", " <= ").replace(">=", " >= ").split()
    kind, named = name.rstrip(")").split("(")
    column, _, word = named.partition("=")
    cells = [COLUMNS[column][point] for point in points]
    if kind == "mean":
        found = [sum(map(Fraction, map(str, cells))) / len(cells)]
    else:
        words = [word] if word else sorted({str(each) for each in COLUMNS[column]} - {""})
        found = [Fraction(sum(str(cell) == each for cell in cells)) for each in words]
        if kind == "share":
            found = [each / len(cells) for each in found]
    most = Fraction(limit.rstrip("%")) / (100 if "%" in limit else 1)
    return all(each <= most if sign == "<=" else each >= most for each in found)


TEXTS = (
    "count(class)<=1", "count(gender=girl)>=1", "count(gender=girl)<=2", "share(gender=girl)<=50%",
    "share(gender=girl)>=0.4", "share(class)<=34%", "mean(age)<=30", "mean(age)>=29.99",
    "mean(degrees)<=-3", "mean(degrees)>=-3.5",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("solver", ["sdp", "colgen", "blp-kmeans", "bh-kmeans"])
def test_solvers_keep_it(text, solver):
    problem = ruled(text)
    every = clusterings(len(X), 2)
    kept = [row for row in every if all(keeps(text, np.flatnonzero(row == c)) for c in (0, 1))]
    costs = [
        sum(((X[row == c] - X[row == c].mean(axis=0)) ** 2).sum() for c in (0, 1)) for row in kept
    ]
    result = solve(problem, solver, progress=False)
    assert any((result.labels == row).all() or (result.labels == 1 - row).all() for row in kept)
    assert [each.holds for each in result.partition.kept_rules] == [True]
    assert result.lower_bound <= min(costs) * (1 + 1e-9)
    if result.status == "optimal":
        assert result.objective == pytest.approx(min(costs))


def test_words_are_found_in_any_case_and_as_numbers():
    assert asked("count(gender=GIRL)>=1").known == (1, 0, 1, 0, 1, 0)
    assert asked("count(grade=1.0)<=2").known == (1, 0, 1, 0, 1, 0)
    assert asked("count(class)<=1").known == (1, 1, 2, 2, 3, 0)


def test_a_missing_word_is_no_word():
    problem = ruled("count(class)<=2", k=3)
    labels = np.array([0, 1, 0, 1, 2, 2])
    assert all(rule.allows(problem, np.array([5, 4])) for rule in problem.rules)
    assert_array_equal([len(rule.values) for rule in problem.rules], [6, 6, 6])
    assert parse_rule("count(class)<=2", column=COLUMNS.__getitem__).allows(
        problem, np.flatnonzero(labels == 2)
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("count(gender=grl)>=1", "names 'grl', but there are boy, girl."),
        ("count(gender)<=1.5", "a whole number of at least 0 is needed"),
        ("share(gender=girl)<=-1%", "a number of at least 0 is needed"),
        ("mean(gender)<=3", "the column 'gender' of a rule holds no numbers"),
        ("mean(grade)<=3", "is missing or infinite in row 5"),
        ("mean(age)<=3 or size<=2", "cannot be joined by 'or'"),
        ("share(gender=girl)<=50% or size<=2", "cannot be joined by 'or'"),
    ],
)
def test_what_cannot_be_is_a_sentence(text, sentence):
    with pytest.raises(ProblemError) as caught:
        parse_rule(text, column=COLUMNS.__getitem__)
    assert sentence in str(caught.value)


def test_what_all_points_break_is_refused():
    with pytest.raises(
        UnfillableError, match="all points together break a limit on a share or a mean"
    ):
        ruled("mean(age)<=29")


def test_counts_join_by_or():
    problem = ruled("count(class)<=1 or count(gender=girl)<=0")
    assert solve(problem, "colgen", progress=False).status == "optimal"


def test_the_estimator_takes_columns_that_are_no_features():
    model = ConstrainedKMeans(2, solver="sdp")
    model.fit(X, rules=["share(gender=girl)<=50%"], columns=COLUMNS)
    girls = np.array(COLUMNS["gender"]) == "girl"
    assert all(girls[model.labels_ == c].mean() <= 0.5 for c in (0, 1))
