"""Wishes: tables of who wants to be with whom, and what the answer says of them."""

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.data.link_files import added_up, read_links_file
from ccviz.data.read_table import read_table
from ccviz.errors import FileFormatError
from ccviz.studies.rows import links_by_point, rows_csv

NAMES = ("Anna", "Bert", "Carl", "Dora")


def read(text, names=NAMES):
    given = read_links_file(text.encode(), 4, "wishes.csv", names)
    return given.must_link, given.cannot_link


def test_wishes_are_soft_links_by_name():
    text = "person,wish,weight\nAnna,Bert,3\nbert,carl,\nCarl,,\nDora,Anna,-2\nDora,Carl\n"
    assert read(text) == ([(0, 1, 3.0), (1, 2, 1.0), (3, 2, 1.0)], [(3, 0, 2.0)])
    assert read("Person;Wish\n0;1\n", ()) == ([(0, 1, 1.0)], [])


def test_kinds_of_wishes_are_soft_and_hard_links_stay_hard():
    text = "from,to,kind\nAnna,Bert,with\nBert,Carl,without\nCarl,Dora,must\n"
    assert read(text) == ([(0, 1, 1.0), (2, 3)], [(1, 2, 1.0)])
    assert read("from,to,kind,weight\nAnna,Bert,dislike,2.5\n") == ([], [(0, 1, 2.5)])


def test_a_header_names_the_columns_in_any_order():
    answer = ([(0, 1, 3.0), (1, 2, 1.0)], [(2, 3)])
    rows = "Anna,Bert,3,with,a\nBert,Carl,,with,b\nCarl,Dora,,cannot,c\n"
    assert read(f"person,wish,weight,kind,source\n{rows}") == answer
    assert read(f"From,To,Weight,Kind,Source\n{rows}") == answer
    turned = "".join(",".join(row.split(",")[::-1]) + "\n" for row in rows.splitlines())
    given = read_links_file(f"source,kind,weight,to,from\n{turned}".encode(), 4, "a.csv", NAMES)
    assert ((given.must_link, given.cannot_link), given.sources) == (answer, ["a", "b", "c"])
    assert read("weight,wish,child,kind\n-2,Anna,Dora,\n,,Carl,\n") == ([], [(3, 0, 2.0)])
    with pytest.raises(FileFormatError, match="line 2 is not two points"):
        read("from,to,weight,kind\nAnna,Bert,3,maybe\n")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("Anna,Berta,3", "line 2: 'Berta' is no name and no point"),
        ("Anna,Bert,much", "line 2 has the weight much"),
        ("Anna,Bert,0", "line 2 has the weight 0"),
        ("Anna,Anna,1", "line 2 links point 0 to itself"),
        ("Anna", "line 2 is not two points"),
    ],
)
def test_a_wish_that_is_none_is_a_sentence_with_its_line(line, sentence):
    with pytest.raises(FileFormatError) as caught:
        read(f"person,wish,weight\n{line}\n")
    assert sentence in str(caught.value)


def test_wishes_of_both_sides_add_up():
    assert added_up([(0, 1, 3.0), (1, 0, 2.0), (2, 3), (3, 2, 1.0)]) == [
        (0, 1, 5.0), (2, 3, np.inf),
    ]  # fmt: skip
    problem = Problem(np.zeros((4, 1)), 2, [(0, 1, 3.0), (1, 0, 2.0)])
    assert problem.notices == (
        "must-link 0-1 is given more than once; it is kept once, of its greatest weight, 3.",
    )


def test_a_table_of_names_alone_has_points_that_are_alike():
    data = read_table(b"name\nAnna\nBert\nCarl\n", "class.csv", columns=[])
    assert (data.X.tolist(), data.names) == ([[0.0]] * 3, ("Anna", "Bert", "Carl"))
    with pytest.raises(FileFormatError, match="there is no column of numbers"):
        read_table(b"name\nAnna\nBert\nCarl\n", "class.csv")


def test_the_rows_say_who_got_what():
    data = read_table(b"name\nAnna\nBert\nCarl\nDora\n", "class.csv", columns=[])
    must, cannot = [(0, 1, 3.0), (2, 3, 1.0), (0, 2)], [(1, 3, 2.0)]
    partition = Partition(Problem(data.X, 2, must, cannot), np.array([0, 1, 0, 1]))
    assert links_by_point(partition, data.names) == {
        "links kept": ["Carl", "", "Anna", ""],
        "links broken": ["Bert", "Anna, not Dora", "Dora", "Carl, not Bert"],
    }
    head, first, *_ = rows_csv(data, partition).splitlines()
    assert head == "name,cluster,distance,silhouette,links kept,links broken"
    assert first == "Anna,0,0,0,Carl,Bert"
    hard = Partition(Problem(data.X, 2, [(0, 1)]), np.array([0, 0, 1, 1]))
    assert links_by_point(hard) is None


def test_a_point_of_many_links_lists_the_first():
    many = [(0, j, 1.0) for j in range(1, 30)]
    found = links_by_point(Partition(Problem(np.zeros((30, 1)), 1, many), np.zeros(30, int)))
    assert found["links kept"][0].endswith("19, 20 and 9 more")
