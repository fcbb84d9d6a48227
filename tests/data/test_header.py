import io

import pytest

from ccviz.data import read_table
from ccviz.data.header import find_header

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


def test_so_are_those_of_a_workbook():
    openpyxl = pytest.importorskip("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["Customer report, Q3"], [], ["age", "spent", "town"],
                [30, 2.5, "Rom"], [40, 3.5, "Ulm"], [50, 4.5, "Rom"]):  # fmt: skip
        book.active.append(row)
    book.save(file)
    data = read_table(file.getvalue(), "customers.xlsx")
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
