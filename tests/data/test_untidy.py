"""Tables as people have them: each is loaded with a word on what was done, or a way is named."""

import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.errors import FileFormatError
from tests.data.real_tables import workbook

_TWELVE = "".join(
    f"K{i},{i * 7 % 11},{i * 5 % 13}\n" for i in range(12)
)  # 55 + 66 + ... by columns
_GROUPS = (
    "Report;;;;\n;Sales;;Profile;\nShop;Sales;Sales;Age;Member\n;EUR;EUR ly;years;yes/no\n"
    + "".join(f"S{i};{i},5 €;{i};{30 + i % 7};{('yes', 'no')[i % 2]}\n" for i in range(1, 9))
    + "Sum;40,0 €;36;;\n"
)

LOADED = {
    # name: (content, options, features, number of points, a part of the notices)
    "units row": ("name,height,mass\n,cm,kg\na,1,2\nb,3,4\nc,5,7\n", {},
                  ("height (cm)", "mass (kg)"), 3, "Line 2 holds units; they are in the names."),
    "units in brackets": ("h;w\n[cm];[-]\n1;2\n3;4\n", {}, ("h (cm)", "w (-)"), 2, "holds units"),
    "units row, words said": ("name,h\nunit,cm\na,1\nb,2\n", {}, ("h (cm)",), 2, "holds units"),
    "units kept by hand": ("h,w\ncm,kg\n1,2\n3,4\n", {"skip_rows": 0, "unknown": ["cm", "kg"],
                           "missing": "drop"}, ("h", "w"), 2, "1 of 3 rows with missing"),
    "two rows below the names": ("h,w\ncm,kg\n(long),(text)\n1,2\n3,4\n", {"skip_rows": 2},
                                 ("h (cm)", "w (kg)"), 2, ""),
    "totals": ("shop,a,b\nx,1,2\ny,3,4\nz,5,6\nTotal,9,12\n", {}, ("a", "b"), 3,
               "Line 5 is the total of the rows above and is left out."),
    "totals without a name": ("shop,a,b\nx,1,2\ny,3,4\nz,5,6\n,9,12\n", {}, ("a", "b"), 3,
                              "is the total"),
    "totals with a mean": ("shop,a,b\nx,1,2\ny,3,4\nz,5,9\nTotal,9,5\n", {}, ("a", "b"), 3,
                           "is the total"),
    "totals of an id": ("id,a\n1,1\n2,5\n3,7\nSumme,13\n", {}, ("a",), 3, "the total of"),
    "totals of more rows": ("shop,a\nx,1\ny,3\nz,5\nTotal,90\n", {}, ("a",), 3,
                            "is called a total and is left out, though"),
    "a total that is none": ("shop,a\nx,10\ny,3\nz,5\nTotal,2\n", {}, ("a",), 4,
                             "is called a total but is read as a point"),
    "totals kept by hand": ("shop,a\nx,1\ny,3\nz,5\nTotal,9\n", {"skip_last": 0}, ("a",), 4, ""),
    "last rows by hand": ("shop,a\nx,1\ny,3\nend\nend of list\n", {"skip_last": 2}, ("a",), 2, ""),
    "a note below": ("a,b\n1,2\n3,4\n5,6\nSource: the town\n", {}, ("a", "b"), 3,
                     "Line 5 is a note below the table and is left out."),
    "a note below a title": ("List\na;b\n1;2\n3;4\nSource\n", {}, ("a", "b"), 2, "is a note"),
    "a word for missing": ("a,b\n1,2\n3,k. A.\n5,6\n", {"unknown": ["k. a."], "missing": "drop"},
                           ("a", "b"), 2, "1 of 3 rows with missing values"),
    "a number for missing": ("a,b\n1,2\n3,-999\n5,6\n", {"unknown": ["-999"], "missing": "median"},
                             ("a", "b"), 3, "1 value that were missing"),
    "yes and no": ("a,member\n1,ja\n2,Nein\n3,ja\n", {"roles": {"member": "feature"}},
                   ("a", "member = ja"), 3, ""),
    "yes, no and a gap": ("a,m\n1,yes\n2,yes\n3,\n4,no\n", {"roles": {"m": "feature"},
                          "missing": "median"}, ("a", "m = yes"), 4, ""),
    "a constant": ("a,b\n1,2\n3,2\n5,2\n", {}, ("a", "b"), 3,
                   "Column 'b' has the same value in every row and separates no points."),
    "an id as a feature": ("id,b\n1,2\n2,2\n3,4\n", {"columns": ["id"]}, ("id",), 3, "like an id"),
    "outliers": ("a,b\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(40)) + "900,2\n", {},
                 ("a", "b"), 41, "Column 'a' is ruled by outliers: 1 of 41 rows"),
    "300 words": ("x,trade\n" + "".join(f"{i},t{i % 300}\n" for i in range(900)),
                  {"roles": {"trade": "feature"}}, None, 900, "the 99 most frequent"),
    "cells beyond the last column": ("a,b\n1,2,\n3,4,,\n", {}, ("a", "b"), 2, ""),
    "all at once": (_GROUPS, {"roles": {"Member": "feature"}},
                    ("Sales (EUR)", "Sales (EUR ly)", "Age (years)", "Member = yes"), 8,
                    "Line 13 is the total"),
    "blank lines inside": ("a;b\n\n1;2\n;;\n3;4\n", {}, ("a", "b"), 2, ""),
    "clear columns without totals": ("k,a,b\n" + _TWELVE, {}, ("a", "b"), 12, ""),
}  # fmt: skip

REFUSED = {
    "a word among numbers": ("a,b\n1,2\n3,4\n5,k. A.\n", {}, "a.csv", "say so (unknown = 'k. A.')"),
    "a short row": ("a,b\n1,2\n3\n4,5\n", {}, "a.csv", "below the names (skip_rows)"),
    "gaps": ("a,b\n1,2\n3,\n", {}, "a.csv", "drop these rows, or fill in"),
    "names as a feature": ("a,who\n" + "".join(f"1,n{i}\n" for i in range(150)),
                           {"roles": {"who": "feature"}}, "a.csv", "too many for features"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", {}, "a.csv", "a picture; tables are CSV"),
    "a PDF": (b"%PDF-1.7 \n", {}, "a.pdf", "copy its table and paste it"),
    "a web page": ("<HTML><table><tr><td>1", {}, "a.xls", "copy its table and paste it"),
    "a workbook called CSV": (b"PK\3\4 and more", {}, "a.csv", "the ending .xlsx"),
    "an old workbook": (b"\xd0\xcf\x11\xe0 and more", {}, "a.csv", "save it as .xlsx or as CSV"),
    "nothing left": ("a,b\n1,2\n3,4\n", {"skip_rows": 1, "skip_last": 1}, "a.csv", "none is left"),
    "fewer than no row": ("a,b\n1,2\n3,4\n", {"skip_rows": -1}, "a.csv", "below 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", LOADED)
def test_an_untidy_table_is_loaded_and_says_what_was_done(case):
    text, options, features, n, said = LOADED[case]
    data = read_table(text.encode(), "a.csv", **options)
    assert features is None or data.features == features
    assert len(data.X) == n
    assert np.isfinite(data.X).all()
    assert not said or any(said in notice for notice in data.notices), data.notices


@pytest.mark.parametrize("case", REFUSED)
def test_another_is_refused_with_what_to_do(case):
    content, options, name, said = REFUSED[case]
    content = content.encode() if isinstance(content, str) else content
    with pytest.raises(FileFormatError) as refused:
        read_table(content, name, **options)
    assert said in str(refused.value)


def test_there_are_thirty_and_more():
    assert len(LOADED) + len(REFUSED) >= 30


def test_a_workbook_has_its_units_and_totals_found():
    rows = [["shop", "sold"], [None, "EUR"], ["x", 1], ["y", 3], ["z", 5], ["Total:", 9]]
    data = read_table(workbook(Sold=rows), "a.xlsx")
    assert (data.features, data.X.tolist()) == (("sold (EUR)",), [[1], [3], [5]])
    assert "Row 2 holds units; they are in the names." in data.notices
    assert data.origin.rows.tolist() == [0, 1, 2]


def test_yes_counts_once_and_a_gap_is_what_most_say():
    data = read_table(
        LOADED["yes, no and a gap"][0].encode(), roles={"m": "feature"}, missing="median"
    )
    assert data.X[:, 1].tolist() == [1, 1, 1, 0]


def test_rare_words_share_the_last_of_a_hundred_features():
    text = LOADED["300 words"][0]
    data = read_table(text.encode(), roles={"trade": "feature"})
    made = [name for name in data.features if name.startswith("trade = ")]
    assert len(made) == 100
    assert "trade = others" in made
    assert data.X.sum(axis=1).tolist() == [1] * 900


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n4,6\n",  # the last row is the sum, and is called nothing
        "name,a,b\na,1,2\nb,3,4\nc,5,6\nd,9,12\n",  # so it is here, under a name
        "fuel,a\nShell,1\nTotal,3\nTotal,4\n",  # the word is a value
        "a,b\ncm,1\n2,3\n4,5\n",  # a number in the row of words
        "name,a\nMeier,n\nb,2\nc,3\n",  # a name in it
        "a,b\nn,n\nn,1\n2,n\n3,4\n",  # the same word further below
    ],
)
def test_a_row_that_may_be_a_point_stays(text):
    rows = text.count("\n") - 1
    data = read_table(text.encode(), unknown=["n", "cm"], missing="median")
    assert len(data.X) == rows
    assert not any("total" in each or "units" in each for each in data.notices)
