"""Tables of every kind, what their columns are taken as, and what is said about it."""

import io
import zipfile
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from ccviz.data import read_table
from ccviz.data.sheet import open_sheet
from ccviz.errors import FileFormatError
from tests.data.customers import VARIANTS, customer_file, customers

N = 300


def roles(data):
    return data.origin.roles


def needs_excel(variant):
    if variant == "excel" and find_spec("openpyxl") is None:
        pytest.skip("openpyxl is not installed")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_of_a_plain_table_is_read(variant):
    needs_excel(variant)
    name, content = customer_file(variant, N)
    data = read_table(content, name, missing="drop" if "blanks" in variant else None)
    assert data.features == tuple(f"spent_{j}" for j in range(12))
    expected = customers(N)
    if "blanks" in variant:
        expected = customers(N, blanks=18)
        kept = expected.notna().all(axis=1).to_numpy()
        assert data.origin.rows.tolist() == np.flatnonzero(kept).tolist()
        assert any("of 300 rows with missing values are left out" in each for each in data.notices)
        expected = expected[kept]
    assert pytest.approx(expected.iloc[:, 2:].to_numpy()) == data.X
    if variant == "text in every row":
        assert data.truth is None
        assert data.names[0].endswith(" 0")
        assert roles(data)["customer_id"] == "ignore"
    else:
        assert data.truth is None  # an address is no answer
        assert roles(data)["city"] == "ignore"
    if variant not in {"no id", "text in every row"}:
        assert data.names[0] == str(expected["customer_id"].iloc[0])
        assert any("'customer_id' is taken as the points' names" in each for each in data.notices)


def test_a_table_of_200_000_rows_is_read():
    data = read_table(b"x;town\n1,5;K\xf6ln\n" + b"2,5;Rom\n" * 199_999)
    assert data.X.shape == (200_000, 1)
    assert data.classes == ("Köln", "Rom")


def test_missing_values_are_never_passed_over():
    text = b"x,y\n1,2\n,3\n5,NA\n7,8\n"
    with pytest.raises(FileFormatError, match="line 3, column 'x' is empty; 2 values in 2 of 4"):
        read_table(text)
    assert read_table(text, missing="drop").X.tolist() == [[1, 2], [7, 8]]
    filled = read_table(text, missing="median")
    assert filled.X.tolist() == [[1, 2], [5, 3], [5, 3], [7, 8]]
    assert filled.notices == ("2 values that were missing are the median of their column.",)
    assert filled.origin.missing == "median"
    assert read_table(text, columns=["x"], missing="drop").X.tolist() == [[1], [5], [7]]
    with pytest.raises(FileFormatError, match="every row has a missing value"):
        read_table(b"x,y\n1,\n,2\n", missing="drop")


def test_what_is_unique_in_every_row_is_never_the_class():
    for text in (b"x,class\n1,5\n2,6\n3,7\n", b"x,word\n1.5,a\n2.5,b\n3.5,c\n"):
        data = read_table(text)
        assert data.truth is None
        assert data.k is None
    assert read_table(b"x,word\n1,a\n2,b\n3,c\n", label="word").k == 3  # asked for


def test_ids_are_left_out_and_name_the_points():
    data = read_table(b"customerId,x,y\n17,1,5\n3,2,6\n9,1,9\n")
    assert data.features == ("x", "y")
    assert data.names == ("17", "3", "9")
    counted = "\n".join(f"{i},{i % 7}" for i in range(30)).encode()
    assert read_table(b"row,x\n" + counted).features == ("x",)
    assert read_table(counted).names[29] == "29"
    assert read_table(b"n\n1\n2\n3\n4\n").features == ("n",)  # the only column there is
    wished = read_table(b"id,x\n17,1\n3,2\n", roles={"id": "feature"})
    assert wished.features == ("id", "x")


def test_whole_numbers_that_happen_to_differ_are_features():
    assert read_table(b"people,area\n81,357\n67,551\n9,83\n").features == ("people", "area")


def test_dates_and_postcodes_are_left_out():
    text = "day,at,zip,x\n2024-01-31,9:30,01067,1.5\n2024-02-01,10:00,80331,2.5\n"
    text += "2024-02-01,10:30,80331,2.5\n"
    data = read_table(text.encode(), label="")
    assert data.features == ("x",)
    assert set(roles(data).values()) == {"feature", "ignore"}
    said = "Column 'day' is left out (dates; as a feature, days since the first)."
    assert said in data.notices
    assert "Column 'at' is left out (dates)." in data.notices


def test_words_become_features_on_wish():
    text = b"x,colour,shape\n1,red,o\n2,blue,o\n3,red,v\n4,red,o\n"
    assert read_table(text).features == ("x",)
    data = read_table(text, roles={"colour": "feature"}, label="")
    assert data.features == ("x", "colour = blue", "colour = red")
    assert data.X.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1], [4, 0, 1]]


def test_columns_are_named_or_numbered():
    text = b"a,b,c,kind\n1,2,3,u\n4,5,6,v\n7,8,9,v\n"
    data = read_table(text, columns=["c", "0"], label="3", roles={"b": "name"})
    assert data.features == ("a", "c")
    assert data.names == ("2", "5", "8")
    assert data.classes == ("u", "v")


@pytest.mark.parametrize(
    ("text", "X"),
    [
        ("1,5;2,5\n3,5;4,5\n", [[1.5, 2.5], [3.5, 4.5]]),
        ("a;b\n1.234,5;0,5\n12.000,0;1,5\n", [[1234.5, 0.5], [12000, 1.5]]),
        ('a,b\n"1,234.5",2\n"12,000.0",3\n', [[1234.5, 2], [12000, 3]]),
        ('a,b\n"1,234",2.5\n"12,000",3.5\n', [[1234, 2.5], [12000, 3.5]]),
        ("a;b\n1,5;x.5\n", [[1.5]]),
    ],
)
def test_numbers_as_people_write_them(text, X):
    assert read_table(text.encode(), "a.csv").X.tolist()[: len(X)] == X


def test_a_number_that_can_be_read_two_ways_is_told():
    assert "1,234 is read as 1.234." in read_table(b"a;b\n1,234;2\n5,678;3\n").notices


def test_encodings():
    text = "größe,x\n1,2\n3,4\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        data = read_table(text.encode(encoding), "a.csv")
        assert data.features == ("größe", "x")
        assert bool(data.notices) == (encoding == "cp1252")


def test_arrow_and_its_dictionaries():
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5], "kind": pd.Categorical(["u", "v", "v"])})
    file = io.BytesIO()
    frame.to_feather(file)
    data = read_table(file.getvalue(), "a.feather")
    assert data.X.tolist() == [[1.5], [2.5], [3.5]]
    assert data.classes == ("u", "v")
    with pytest.raises(FileFormatError, match="not a readable Parquet or Arrow file"):
        read_table(b"hello", "a.arrow")


def test_float32_stays_where_all_features_are():
    frame = pd.DataFrame({"x": [0.1, 2.5, 3.5], "y": [1.0, 0.5, 7.25]}, dtype="float32")
    frame["kind"] = ["u", "v", "v"]

    def read(table):
        file = io.BytesIO()
        table.to_parquet(file)
        return read_table(file.getvalue(), "a.parquet").X

    assert read(frame).dtype == np.float32
    assert (read(frame) == frame[["x", "y"]].to_numpy()).all()
    mixed = read(frame.astype({"y": "float64"}))
    assert mixed.dtype == np.float64
    assert (mixed == read(frame)).all()


def test_a_workbook_with_dates_blanks_and_no_names():
    pytest.importorskip("openpyxl")
    file = io.BytesIO()
    rows = [[None, None, None], [1, 2.5, pd.Timestamp("2024-01-31")], [3, None, None], [5, 6, None]]
    pd.DataFrame(rows).to_excel(file, index=False, header=False)
    data = read_table(file.getvalue(), "a.xlsx", missing="median")
    assert data.X.tolist() == [[1, 2.5], [3, 4.25], [5, 6]]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.xls", "this is an old Excel workbook; save it as .xlsx or as CSV."),
        ("a.json", "this is JSON; save it as CSV"),
    ],
)
def test_formats_that_are_not_read_are_named(name, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        read_table(b"hello", name)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"roles": {"x": "colour"}}, "'colour' is not a role; the roles are feature, class, name"),
        ({"roles": {"x": "class", "y": "class"}}, "only one column can be the class"),
        ({"columns": ["z"]}, "there is no column 'z'; there are x, y"),
        ({"missing": "mean"}, "missing = 'mean' is not one of drop, median"),
        ({"roles": {"x": "ignore", "y": "ignore"}}, "there is no column of numbers"),
    ],
)
def test_wishes_that_cannot_be_met(options, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        read_table(b"x,y\n1,2\n3,4\n3,4\n", **options)


def test_the_whole_table_is_kept_for_who_takes_it_home():
    data = read_table(b"id,town,x\n7,Rome,1.5\n8,,\n9,Oslo,2.5\n", missing="drop")
    kept = dict(zip(roles(data), data.origin.columns, strict=True))
    assert list(kept["id"]) == [7, 9]
    assert list(kept["town"]) == ["Rome", "Oslo"]
    assert list(kept["x"]) == [1.5, 2.5]


def test_a_truth_value_is_no_number_of_rows(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2), }"
    header += b" " * (-(11 + len(header)) % 64) + b"\n"
    length = len(header).to_bytes(2, "little")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + length + header + bytes(16))
    with pytest.raises(FileFormatError, match=r"not \(True, 2\)"):
        read_table(tmp_path / "a.npy")


@pytest.mark.parametrize("at", [4, 9, 20])
def test_a_workbook_with_damaged_lzma_is_a_sentence(tmp_path, at):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for i in range(200):
        book.active.append([i, i * 2.5])
    book.save(plain := io.BytesIO())
    with (
        zipfile.ZipFile(plain) as old,
        zipfile.ZipFile(packed := io.BytesIO(), "w", zipfile.ZIP_LZMA) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    data = bytearray(packed.getvalue())
    for part in zipfile.ZipFile(packed).infolist():
        first = part.header_offset + 30 + len(part.filename)
        for place in range(first + at, first + at + 12, 3):
            data[place] ^= 0xFF
    (tmp_path / "a.xlsx").write_bytes(bytes(data))
    with pytest.raises(FileFormatError, match="not a readable Excel workbook"):
        read_table(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["12", "7"], "number"),
        (["12", "07"], "text"),  # a code, behind numbers
        (["12", '"07\n"'], "text"),
        (["12", "0.7"], "number"),
        (["12", "nan"], "number"),
        (["12", "inf"], "number"),
    ],
)
def test_a_column_of_numbers_is_none_of_codes(cells, kind):
    sheet = open_sheet("\n".join(["a,b", *(f"{cell},x" for cell in cells)]).encode(), "t.csv")
    column = sheet.columns[0]
    assert column.kind == kind
    assert column.whole == (cells == ["12", "7"])
    assert column.missing.tolist() == [False, cells[1] == "nan"]


def test_words_mean_missing_where_they_are_named():
    text = b"x,y,type\n1,2,a\n-999,3,b\n3,4,Unsure\n5,6,b\n5,7,b\n5,8,a\n"
    data = read_table(text, "t.csv", unknown=["unsure", "-999"], missing="drop", label="type")
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6], [5, 7], [5, 8]]
    assert data.truth.tolist() == [0, -1, 1, 1, 0]
    assert data.classes == ("a", "b")


@pytest.mark.parametrize(
    ("classes", "unknown", "said"),
    [
        ("-1 0 1 -1", (), "-1 is the class of 2 rows; if it means that none is known"),
        ("-1 0 1 -1", ("-1",), "2 rows have no class"),
        ("-1 1 1 -1", (), ""),
    ],
)
def test_minus_one_is_a_class_of_a_file_and_that_is_said(classes, unknown, said):
    rows = "".join(f"{i},{i * i},{each}\n" for i, each in enumerate(classes.split()))
    data = read_table(f"x,y,c\n{rows}".encode(), "t.csv", label="c", unknown=unknown)
    assert len(data.classes) == len({*classes.split()} - {*unknown})
    assert bool(said) == any("class" in each and said in each for each in data.notices)
