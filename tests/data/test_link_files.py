"""Link files, and the sentence for each that cannot be used."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import Problem
from ccviz.data.link_files import links_text, read_links_file
from ccviz.errors import FileFormatError


def read(text, n=10, name="links.txt"):
    given_links = read_links_file(text.encode(), n, name)
    return given_links.must_link, given_links.cannot_link


@pytest.mark.parametrize(
    ("text", "must", "cannot"),
    [
        ("", [], []),
        ("ML 1 2\nCL 3 4\n", [(1, 2)], [(3, 4)]),
        ("# a comment\n\n  ml 1,2 0.5  # soft\r\ncl 3\t4 inf", [(1, 2, 0.5)], [(3, 4, math.inf)]),
        ('{"ml": [[1, 2], [3, 4, 0.5]]}', [(1, 2), (3, 4, 0.5)], []),
        (' {"ml": [], "cl": [[5, 6]]}', [], [(5, 6)]),
        (
            '{"ml": [[0, 1]], "sml": [[1, 2]], "sml_proba": [0.9], "scl": [], "scl_proba": []}',
            [(0, 1), (1, 2, 0.9)],
            [],
        ),
    ],
)
def test_reads(text, must, cannot):
    assert read(text) == (must, cannot)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ML 1 2\nML 1 10", "line 2 names point 10, but the points are 0 to 9"),
        ("ML 1 2\nML 1 10", "largest number is 10: did you count from 1"),
        ('{"ml": [[1, 2], [1, 10]]}', "did you count from 1"),
        ("ML 0 2\nML 1 10", "names point 10, but the points are 0 to 9\\.$"),
        ("CL -1 2", "line 1 names point -1"),
        ("CL 4 4", "line 1 links point 4 to itself"),
        ("ML 1", "line 1 is 'ML 1', not 'ML i j'"),
        ("XL 1 2", "line 1 is 'XL 1 2'"),
        ("ML 1 2 3 4", "line 1 is 'ML 1 2 3 4'"),
        ("ML a 2", "line 1 does not name two points"),
        ("ML 1.5 2", "line 1 does not name two points"),
        ("ML 1 2 0", "line 1 has the weight 0"),
        ("ML 1 2 nan", "line 1 has the weight nan"),
        ("ML 1 2 heavy", "line 1 has the weight heavy"),
        ('{"ml": [[1, 2]', "this is not"),
        ('{"must": [[1, 2]]}', "unknown field `must`"),
        ('{"ml": [[1, "a"]]}', r"\$\.ml\[0\]\[1\]"),
        ('{"ml": [[1, 2, 3, 4]]}', r"ml\[0\] is"),
        ('{"cl": [[1, 2], [1, 12]]}', r"cl\[1\] names point 12"),
        ('{"cl": [[1, 2.5]]}', r"cl\[0\] does not name"),
        ('{"cl": [[1, 1]]}', r"cl\[0\] links point 1 to itself"),
        ('{"sml": [[1, 2]]}', "sml has 1 links but sml_proba 0 weights"),
        ('{"ml": 3}', "this is not"),
        ("{" * 100_000, "this is not"),
    ],
)
def test_refuses(text, sentence):
    with pytest.raises(FileFormatError, match=sentence) as caught:
        read(text)
    assert str(caught.value).startswith("links.txt: ")


NAMES = ["Anna", "Bert", "Carl", "1", "Dora"]


@pytest.mark.parametrize(
    ("text", "must", "cannot"),
    [
        ("one;other;kind\nAnna;bert;must\nCarl;0;cannot-link;2.5\n", [(0, 1)], [(2, 0, 2.5)]),
        ("ml,Anna,1\n\nCL, Carl ,Dora\n", [(0, 3)], [(2, 4)]),
        ("Anna,Bert,must\nCarl,Dora,Must not\n", [(0, 1)], [(2, 4)]),
        ("a,b,kind\nAnna,Bert,together\nCarl,Dora,Apart,2", [(0, 1)], [(2, 4, 2.0)]),
        ("ML 1 2\n", [(1, 2)], []),
        ('{"ml": [[1, 2]]}', [(1, 2)], []),
    ],
)
def test_points_are_called_by_their_names(text, must, cannot):
    given = read_links_file(text.encode(), 5, "links.csv", NAMES)
    assert (given.must_link, given.cannot_link) == (must, cannot)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Anna;Emil;must", "line 1: 'Emil' is no name"),
        ("Anna;ANNA;must", "line 1 links point 0 to itself"),
        ("a;b;kind\nAnna;Bert;perhaps", "line 2 is not two points and 'must' or 'cannot'"),
        ("from,to\nAnna,Bert", "line 2 is not two .* neighbours, give the file under Neighbours"),
        ("Anna;Bert;must;heavy", "line 1 has the weight heavy"),
    ],
)
def test_a_table_that_names_nobody_is_refused(text, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        read_links_file(text.encode(), 5, "links.csv", NAMES)


@pytest.mark.parametrize(
    ("text", "must", "cannot"),
    [
        ("ML 0 1 # rule  R\nCL 0 2 0.5#a\tb\n# ML 1 2\nML 2 3", ["rule R", "links.txt"], ["a b"]),
        (
            "one,two,kind,weight,source\nAnna,Bert,must,,R # 1\nml,Carl,1,2,",
            ["R # 1", "links.txt"],
            [],
        ),
        ("source;one;wish\nR;Anna;Bert;2\n;Bert;Carl;-1\n", ["R"], ["links.txt"]),
        ("ml,source,Anna\ncl,Anna,Bert", ["links.txt"], ["links.txt"]),  # a point of that name
        ('{"ml": [[1, 2]]}', ["links.txt"], []),
        (f"ML 1 2 # {'long ' * 50}", [("long " * 12).strip()], []),
    ],
)
def test_a_comment_or_a_column_is_the_source_of_a_link(text, must, cannot):
    given = read_links_file(text.encode(), 6, "some/links.txt", [*NAMES, "source"])
    assert (given.must_sources, given.cannot_sources) == (must, cannot)


def test_sources_are_written_and_read_back():
    problem = Problem([[0.0], [1.0], [2.0]], 2, [(0, 1)], [(0, 2, 1.5)])
    text = links_text(problem.must_link, problem.cannot_link, ["merged by hand", ""])
    assert text == "ML 0 1  # merged by hand\nCL 0 2 1.5\n"
    given = read_links_file(text.encode(), 3, "l.txt")
    assert (given.must_sources, given.cannot_sources) == (["merged by hand"], ["l.txt"])


def test_refuses_what_is_no_text():
    with pytest.raises(FileFormatError, match="line 2 is not text"):
        read_links_file(b"ML 1 2\n\0", 10)


pairs = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1])
weighted = st.tuples(pairs, st.floats(1e-9, 1e9)).map(lambda item: (*item[0], item[1]))


@given(st.lists(weighted), st.lists(pairs))
def test_what_is_written_is_read_back(soft, hard):
    problem = Problem([[float(i)] for i in range(10)], 1, must_link=[*soft, *hard])
    text = links_text(problem.must_link, problem.cannot_link)
    back = Problem(problem.X, 1, *read(text))
    assert back.must_link.pairs.tolist() == problem.must_link.pairs.tolist()
    assert back.must_link.weights.tolist() == problem.must_link.weights.tolist()


def test_the_published_links(bench):
    for path in sorted((bench / "pc-sos-sdp" / "constraints" / "wine").iterdir()):
        must, cannot = (int(word) for word in path.stem.split("_")[1:4:2])
        links = read_links_file(path, 178)
        assert (len(links.must_link), len(links.cannot_link)) == (must, cannot)
    many = read_links_file(bench / "s-mdeclust" / "n1000_k20_c1000.json", 1000)
    assert len(many.must_link) + len(many.cannot_link) == 1000


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        ("ML 1 2\nML 3 4\nCL 5 6\nML 7 8\nCL 8 9\n", (), "none is 0. Did you count from 1?"),
        ('{"ml": [[1, 2], [3, 4]], "cl": [[5, 9]]}', (), "none is 0. Did you count from 1?"),
        ("ML 3 8\n", tuple(map(str, range(1, 11))), "3 is the point named 4."),
        ("ML 3 8\n", (), ""),  # too few to guess
        ("ML 0 1\nML 3 4\nCL 5 6\nML 7 8\nCL 8 9\n", (), ""),
        ("3,8,must\n", tuple(map(str, range(1, 11))), ""),  # by names
    ],
)
def test_numbers_that_may_count_from_one_get_a_notice(text, names, words):
    notice = read_links_file(text.encode(), 10, "links.txt", names).notice
    assert words in notice
    assert bool(words) == bool(notice)
