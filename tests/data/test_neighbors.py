"""Neighbours from words and files."""

from __future__ import annotations

import numpy as np
import pytest

from ccviz import ConstrainedKMeans
from ccviz.data import read_table
from ccviz.data.neighbors import neighbors_of, read_neighbors_text
from ccviz.errors import CcvizError

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
