"""What is known of points: their features, places, fixed centres, and those left out."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from ccviz import ConstrainedKMeans, Problem, solve
from ccviz.data.datasets import Dataset
from ccviz.data.names import place_columns
from ccviz.errors import ProblemError
from ccviz.problem.asked import AskedRule, read_asked
from ccviz.problem.column_links import degrees_in
from ccviz.problem.points import columns_of, like_distances, read_points, repeated, rows
from ccviz.problem.reduction import kept_rules, with_rules
from ccviz.runs.codec import decode_problem, encode_problem
from ccviz.views.frames.card import rule_words
from ccviz.views.share.address import read_rules, rules_text

# --- Points ---------------------------------------------------------------------------------------


FRAME = pd.DataFrame({"length": [1, 2, 3], "width": [0.5, 0.25, 4.0]})


class Arrow:
    """A table as pyarrow has it: ``columns`` are the cells, not the labels."""

    column_names = ("a", "b")
    columns = ([0.0, 1.0], [5.0, 6.0])

    def __array__(self, dtype=None, copy=None):
        return np.array(self.columns).T


def test_columns_are_known_by_their_labels():
    frame = pd.DataFrame({"column_names": [0.0], 7: [1.0]})
    assert columns_of(frame) == ["column_names", 7]
    assert columns_of(Arrow()) == ["a", "b"]
    assert columns_of(np.zeros((1, 2))) == []
    assert read_points(Arrow()).tolist() == [[0.0, 5.0], [1.0, 6.0]]


def test_a_data_frame_is_a_table_of_its_numbers():
    assert read_points(FRAME).tolist() == [[1, 0.5], [2, 0.25], [3, 4]]
    whole = FRAME.astype({"length": "Int64"})
    assert read_points(whole).tolist() == [[1, 0.5], [2, 0.25], [3, 4]]
    assert read_points(FRAME.astype(object)).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (FRAME.assign(name=["a", "b", "c"]), "row 0, column 'name' is 'a', not a number"),
        (FRAME.assign(width=["1", "2", "3,5"]), "row 2, column 'width' is '3,5', not a number"),
        (FRAME.assign(day=pd.to_datetime(["2026-01-01"] * 3)), "column 'day' is .*not a number"),
        (FRAME.assign(width=pd.array([1, None, 3], dtype="Int64")), "row 1, column 'width' is mis"),
        (FRAME.assign(width=[0.5, np.nan, 1.0]), "missing or infinite in row 1"),
        ([[1.0, 2.0], [3.0, "x"]], "row 1, column 1 is 'x', not a number"),
        ([[1.0, 2.0], [3.0, None]], "missing or infinite in row 1"),
        (pd.to_datetime(["2026-01-01"]).to_frame(), "of the type datetime64.*, not numbers"),
        (np.array([[1j]]), "of the type complex128, not numbers"),
        ([[1.0, 2.0], [3.0]], "its rows differ in length"),
        (csr_array(np.eye(3)), "a sparse matrix; give an array"),
        (np.ma.masked_greater(np.eye(3), 0.5), "missing or infinite in rows 0, 1, 2"),
        (iter([[1.0]]), "not a table of numbers"),
    ],
)
def test_what_is_no_table_of_numbers_is_named(given, sentence):
    with pytest.raises(ProblemError, match=sentence):
        read_points(given)


def test_the_first_few_of_many_rows_are_named():
    assert rows([4]) == "row 4"
    assert rows(range(7)) == "rows 0, 1, 2, 3, 4 and 2 more"


def test_points_that_nobody_can_change_are_not_copied():
    first = read_points([[1.0], [2.0]])
    assert read_points(first) is first
    view = np.eye(2)[:1]
    view.setflags(write=False)
    assert read_points(view) is not view


def test_float32_too_coarse_for_the_data_is_said():
    far = 5_000_000 + np.array([[0.0], [0.1], [10.0], [10.1]])
    (notice,) = Problem(far.astype(np.float32), 2).notices
    assert notice.startswith("float32 cannot hold values nearer than 0.5 to each other at 5,000,0")
    assert Problem(np.full((3, 1), 1e8, dtype=np.float32), 2).notices
    assert not Problem(far, 2).notices
    assert not Problem((far - 5_000_000).astype(np.float32), 2).notices


def test_fewer_different_rows_than_clusters_are_said():
    X = np.array([[0.0, 0.0]] * 9 + [[1.0, 0.0]] * 5)
    assert repeated(X, 2) == []
    assert repeated(X, 3) == [
        "The table has 2 different rows for 3 clusters, so equal rows are split."
    ]


def test_a_matrix_of_distances_is_noticed():
    places = np.random.default_rng(0).normal(size=(6, 2))
    away = np.linalg.norm(places[:, None] - places, axis=2)
    assert "MDS makes coordinates" in like_distances(away)[0]
    assert not like_distances(away[:5])
    assert not like_distances(away + np.triu(np.ones((6, 6)), 1))
    assert not like_distances(np.eye(6))


# --- Distances by columns: in km where they are a longitude and a latitude ------------------------


LON = np.array([13.40, 9.99, 11.58, 8.68, 6.96])  # Berlin, Hamburg, Munich, Frankfurt, Cologne
LAT = np.array([52.52, 53.55, 48.14, 50.11, 50.94])
COLUMNS = {"lon": LON, "lat": LAT, "east": LON, "north": LAT, "wide": 30.0 * LON}
X = np.arange(5.0)[:, None]


def asked(text):
    return read_asked(text, column=COLUMNS.__getitem__)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["x", "lon", "lat"], (1, 2)),
        (["Latitude (north)", "Longitude (east)"], (1, 0)),
        (["centroidLon", "centroidLat"], (0, 1)),
        (["home_lat", "work_lng", "home_lng", "work_lat"], (1, 3)),
        (["home_lon", "work_lon", "lat"], None),
        (["colon", "salon", "flat"], None),
    ],
)
def test_degrees_are_known_by_their_names(names, found):
    assert degrees_in(names) == found


def test_places_are_known_by_their_range_too():
    place = np.column_stack([LON, LAT])
    assert place_columns(Dataset("towns", place, ("lng", "lat"))) == ("lng", "lat")
    assert place_columns(Dataset("towns", 30.0 * place, ("lng", "lat"))) is None


@pytest.mark.parametrize("text", ["diameter(lon,lat)<=300", "diameter(lat, lon)<=300"])
def test_a_diameter_by_longitude_and_latitude_is_in_km(text):
    rule = asked(text)
    assert rule_words(rule).endswith("at most 300 km")
    problem = with_rules(Problem(X, 3), [rule], keeps_rules=False)
    # Berlin-Hamburg 255, Munich-Frankfurt 304, Frankfurt-Cologne 152 km.
    near = {(i, j) for i in range(5) for j in range(i)} - {
        (j, i) for i, j in problem.cannot_link.pairs.tolist()
    }
    assert near == {(1, 0), (4, 3)}
    again = decode_problem(encode_problem(problem))
    assert again.given.rules == tuple(read_rules(rules_text([rule]), lambda _: LON)) == (rule,)
    (kept,) = kept_rules(again, np.array([0, 0, 1, 2, 2]))
    assert kept.holds
    assert kept.measure == " km"
    assert kept.found == pytest.approx(255, abs=1)


def test_other_columns_are_as_in_the_table():
    rule = asked("diameter(east,north)<=3.6")
    assert rule_words(rule) == "diameter by east,north at most 3.6"
    rules = [rule, asked("diameter(lon,lat)<=300"), asked("separation(lat)>=1")]
    problem = with_rules(Problem(X, 3), rules, keeps_rules=False)
    found = [each.found for each in kept_rules(problem, np.array([0, 0, 1, 2, 2]))]
    assert found == pytest.approx([3.56, 255, 1.58], abs=0.5)
    few = rule.of_points(np.array([True, False, True, True, False]))
    assert few.known == (13.40, 11.58, 8.68, 52.52, 48.14, 50.11)


def test_a_limit_as_long_as_half_the_earth_keeps_no_points_apart():
    problem = with_rules(Problem(X, 2), [asked("diameter(lon,lat)<=20016")], keeps_rules=False)
    assert not len(problem.cannot_link)


def test_what_is_no_place_is_a_sentence():
    with pytest.raises(ProblemError, match="wide lon is not between -180 and 180"):
        with_rules(
            Problem(X, 2),
            [AskedRule("diameter(wide lon,lat)<=9", (*COLUMNS["wide"], *LAT))],
            keeps_rules=False,
        )
    with pytest.raises(ProblemError, match="holds no numbers"):
        AskedRule("diameter(lon,lat)<=9", (*LON, *"abcde"))
    with pytest.raises(ProblemError, match="names a column of 5 points, but there are 4"):
        with_rules(Problem(X[:4], 2), [asked("diameter(lon,lat)<=9")], keeps_rules=False)


def test_solvers_and_the_estimator_keep_it():
    problem = with_rules(Problem(X, 3), [asked("diameter(lon,lat)<=305")], keeps_rules=True)
    result = solve(problem, "blp-kmeans", progress=False)
    assert [each.holds for each in result.partition.kept_rules] == [True]
    model = ConstrainedKMeans(3).fit(X, rules=["diameter(lon,lat)<=305"], columns=COLUMNS)
    assert model.labels_[2] not in model.labels_[[0, 1, 4]]
