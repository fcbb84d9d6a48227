"""Links that follow from distances, ``diameter<=3``, and from columns, ``together(patient)``.

A maximum diameter is a cannot-link for each pair too far apart, a minimum separation a must-link
for each pair too near (Davidson and Ravi 2007). Distances are those of the points, or of columns
that are named: ``diameter(lon,lat)<=30`` is in km, along a sphere, which is up to 0.6 % from the
Earth's shape. The straight line through the sphere grows with the way along it, so that such a
limit is one of Euclidean distances in space too.

By ``together(patient)``, ``apart(photo)`` and ``labels(type)`` all points with the same word in the
column share a cluster, or no two of them do; or each word has a cluster of its own. A point without
a word is free. With a weight, as ``apart(photo)=2.5``, the links are soft.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray, row_strips
from ccviz.errors import ProblemError, UnfillableError
from ccviz.problem.points import checked_values, rows
from ccviz.problem.rule_base import (
    NO_PAIRS,
    Alternatives,
    Load,
    Points,
    Reduction,
    Rule,
    RuleKind,
    RuleWords,
    check_links,
)

# --- Places of points, from columns ---------------------------------------------------------------


EARTH_KM = 6371.0088  # mean radius of the Earth

_LONGITUDE = re.compile(r"(?<![a-z])(lon|lng|long|longitude)(?![a-z])")
_LATITUDE = re.compile(r"(?<![a-z])(lat|latitude)(?![a-z])")


def degrees_in(names: Sequence[str]) -> tuple[int, int] | None:
    """Return which of the names of columns are a longitude and its latitude, None if none are.

    A part of a name is enough, as in ``centroid_lon``; the rest is then that of the latitude,
    unless there is one of each only.
    """
    plain = [re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() for name in names]
    across = {at: _LONGITUDE.sub("", name) for at, name in enumerate(plain)}
    up = {at: _LATITUDE.sub("", name) for at, name in enumerate(plain)}
    lons, lats = ([at for at in rest if rest[at] != plain[at]] for rest in (across, up))
    if len(lons) == len(lats) == 1:
        return lons[0], lats[0]
    alike = ((lon, lat) for lon in lons for lat in lats if across[lon] == up[lat])
    return next(alike, None)


def _on_globe(names: Sequence[str]) -> tuple[int, int] | None:
    return degrees_in(names) if len(names) == 2 else None


def split_names(text: str) -> list[str]:
    """Return the names of columns that are joined by commas."""
    return [name.strip() for name in text.split(",")]


@dataclass(frozen=True, eq=False)
class Places:
    """Where points are, for the distances between them.

    `at` (n, m): Coordinates; on the globe in km, from its middle.
    """

    at: FloatArray
    on_globe: bool = False

    @classmethod
    def of_columns(cls, text: str, known: ArrayLike) -> Places:
        """Return the places by columns: on the globe, if they are a longitude and a latitude.

        `text`: Their names, joined by commas. `known`: (m n,) their values, column by column.
        Raises `ProblemError` if a value is no number, or no such degree.
        """
        names = split_names(text)
        at = checked_values(known, f"the columns {text!r}", True).reshape(len(names), -1)
        if (degrees := _on_globe(names)) is None:
            return cls(at.T)
        for column, most in zip(degrees, (180.0, 90.0), strict=True):
            if len(wrong := np.flatnonzero(np.abs(at[column]) > most)):
                raise ProblemError(
                    f"distances by {text} are in km, but {names[column]} is not between "
                    f"{-most:g} and {most:g} degrees in {rows(wrong)}."
                )
        lon, lat = np.radians(at[list(degrees)])
        across = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon)])
        return cls(EARTH_KM * np.column_stack([across, np.sin(lat)]), on_globe=True)

    def way(self, line: Any) -> Any:
        """Return the distance between two places that are a straight line apart."""
        around = 2.0 * EARTH_KM * np.arcsin(np.minimum(line / (2.0 * EARTH_KM), 1.0))
        return around if self.on_globe else line

    def line(self, way: float) -> float:
        """Return the straight line between two places at a distance."""
        half = way / (2.0 * EARTH_KM)
        is_bent = self.on_globe and half < np.pi / 2.0  # no way is longer than half around
        return float(2.0 * EARTH_KM * np.sin(half)) if is_bent else way


# --- Distances between points ---------------------------------------------------------------------


MOST_PAIRS = 50_000_000
"""Most pairs of points whose distances are computed."""

NO_OUTLIERS = "points cannot be left out beside the rules size>= and separation>=."
"""Why such a rule is refused."""

_CELLS = 1 << 22  # distances computed at a time
_ROUNDING = 1e-12  # the share of a distance by which it may be rounded


@dataclass(frozen=True)
class _Distance(Rule):
    """Base of the limits on distances between points (Euclidean)."""

    limit: float  # In the units of X, or of `place`
    place: tuple[tuple[float, ...], ...] = ()  # (n, m): Coordinates in place of X, if any

    def at(self, problem: Points) -> FloatArray:
        """Return (n, m) the coordinates between which distances are taken."""
        if self.place and len(self.place) != problem.n:
            raise ProblemError(
                f"a rule has {len(self.place):,} places, but there are {problem.n:,} points."
            )
        return np.array(self.place) if self.place else problem.X


@dataclass(frozen=True)
class MaxDiameter(_Distance):
    """No two points of a cluster are further apart than ``limit`` (Euclidean)."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load with limit 0 in which the pairs too far apart weigh 1."""
        gaps = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(self.at(problem)))
        pairs = np.argwhere(np.triu(gaps > self.limit))
        return ((Load(0.0, np.zeros(problem.n), pairs),),)

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether no two of these points are too far apart, without the list of such pairs."""
        return diameter(self.at(problem)[points]) <= self.limit

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a cannot-link for each two points too far apart."""
        _check_pairs(problem.n)
        n, at = problem.n, self.at(problem)
        # Distances are computed in strips; the loop ends once there are too many pairs.
        strip, found, many = max(1, _CELLS // n), [], 0
        for first in range(0, n, strip):
            far = scipy.spatial.distance.cdist(at[first : first + strip], at) > self.limit
            i, j = np.nonzero(far)
            pairs = np.column_stack([i + first, j])
            found.append(pairs[pairs[:, 0] < pairs[:, 1]])
            many += len(found[-1])
            check_links(many, "diameter", "cannot-links")
        return Reduction(cannot_link=np.concatenate(found))

    def settled(self, problem: Points) -> MaxDiameter:
        """Return itself, if there are not too many pairs to look at."""
        _check_pairs(problem.n)
        return self


def _check_pairs(n: int) -> None:
    if n * (n - 1) // 2 > MOST_PAIRS:
        raise ProblemError(f"a maximum diameter looks at every pair, too many of {n:,} points.")


def diameter(points: FloatArray) -> float:
    """Return the largest distance between two points, 0 of no points, computed in strips.

    Parameters
    ----------
    points : (m, d) float64
    """
    strips = (
        scipy.spatial.distance.cdist(points[some], points)
        for some in row_strips(len(points), len(points))
    )
    return float(max((gaps.max() for gaps in strips), default=0.0))


class _Distances(RuleKind):
    """Base of the limits on distances between points."""

    unit, is_links = "distance", True
    _rule: ClassVar[type[_Distance]]

    def rule(self, words: RuleWords, known: Any) -> _Distance:
        return self._rule(words.limit)

    def seen(self, problem: Points, words: RuleWords, known: Any) -> Places:
        """Return the places between which distances are measured."""
        return Places(problem.X)


class _ByColumns(_Distances):
    """Base of the limits on distances by columns, whatever the features are."""

    names, has_signed_values = "columns", True
    help_text = "By columns of the table, as they are there. Of a longitude and a latitude in km."

    def rule(self, words: RuleWords, known: Any) -> _Distance:
        places = Places.of_columns(words.name, known)
        return self._rule(places.line(words.limit), tuple(map(tuple, places.at.tolist())))

    def seen(self, problem: Points, words: RuleWords, known: Any) -> Places:
        return Places.of_columns(words.name, known)

    def limit(self, words: RuleWords, known: Any) -> float:
        places = Places.of_columns(words.name, known)
        return float(places.way(places.line(words.limit)))

    def measure(self, words: RuleWords) -> str:
        return " km" if _on_globe(split_names(words.name)) else ""


class Diameter(_Distances):
    """An upper limit on the distance of two points in a cluster."""

    name, text = "diameter<=", "diameter<=D"
    words, label = "diameter at most {limit}", "Diameter at most"
    help_text = (
        "No two points of a cluster are further apart; in the units of the features as scaled."
    )
    sample, stored = "diameter<=5", (MaxDiameter,)
    _rule = MaxDiameter

    def found(self, problem: Points, labels: IntArray, known: Places) -> float:
        """Return the largest distance of two points in a cluster."""
        lines = [diameter(known.at[labels == j]) for j in np.unique(labels).tolist()]
        return float(known.way(max(lines)))


class DiameterOf(_ByColumns, Diameter):
    """An upper limit on the distance of two points in a cluster, by columns."""

    name, text = "diameter()<=", "diameter(COLUMNS)<=D"
    words, label = "diameter by {name} at most {limit}", "Diameter by columns at most"
    sample = "diameter(column)<=1"


@dataclass(frozen=True)
class MinSeparation(_Distance):
    """Points of different clusters are at least ``limit`` apart (Euclidean)."""

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a must-link for each two points too near."""
        if self.limit <= 0.0:
            return Reduction()
        if problem.outliers:
            raise ProblemError(NO_OUTLIERS)
        at = self.at(problem)
        tree = scipy.spatial.cKDTree(at)
        near = (tree.count_neighbors(tree, self.limit) - problem.n) // 2
        check_links(near, "separation", "must-links")
        pairs = np.array(minimum_separation(at, self.limit), dtype=np.int64)
        return Reduction(must_link=pairs.reshape(-1, 2))


def minimum_separation(X: ArrayLike, distance: float) -> list[tuple[int, int]]:
    """Return the must-links that keep points of different clusters at least ``distance`` apart.

    Points nearer to each other than ``distance`` must share a cluster (Davidson and Ravi 2007).

    Parameters
    ----------
    X : (n, d) array of float
    distance : float
        Euclidean, in the units of X.
    """
    X = np.asarray(X, dtype=np.float64)
    reach = distance * (1.0 + _ROUNDING)
    near = scipy.spatial.cKDTree(X).query_pairs(reach, output_type="ndarray")
    ends = X[near].reshape(-1, 2, X.shape[1])
    gaps = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    too_near = gaps < distance
    for at in np.flatnonzero(np.abs(gaps - distance) <= _ROUNDING * distance).tolist():
        one, other = (map(Fraction, row) for row in ends[at].tolist())  # exactly
        square = sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        too_near[at] = square < Fraction(distance) ** 2
    return sorted(map(tuple, near[too_near].tolist()))


class Separation(_Distances):
    """A lower limit on the distance of two points in different clusters."""

    name, text = "separation>=", "separation>=D"
    words, label = "separation at least {limit}", "Separation at least"
    help_text = (
        "Points of different clusters are no nearer; in the units of the features as scaled."
    )
    sample, is_anti_monotone = "separation>=1.5", False
    _rule = MinSeparation

    def found(self, problem: Points, labels: IntArray, known: Places) -> float:
        """Return the smallest distance of two points in different clusters."""
        gaps = [np.inf]
        for j in np.unique(labels).tolist():
            here, there = known.at[labels == j], known.at[labels != j]
            if len(there):
                near, place = scipy.spatial.cKDTree(there).query(here)
                at = int(near.argmin())
                gaps.append(known.way(math.dist(here[at], there[place[at]])))  # rounded rightly
        return float(min(gaps))


class SeparationOf(_ByColumns, Separation):
    """A lower limit on the distance of two points in different clusters, by columns."""

    name, text = "separation()>=", "separation(COLUMNS)>=D"
    words, label = "separation by {name} at least {limit}", "Separation by columns at least"
    sample = "separation(column)>=1"


# --- Links by the words of a column -------------------------------------------------------------


@dataclass(frozen=True)
class ColumnLinks(Rule):
    """Base of the links between all points with the same word.

    `numbers` (n,): The number of each point's word, 0 for none. `weight`: Of each link, ``inf`` for
    hard ones. `column`, `called`: The column, and its words by number from 1, for sentences.
    """

    numbers: tuple[int, ...]
    weight: float = np.inf
    column: str = ""
    called: tuple[str, ...] = ()

    def pairs(self, problem: Points, links: str) -> IntArray:
        """Return (m, 2) all pairs of points with the same word."""
        groups = list(self.groups(problem))
        check_links(sum(len(each) * (len(each) - 1) // 2 for each in groups), self.column, links)
        pairs = [each[np.column_stack(np.triu_indices(len(each), 1))] for each in groups]
        return np.concatenate(pairs) if pairs else NO_PAIRS

    def groups(self, problem: Points) -> Iterator[IntArray]:
        """Yield the points of each word that several have."""
        if len(self.numbers) != problem.n:
            raise ProblemError(
                f"a rule has a column of {len(self.numbers):,} words, "
                f"but there are {problem.n:,} points."
            )
        numbers = np.array(self.numbers)
        order = np.argsort(numbers, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
            if numbers[group[0]] and len(group) > 1:
                yield group

    def chains(self, problem: Points) -> IntArray:
        """Return (m, 2) the pairs of a chain through the points of each word."""
        pairs = [np.column_stack([each[:-1], each[1:]]) for each in self.groups(problem)]
        return np.concatenate([NO_PAIRS, *pairs])


@dataclass(frozen=True)
class Together(ColumnLinks):
    """All points with the same word share a cluster."""

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return must-links: hard ones as a chain through the points of a word."""
        if self.weight < np.inf:
            return Reduction(must_link=self.pairs(problem, "must-links"), weight=self.weight)
        return Reduction(must_link=self.chains(problem))


@dataclass(frozen=True)
class Apart(ColumnLinks):
    """No two points with the same word share a cluster."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load with limit 0 in which the pairs of a word weigh 1."""
        return ((Load(0.0, np.zeros(problem.n), self.pairs(problem, "cannot-links")),),)

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a cannot-link for each two points of a word."""
        if np.isinf(self.weight):
            largest = max(self.groups(problem), key=len, default=NO_PAIRS[:, 0])
            if len(largest) > problem.k:
                raise UnfillableError(self._too_many(problem, largest))
        return Reduction(cannot_link=self.pairs(problem, "cannot-links"), weight=self.weight)

    def _too_many(self, problem: Points, group: IntArray) -> str:
        first = int(group[0])
        number = self.numbers[first]
        if self.called:
            what = f"{self.called[number - 1]!r} in the column {self.column!r}"
        else:
            what = f"what point {first} has in the column {self.column!r}"
        out = f" and {problem.outliers} points that may be left out" if problem.outliers else ""
        return (
            f"{len(group):,} points have {what}, and no two of them may share a cluster, but there "
            f"are {problem.k - problem.outliers:,} clusters{out}."
        )


@dataclass(frozen=True)
class Labels(ColumnLinks):
    """Points with the same word share a cluster, and those of two words do not.

    Few links say so: a chain through the points of a word, and a link between the first points of
    each two words.
    """

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return must-links within the words and cannot-links between them."""
        first = np.unique(np.array(self.numbers), return_index=True)[1]
        first = first[np.array(self.numbers)[first] > 0]
        if np.isinf(self.weight) and len(first) > problem.k:
            raise UnfillableError(
                f"the column {self.column!r} has {len(first):,} labels, each with a cluster of its "
                f"own, but there are {problem.k - problem.outliers:,} clusters."
            )
        check_links(len(first) * (len(first) - 1) // 2, self.column, "cannot-links")
        apart = first[np.column_stack(np.triu_indices(len(first), 1))]
        return Reduction(self.chains(problem), np.sort(apart), weight=self.weight)


class _ColumnLinks(RuleKind):
    """Base of the kinds of links that follow from a column."""

    names, is_links, is_anti_monotone, needs_limit = "words", True, False, False
    unit = "weight, or nothing"
    _rule: ClassVar[type[ColumnLinks]]
    _each: ClassVar[str] = "pair"

    def rule(self, words: RuleWords, known: Any) -> ColumnLinks:
        numbers = tuple(np.asarray(known, dtype=np.int64).tolist())
        return self._rule(numbers, words.limit, words.name.partition("=")[0], words.called)

    @property
    def is_upper(self) -> bool:
        """Whether what is found may be at most the limit."""
        return True

    def limit(self, words: RuleWords, known: Any) -> float:
        return 1.0

    def written(self, limit: str, name: str = "") -> str:
        """Return the text of a rule of this kind; the limit is the weight, empty if hard."""
        return f"{self.name[:-2]}({name}){f'={limit}' if limit else ''}"

    def said(self, words: RuleWords) -> str:
        """Return such a rule in words."""
        soft = f", or {words.limit:,.6g} for each {self._each}" if words.limit < np.inf else ""
        return super().said(words) + soft


class TogetherBy(_ColumnLinks):
    """Must-links between all points with the same word of a column."""

    name, text = "together()", "together(COLUMN)"
    words, label = "equal {name} together", "Together by a column"
    help_text = (
        "All points with the same word share a cluster; an empty cell is free. With a weight, each "
        "pair that is apart costs it."
    )
    sample = "together(column)"
    _rule = Together

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most clusters that points of one word are in; each left out is in its own."""
        return float(max((len(set(each)) for each in _labels_by_word(labels, known)), default=0))


class ApartBy(_ColumnLinks):
    """Cannot-links between all points with the same word of a column."""

    name, text = "apart()", "apart(COLUMN)"
    words, label = "equal {name} apart", "Apart by a column"
    help_text = (
        "No two points with the same word share a cluster; an empty cell is free. With a weight, "
        "each pair in a cluster costs it."
    )
    sample = "apart(column=2)"
    _rule = Apart

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most points of one word in a cluster."""
        inside = (each[each >= 0] for each in _labels_by_word(labels, known))
        return float(max((np.bincount(each).max() for each in inside if len(each)), default=0))


class LabelsBy(_ColumnLinks):
    """Links between all points with a word of a column, such as labels that some points have."""

    name, text = "labels()", "labels(COLUMN)"
    words, label = "each {name} in a cluster of its own", "Labels of a column"
    help_text = (
        "Points with the same label share a cluster, those with different labels do not; without a "
        "label a point is free. With a weight, each of the few links that say so costs it."
    )
    sample = "labels(column=2)"
    _rule, _each = Labels, "link"

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most clusters of one word, or words in one cluster, whichever is more."""
        numbers = np.asarray(known)[: len(labels)]
        pairs = np.unique(np.column_stack([numbers, labels])[numbers > 0], axis=0)
        inside = pairs[pairs[:, 1] >= 0, 1]
        return float(max(np.bincount(pairs[:, 0], minlength=1).max(),
                         np.bincount(inside, minlength=1).max()))  # fmt: skip


def _labels_by_word(labels: IntArray, known: Any) -> Iterator[IntArray]:
    numbers = np.asarray(known)
    return (labels[numbers == number] for number in np.unique(numbers[numbers > 0]))
