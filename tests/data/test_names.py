import pytest

from ccviz.data.names import NameBook, suggest
from ccviz.errors import CcvizError


def test_points_are_read_from_numbers():
    book = NameBook(150)
    assert book.read("3, 140 3") == [3, 140]
    with pytest.raises(CcvizError, match="'150' is no point: they are 0 to 149"):
        book.read("3 150")
    with pytest.raises(CcvizError, match="'a' is no point"):
        book.read("a")


def test_points_are_read_from_names():
    book = NameBook(5, ["Anna Karenina", "Bert", "2", "Smith, John", "bert "])
    assert book.read("anna karenina, 3") == [0, 3]
    assert book.read("Smith, John") == [3]
    assert book.read("2, 1") == [2, 1]
    with pytest.raises(CcvizError, match="several points are called 'Bert'; use their numbers"):
        book.read("Bert")
    with pytest.raises(CcvizError, match="'Carl' is no name and no point: they are 0 to 4"):
        book.read("Carl")


def test_names_that_fit_are_suggested_those_that_begin_so_first():
    names = ["Joanna", "Anna", "Bert", "anna k.", "Anna"]
    assert suggest(names, " AN") == ["Anna", "anna k.", "Joanna"]
    assert suggest(names, "an", most=1) == ["Anna"]
    assert suggest(names, "zoe") == suggest(names, " ") == suggest((), "a") == []
