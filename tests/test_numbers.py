import math

from ccviz.numbers import count, number, ordinal, percent, seconds


def test_numbers():
    assert number(3565530.4) == "3,565,530"
    assert number(84.56324) == "84.5632"
    assert number(0.0) == "0"
    assert number(math.inf) == "–"
    assert number(1.5e-7) == "1.5e-07"


def test_percent_and_seconds():
    assert percent(0.1234) == "12.34 %"
    assert percent(2e-5) == "0.002 %"
    assert percent(4e-11) == "< 0.0001 %"
    assert percent(math.inf) == "–"
    assert [seconds(0.0123), seconds(3.21), seconds(200)] == ["12 ms", "3.2 s", "3 min 20 s"]


def test_count():
    assert [count(1, "point"), count(1234, "point")] == ["1 point", "1,234 points"]


def test_places_are_counted_as_people_say_them():
    said = [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1000)]
    assert said == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "1,000th",
    ]  # fmt: skip
