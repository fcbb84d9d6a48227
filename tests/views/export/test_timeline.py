import numpy as np

from ccviz.views.export.inner import Table, Timeline


def test_only_changes_are_kept():
    line = Timeline()
    for at, value in enumerate(("a", "a", "b", "b", "a")):
        line.put(at, value)
    told = line.as_dict()
    assert (told["at"].tolist(), told["values"]) == ([0, 2, 4], ["a", "b", "a"])


def test_the_last_of_a_moment_counts():
    line = Timeline()
    line.put(3, np.zeros(2))
    line.put(3, np.ones(2))
    assert [each.tolist() for each in line.as_dict()["values"]] == [[1.0, 1.0]]


def test_what_is_large_is_thinned_and_the_newest_stays():
    line = Timeline(most_bytes=800)
    for at in range(1000):
        line.put(at, {"image": np.full(10, at, dtype=np.int64)})
    told = line.as_dict()
    assert told["at"][-1] == 999
    assert 2 < len(told["values"]) <= 10
    assert all((value["image"] == at).all() for at, value in zip(*told.values(), strict=True))


def test_a_long_table_keeps_its_ends():
    table = Table(("value",), most=10)
    for at in range(100):
        table.put(at, 2 * at)
    told = table.as_dict()
    assert len(told["moment"]) <= 10
    assert (told["moment"][0], told["moment"][-1]) == (0, 99)
    assert (told["value"] == 2 * told["moment"]).all()


def test_an_empty_table_has_its_columns():
    assert {name: len(column) for name, column in Table(("a",)).as_dict().items()} == {
        "moment": 0, "a": 0,
    }  # fmt: skip
