"""GeoJSON as a table: properties as columns, the centre of each area, and shared borders.

Butler, H., et al. (2016): The GeoJSON format. RFC 7946.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.data.datasets import Dataset
from ccviz.data.table import Cells, Table, check_size, own_names
from ccviz.errors import FileFormatError

_MOST_CORNERS = 5_000_000
"""Most corners of all areas together: each is a Python object while read."""

_DIGITS = 9
"""Decimals in which corners of two areas agree: a tenth of a millimetre in degrees."""

_FARTHEST = 1e9
"""Largest coordinate, in any unit of a map."""

_LARGEST = 10**300
"""Whole numbers up to here are numbers; others remain texts."""

Ring = list[list[float]]


class _Point(msgspec.Struct, tag_field="type", tag="Point"):
    coordinates: list[float]

    @property
    def areas(self) -> list[list[Ring]]:
        return [[[self.coordinates]]]


class _Polygon(msgspec.Struct, tag_field="type", tag="Polygon"):
    coordinates: list[Ring]

    @property
    def areas(self) -> list[list[Ring]]:
        return [self.coordinates]


class _MultiPolygon(msgspec.Struct, tag_field="type", tag="MultiPolygon"):
    coordinates: list[list[Ring]]

    @property
    def areas(self) -> list[list[Ring]]:
        return self.coordinates


Geometry = _Point | _Polygon | _MultiPolygon


class _Feature(msgspec.Struct, tag_field="type", tag="Feature", omit_defaults=True):
    geometry: msgspec.Raw
    properties: dict[str, Any] | None = None
    id: str | int | float | None = None


class _Collection(msgspec.Struct, tag_field="type", tag="FeatureCollection"):
    features: list[_Feature]


@dataclass(frozen=True, eq=False)
class _Rings:
    """All rings of an area as one list of edges; a point is an edge to itself."""

    start: FloatArray  # (m, 2)
    end: FloatArray  # (m, 2)
    sign: FloatArray  # (m,): Of the ring's area as it counts: a hole is taken off


def read_geojson(data: bytes) -> Table:
    """Read a FeatureCollection of areas or points from its bytes.

    Returns: The centre of each feature as ``lon`` and ``lat`` (``x`` and ``y`` where they are no
    degrees), its ``id`` and its properties. Raises `FileFormatError`; the sentence names the place.
    """
    with _sound():
        features = msgspec.json.decode(data, type=_Collection).features
    shapes = tuple(bytes(each.geometry) for each in features)
    names = list(dict.fromkeys(key for each in features for key in each.properties or ()))
    check_size(len(features), len(names) + 3)
    given, has_areas = _read_shapes(shapes)
    is_degrees = all((np.abs(each.start) <= (180.0, 90.0)).all() for each in given)
    centers = np.array([_center(rings, is_degrees) for rings in given]).reshape(-1, 2)
    columns: list[Cells] = [centers[:, 0].copy(), centers[:, 1].copy()]
    called = ["lon", "lat"] if is_degrees else ["x", "y"]
    if any(each.id is not None for each in features):
        columns.append([_cell(each.id) for each in features])
        called.append("id")
    for name in names:
        columns.append(_column([(each.properties or {}).get(name) for each in features]))
        called.append(name)
    return Table(
        own_names(called),
        columns,
        range(1, len(features) + 1),
        notices=() if is_degrees else ("The coordinates are no degrees.",),
        borders=_borders(given) if has_areas else None,
        shapes=shapes,
    )


def borders_of(shapes: tuple[bytes, ...]) -> IntArray | None:
    """Return (m, 2) the shapes that share a border; None where they are points.

    Raises `FileFormatError` if a shape is none.
    """
    given, has_areas = _read_shapes(shapes)
    return _borders(given) if has_areas else None


@contextmanager
def _sound() -> Iterator[None]:
    try:
        yield
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as broken:
        raise FileFormatError(
            f"this is no GeoJSON collection of areas or points: {broken}."
        ) from None


def _read_shapes(shapes: tuple[bytes, ...]) -> tuple[list[_Rings], bool]:
    """Return the rings of each shape, and whether one of them is an area."""
    with _sound():
        read = [msgspec.json.decode(each, type=Geometry) for each in shapes]
    return [_rings(each, at) for at, each in enumerate(read, 1)], any(
        not isinstance(each, _Point) for each in read
    )


def _rings(shape: Geometry, at: int) -> _Rings:
    """Return the edges of a feature's shape. `at`: Its number, from 1."""
    starts, ends, signs = [], [], []
    for area in shape.areas:
        for number, ring in enumerate(area):
            corners = _checked(ring, at)
            start, end = corners, np.roll(corners, -1, axis=0)
            turned = np.sign(_cross(start - corners[0], end - corners[0]).sum()) or 1.0
            starts.append(start)
            ends.append(end)
            signs.append(np.full(len(start), -turned if number else turned))
    if not starts:
        raise FileFormatError(f"row {at} is an area without a corner.")
    return _Rings(np.concatenate(starts), np.concatenate(ends), np.concatenate(signs))


def _checked(ring: Ring, at: int) -> FloatArray:
    if not ring or min(map(len, ring)) < 2:
        raise FileFormatError(f"row {at} has a corner without two coordinates.")
    corners = np.array([corner[:2] for corner in ring], dtype=np.float64)
    if np.abs(corners).max() > _FARTHEST:
        raise FileFormatError(
            f"row {at} has a corner at {np.abs(corners).max():g}, far off any map."
        )
    return corners


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _center(rings: _Rings, is_degrees: bool) -> FloatArray:
    """Return the centroid of an area, or the mean of its corners where it has no extent."""
    # Of an area on both sides of the 180th meridian the western degrees go on behind 180.
    wraps = is_degrees and np.ptp(rings.start[:, 0]) > 180.0
    start, end = (
        np.where((each < 0.0) & [wraps, False], each + [360.0, 0.0], each)
        for each in (rings.start, rings.end)
    )
    base = start[0]
    doubled = rings.sign * _cross(start - base, end - base)
    if doubled.sum() > 0.0:
        thirds = (doubled[:, None] * (start + end - 2.0 * base)).sum(axis=0) / 3.0
        middle = base + thirds / doubled.sum()
    else:
        middle = start.mean(axis=0)
    return np.asarray(middle - [360.0 * (wraps and middle[0] > 180.0), 0.0])


def _borders(given: list[_Rings]) -> IntArray:
    """Return (m, 2) the areas that share a line from a corner to the next."""
    count = [len(each.start) for each in given]
    if sum(count) > _MOST_CORNERS:
        raise FileFormatError(
            f"the areas have {sum(count):,} corners, but at most {_MOST_CORNERS:,} are read."
        )
    ends = np.concatenate([each for rings in given for each in (rings.start, rings.end)])
    _, place = np.unique(np.round(ends, _DIGITS), axis=0, return_inverse=True)
    parts = np.split(place.ravel(), np.cumsum(np.repeat(count, 2))[:-1])
    edges = np.sort(
        np.stack([np.concatenate(parts[0::2]), np.concatenate(parts[1::2])], axis=1), axis=1
    )
    area = np.repeat(np.arange(len(given)), count)
    real = edges[:, 0] != edges[:, 1]  # a ring ends at its first corner
    rows = np.unique(np.column_stack([edges, area])[real], axis=0)
    found = []
    for apart in range(1, len(rows)):  # areas that overlap share a line three at a time or more
        same = (rows[apart:, :2] == rows[:-apart, :2]).all(axis=1)
        if not same.any():
            break
        found.append(np.stack([rows[:-apart, 2], rows[apart:, 2]], axis=1)[same])
    pairs = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
    return freeze(np.unique(pairs, axis=0).astype(np.int64))


def _column(values: list[Any]) -> Cells:
    """Return a property as numbers, or as texts; lists and objects are missing values."""
    if all(value is None or _is_number(value) for value in values):
        return np.array([np.nan if value is None else float(value) for value in values])
    return [_cell(value) for value in values]


def _is_number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < _LARGEST)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


# --- Areas as they are drawn --------------------------------------------------------------------


MOST_DRAWN = 60_000
"""Most corners of all areas together that are drawn."""

MOST_BYTES = 20_000_000
"""Bytes of shapes that are kept in a project, and read again to be drawn: half a second."""

_FINEST, _COARSEST = 8192, 128  # squares of the grid across a map: half while corners are too many
_FEWEST = 3  # corners of a ring without extent: the last is the first

Drawn = list[list[list[list[float]]]]
"""A coordinate of each area by its parts: the outer ring of each and its holes."""


def drawn_areas(dataset: Dataset) -> tuple[Drawn, Drawn]:
    """Return both coordinates of the areas of a GeoJSON file, with fewer corners where many are.

    Corners move to the nearest point of a grid, and equal ones in a row become one. So areas that
    have a border in common keep it. Nothing is returned for points, and where areas are too many.
    """
    origin = dataset.origin
    if origin is None or not 0 < sum(map(len, origin.shapes)) <= MOST_BYTES:
        return [], []
    found = [msgspec.json.decode(origin.shapes[row], type=Geometry) for row in origin.rows]
    rings = [ring for shape in found for area in shape.areas for ring in area]
    corners = np.concatenate([np.array([*zip(*ring, strict=False)][:2]).T for ring in rings])
    first = np.cumsum([0, *map(len, rings)])
    low, span = corners.min(axis=0), float(np.ptp(corners, axis=0).max()) or 1.0
    cells, stays = 2 * _FINEST, np.ones(len(corners), dtype=bool)
    while cells > _COARSEST and (cells > _FINEST or stays.sum() > MOST_DRAWN):
        cells //= 2
        grid = np.rint((corners - low) * (cells / span))
        stays[1:] = (grid[1:] != grid[:-1]).any(axis=1)
        stays[first[:-1]] = True
    if len(found) == len(rings) == len(corners) or stays.sum() > MOST_DRAWN:
        return [], []
    at = (low + grid * (span / cells)).round(_DIGITS)
    parts = iter([at[a:b][stays[a:b]] for a, b in pairwise(first.tolist())])
    areas = [[[next(parts) for _ in area] for area in shape.areas] for shape in found]
    return _coordinate(areas, 0), _coordinate(areas, 1)


def _coordinate(areas: list[list[list[FloatArray]]], axis: int) -> Drawn:
    """Return a coordinate of areas, without rings of no extent."""
    return [
        [
            [ring[:, axis].tolist() for ring in area if len(ring) > _FEWEST]
            for area in shape
            if area and len(area[0]) > _FEWEST
        ]
        for shape in areas
    ]


# --- Files of areas and their clusters ----------------------------------------------------------


def geojson_of(dataset: Dataset, cluster: IntArray) -> bytes:
    """Return the areas of a GeoJSON file with their clusters, as such a file.

    `cluster`: (n,) of each point, a property more. Raises `FileFormatError` if the points came from
    another kind of file.
    """
    origin = dataset.origin
    if origin is None or not origin.shapes:
        raise FileFormatError("a table ends in .geojson where the data are a GeoJSON file.")
    names = own_names([*(each.column for each in origin.decisions), "cluster"])
    columns = [np.asarray(each).tolist() for each in (*origin.columns, cluster)]
    features = [
        _Feature(
            msgspec.Raw(origin.shapes[row]),
            {name: _plain(cell) for name, cell in zip(names, cells, strict=True)},
        )
        for row, *cells in zip(origin.rows.tolist(), *columns, strict=True)
    ]
    return msgspec.json.encode(_Collection(features))


def _plain(cell: Any) -> Any:
    """Return a cell as JSON has it: nothing for a missing value, no fraction of a whole number."""
    if not isinstance(cell, float):
        return cell
    is_whole = cell.is_integer() and abs(cell) < 2**53
    return None if cell != cell else int(cell) if is_whole else cell
