"""Link files, and the sentence for each that cannot be used."""

from __future__ import annotations

import math
from math import ceil, comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import ConstrainedKMeans, Problem
from ccviz.data import read_table
from ccviz.data.link_files import links_text, read_links_file
from ccviz.data.neighbors import neighbors_of, read_neighbors_text
from ccviz.data.random_links import _pair_of, pairs_of_a_fraction, random_pairs
from ccviz.errors import CcvizError, FileFormatError


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


# --- Links drawn from classes ---------------------------------------------------------------------


TRUTH = np.random.default_rng(0).integers(0, 3, 40)


def wrong(links, truth):
    must, cannot = links.must_link, links.cannot_link
    return (
        int((truth[must[:, 0]] != truth[must[:, 1]]).sum()),
        int((truth[cannot[:, 0]] == truth[cannot[:, 1]]).sum()),
    )


def all_pairs(links):
    pairs = np.concatenate([links.must_link, links.cannot_link])
    assert (pairs[:, 0] < pairs[:, 1]).all()
    return {tuple(pair) for pair in pairs.tolist()}


@given(st.integers(0, comb(40, 2)), st.integers(0, 100))
def test_random_pairs_are_so_many_different_ones_and_tell_the_truth(m, seed):
    links = random_pairs(TRUTH, m, seed=seed)
    assert len(all_pairs(links)) == len(links.must_link) + len(links.cannot_link) == m
    assert wrong(links, TRUTH) == (0, 0)


@given(st.integers(0, 3000))
def test_pairs_are_counted_without_gaps(count):
    pairs = _pair_of(np.arange(count))
    assert len({tuple(pair) for pair in pairs.tolist()}) == count
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (pairs >= 0).all()


def test_large_numbers_make_exact_pairs():
    n = 200_000
    last = comb(n, 2) - 1
    assert _pair_of(np.array([last, last - 1, comb(n - 1, 2)])).tolist() == [
        [n - 2, n - 1],
        [n - 3, n - 1],
        [0, n - 1],
    ]


def test_every_pair_is_as_likely():
    """With half of all pairs drawn, each comes up in half of the draws."""
    count = np.zeros((8, 8))
    for seed in range(400):
        pairs = np.array(sorted(all_pairs(random_pairs(np.zeros(8), 14, seed=seed))))
        count[pairs[:, 0], pairs[:, 1]] += 1
    share = count[np.triu_indices(8, 1)] / 400
    assert share.min() > 0.35
    assert share.max() < 0.65


@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.1, 0.33, 1.0])
def test_a_fraction_links_all_pairs_of_its_points(fraction):
    links = pairs_of_a_fraction(TRUTH, fraction, seed=1)
    pairs = all_pairs(links)
    assert len(pairs) == comb(ceil(fraction * 40), 2)
    assert len({point for pair in pairs for point in pair}) in {0, ceil(fraction * 40)}
    assert wrong(links, TRUTH) == (0, 0)


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_turns_a_share_of_each_kind(noise):
    clean = random_pairs(TRUTH, 200, seed=2)
    noisy = random_pairs(TRUTH, 200, noise, seed=2)
    assert all_pairs(noisy) == all_pairs(clean)
    assert wrong(noisy, TRUTH) == (
        round(noise * len(clean.cannot_link)),
        round(noise * len(clean.must_link)),
    )


@pytest.mark.parametrize(("draw", "amount"), [(random_pairs, 50), (pairs_of_a_fraction, 0.3)])
def test_same_seed_same_links(draw, amount):
    first, again = (draw(TRUTH, amount, 0.1, seed=1) for _ in range(2))
    assert np.array_equal(first.must_link, again.must_link)
    assert all_pairs(first) != all_pairs(draw(TRUTH, amount, 0.1, seed=2))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: random_pairs(TRUTH, 781), "781 pairs cannot be drawn: 40 points have 780 pairs"),
        (lambda: random_pairs(TRUTH, -1), "-1 pairs cannot be drawn"),
        (lambda: random_pairs(TRUTH, 5, 1.5), "noise = 1.5"),
        (lambda: pairs_of_a_fraction(TRUTH, 1.1), "fraction = 1.1"),
        (lambda: pairs_of_a_fraction(TRUTH, float("nan")), "fraction = nan"),
    ],
)
def test_bad_numbers_are_named(draw, sentence):
    with pytest.raises(CcvizError, match=sentence):
        draw()


@pytest.mark.parametrize("unknown", [np.nan, None, -1])
def test_points_of_no_known_class_get_no_link(unknown):
    truth = [1, 1, unknown, unknown, 2, 2]
    for links in (random_pairs(truth, 6), pairs_of_a_fraction(truth, 1.0)):
        assert links.must_link.tolist() == [[0, 1], [4, 5]]
        assert links.cannot_link.tolist() == [[0, 4], [0, 5], [1, 4], [1, 5]]
    with pytest.raises(CcvizError, match="4 points of known classes have 6 pairs"):
        random_pairs(truth, 7)


# --- Neighbours from words and files --------------------------------------------------------------


LINE = np.array([[0.0], [1.0], [2.5], [6.0]])
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.1, 1.1]])


def _pairs(text, place):
    return read_neighbors_text(text, place).pairs.tolist()


def test_the_nearest_and_those_within_a_radius():
    assert _pairs("knn:1", LINE) == [[0, 1], [1, 2], [2, 3]]
    assert _pairs("radius:1.5", LINE) == [[0, 1], [1, 2]]
    assert _pairs("knn:9", LINE) == [[i, j] for i in range(4) for j in range(i + 1, 4)]


def test_triangles_join_points_that_coincide():
    place = np.concatenate([SQUARE, SQUARE[:1]])
    assert [0, 4] in _pairs("delaunay", place)
    assert _pairs("delaunay", SQUARE) == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_files_of_pairs_and_gal_files(tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("from,to\n0,1\n2,1\n", encoding="utf-8")
    assert _pairs(str(pairs), LINE) == [[0, 1], [1, 2]]
    gal = tmp_path / "areas.gal"
    for names in ("0123", "1234", "dcba"):
        a, b, c, d = names
        gal.write_text(f"0 4 x y\n{a} 1\n{b}\n{b} 2\n{a} {c}\n{c} 1\n{b}\n{d} 0\n\n")
        assert _pairs(str(gal), LINE) == [[0, 1], [1, 2]]


def test_pairs_of_names(tmp_path):
    pairs = tmp_path / "pairs.csv"

    def read(text):
        pairs.write_text(text, encoding="utf-8")
        names = ["New York", "Rome", "7", "Bonn"]
        return read_neighbors_text(str(pairs), LINE, names=names).pairs.tolist()

    assert read("from,to\nNew York,Rome\nrome,7\n") == [[0, 1], [1, 2]]
    assert read("Rome;bonn\n") == [[1, 3]]
    assert read("from to\n2 3\n") == [[2, 3]]
    for text in ("New York,Rom\n", "a,b\nRome,Paris\n", "a,b\nRome\n"):
        with pytest.raises(CcvizError, match="of the neighbours is"):
            read(text)


def test_a_radius_in_km_is_along_the_globe():
    lon, lat = [9.0, 10.0, 9.0], [60.0, 60.0, 61.0]  # 55.6 km across, 111.2 km up
    rows = [f"{x},{y},{i}" for i, (x, y) in enumerate(zip(lon, lat, strict=True))]
    table = read_table("\n".join(["lon,lat,income", *rows]).encode(), "towns.csv")
    near = neighbors_of(table, "radius:60km of lon, lat")
    assert near.pairs.tolist() == [[0, 1]]
    assert len(neighbors_of(table, "radius:1.2 of lon, lat").pairs) == 2  # in degrees
    with pytest.raises(CcvizError, match="name their columns"):
        neighbors_of(table, "radius:60km of income")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("knn:0", "does not say how many"),
        ("radius:far", "is no distance"),
        ("delaunay", "name two columns"),
        ("nearest", "by knn:6, radius:2.5, radius:60km, delaunay or a file"),
    ],
)
def test_what_is_no_way_is_named(text, words):
    with pytest.raises(CcvizError, match=words):
        read_neighbors_text(text, LINE)


def test_the_estimator_takes_neighbours():
    X = np.array([[0.0], [5.0], [0.1], [5.1]])
    found = ConstrainedKMeans(2, solver="sdp").fit(X, neighbors=[(0, 1), (1, 2), (2, 3)])
    assert len({*zip(found.labels_[:-1], found.labels_[1:], strict=True)}) <= 3
    free = ConstrainedKMeans(2, solver="sdp").fit(X, neighbors="knn:1")
    assert free.labels_[0] == free.labels_[2]
