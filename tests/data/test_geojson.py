"""GeoJSON as a table: columns, centres of areas, and the borders that they share."""

import json

import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.data.datasets import load
from ccviz.data.geojson import MOST_DRAWN, drawn_areas, geojson_of
from ccviz.data.neighbors import neighbors_of
from ccviz.errors import FileFormatError, ProblemError


def square(x, y, side=1.0, **properties):
    """Return a square area with properties."""
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def collection(*features):
    """Return the bytes of a collection."""
    return json.dumps({"type": "FeatureCollection", "features": list(features)}).encode()


GRID = [
    square(x, y, name=f"a{x}{y}", people=10 * x + y + 1.5, sea=x == 0)
    for y in range(3)
    for x in range(3)
]


def test_properties_and_centroids_are_columns():
    data = read_table(collection(*GRID), "map.geojson")
    assert data.features == ("lon", "lat", "people")
    middle = [(x + 0.5, y + 0.5) for y in range(3) for x in range(3)]
    assert np.allclose(data.X[:, :2], middle)
    assert data.X[5, 2] == 22.5
    assert data.names[5] == "a21"


def test_borders_are_lines_and_not_corners():
    data = read_table(collection(*GRID), "map.json")
    near = neighbors_of(data, "borders")
    apart = np.abs(data.X[near.pairs[:, 0], :2] - data.X[near.pairs[:, 1], :2]).sum(axis=1)
    assert len(near) == 12
    assert np.allclose(apart, 1.0)


def test_rows_left_out_take_their_borders_with_them():
    grid = [square(x, 0, v=None if x == 1 else float(x * x)) for x in range(4)]
    data = read_table(collection(*grid), "map.geojson", missing="drop")
    assert neighbors_of(data, "borders").pairs.tolist() == [[1, 2]]


def test_holes_and_islands_count_in_the_centroid():
    whole, hole = square(0, 0, 4.0), square(2, 1, 1.0)
    island = square(10, 1, 1.0)
    rings = [each["geometry"]["coordinates"][0] for each in (whole, hole, island)]
    area = square(0, 0)
    area["geometry"] = {"type": "MultiPolygon", "coordinates": [rings[:2], rings[2:]]}
    data = read_table(collection(area, square(4, 0)), "map.geojson")
    assert np.allclose(data.X[0, :2], [(16 * 2 - 2.5 + 10.5) / 16, (16 * 2 - 1.5 + 1.5) / 16])


def test_an_area_across_the_date_line_has_its_centre_there():
    east, west = square(178, 0, 2.0), square(-180, 0, 4.0)
    both = [[each["geometry"]["coordinates"][0]] for each in (east, west)]
    area = square(0, 0)
    area["geometry"] = {"type": "MultiPolygon", "coordinates": both}
    data = read_table(collection(area, square(0, 0)), "map.geojson")
    assert np.allclose(data.X[0, 0], (4 * 179 + 16 * 182) / 20 - 360)


def test_points_have_no_borders_and_metres_are_no_degrees():
    point = {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": []}}
    points = [
        {**point, "id": at, "geometry": {"type": "Point", "coordinates": [5e5 + at, 4e6, 7.0]}}
        for at in range(3)
    ]
    data = read_table(collection(*points), "map.geojson")
    assert {"x", "y"} <= set(data.features)
    assert "The coordinates are no degrees." in data.notices
    with pytest.raises(ProblemError, match="borders are those of areas"):
        neighbors_of(data, "borders")


def test_the_answer_goes_home_with_the_shapes_of_its_rows():
    grid = [square(x, 0, v=None if x == 1 else x / 2, name=f"n{x}") for x in range(4)]
    data = read_table(collection(*grid), "map.geojson", missing="drop")
    written = geojson_of(data, np.array([0, 1, -1]))
    features = json.loads(written)["features"]
    assert [each["geometry"] for each in features] == [grid[x]["geometry"] for x in (0, 2, 3)]
    assert [each["properties"]["cluster"] for each in features] == [0, 1, -1]
    assert [each["properties"]["v"] for each in features] == [0, 1, 1.5]
    again = read_table(written, "again.geojson")
    assert np.array_equal(again.X[:, 0], data.X[:, 0])
    with pytest.raises(FileFormatError, match="where the data are a GeoJSON file"):
        geojson_of(load("iris"), np.zeros(150, dtype=np.int64))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"type": "FeatureCollection", "features": [{"type": "Feature"}]}', "geometry"),
        (b'{"type": "FeatureCollection", "features": 3}', "features"),
        (b'{"type": "FeatureCollection"', "no GeoJSON"),
        (b'{"type": "FeatureCollection", "features": []}', "no rows"),
        (b'"FeatureCollection"' + b"[" * 100_000, "no GeoJSON"),
        (collection({**square(0, 0), "geometry": {"type": "Polygon", "coordinates": []}}), "row 1"),
        (
            collection({**square(0, 0), "geometry": {"type": "Point", "coordinates": [1]}}),
            "row 1 has a corner without two",
        ),
        (collection(square(1e200, 0)), "row 1 has a corner at 1e.200, far off"),
        (collection(square(0, 0, people=10**400)), "people"),
    ],
)
def test_what_is_no_collection_gets_a_sentence(content, words):
    with pytest.raises(FileFormatError, match=words):
        read_table(content, "map.json")


def test_drawn_areas_keep_their_common_borders_with_fewer_corners():
    turn = np.linspace(0.0, np.pi, MOST_DRAWN)
    half = np.column_stack([np.cos(turn), np.sin(turn)]).tolist()  # round above, straight below
    lower = [*half[::-1], [-1.0, -2.0], [1.0, -2.0], half[-1]]
    whole = [
        {
            "type": "Feature",
            "properties": {"v": v},
            "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
        }
        for v, ring in ((1, half), (2, lower))
    ]
    data = read_table(collection(*whole), "map.geojson")
    across, up = drawn_areas(data)
    corners = [
        list(zip(*each, strict=True)) for each in ((across[i][0][0], up[i][0][0]) for i in (0, 1))
    ]
    assert 1000 < sum(map(len, corners)) <= MOST_DRAWN
    assert set(corners[0][1:-2]) <= set(corners[1])
    assert np.allclose(np.hypot(*np.array(corners[0][:50]).T), 1.0, atol=1e-3)


def test_an_area_with_an_empty_part_is_drawn():
    area = square(0, 0, v=1)
    ring = area["geometry"]["coordinates"]
    area["geometry"] = {"type": "MultiPolygon", "coordinates": [[], ring]}
    across, _ = drawn_areas(read_table(collection(area, square(1, 0, v=2)), "map.geojson"))
    assert across == [[[[0, 1, 1, 0, 0]]], [[[1, 2, 2, 1, 1]]]]


def test_points_and_other_tables_have_no_areas():
    point = {
        "type": "Feature",
        "properties": {},
        "geometry": {"type": "Point", "coordinates": [1, 2]},
    }
    assert drawn_areas(read_table(collection(point, point), "map.geojson")) == ([], [])
    assert drawn_areas(load("iris")) == ([], [])
