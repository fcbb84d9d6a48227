"""Distances by columns: in km where they are a longitude and a latitude."""

import numpy as np
import pytest

from ccviz import ConstrainedKMeans, Problem, solve
from ccviz.data.datasets import Dataset
from ccviz.data.names import place_columns
from ccviz.errors import ProblemError
from ccviz.problem.asked import AskedRule, read_asked
from ccviz.problem.column_links import degrees_in
from ccviz.problem.reduction import kept_rules, with_rules
from ccviz.runs.codec import decode_problem, encode_problem
from ccviz.views.frames.card import rule_words
from ccviz.views.share.address import read_rules, rules_text

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
