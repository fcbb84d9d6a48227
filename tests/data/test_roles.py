import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.data.names import place_columns
from ccviz.data.sheet import open_sheet
from ccviz.errors import FileFormatError

ROWS = "\n".join(f"{i}.5,{'AB'[i % 2]},{'uvw'[i % 3]}" for i in range(12))


def test_the_last_of_several_columns_of_a_few_words_is_no_class():
    data = read_table(f"x,city,segment\n{ROWS}\n".encode())
    assert data.truth is None
    assert data.k is None


@pytest.mark.parametrize("name", ["notes", "Remarks", "salesComment"])
def test_notes_are_no_class(name):
    text = f"x,{name}\n" + "\n".join(f"{i}.5,{['late', 'paid'][i % 2]}" for i in range(12))
    data = read_table(text.encode())
    assert data.truth is None
    assert f"Column {name!r} is left out (notes, by its name)." in data.notices


def test_a_mostly_empty_column_is_no_class():
    text = "x,kind\n" + "\n".join(f"{i}.5,{'ab'[i % 2] if i < 5 else ''}" for i in range(12))
    assert read_table(text.encode()).truth is None


def test_a_class_from_its_place_gives_no_k_but_one_by_name_or_asked_for_does():
    rows = "\n".join(f"{i}.5,{'ab'[i % 2]}" for i in range(12))
    guessed = read_table(f"x,kind\n{rows}".encode())
    assert (guessed.classes, guessed.k) == (("a", "b"), None)
    assert read_table(f"x,class\n{rows}".encode()).k == 2
    assert read_table(f"x,kind\n{rows}".encode(), label="kind").k == 2


def weighted(cells, roles=(("people", "weight"),), **options):
    lines = ["x,y,people", *cells]
    return read_table("\n".join(lines).encode(), "towns.csv", roles=dict(roles), **options)


def test_a_column_weighs_the_points():
    data = weighted(["1,2,10", "3,4,0", "5,7,2.5"])
    assert data.features == ("x", "y")
    assert data.weights.tolist() == [10.0, 0.0, 2.5]


def test_rows_left_out_take_their_weights_along():
    data = weighted(["1,2,10", ",4,0", "5,7,2.5"], missing="drop")
    assert data.weights.tolist() == [10.0, 2.5]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("", "line 3, column 'people' is empty; a weight is a number of at least 0."),
        ("-1", "line 3, column 'people' is '-1'; a weight is a number of at least 0."),
        ("inf", "line 3, column 'people' is 'inf'; a weight is a number of at least 0."),
    ],
)
def test_a_cell_that_is_no_weight_is_named(cell, words):
    with pytest.raises(FileFormatError, match=words):
        weighted(["1,2,10", f"3,4,{cell}", "5,7,2.5", "5,8,3"])


def test_words_and_two_columns_are_no_weights():
    with pytest.raises(FileFormatError, match="column 'people' is no numbers and cannot be"):
        weighted(["1,2,a", "3,4,b", "5,7,c"])
    with pytest.raises(FileFormatError, match="only one column can be the weight"):
        weighted(["1,2,1", "3,4,2", "5,7,3"], [("people", "weight"), ("x", "weight")])


PLACES = b"lon,lat,kind\n9.9,53.6,a\n13.4,52.5,b\n11.6,,a\n6.9,50.9,b\n"


def test_degrees_are_offered_in_km():
    data = read_table(PLACES, "towns.csv", missing="drop")
    assert data.features == ("lon", "lat")
    assert data.classes == ("a", "b")  # of the last column of the file
    assert [each.column for each in data.origin.decisions] == ["lon", "lat", "kind"]
    assert any("'east_km' is left out" in each for each in data.notices)
    in_km = read_table(PLACES, "towns.csv", columns=["east_km", "north_km"], missing="drop")
    assert in_km.features == ("east_km", "north_km")
    assert not any("north_km" in each for each in in_km.notices)
    hamburg, berlin, cologne = in_km.X
    assert np.hypot(*(hamburg - berlin)) == pytest.approx(264, rel=0.03)
    assert np.hypot(*(hamburg - cologne)) == pytest.approx(363, rel=0.03)
    assert place_columns(in_km) == ("lon", "lat")
    assert read_table(PLACES, "towns.csv", label="-1", missing="drop").classes == ("a", "b")


@pytest.mark.parametrize(
    "table", [b"lon,lat\n200,5\n3,4\n", b"lon,lat,east_km\n1,2,3\n4,5,6\n", b"a,b\n1,2\n3,4\n"]
)
def test_what_are_no_degrees_is_not_offered_in_km(table):
    assert "north_km" not in [each.name for each in open_sheet(table, "towns.csv").columns]
