"""Data files of every kind, and the sentence for each that cannot be used."""

import io

import numpy as np
import pandas as pd
import pytest

from ccviz.data import table
from ccviz.data.read_table import read_data
from ccviz.errors import FileFormatError


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def parquet(**columns):
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("text", "X", "features"),
    [
        ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]], ("a", "b")),
        ("1,2\n3,4", [[1, 2], [3, 4]], ("x0", "x1")),
        ("1;2\r\n\r\n3;4\r\n", [[1, 2], [3, 4]], ("x0", "x1")),
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]], ("x0", "x1")),
        ("  1.0   2\n 3 4e-1\n", [[1, 2], [3, 0.4]], ("x0", "x1")),
        ('"a, b",c\n1,2\n', [[1, 2]], ("a, b", "c")),
        ("\ufeffa,b\n1,2\n", [[1, 2]], ("a", "b")),
        ("a\n1\n2\n", [[1], [2]], ("a",)),
        ("2 3\n1 2 3\n4 5 6\n", [[1, 2, 3], [4, 5, 6]], ("x0", "x1", "x2")),
        ("2 2\n1 2\n3 4\n", [[1, 2], [3, 4]], ("x0", "x1")),
        ("3 2\n1 2\n3 4\n", [[3, 2], [1, 2], [3, 4]], ("x0", "x1")),  # points, by their count
    ],
)
def test_text(text, X, features):
    data = read_data(text.encode(), "toy.csv")
    assert data.X.tolist() == X
    assert data.features == features
    assert data.truth is None
    assert data.name == "toy"


def test_header_can_be_told():
    assert read_data(b"1,2\n3,4\n", header=True).features == ("1", "2")
    with pytest.raises(FileFormatError, match=r"line 1, column 'x0' is 'a'"):
        read_data(b"a,b\n1,2\n", header=False)


def test_number_of_clusters_from_the_first_line():
    assert read_data(b"3 1 2\n1\n2\n3\n").k == 2
    assert read_data(b"3 1\n1\n2\n3\n").k is None


def test_label_column():
    text = b"x,kind,y\n1,b,2\n3,a,4\n"
    for label in ("kind", "1", "-2"):
        data = read_data(text, label=label)
        assert data.X.tolist() == [[1, 2], [3, 4]]
        assert data.truth.tolist() == [1, 0]
        assert data.classes == ("a", "b")
        assert data.k == 2
        assert data.notices == ()


def test_label_column_is_guessed_and_told():
    for text in (
        b"x,class\n1,0\n2,7\n3,7\n",
        b"1.5,rose\n2.5,lily\n0.5,lily\n",
        b"x,y,Label\n1,2,3\n4,5,6\n7,8,6\n",
    ):
        data = read_data(text)
        assert data.truth is not None
        assert "taken as the known classes" in data.notices[0]
    assert read_data(b"x,class\n1,0\n2,7\n3,7\n", label="").truth is None


def test_numpy_and_parquet():
    X = np.random.default_rng(0).normal(size=(5, 2))
    assert np.array_equal(read_data(npy(X), "a.npy").X, X)
    assert np.array_equal(read_data(npy(np.asfortranarray(X)), "a.npy").X, X)
    assert read_data(npy(np.array([[1, 2]], dtype=np.int16)), "a.npy").X.dtype == np.float64
    data = read_data(parquet(u=[1, 2, 2], v=[0.5, 1.5, 0], w=["b", "a", "a"]), "a.parquet")
    assert data.X.tolist() == [[1, 0.5], [2, 1.5], [2, 0]]
    assert data.truth.tolist() == [1, 0, 0]


def test_a_path_and_its_bytes_are_the_same(tmp_path):
    (tmp_path / "toy.csv").write_bytes(b"a,b\n1,2\n")
    data = read_data(tmp_path / "toy.csv")
    assert data.name == "toy"
    assert data.X.tolist() == read_data(b"a,b\n1,2\n", "toy.csv").X.tolist()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"a\nb\nc\n", "there is no column of numbers. Column 'a' is taken as the points' names"),
        (b"x,y\n", "there are no rows of numbers"),
        (b"x,y\n1,2\n3,\n", "line 3, column 'y' is empty"),
        (b"1,2\n\n3,nan\n", "line 3, column 'x1' is empty; 1 value in 1 of 2 rows"),
        (b"1,2\n3,-inf\n", "line 2, column 'x1' is '-inf'"),
        (b"1,2\n3,x\n5,6\n", "line 2, column 'x1' is 'x'"),
        (b"1,2\n3,4,5\n", "line 2 has 3 values, but there are 2 columns"),
        (b"1,2\n3\n", "line 2 has 1 value, but"),
        (b"4 1\n1\n2\n3\n", "line 1 says that there are 4 points, but 3 follow"),
        (b"3 2\n1.5 2\n3 4\n", "line 1 says that there are 3 points, but 2 follow"),
        (b"2 3\n1 2 3\n1 2\n", "line 3 has 2 values, but there are 3 columns"),
        (b"1,2\n\xff,4\n3,5\n", "line 2, column 'x0' is 'ÿ', not a finite number"),
        (b"1,2\n3,\0\n", "line 2 is not text"),
        (b"1\n" * 1_000_003, "there are 1,000,003 rows, but at most 1,000,000 points"),
        (b"only,words\nhere,there\n", "there is no column of numbers"),
    ],
)
def test_text_that_cannot_be_used(content, sentence):
    with pytest.raises(FileFormatError, match=sentence) as caught:
        read_data(content, "toy.csv")
    assert str(caught.value).startswith("toy.csv: ")


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"hello", "a.npy", "not an array in NumPy's format"),
        (npy(np.zeros((3, 2)))[:30], "a.npy", "not an array in NumPy's format"),
        (npy(np.zeros((30, 2)))[:-1], "a.npy", "breaks off"),
        (npy(np.zeros(3)), "a.npy", "n points by d features"),
        (npy(np.array([[{}]]), allow_pickle=True), "a.npy", "not .* of object"),
        (npy(np.array([["a"]])), "a.npy", "n points by d features"),
        (npy(np.array([[1, np.nan], [1, 2]])), "a.npy", "row 0, column 'x1' is empty"),
        (npy(np.zeros((1_000_001, 1), dtype=np.int8)), "a.npy", "1,000,001 rows"),
        (b"hello", "a.parquet", "not a readable Parquet or Arrow file"),
        (parquet(a=[1.0, 2.0])[:-9], "a.parquet", "not a readable Parquet or Arrow file"),
        (parquet(a=[1.0, None], b=[1, 2]), "a.parquet", "row 1, column 'a'"),
        (parquet(a=["x", "y"], b=["u", "v"]), "a.parquet", "there is no column of numbers"),
    ],
)
def test_binary_files_that_cannot_be_used(content, name, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        read_data(content, name)


def test_a_forged_header_allocates_nothing():
    """It promises 2^60 numbers."""
    honest = npy(np.zeros((10, 10)))
    with pytest.raises(FileFormatError, match="at most 1,000,000 points"):
        read_data(
            honest.replace(b"(10, 10), }" + b" " * 20, b"(1073741824, 1073741824), }    "), "a.npy"
        )


def test_too_many_values_and_bytes(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "MOST_VALUES", 5)
    with pytest.raises(FileFormatError, match="2 rows of 3 columns are more than the 5 values"):
        read_data(b"1,2,3\n4,5,6\n")
    monkeypatch.setattr(table, "MOST_BYTES", 1 << 20)
    (tmp_path / "large.csv").write_bytes(b"1\n" * (1 << 20))
    for source in (tmp_path / "large.csv", (tmp_path / "large.csv").read_bytes()):
        with pytest.raises(FileFormatError, match="the file has 2 MiB, but at most 1 MiB"):
            read_data(source)


def test_a_path_that_cannot_be_read(tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read: no such file"):
        read_data(tmp_path / "nowhere.csv")
    with pytest.raises(FileFormatError, match="cannot be read: is a directory"):
        read_data(tmp_path)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_data("a\0b")


def test_label_that_is_not_there():
    with pytest.raises(FileFormatError, match="no column 'z'; there are x, y"):
        read_data(b"x,y\n1,2\n", label="z")


def test_the_published_instances(bench):
    for path in sorted((bench / "pc-sos-sdp" / "data").iterdir()):
        n, d, k = map(int, path.read_text().split("\n", 1)[0].split())
        data = read_data(path)
        assert (*data.X.shape, data.k) == (n, d, k)
