"""Neighbours from words and files: ``knn:6``, ``radius:2.5``, ``delaunay``, pairs, a GAL file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.names import NameBook, column_values
from ccviz.data.table import decode_text, read_bytes
from ccviz.errors import CcvizError, FileFormatError, ProblemError, quote
from ccviz.numbers import whole
from ccviz.problem.column_links import Places
from ccviz.problem.neighbors import Neighbors

WAYS = "knn:6, radius:2.5, radius:60km, delaunay"
"""Ways in words, for sentences."""


def neighbors_of(
    dataset: Dataset, text: str, at: str = "", reads_files: bool = False
) -> Neighbors | None:
    """Return the neighbours that a text asks for among the rows of a table; None of an empty one.

    `text`: As for `read_neighbors_text`; columns may follow where it is no file: ``knn:6 of x, y``.
    ``radius:60km`` is along the globe, where the columns are a longitude and a latitude;
    ``borders`` are those that areas of a GeoJSON file share. `at`: The columns of the coordinates,
    with commas; all features as they are by default. `reads_files`: Whether the text may be the
    name of a file. The errors are those of `read_neighbors_text`, and `ProblemError` if a column is
    missing or not of numbers.
    """
    if not reads_files:
        text, _, at = text.partition(" of ")
    text, names = text.strip(), [name.strip() for name in at.split(",") if name.strip()]
    if not text:
        if names:
            raise ProblemError(
                f"{at} would be the coordinates of neighbours, and none are asked for."
            )
        return None
    if text == "borders":
        return Neighbors(_borders(dataset), len(dataset.X))
    place = dataset.X.astype(np.float64)
    if names:
        columns = [np.asarray(column_values(dataset, name)) for name in names]
        if any(column.dtype.kind not in "biuf" for column in columns):
            raise ProblemError(f"of {at}, a column is not of numbers.")
        place = np.column_stack(columns).astype(np.float64)
    if text.startswith("radius:") and text.endswith("km"):
        return _within_km(text, place, names)
    return read_neighbors_text(text, place, reads_files, dataset.names)


def _within_km(text: str, place: FloatArray, names: list[str]) -> Neighbors:
    """Return the neighbours by a way along the globe: ``radius:60km of lon, lat``."""
    places = Places.of_columns(",".join(names), place.T.ravel()) if names else Places(place)
    if not places.on_globe:
        raise ProblemError(
            f"{text} is of a longitude and a latitude: name their columns, as lon and lat."
        )
    line = places.line(_radius(text.removeprefix("radius:").removesuffix("km")))
    return Neighbors(_nearer(places.at, line), len(place))


def _borders(dataset: Dataset) -> IntArray:
    """Return (m, 2) the points whose areas have a common border."""
    origin = dataset.origin
    if origin is None or origin.borders is None:
        raise ProblemError("borders are those of areas in a GeoJSON file, and these are none.")
    pairs = origin.borders
    point_of = np.full(max(pairs.max(initial=-1), origin.rows.max(initial=-1)) + 1, -1)
    point_of[origin.rows] = np.arange(len(origin.rows))
    found = point_of[pairs]
    return found[(found >= 0).all(axis=1)]


def neighbors_text(neighbors: Neighbors) -> str:
    """Return neighbours as text that `read_neighbors_text` reads: pair by pair."""
    return "pairs:" + ",".join(f"{i}-{j}" for i, j in neighbors.pairs.tolist())


def read_neighbors_text(
    text: str, place: FloatArray, reads_files: bool = True, names: Sequence[str] = ()
) -> Neighbors:
    """Return the neighbours that a text asks for.

    `text`: A way such as ``knn:6`` (each point and its nearest), ``radius:2.5`` (points no farther
    from each other), ``delaunay`` (of two coordinates), ``pairs:0-1,1-2``; or the name of a file:
    of pairs, one a line, zero-based or by names, or in the GAL format. `place` (n, d): Coordinates;
    pairs and files need only their number. `names`: Those of the points, which a file of pairs may
    use. Raises `ProblemError` if there is no such way or file, or a pair is none, and
    `FileFormatError` if a line of a file cannot be read.
    """
    way, _, number = text.partition(":")
    if way in _WAYS:
        if way != "pairs" and not np.isfinite(place).all():
            raise ProblemError("a coordinate is missing, and neighbours need all of them.")
        return Neighbors(_WAYS[way](place, number), len(place))
    path = Path(text)
    if not (reads_files and path.is_file()):
        words = f"{WAYS} or a file" if reads_files else WAYS
        raise ProblemError(f"neighbours are by {words}, and {quote(text)} is none.")
    return read_neighbors_file(read_bytes(text, text), len(place), text, names)


def read_neighbors_file(content: bytes, n: int, name: str, names: Sequence[str] = ()) -> Neighbors:
    """Return the neighbours among n points in a file: of pairs, or in the GAL format."""
    text = decode_text(content, f"{name}: ")
    if Path(name).suffix.lower() == ".gal":
        return Neighbors(read_gal(text, n), n)
    return Neighbors(read_pairs(text, n, names), n)


def read_pairs(text: str, n: int, names: Sequence[str] = ()) -> IntArray:
    """Return (m, 2) pairs, one a line, parted by a comma, a semicolon, a tab or spaces.

    A first line without a point is a header. `n`: Number of points, which are zero-based where
    all cells are numbers. Raises `FileFormatError`.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1)
             if line.strip() and not line.lstrip().startswith("#")]  # fmt: skip
    rows = [_cells(line)[:2] for _, line in lines]
    of_numbers = [all(map(str.isdecimal, row)) for row in rows]
    has_numbers = any(of_numbers) and all(of_numbers[1:])
    book = NameBook(n, () if has_numbers else names)
    pairs: list[tuple[int, int]] = []
    for (number, line), cells in zip(lines, rows, strict=True):
        found = [point for cell in cells if (point := _point(cell, book, has_numbers)) is not None]
        if len(found) == 2:
            pairs.append((found[0], found[1]))
        elif found or number > 1:
            raise FileFormatError(
                f"line {number} of the neighbours is {quote(line)}, not two of the points 0 to "
                f"{n - 1}{' or their names' if names else ''}."
            )
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _cells(line: str) -> list[str]:
    mark = next((mark for mark in ";\t," if mark in line), None)
    return [cell.strip().strip('"') for cell in line.split(mark)]


def _point(cell: str, book: NameBook, has_numbers: bool) -> int | None:
    if has_numbers:
        return whole(cell)
    with suppress(CcvizError):
        return book.find(cell)
    return None


def read_gal(text: str, n: int) -> IntArray:
    """Return (m, 2) pairs of a GAL file: names of areas, each with a line of its neighbours.

    Names 0 to n - 1 or 1 to n are numbers of points, others name them in their order. `n`:
    Number of points. Raises `FileFormatError` if a line is none, or the areas are not n.
    """
    words = text.split("\n")
    lines = [line.split() for line in words[1:]]
    near: dict[str, list[str]] = {}
    at = 0
    while at < len(lines):
        if not lines[at]:
            at += 1
            continue
        name, *count = lines[at]
        its = lines[at + 1] if at + 1 < len(lines) else []
        if count != [str(len(its))]:
            raise FileFormatError(
                f"line {at + 2} of the GAL file says {quote(' '.join(lines[at]))}, but {len(its)} "
                "neighbours follow."
            )
        near[name] = its
        at += 2
    if len(near) != n:
        raise FileFormatError(f"the GAL file has {len(near):,} areas, but there are {n:,} points.")
    place = _places([*near])
    try:
        pairs = [(place[name], place[each]) for name, its in near.items() for each in its]
    except KeyError as unknown:
        raise FileFormatError(f"the GAL file names an area {unknown} that it lacks.") from None
    return np.array([pair for pair in pairs if pair[0] != pair[1]], dtype=np.int64).reshape(-1, 2)


def _places(names: list[str]) -> dict[str, int]:
    for first in (0, 1):
        numbers = {str(first + at): at for at in range(len(names))}
        if set(names) == set(numbers):
            return numbers
    return {name: at for at, name in enumerate(names)}


def _nearest(place: FloatArray, number: str) -> IntArray:
    from scipy.spatial import cKDTree  # it loads slowly

    count = min(_whole(number), len(place) - 1)
    found = cKDTree(place).query(place, count + 1)[1].reshape(len(place), -1)
    own = np.repeat(np.arange(len(place)), found.shape[1])
    pairs = np.stack([own, found.ravel()], axis=1).astype(np.int64)
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _whole(number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise ProblemError(f"knn:{number} does not say how many neighbours; knn:6 does.")
    return int(number)


def _radius(number: str) -> float:
    try:
        radius = float(number)
    except ValueError:
        radius = -1.0
    if not 0.0 <= radius < np.inf:
        raise ProblemError(f"radius:{number} is no distance; radius:2.5 and radius:60km are.")
    return radius


def _within(place: FloatArray, number: str) -> IntArray:
    return _nearer(place, _radius(number))


def _nearer(place: FloatArray, radius: float) -> IntArray:
    from scipy.spatial import cKDTree  # it loads slowly

    return cKDTree(place).query_pairs(radius, output_type="ndarray").astype(np.int64)


def _delaunay(place: FloatArray, number: str) -> IntArray:
    from scipy.spatial import Delaunay, QhullError  # it loads slowly

    if number or place.shape[1] != 2:
        raise ProblemError(
            f"delaunay is for two coordinates, and here are {place.shape[1]}: name two columns."
        )
    try:
        found = Delaunay(place)
    except (QhullError, ValueError):
        raise ProblemError("delaunay needs three points that are not on one line.") from None
    corners = found.simplices
    # Points that coincide with others are in no triangle: each is a neighbour of the nearest.
    pairs = [corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]], found.coplanar[:, [0, 2]]]
    return np.concatenate(pairs).astype(np.int64)


def _listed(_: FloatArray, text: str) -> IntArray:
    words = [word for word in text.split(",") if word]
    ends = [word.partition("-") for word in words]
    if not all(first.isdecimal() and last.isdecimal() for first, _, last in ends):
        raise ProblemError("pairs of neighbours are written as pairs:0-1,1-2.")
    pairs = [(int(first), int(last)) for first, _, last in ends]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


_WAYS: dict[str, Callable[[FloatArray, str], IntArray]] = {
    "knn": _nearest,
    "radius": _within,
    "delaunay": _delaunay,
    "pairs": _listed,
}
