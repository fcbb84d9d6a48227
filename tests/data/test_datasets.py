"""Data sets that come with ccviz."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets as of_sklearn

from ccviz.data import datasets, read_table
from ccviz.data.datasets import (
    FEATURES,
    GENERATORS,
    NAMES,
    encode_classes,
    load,
    read_bundled,
    standardise,
)
from ccviz.errors import CcvizError, FileFormatError
from tests.data.real_tables import workbook


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_whole(name):
    data = load(name)
    assert data.name == name
    n, d = data.X.shape
    assert len(data.features) == d
    assert len(data.truth) == n
    assert sorted(set(data.truth.tolist())) == list(range(len(data.classes)))
    assert data.setup is not None or data.k == len(data.classes)
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_are_seeded_and_take_n_and_noise(name):
    first, again = load(name, n=60, seed=3), load(name, n=60, seed=3)
    assert first.X.shape == (60, 2)
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, load(name, n=60, seed=4).X)
    assert not np.array_equal(first.X, load(name, n=60, seed=3, noise=0.5).X)


@pytest.mark.parametrize("name", ["blobs", "spirals", "anisotropic"])
def test_generators_take_k(name):
    assert load(name, k=5).k == 5


def test_arms_of_the_spiral_are_apart():
    data = datasets.spirals(n=300, noise=0.0)
    distance = np.linalg.norm(data.X[:, None] - data.X, axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = data.truth[distance.argmin(1)]
    assert (nearest == data.truth).mean() > 0.95


def test_unknown_data_set_is_named():
    with pytest.raises(CcvizError, match="no data set 'nothing'; there are iris, wine"):
        load("nothing")


@pytest.mark.parametrize(("name", "known"), [("iris", "none"), ("moons", "n, noise, seed")])
def test_unknown_option_is_named(name, known):
    with pytest.raises(CcvizError, match=f"{name} has no option k; it has {known}"):
        load(name, k=3)


def test_standardise():
    X = standardise([[1, 5, 2], [3, 5, 4], [5, 5, 9]])
    assert X.mean(0) == pytest.approx(0)
    assert X.std(0) == pytest.approx([1, 0, 1])


def test_classes_are_numbered_in_order_of_their_names():
    numbers, names = encode_classes(["b ", "a", "b"])
    assert numbers.tolist() == [1, 0, 1]
    assert names == ("a", "b")


def test_a_file_that_is_called_iris_is_not_iris():
    iris = load("iris")
    assert iris.is_named
    assert load("moons", n=31).is_named
    assert not replace(iris, X=iris.X[:40]).is_named
    assert not replace(iris, X=iris.X + 1).is_named
    assert not replace(iris, name="mine").is_named


# --- Bundled --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FEATURES)
def test_a_table_is_what_scikit_learn_loads(name):
    theirs, ours = getattr(of_sklearn, f"load_{name}")(), read_bundled(name)
    assert np.array_equal(ours.X, theirs.data)
    assert np.array_equal(ours.truth, theirs.target)
    assert ours.features == tuple(map(str, theirs.feature_names))
    assert ours.classes == tuple(map(str, theirs.target_names))


def test_scikit_learn_is_not_loaded():
    code = (
        "import sys; from ccviz.data.datasets import load; load('iris');"
        " assert not {'sklearn', 'pandas'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_scikit_learn_a_sentence_names_it(monkeypatch):
    monkeypatch.setattr(datasets, "find_spec", lambda _: None)
    with pytest.raises(CcvizError, match="iris is a data set of scikit-learn"):
        read_bundled("iris")


def test_without_the_file_a_sentence_names_the_data_set(monkeypatch):
    monkeypatch.setitem(datasets._FILES, "wine", "gone.csv")
    with pytest.raises(CcvizError, match="no data set wine"):
        read_bundled("wine")


# --- Thirty more untidy tables: each is read right, or refused with what to do about it -----------


AB = [[1, 2], [3, 4]]
PAGES = {"Read": [["Please read"], ["Version", 2]], "Data": [["a", "b"], *AB]}

READ = {
    # name: (content, the features and their rows, a part of what is said)
    "decimal commas": ("a;b\n1,5;2,25\n3,5;4,75\n", {"a": [1.5, 3.5], "b": [2.25, 4.75]}, "comma"),
    "thousands, comma": ('a,b\n"1,200",2\n"2,000,000",7\n', {"a": [1200, 2e6], "b": [2, 7]}, ""),
    "thousands, point": ("a;b\n1.200;2,5\n2.000.000;7,5\n", {"a": [1200, 2e6], "b": [2.5, 7.5]},
                         ""),
    "thousands, blank": ("a;b\n1 200;2\n13 400;4\n", {"a": [1200, 13400], "b": [2, 4]}, ""),
    "thousands, Swiss": ("a;b\n1'200;2\n13'400;4\n", {"a": [1200, 13400], "b": [2, 4]}, ""),
    "mark of UTF-8": ("\ufeffa,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}, ""),
    "Latin-1": ("größe;b\n1;2\n3;4\n".encode("latin-1"), {"größe": [1, 3], "b": [2, 4]}, "1252"),
    "UTF-16": ("a\tb\n1\t2\n3\t4\n".encode("utf-16"), {"a": [1, 3], "b": [2, 4]}, ""),
    "returns of old Macs": ("a,b\r1,2\r3,4\r", {"a": [1, 3], "b": [2, 4]}, ""),
    "sep=": ("sep=;\na;b\n1;2\n3;4\n", {"a": [1, 3], "b": [2, 4]}, "skipped"),
    "columns of blanks": ("a   b\n1   2.5\n3   4\n", {"a": [1, 3], "b": [2.5, 4]}, ""),
    "pipes": ("a|b\n1|2\n3|4\n", {"a": [1, 3], "b": [2, 4]}, ""),
    "comments": ("# made\n# 2024\na,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}, "skipped"),
    "cell of two lines": ('a,note\n1,"two\nlines"\n3,"x"\n', {"a": [1, 3]}, "names"),
    "empty margins": ("a,b,,\n1,2,,\n3,4,,\n,,,\n,,,\n", {"a": [1, 3], "b": [2, 4]}, ""),
    "no names": ("1,2\n3,4\n", {"x0": [1, 3], "x1": [2, 4]}, ""),
    "names twice": ("a,a\n1,2\n3,4\n", {"a": [1, 3], "a (2)": [2, 4]}, ""),
    "percent": ("a,b\n12%,1\n7.5 %,3\n", {"a": [12, 7.5], "b": [1, 3]}, "percent"),
    "dollars": ('a,b\n$3.00,1\n"$1,007.00",3\n', {"a": [3, 1007], "b": [1, 3]}, "$, read as"),
    "kilograms": ("a,b\n12 kg,1\n9.5 kg,2\n", {"a": [12, 9.5], "b": [1, 2]}, "kg, read as"),
    "grams among them": ("a,b\n12 kg,1\n700 g,2\n9 kg,5\n", {"b": [1, 2, 5]}, "in g, kg; write"),
    "many currencies": ("a,b\n€ 3,1\n$4,2\n£7,5\n", {"b": [1, 2, 5]}, "write them in one unit"),
    "losses in brackets": ("a,b\n(12),2\n13,4\n", {"a": [-12, 13], "b": [2, 4]}, ""),
    "minus behind": ("a,b\n12-,2\n13,4\n1.5-,5\n", {"a": [-12, 13, -1.5], "b": [2, 4, 5]}, ""),
    "minus of printers": ("a,b\n\u221212,2\n13,4\n", {"a": [-12, 13], "b": [2, 4]}, ""),
    "huge numbers": ("a,b\n1e60,2\n123456789012345678901,4\n",
                     {"a": [1e60, 123456789012345678901.0], "b": [2, 4]}, ""),
    "dates": ("day,a\n31.01.2024,1\n05.03.2024,3\n", {"a": [1, 3]}, "as a feature, days since"),
    "postcodes": ("zip,a\n01234,1\n04567,2\n", {"a": [1, 2]}, "the points' names"),
    "one column": ("a\n1\n2\n7\n", {"a": [1, 2, 7]}, ""),
    "one row": ("a,b\n1,2\n", {"a": [1], "b": [2]}, "separates no points"),
}  # fmt: skip

REFUSED = {
    "lines of JSON": ('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "JSON; save it as CSV"),
    "ARFF": ("@RELATION x\n@ATTRIBUTE a numeric\n@DATA\n1\n", "ARFF file; save it as CSV"),
    "words alone": ("a,b\nx,y\nz,y\nx,w\n", "say that no column is a feature"),
    "names alone": ("a,b\n", "there are no rows of numbers"),
    "too large for squares": ("a,b\n1,1e300\n3,4\n", "say so (unknown = '1e300')"),
    "infinity": ("a,b\n1,inf\n3,4\n", "say so (unknown = 'inf')"),
    "an error of a sheet": ("a,b\n1,#DIV/0!\n3,4\n5,6\n", "say so (unknown = '#DIV/0!')"),
    "less than": ("a,b\n<0.5,1\n1,2\n3,4\n", "say so (unknown = '<0.5')"),
    "a table in Markdown": ("| a | b |\n|---|---|\n| 1 | 2 |\n", "drop these rows"),
    "a short row": ("a,b,c\n1,2\n3,4,5\n6,7,8\n", "leave out rows"),
}


@pytest.mark.parametrize("name", READ)
def test_it_is_read(name):
    content, columns, said = READ[name]
    data = read_table(content if isinstance(content, bytes) else content.encode(), "t.csv")
    assert data.features == tuple(columns)
    assert np.array_equal(data.X, np.array([*columns.values()], dtype=float).T)
    assert said in " ".join(data.notices)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_way_on(name):
    content, way_on = REFUSED[name]
    ending = "jsonl" if "JSON" in name else "csv"
    with pytest.raises(FileFormatError) as refused:
        read_table(content.encode(), f"t.{ending}")
    assert way_on in str(refused.value)


def test_the_worksheet_with_numbers_is_read():
    data = read_table(workbook(**PAGES), "t.xlsx")
    assert (data.features, data.X.tolist()) == (("a", "b"), AB)
    assert "Worksheet 'Data' is read, one of 2" in data.notices[0]
    notes = read_table(workbook(Data=[["a", "b"], *AB], Notes=[["x", "y"], [9, 9]]), "t.xlsx")
    assert notes.X.tolist() == AB


def test_the_lower_row_of_merged_names_is_read_and_the_upper_one_said():
    rows = [
        ["Sales", None, "Stock", None],
        ["2023", "2024", "2023", "2024"],
        [1, 2, 3, 4],
        [5, 6, 7, 9],
    ]
    data = read_table(workbook(S=rows), "t.xlsx")
    assert data.features == ("2023", "2024", "2023 (2)", "2024 (2)")
    assert "rows above it are skipped" in data.notices[0]
