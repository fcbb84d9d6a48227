import pytest

from ccviz.data import load
from ccviz.data.names import NameBook, column_values, suggest, words_to_name
from ccviz.data.read_table import read_table
from ccviz.errors import CcvizError, ProblemError


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


def test_words_that_repeat_are_offered_to_rules(tmp_path):
    path = tmp_path / "pupils.csv"
    path.write_text("name,class,x\nAnna,5a,1\nBen,5b,2\nClara,5a,3\nDavid,,4\n")
    data = read_table(path)
    assert words_to_name(data) == ("class", "class=5a", "class=5b")
    assert column_values(data, "class")[:3] == ["5a", "5b", "5a"]
    assert words_to_name(load("iris"))[0] == "class"


def test_a_column_of_whole_numbers_that_repeat_can_be_named():
    data = read_table(b"id,photo,x,word\n1,1,0.5,a\n2,1,0.25,a\n3,2,0.75,b\n", "t.csv")
    assert words_to_name(data) == ("word", "word=a", "word=b", "photo")


def test_a_column_that_is_not_there_is_a_sentence_with_those_that_are():
    with pytest.raises(ProblemError, match="there is no column 'size'; there are"):
        column_values(load("iris"), "size")
