"""Columns of a table: their style, dates, names, units, header and roles."""

import math

import numpy as np
import pandas as pd
import pytest

from ccviz.data import read_table
from ccviz.data.cells import DELIMITERS, PLAIN_CSV, CsvStyle, read_days, unit_of, without_unit
from ccviz.data.names import place_columns
from ccviz.data.scaling import SCALINGS, scale, scaling_of
from ccviz.data.sheet import open_sheet
from ccviz.data.table import find_header
from ccviz.errors import FileFormatError
from tests.data.real_tables import workbook

# --- Tables are written like the file that they came from, and read again as what they were -------


@pytest.mark.parametrize(
    ("value", "point", "comma"),
    [
        (12.0, "12", "12"), (-0.5, "-0.5", "-0,5"), (0.1, "0.1", "0,1"), (math.nan, "", ""),
        (math.inf, "", ""), (1e300, "1e+300", "1e+300"), (7, "7", "7"),
        ("1.5 kg", "1.5 kg", "1.5 kg"),
    ],
)  # fmt: skip
def test_a_cell_is_as_short_as_it_goes(value, point, comma):
    assert PLAIN_CSV.cell(value) == point
    assert CsvStyle(";", comma=True).cell(value) == comma


def test_a_measure_has_six_digits():
    assert PLAIN_CSV.measure(2 / 3) == "0.666667"
    assert CsvStyle(";", comma=True).measure(1234567.8) == "1234570"


def test_a_mark_that_csv_lacks_becomes_the_usual_one():
    assert CsvStyle.of("", comma=True).delimiter == ";"
    assert CsvStyle.of("", comma=False) == PLAIN_CSV
    assert CsvStyle.of("\t", comma=True).delimiter == "\t"


@pytest.mark.parametrize("comma", [False, True])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_what_is_written_is_read_again(delimiter, comma):
    style = CsvStyle(delimiter, comma)
    rows = [["Größe", "Ort", "x"], [1.5, 'Köln "a"; b, c|d', 12.0], [2.25, "Jülich", math.nan]]
    rows += [[j / 8, f"Ort {j}", float(j)] for j in range(20)]
    text = style.table(rows)
    assert text.startswith("\ufeff") == (delimiter == ";")
    data = read_table(text.encode(), missing="drop")
    assert data.features == ("Größe", "x")
    assert data.X[:3].tolist() == [[1.5, 12.0], [0.0, 0.0], [0.125, 1.0]]
    assert data.style == style


def test_how_points_were_scaled():
    X = read_table(b"x,y\n1,2\n3,9\n4,1\n").X
    assert [scaling_of(X, scale(X, how)) for how in SCALINGS] == list(SCALINGS)
    assert scaling_of(X, 2 * X) == "weights:4,4"
    assert scaling_of(X, -X) == scaling_of(X, X[:, :1]) == scaling_of(X, X**2) == ""


@pytest.mark.parametrize("how", SCALINGS)
def test_float32_is_scaled_as_its_numbers_are_and_stays(how):
    X = np.random.default_rng(0).normal(1e4, 1.0, size=(500, 3)).astype(np.float32)
    scaled = scale(X, how)
    assert scaled.dtype == np.float32
    assert np.allclose(scaled, scale(X.astype(np.float64), how), rtol=1e-6, atol=1e-6)
    assert scaling_of(X, scaled) == how


# --- Dates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2024-02-28", "2024-03-01"], [0, 2]),
        (["1.3.2024", "28.02.2024"], [2, 0]),
        (["1/3/24", "28/2/24"], [2, 0]),
        (["2/28/1999", "3/1/1999"], [0, 1]),
        (["31.12.99", "1.1.00"], [0, 1]),
        (["2024-01-01 06:00", "2024-01-01T18:00:00"], [0, 0.5]),
        (["2024-01-01 12:30 am", "2024-01-01 12:30 pm"], [0, 0.5]),
        (["2024-01-01T12:00+02:00", "2024-01-01T12:00Z"], [0, 2 / 24]),
    ],
)
def test_days_since_the_first_date(cells, days):
    assert read_days(cells) == pytest.approx(days)


@pytest.mark.parametrize("cells", [["1/3/24", "2/3/24"], ["13/1/24", "1/13/24"], ["9:30"], []])
def test_what_can_be_read_two_ways_is_not_read(cells):
    assert np.isnan(read_days(cells)).all()


def test_a_day_that_is_in_no_calendar_is_no_number():
    assert np.isnan(read_days(["2024-02-30", "2024-01-01"])).tolist() == [True, False]


def test_days_agree_with_pandas():
    days = pd.date_range("1998-11-03", periods=400, freq="97h")
    expected = (days - days[0]) / pd.Timedelta("1D")
    assert read_days(days.strftime("%d.%m.%Y %H:%M:%S")) == pytest.approx(expected.to_numpy())


def test_a_column_of_dates_is_a_feature_on_wish():
    text = b"day,x\n2024-01-31,1.5\n,2.5\n2024-02-01,3.5\n"
    assert read_table(text).features == ("x",)
    data = read_table(text, roles={"day": "feature"}, missing="drop")
    assert data.X.tolist() == [[0, 1.5], [1, 3.5]]
    with pytest.raises(FileFormatError, match="column 'at' holds times of day"):
        read_table(b"at,x\n9:30,1\n9:40,2\n", roles={"at": "feature"})


def test_percentages_are_features_and_said_to_be():
    text = b"x;rate\n1,5;46,6 %\n2,5;7 %\n3,5;100%\n"
    data = read_table(text)
    assert data.X.tolist() == [[1.5, 46.6], [2.5, 7], [3.5, 100]]
    assert "Column 'rate' is a feature (percent, read as numbers)." in data.notices
    assert read_table(b"x,rate\n1.5,5%\n2.5,many\n3.5,9%\n", label="").features == ("x",)


# --- Units ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "unit", "values"),
    [
        (["10%", "20 %", "?", "-5%"], "%", ["10", "20", "?", "-5"]),
        (["$1,200.50", "-$3", "$-4", "+$5"], "$", ["1,200.50", "-3", "-4", "+5"]),
        (["1.200,50 €", "3€"], "€", ["1.200,50", "3"]),
        (["EUR 12", "EUR 7"], "EUR", ["12", "7"]),
        (["US$ 12", "US$7"], "US$", ["12", "7"]),
        (["12 CHF", "7 CHF"], "CHF", ["12", "7"]),
        (["$1", "€2"], "", None),
        (["$1", "2"], "", None),
        (["EUROPE", "EUR"], "", None),
        (["", "?"], "", None),
        ([], "", None),
    ],
)
def test_all_cells_carry_one_unit_or_there_is_none(cells, unit, values):
    assert unit_of(cells) == unit
    if unit:
        assert list(map(without_unit, cells)) == values


# --- Header ---------------------------------------------------------------------------------------


TITLED = [
    "Customer report, Q3 2024\n\nid;age;spent\n1;30;2,5\n2;40;3,5\n3;50;4,5\n",
    "Customer report, Q3\n\nid,age,spent\n1,30,2.5\n2,40,3.5\n3,50,4.5\n",
    "Customer report,,\nAll regions,,\n,,\nid,age,spent\n1,30,2.5\n2,40,3.5\n3,50,4.5\n",
    "Report\nid\tage\tspent\n1\t30\t2.5\n2\t40\t3.5\n3\t50\t4.5\n",
]


@pytest.mark.parametrize("text", TITLED)
def test_titles_above_the_header_of_a_text_are_skipped_and_said_to_be(text):
    data = read_table(text.encode())
    assert data.features == ("age", "spent")
    assert data.X.tolist() == [[30, 2.5], [40, 3.5], [50, 4.5]]
    line = next(i for i, each in enumerate(text.splitlines(), 1) if "age" in each)
    assert f"The columns are named in line {line}; the lines above it are skipped." in data.notices


def test_a_title_as_wide_as_the_table_is_one_above_a_blank_line():
    told = read_table(b"Report, Q3\n\nage,income\n1,2\n3,4\n5,6\n", "a.csv")
    assert told.features == ("age", "income")
    assert len(told.X) == 3
    kept = open_sheet(b"age,income\n\nn/a,n/a\n1,2\n3,4\n", "a.csv")
    assert [column.name for column in kept.columns] == ["age", "income"]


def test_so_are_those_of_a_workbook():
    named = [["age", "spent", "town"], [30, 2.5, "Rom"], [40, 3.5, "Ulm"], [50, 4.5, "Rom"]]
    data = read_table(workbook(Q3=[["Customer report, Q3"], [], *named]), "customers.xlsx")
    assert data.X.tolist() == [[30, 2.5], [40, 3.5], [50, 4.5]]
    assert "The columns are named in row 3; the rows above it are skipped." in data.notices


@pytest.mark.parametrize(
    "rows",
    [
        [["x", "y"], ["1", "2"]],
        [["1", ""], ["2", "3"]],
        [["", "a"], ["0", "1"]],  # a header with a nameless column
        [["a", ""], ["0", "1"]],
        [["a"], ["b"], ["1"]],
        [],
    ],
)
def test_a_table_without_titles_begins_with_its_first_row(rows):
    assert find_header(rows, str.isdecimal) == 0


@pytest.mark.parametrize(
    "text", ["2 2\n1,5 2,5\n3,5 4,5\n", "1.5 2.5\n3.5 4.5\n", "a b\n1 2\n3 4\n"]
)
def test_numbers_between_blanks_are_read_as_before(text):
    data = read_table(text.encode())
    assert data.X.shape == (2, 2)
    assert not [each for each in data.notices if "named in" in each]


NUMBERED = b"2023,2024\n1,2\n\n2024,2025\n3,4\n5,6\n"


@pytest.mark.parametrize(
    ("header", "features", "n"),
    [(None, ("x0", "x1"), 5), (0, ("x0", "x1"), 5), (False, ("x0", "x1"), 5),
     (True, ("2023", "2024"), 4), (1, ("2023", "2024"), 4), (4, ("2024", "2025"), 2)],
)  # fmt: skip
def test_the_header_is_where_the_person_says(header, features, n):
    data = read_table(NUMBERED, header=header)
    assert (data.features, len(data.X)) == (features, n)


@pytest.mark.parametrize("header", [3, 9])
def test_a_header_that_is_blank_or_below_the_end_is_refused(header):
    with pytest.raises(FileFormatError, match=f"line {header} is blank or does not exist"):
        read_table(NUMBERED, header=header)


def test_a_worksheet_is_chosen_by_name_and_an_empty_one_passed_over():
    book = workbook(Cover=[], North=[["x"], [1], [2]], South=[["sold", 2024], ["y", "z"], [5, 6]])
    first = read_table(book, "sales.xlsx")
    assert (first.features, first.X.tolist()) == (("x",), [[1], [2]])
    assert "Worksheet 'North' is read, one of 2 in the file." in first.notices
    south = read_table(book, "sales.xlsx", worksheet="South", header=2)
    assert (south.features, south.X.tolist()) == (("y", "z"), [[5, 6]])


@pytest.mark.parametrize(
    ("name", "worksheets", "sentence"),
    [("a.xlsx", {"Cover": [], "North": [[1]]}, "no worksheet 'East'; there are 'North'"),
     ("a.xlsx", {"Cover": []}, "all worksheets of the workbook are empty"),
     ("a.csv", {"North": [[1]]}, "this is no workbook")],
)  # fmt: skip
def test_a_worksheet_that_is_not_there_is_refused(name, worksheets, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        read_table(workbook(**worksheets), name, worksheet="East")


# --- Roles ----------------------------------------------------------------------------------------


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
