"""What the scatter plot shows: where points are, which cluster has them, and their centres."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from ccviz.active.oracles.question import Difference, differences
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.geojson import Drawn, drawn_areas
from ccviz.data.names import column_values, place_columns
from ccviz.events import RelaxationSolved
from ccviz.problem.column_links import degrees_in
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.views.draft import Draft
from ccviz.views.frames.projection import (
    MAPS,
    NeighbourMap,
    Projection,
    addresses,
    map_of,
    pictures,
)
from ccviz.views.link_table import KIND_WORDS, Link

# --- What tooltips say of a point besides where it is: what marks it out, and its links -----------


_MOST_LINKS = 6


def marks(data: Dataset, most: int = 3) -> list[str]:
    """Return what marks each point out: the features in which it is furthest from the mean.

    Returns: Such as ``petal length 4.7 (+1.2σ), …``; the sign says on which side.
    """
    spread = data.X.std(axis=0, dtype=np.float64)
    apart = (data.X - data.X.mean(axis=0, dtype=np.float64)) / np.where(spread > 0, spread, 1.0)
    first = np.argsort(-np.abs(apart), axis=1, kind="stable")[:, :most]
    return [
        ", ".join(f"{data.features[j]} {point[j]:.4g} ({away[j]:+.1f}σ)" for j in order.tolist())
        for point, away, order in zip(data.X, apart, first, strict=True)
    ]


def links_of(data: Dataset, links: Iterable[Link]) -> list[str]:
    """Return which links each point has, in words."""
    partners: dict[int, list[str]] = {}
    for link in links:
        for one, other in (link.pair, link.pair[::-1]):
            called = data.names[other] if data.names else str(other)
            partners.setdefault(one, []).append(f"{KIND_WORDS[link.kind]} {called}")
    words = [""] * len(data.X)
    for one, linked in partners.items():
        more = f", {len(linked) - _MOST_LINKS} more" if len(linked) > _MOST_LINKS else ""
        words[one] = ", ".join(linked[:_MOST_LINKS]) + more
    return words


_MARGIN = 0.06
_NARROWEST = 0.05  # length of a degree of longitude that is drawn at least, in those of latitude
_EMPTY = (0.0, 10.0)
_MATCHED_EXACTLY = 500  # clusters whose colours are matched at best: milliseconds
MOST_TOOLTIPS = 3000
"""Points up to which tooltips say what marks each out, or show it, and which links it has."""


MOST_WHY = 1000
"""Points up to which tooltips say why each is in its cluster: the sentences take most of a second
where rules are many."""


@dataclass(frozen=True, eq=False)
class LinearAxis:
    """A feature or a component."""

    values: FloatArray
    weights: FloatArray
    origin: FloatArray

    def place(self, points: FloatArray) -> FloatArray:
        """Return (m,) where points (m, d) are drawn."""
        return (points - self.origin) @ self.weights


@dataclass(frozen=True, eq=False)
class MappedAxis:
    """An axis of the map, on which a centre is drawn at the point next to it."""

    whole: NeighbourMap
    column: int

    @property
    def values(self) -> FloatArray:
        """(n,) where the points are drawn."""
        return self.whole.values[:, self.column]

    def place(self, points: FloatArray) -> FloatArray:
        """Return (m,) where points (m, d) are drawn."""
        return self.whole.place(points)[:, self.column]


Axis = LinearAxis | MappedAxis


@dataclass(frozen=True, eq=False)
class Plane:
    """Two axes and the points on them."""

    x_name: str
    y_name: str
    x_title: str
    y_title: str
    x: FloatArray
    y: FloatArray
    classes: list[str]  # What is known about each point, for its tooltip
    _axes: tuple[Axis, Axis]
    # names, marks, pictures: What each point is called, what marks it out, and the address of its
    # picture; empty where that is not said.
    names: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    # Whether the points have these two features and no others: distances on it are theirs.
    is_whole: bool = False
    # Of a map: the length of a unit across, in units up; 0 where the axes are none of a map.
    aspect: float = 0.0
    areas: tuple[Drawn, Drawn] = ([], [])  # Of a map: what is drawn around each point, if anything

    def place(self, points: FloatArray) -> FloatArray:
        """Return (m, 2) where points (m, d) are drawn."""
        return np.column_stack([axis.place(points) for axis in self._axes])

    @property
    def x_range(self) -> tuple[float, float]:
        """Ends of the horizontal axis, with a margin around the points."""
        return _with_margin(np.array([*self.x, *_corners(self.areas[0])]))

    @property
    def y_range(self) -> tuple[float, float]:
        """Ends of the vertical axis, with a margin around the points."""
        return _with_margin(np.array([*self.y, *_corners(self.areas[1])]))


def plane(draft: Draft, x_name: str, y_name: str) -> Plane:
    """Return the draft's points on two of its axes."""
    features = draft.data.features
    projection = Projection(draft.X, features)
    data, place = draft.data, place_columns(draft.data) or ()
    is_map = place == (x_name, y_name)
    raw = [name for name in place if is_map or name not in features]
    axes = (
        _place_axis(draft, x_name) if x_name in raw else _axis(draft, projection, x_name),
        _place_axis(draft, y_name) if y_name in raw else _axis(draft, projection, y_name),
    )
    x, y = (axis.values for axis in axes)
    across, up = (
        name if name in place else _title(draft, projection, name, drawn)
        for name, drawn in ((x_name, x), (y_name, y))
    )
    seen = addresses(data) if len(x) <= MOST_TOOLTIPS else []
    marked = marks(data) if len(x) <= MOST_TOOLTIPS and not seen else []
    names = list(data.names)
    called = [""] * len(x) if data.truth is None else data.called
    words = [f"({name})" if data.classes and name else "" for name in called]
    whole = len(features) == 2 and sorted({x_name, y_name}) == sorted(features)
    whole = whole and not (is_map and draft.scaling != "none")
    aspect = 1.0 if is_map else 0.0
    if is_map and degrees_in(place) is not None:
        aspect = max(float(np.cos(np.radians((y.min() + y.max()) / 2.0))), _NARROWEST)
    return Plane(
        x_name, y_name, across, up, x, y, words, axes, names, marked, seen, whole, aspect,
        drawn_areas(data) if is_map else ([], []),
    )  # fmt: skip


def _corners(areas: Drawn) -> Iterator[float]:
    return (value for area in areas for part in area for ring in part for value in ring)


def _axis(draft: Draft, projection: Projection, name: str) -> Axis:
    if name in MAPS:
        return MappedAxis(map_of(draft.data, draft.scaling, draft.X), MAPS.index(name))
    return LinearAxis(*projection.axis(name))


def _place_axis(draft: Draft, name: str) -> Axis:
    """Return the axis of a column as it is in the table, whatever its scaling."""
    X, values = draft.X, column_values(draft.data, name)
    if name in draft.data.features:
        at = draft.data.features.index(name)
        low, high = X[:, at].argmin(), X[:, at].argmax()
        if (rise := values[high] - values[low]) > 0.0:
            weights, origin = np.zeros(X.shape[1]), np.zeros(X.shape[1])
            weights[at] = rise / (X[high, at] - X[low, at])
            origin[at] = X[low, at] - values[low] / weights[at]
            found = LinearAxis(values, weights, origin)
            if np.allclose(found.place(X), values, atol=1e-6 * rise):
                return found
    return MappedAxis(NeighbourMap(X, values[:, None], "", is_sketch=False), 0)


def _title(draft: Draft, projection: Projection, name: str, drawn: FloatArray) -> str:
    if name in MAPS:
        return f"{name} ({map_of(draft.data, draft.scaling, draft.X).method})"
    return projection.title(name, drawn)


def _with_margin(values: FloatArray) -> tuple[float, float]:
    if not len(values):
        return _EMPTY
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 1.0
    return low - margin, high + margin


@dataclass(frozen=True, eq=False)
class Coloring:
    """Clusters by colour."""

    labels: IntArray
    centers: FloatArray  # (m, 2): Where centres are drawn
    center_labels: IntArray


def classes(truth: IntArray, before: IntArray | None = None) -> Coloring:
    """Return the known classes as colours, like those of the clusters that they resemble."""
    return learned(truth, int(truth.max()) + 1, before)


def coloring(
    run: Run | None,
    where: Plane,
    before: IntArray | None = None,
    instead: IntArray | None = None,
) -> Coloring:
    """Return the newest assignment of a run, its answer at its end, or labels to show instead.

    The numbers of clusters mean nothing, and two starts of a heuristic number them differently.
    So colours are matched with those shown before: as few points as can be change theirs. Without
    a run they stay.
    """
    if run is not None and instead is not None:
        return learned(run.problem.shown(instead), run.problem.n_clusters, before)
    if run is None or run.labels is None:
        nothing, n = np.zeros(0, dtype=np.int64), len(where.x)
        old = np.full(n, -1)
        if run is None and before is not None and len(before) == n:
            old = before
        return Coloring(old, np.zeros((0, 2)), nothing)
    ended = run.incumbent if has_answered(run) else None
    labels, found = (ended.labels, ended.centers) if ended else (run.labels, run.centers)
    labels, k = run.problem.shown(labels), run.problem.n_clusters
    centers = np.zeros((0, len(run.problem.X[0]))) if found is None else found[:k]
    return _with_centers(labels, centers, where, matching(labels, before, k))


def _with_centers(labels: IntArray, centers: FloatArray, where: Plane, color: IntArray) -> Coloring:
    known = np.isfinite(centers).all(axis=1)
    return Coloring(
        labels=np.where(labels >= 0, color[labels], -1),
        centers=where.place(centers[known]),
        center_labels=color[np.flatnonzero(known)],
    )


def repaired(partition: Partition, where: Plane, before: IntArray | None = None) -> Coloring:
    """Return a clustering that no run has found, with its centres, as colours.

    `before` (n,): The colours shown so far.
    """
    labels, k = partition.shown, partition.problem.n_clusters
    return _with_centers(labels, partition.centers[:k], where, matching(labels, before, k))


def has_answered(run: Run | None) -> bool:
    """Whether a run has ended with an answer, whose colours later runs follow."""
    return run is not None and run.finished is not None and run.incumbent is not None


def learned(labels: IntArray, k: int, before: IntArray | None = None) -> Coloring:
    """Return a clustering that no run has found as colours, few of which change.

    `before` (n,): The colours shown so far.
    """
    color = matching(labels, before, max(k, int(labels.max(initial=-1)) + 1))
    colors = np.where(labels >= 0, color[labels], -1)
    return Coloring(colors, np.zeros((0, 2)), np.zeros(0, dtype=np.int64))


def matching(labels: IntArray, before: IntArray | None, k: int) -> IntArray:
    """Return (k,) the colour of each cluster that keeps most points in their colour of before.

    `labels` (n,): Below k; -1 for none. `before` (n,): The colours shown so far; those from k on
    are given up.
    """
    if before is None or len(before) != len(labels):
        return np.arange(k)
    both = (labels >= 0) & (before >= 0) & (before < k)
    pairs, shared = np.unique(labels[both] * k + before[both], return_counts=True)
    cluster, color = np.divmod(pairs, k)
    if k <= _MATCHED_EXACTLY:
        table = np.zeros((k, k), dtype=np.int64)
        table[cluster, color] = shared
        return linear_sum_assignment(table, maximize=True)[1]
    return _match_largest_first(cluster, color, shared, k)


def _match_largest_first(cluster: IntArray, color: IntArray, shared: IntArray, k: int) -> IntArray:
    """Return (k,) a colour for each cluster, those that share most points taken first.

    An exact matching takes k^3 steps and a table of k^2: seconds, which all who look at the same
    server would wait for.
    """
    colors = np.full(k, -1)
    left = np.lexsort((color, cluster, -shared))
    while len(left):
        # The largest of its cluster and of its colour comes before all that it rules out.
        of_cluster = left[np.unique(cluster[left], return_index=True)[1]]
        of_color = left[np.unique(color[left], return_index=True)[1]]
        taken = np.intersect1d(of_cluster, of_color)
        colors[cluster[taken]] = color[taken]
        free = np.isin(color[left], color[taken], invert=True)
        left = left[free & (colors[cluster[left]] < 0)]
    unused = np.setdiff1d(np.arange(k), colors)
    colors[colors < 0] = unused[: np.count_nonzero(colors < 0)]
    return colors


def only(frame: Coloring, cluster: int | None, points: Sequence[int] = ()) -> Coloring:
    """Return a colouring in which one cluster, or some points, alone keep their colours.

    `points`: Those that stay; none for all.
    """
    if cluster is None and not len(points):
        return frame
    stays = np.zeros(len(frame.labels), dtype=bool)
    stays[list(points)] = True
    stays |= frame.labels == cluster
    kept = frame.center_labels == cluster
    return Coloring(
        np.where(stays, frame.labels, -1), frame.centers[kept], frame.center_labels[kept]
    )


# --- The scatter matrix: which features it shows, and the points in each of its cells -------------


MOST_FEATURES = 5
MOST_POINTS = 2000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Points by the features that weigh most."""

    # Those with the largest variance as they are clustered, in the order of the data: they make up
    # most of the objective.
    features: tuple[str, ...]
    rows: IntArray  # (m,): The points shown: all, or an even selection of very many
    columns: FloatArray


def pairs(draft: Draft) -> Pairs:
    """Return the scatter matrix of a draft."""
    chosen = np.sort(
        np.argsort(-draft.X.var(axis=0, dtype=np.float64), kind="stable")[:MOST_FEATURES]
    )
    rows = np.linspace(0, draft.n - 1, min(draft.n, MOST_POINTS)).astype(np.int64)
    names = tuple(draft.data.features[at] for at in chosen.tolist())
    return Pairs(names, rows, draft.X[np.ix_(rows, chosen)])


# --- A question about a pair or a set of points: names, pictures and differences ------------------


_SHOWN = 4
_SHOWN_OF_SET = 3


@dataclass(frozen=True, eq=False)
class Question:
    """What is shown of a pair."""

    pair: tuple[int, int]
    names: tuple[str, str]  # (str, str): What the two points are called
    # The features in which they differ most; none where there are pictures.
    differences: tuple[Difference, ...]
    # (rows, columns): How dark each pixel is, from 0 to 1, of both; none unless the features are
    # pixels.
    pictures: tuple[FloatArray, ...]
    cost: str = ""  # What the less likely answer costs, as a sentence; empty where it is not known


def question(data: Dataset, pair: tuple[int, int], cost: str = "") -> Question:
    """Return what to show of a pair of points.

    `cost`: See `ccviz.views.frames.links.answer_words`.
    """
    i, j = pair
    names = point_name(data, i), point_name(data, j)
    both = pictures(data, [i, j])
    if both is None:
        return Question(pair, names, tuple(differences(data, i, j, _SHOWN)), (), cost)
    return Question(pair, names, (), tuple(both), cost)


@dataclass(frozen=True, eq=False)
class SetQuestion:
    """What is shown of a set of points."""

    points: tuple[int, ...]
    names: tuple[str, ...]
    features: tuple[str, ...]  # Those in which they differ most; none where there are pictures
    values: FloatArray  # (m, f): Of these features
    pictures: tuple[str, ...]  # Addresses of images; none unless the features are pixels


def set_question(data: Dataset, points: Sequence[int]) -> SetQuestion:
    """Return what to show of a set of points.

    Features are compared by the share of their range, as those of a pair are.
    """
    rows, spread = data.X[list(points)], np.ptp(data.X, axis=0)
    seen = tuple(addresses(data, list(points)))
    apart = np.ptp(rows, axis=0) / np.where(spread > 0, spread, 1.0)
    columns = np.argsort(-apart, kind="stable")[: 0 if seen else _SHOWN_OF_SET]
    columns = columns[apart[columns] > 0]
    names = tuple(point_name(data, point) for point in points)
    features = tuple(data.features[column] for column in columns)
    return SetQuestion(tuple(points), names, features, rows[:, columns], seen)


def point_name(data: Dataset, point: int) -> str:
    """Return what a point is called in a question."""
    return f"{data.names[point]} ({point})" if data.names else f"point {point}"


# --- The clustering that a relaxation leans to: cluster colours at a node that has none yet -------


_STEPS = 10


def guess(problem: Problem, event: RelaxationSolved) -> IntArray:
    """Return (n,) labels read off the matrix; links may be broken, it is not an answer.

    Row i of Z holds the weights of point i's own cluster, so the rows of Z X are the centres that
    the points would like to have (Peng and Wei 2007, section 4.2). These are put into k groups,
    from seeds that lie far apart.
    """
    total = np.zeros((len(event.Z), problem.X.shape[1]))
    np.add.at(total, event.block_of, problem.X)
    wished = (event.Z @ total)[event.block_of]
    labels = _nearest(wished, wished[_far_apart(wished, problem.k)])
    for _ in range(_STEPS):
        centers = cluster_means(wished, labels, problem.k)
        moved = _nearest(wished, np.where(np.isnan(centers), np.inf, centers))
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def _far_apart(points: FloatArray, k: int) -> list[int]:
    chosen = [int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax())]
    distance = np.full(len(points), np.inf)
    while len(chosen) < k:
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return chosen


def _nearest(points: FloatArray, centers: FloatArray) -> IntArray:
    distance = ((points[:, None, :] - centers) ** 2).sum(axis=2)
    return np.where(np.isnan(distance), np.inf, distance).argmin(axis=1)
