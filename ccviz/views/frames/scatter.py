"""What the scatter plot shows: where points are, which cluster has them, and their centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.runs.run import Run
from ccviz.views.draft import Draft
from ccviz.views.frames.projection import coordinates

_MARGIN = 0.06
_EMPTY = (0.0, 10.0)


@dataclass(frozen=True, eq=False)
class Plane:
    """Two axes and the points on them.

    Attributes
    ----------
    x_name, y_name : str
    x, y : (n,) float64
    classes : list of str
        What is known about each point, for its tooltip.
    """

    x_name: str
    y_name: str
    x: FloatArray
    y: FloatArray
    classes: list[str]
    _maps: tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

    def place(self, points: FloatArray) -> FloatArray:
        """Return (m, 2) where points (m, d) are drawn."""
        return np.column_stack([(points - origin) @ weights for weights, origin in self._maps])

    @property
    def x_range(self) -> tuple[float, float]:
        """Ends of the horizontal axis, with a margin around the points."""
        return _with_margin(self.x)

    @property
    def y_range(self) -> tuple[float, float]:
        """Ends of the vertical axis, with a margin around the points."""
        return _with_margin(self.y)


def plane(draft: Draft, x_name: str, y_name: str) -> Plane:
    """Return the draft's points on two of its axes."""
    features = draft.data.features
    maps = tuple(coordinates(draft.X, features, name) for name in (x_name, y_name))
    x, y = ((draft.X - origin) @ weights for weights, origin in maps)
    return Plane(x_name, y_name, x, y, _class_names(draft.data), maps)  # type: ignore[arg-type]


def _class_names(data: Dataset) -> list[str]:
    if data.truth is None:
        return [""] * len(data.X)
    return [f"({data.classes[label]})" if data.classes else "" for label in data.truth]


def _with_margin(values: FloatArray) -> tuple[float, float]:
    if not len(values):
        return _EMPTY
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 1.0
    return low - margin, high + margin


@dataclass(frozen=True, eq=False)
class Coloring:
    """Clusters by colour.

    Attributes
    ----------
    labels : (n,) int64
        A colour for each point, -1 for none.
    centers : (m, 2) float64
        Where centres are drawn.
    center_labels : (m,) int64
        Their colours.
    """

    labels: IntArray
    centers: FloatArray
    center_labels: IntArray


def classes(truth: IntArray) -> Coloring:
    """Return the known classes as colours."""
    return Coloring(truth, np.zeros((0, 2)), np.zeros(0, dtype=np.int64))


def coloring(
    run: Run | None,
    where: Plane,
    before: IntArray | None = None,
    instead: IntArray | None = None,
) -> Coloring:
    """Return the newest assignment of a run, or the labels to be shown instead.

    The numbers of clusters mean nothing, and two starts of a heuristic number them differently.
    So colours are matched with those shown before: as few points as can be change theirs.
    """
    if run is not None and instead is not None:
        return learned(instead, run.problem.k, before)
    if run is None or run.labels is None:
        nothing = np.zeros(0, dtype=np.int64)
        return Coloring(np.full(len(where.x), -1), np.zeros((0, 2)), nothing)
    k = run.problem.k
    color = _matching(run.labels, before, k)
    centers = np.zeros((0, len(run.problem.X[0]))) if run.centers is None else run.centers
    known = np.isfinite(centers).all(axis=1)
    return Coloring(
        labels=np.where(run.labels >= 0, color[run.labels], -1),
        centers=where.place(centers[known]),
        center_labels=color[np.flatnonzero(known)],
    )


def learned(labels: IntArray, k: int, before: IntArray | None = None) -> Coloring:
    """Return a clustering that no run has found as colours, few of which change.

    Parameters
    ----------
    labels : (n,) int64
    k : int
        Number of clusters.
    before : (n,) int64, optional
        The colours shown so far.
    """
    color = _matching(labels, before, max(k, int(labels.max(initial=-1)) + 1))
    return Coloring(color[labels], np.zeros((0, 2)), np.zeros(0, dtype=np.int64))


def _matching(labels: IntArray, before: IntArray | None, k: int) -> IntArray:
    """Return (k,) the colour of each cluster that keeps most points in their colour of before."""
    if before is None or len(before) != len(labels) or before.max(initial=-1) >= k:
        return np.arange(k)
    both = (labels >= 0) & (before >= 0)
    shared = np.bincount(labels[both] * k + before[both], minlength=k * k).reshape(k, k)
    return linear_sum_assignment(shared, maximize=True)[1]
