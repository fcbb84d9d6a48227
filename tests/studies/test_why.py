"""Why a point is in its cluster; against brute force in `tests/truth`."""

import csv

import numpy as np
import pytest

from ccviz import Partition, Problem, solve
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.problem.asked import AskedRule
from ccviz.problem.reduction import with_rules
from ccviz.studies.moves import Moves
from ccviz.studies.rows import rows_csv
from ccviz.studies.why import MOST_EXPLAINED, Why, sentences

X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 1.0]])
LABELS = [0, 0, 1, 1]


def why(point, labels=LABELS, rules=(), **given):
    problem = with_rules(Problem(X, 2, **given), [*map(AskedRule, rules)], True)
    return Why(Moves(Partition(problem, labels)), features=("east", "north")).of(point)


def test_the_next_cluster_has_a_price_and_the_features_that_speak_against_it():
    # 0.5 is saved, and 2/3 of 4.5 squared and of 0.5 squared is added.
    assert why(1) == "Cluster 1 would cost 13.2 more (east 99 %)."
    assert why(3) == "Cluster 0 would cost 19.8 more (east 99 %)."


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"cannot_link": [(1, 2)]},
            "Cluster 1 would cost 13.2 more, and the cannot-link with 2 keeps it out; every other "
            "cluster is forbidden too.",
        ),
        (
            {"must_link": [(0, 1)]},
            "Cluster 1 would cost 25.2 more, and cluster 0, which would be empty, keeps it out; "
            "every other cluster is forbidden too (with 1 point tied to it by must-links).",
        ),
        (
            {"sizes": ([2, 1], [3, 2])},
            "Cluster 1 would cost 13.2 more, and the size of cluster 0, at least 2, and the size "
            "of cluster 1, at most 2, keep it out; every other cluster is forbidden too.",
        ),
        (
            {"sizes": ([1, 1], [3, 2])},
            "Cluster 1 would cost 13.2 more, and its size, at most 2, keeps it out; every other "
            "cluster is forbidden too.",
        ),
        (
            {"cannot_link": [(1, 2)], "sizes": ([2, 1], [3, 2]), "rules": ["diameter<=4.9"]},
            "Cluster 1 would cost 13.2 more, and the cannot-link with 2, the size of cluster 0, "
            "at least 2, the size of cluster 1, at most 2, and 1 more keep it out; every other "
            "cluster is forbidden too.",
        ),
        (
            {"rules": ["diameter<=4.9"]},
            "Cluster 1 would cost 13.2 more, and the rule diameter<=4.9 keeps it out; every other "
            "cluster is forbidden too.",
        ),
        (
            {"neighbors": [(0, 1), (2, 3)]},
            "Cluster 1 would cost 13.2 more, and cluster 1, which would fall apart, keeps it out; "
            "every other cluster is forbidden too.",
        ),
        (
            {"must_link": [(0, 1, 4.0)]},
            "Cluster 1 would cost 17.2 more, 4 of it for soft links (east 99 %).",
        ),
        ({"weights": [1.0, 0.0, 1.0, 1.0]}, "Cluster 1 would cost 0 more."),
    ],
)
def test_what_keeps_a_point_out_is_named(given, sentence):
    assert why(1, **given) == sentence


def test_a_better_clustering_is_said_to_be_one():
    assert why(1, [0, 1, 1, 1]) == "Cluster 0 would cost 13.2 less, and nothing forbids it."


def test_a_heavy_point_has_exact_rises():
    """It moves to its like for nothing; its centre is at a distance that has few right digits."""
    problem = Problem([[1.0], [0.0], [0.0]], 2, weights=[5e7, 1.0, 1.0])
    assert Moves(Partition(problem, [0, 0, 1])).rise[0, 1] == 0.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "b and c together would cost at most 12.5 more (c moves to cluster 0)."),
        (
            {"sizes": "2"},
            "b and c together would cost at most 25 more (c and a change places); c alone: "
            "cluster 0 would cost 12.5 more, and the size of cluster 1, at least 2, and the size "
            "of cluster 0, at most 2, keep it out.",
        ),
        (
            {"cannot_link": [(0, 2)]},
            "b and c together would cost at most 13.2 more (b moves to cluster 1); c alone: "
            "cluster 0 would cost 12.5 more, and the cannot-link with a keeps it out.",
        ),
        ({"cannot_link": [(1, 2)]}, "b and c together would cost an amount that is not known"),
    ],
)
def test_the_opposite_of_a_pair_has_a_price_and_what_keeps_one_of_them_out(given, sentence):
    found = Why(Moves(Partition(Problem(X, 2, **given), LABELS)), names="abcd")
    assert found.pair(1, 2).startswith(sentence)


@pytest.mark.parametrize(
    ("pair", "given", "sentence"),
    [
        ((1, 2), {}, "1 and 2 together would cost 12.5 more, proved (2 moves to cluster"),
        ((0, 1), {"sizes": "2"}, "0 and 1 apart would cost 24 more, proved (1 and 2 change"),
        ((1, 2), {"cannot_link": [(1, 2)]}, "No clustering has 1 and 2 together: cannot-link 1-2"),
        ((1, 2), {"rules": ["diameter<=4.9"]}, "No clustering has 1 and 2 together: the cannot-"),
        ((1, 2), {"rules": ["diameter<=5.2"]}, "1 and 2 together would cost 12.5 more, proved ("),
    ],
)
def test_the_price_of_a_pair_is_proved(pair, given, sentence):
    rules = [*map(AskedRule, given.pop("rules", ()))]
    problem = with_rules(Problem(X, 2, **given), rules, True)
    result = solve(problem, "colgen" if rules else "sdp")
    assert result.why(*pair).startswith(sentence)
    with pytest.raises(CcvizError, match="1 and 1 are no two of the points 0 to 3"):
        result.why(1, 1)


def test_the_heaviest_wish_that_is_not_kept_has_a_sentence_of_its_own():
    data = Dataset("pupils", X, ("east", "north"), names=("a", "b", "c", "d"))
    wishes = [(1, 2, 1.0), (1, 3, 2.0), (0, 1, 9.0)]
    partition = Partition(Problem(X, 2, must_link=wishes, sizes="2"), LABELS)
    first, second, third, fourth = sentences(partition, data)
    assert " together would cost at most " in second
    assert "b and d together" in second
    assert second.endswith(fourth[fourth.index("b and d") :])
    assert "b and c together" in third
    assert "together" not in first


def test_one_cluster_and_no_such_point():
    assert solve(Problem(X, 1)).why(0) == "There is no other cluster."
    with pytest.raises(CcvizError, match="4 is none of the points 0 to 3"):
        solve(Problem(X, 2)).why(4)


def test_a_point_left_out_may_go_anywhere():
    partition = solve(Problem(np.vstack([X, [[90.0, 0.0]]]), 2, outliers=1)).partition
    assert partition.shown[4] == -1
    assert "would cost" in Why(Moves(partition)).of(4)


def test_tables_call_points_and_clusters_by_their_names():
    data = Dataset("towns", X, ("east", "north"), names=("a", "b", "c", "d"))
    partition = Partition(Problem(X, 2, cannot_link=[(1, 2)]), LABELS)
    shown = 1 - partition.shown
    words = sentences(partition, data, shown, {0: "coast"})
    assert words[1].startswith(
        "Coast would cost 13.2 more, and the cannot-link with c keeps it out"
    )
    head, *rows = csv.reader(rows_csv(data, partition, why=words).splitlines())
    assert head[-1] == "why"
    assert [row[-1] for row in rows] == words
    assert words[2].startswith("Cluster 1 would cost ")


def test_very_many_points_have_no_sentences():
    many = np.arange(MOST_EXPLAINED + 1.0)[:, None]
    partition = Partition(Problem(many, 2), np.arange(len(many)) % 2)
    assert sentences(partition, Dataset("many", many, ("x",))) == []
    assert len(sentences(partition, Dataset("many", many, ("x",)), some=[5])) == 1
