import pytest

from ccviz.data import read_table
from ccviz.data.sheet import open_sheet
from ccviz.data.table import find_header
from ccviz.errors import FileFormatError
from tests.data.real_tables import workbook

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
