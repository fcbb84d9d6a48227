"""Nearest centres of points with many features, such as embeddings, from pass to pass.

Labels and costs are those of distances in float64, but few of these are computed:

- The first pass multiplies matrices of float32. Where their rounding leaves a doubt which centre is
  the nearest, distances in float64 decide.
- Later passes have a lower bound for each point and group of centres (Y. Ding et al.: Yinyang
  k-means, ICML 2015) and look at the groups that it leaves open.
- Where it leaves many open, the leading directions of the points bound distances from below: a
  product of matrices of few columns. Points without such directions are multiplied as at first.

Beside the points there are at most half as many bounds as numbers, and `_LEADING` columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_means
from ccviz.solvers.assignment.kernels.wide import (
    lower_bounds,
    search_all,
    search_near,
    search_open,
)
from ccviz.solvers.common.clusters import nearest_centers

SinglesArray = NDArray[np.float32]

_CELLS, _ROWS = 1 << 20, 2048
"""The most distances computed together, and the most points that they belong to."""
_OPEN = 0.03
"""Share of open distances up to which they are computed one by one."""
_NEAR = 0.2
"""Share of distances that leading directions may leave open to be of use."""
_LEADING, _SAMPLE, _POWERS = 64, 4096, 2
"""Leading directions, the points that they come from, and the iterations of their search."""
_GROUPINGS = 5
"""Iterations of the k-means that groups the centres."""
_MORE = 16
"""Roundings of a squared distance beside those of its sum."""
_LEAST_DOUBT = 1e-30
"""Doubt about squares so small that float32 has no digits for them."""


@dataclass(frozen=True, eq=False)
class _Factors:
    """Centres as factors of products of matrices, in the order of their groups.

    Attributes
    ----------
    times : (d, k) float32
        The centres, times -2.
    square : (k,) float32
    most : float
        The largest distance of a centre from the origin.
    """

    times: SinglesArray
    square: SinglesArray
    most: float


@dataclass(eq=False)
class _Pass:
    """What all strips of a pass share.

    Attributes
    ----------
    centers : (k, d) float64
        In the order of their groups.
    fall : (g,) float32 or None
        At least the distance that each group's centres moved; None at first.
    whole, leading : _Factors
        All coordinates of the centres, and the leading ones, None where these are of no use.
    """

    centers: FloatArray
    fall: SinglesArray | None
    whole: _Factors
    leading: _Factors | None


class WideNearest:
    """Nearest centres of some points; a pass uses what the pass before found.

    Parameters
    ----------
    points : (n, d) float64 or float32
        Read-only.
    rows : (m,) int64
        The points to look at.
    run : callable
        Maps a function over strips, in order: ``map``, or that of a pool of threads.
    """

    def __init__(self, points: FloatArray, rows: IntArray, run: Callable[..., Any] = map) -> None:
        self._points, self._rows, self._run = points, rows, run
        self._shift = points.mean(axis=0, dtype=np.float64).astype(points.dtype)
        self._unit = _power_of_two(points, self._shift)
        self._labels, self._paid = np.full(len(rows), -1), np.empty(len(rows))
        self._lower = np.empty((len(rows), 0), dtype=np.float32)
        self._before: FloatArray | None = None

    def assign(self, centers: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the nearest centre of each row and the squared distance to it.

        Parameters
        ----------
        centers : (k, d) float64
            As many as the last time.

        Returns
        -------
        labels : (m,) int64
        paid : (m,) float64
        """
        if self._before is None:
            self._group(centers)
        now = self._pass_over(np.ascontiguousarray(centers[self._order], dtype=np.float64))
        step = min(_ROWS, max(64, _CELLS // len(centers)))
        strips = [slice(at, at + step) for at in range(0, len(self._rows), step)]
        list(self._run(lambda strip: self._search(strip, now), strips))
        self._before = now.centers
        return self._order[self._labels], self._paid.copy()

    def _pass_over(self, ordered: FloatArray) -> _Pass:
        scaled = self._scaled(ordered)
        if self._before is None:
            return _Pass(ordered, None, _factors(scaled), None)
        drift = np.sqrt(((ordered - self._before) ** 2).sum(axis=1))
        fall = np.maximum.reduceat(drift, self._start[:-1]).astype(np.float32)
        fall = np.nextafter(fall, np.float32(np.inf))
        return _Pass(ordered, fall, _factors(scaled), _factors(scaled @ self._basis))

    def _search(self, strip: slice, now: _Pass) -> None:
        """Find the nearest centres of a strip of rows, the quickest way that its bounds allow."""
        found = self._labels[strip], self._paid[strip], self._lower[strip]
        given = self._points, self._rows[strip], now.centers, self._start
        if now.fall is not None:
            number = lower_bounds(*given, now.fall, *found)
            if number <= _OPEN * len(found[0]) * len(now.centers):
                search_open(*given, self._group_of, *found)
                return
        if now.leading is not None:
            times, alone, doubt = _times(self._lead[strip], now.leading)
            # Leading coordinates are themselves products of matrices.
            doubt *= 2.0 * np.sqrt(_LEADING) * (self._points.shape[1] + _MORE) / (_LEADING + _MORE)
            leading = times, alone - doubt, now.leading.square, self._unit
            number = search_near(*given, self._group_of, *found, *leading)
            if number > _NEAR * times.size:
                now.leading = None  # of no use: the strips that follow go without
            return
        times, alone, doubt = _times(self._scaled(self._points[given[1]]), now.whole)
        whole = times, alone, now.whole.square, doubt, self._unit
        search_all(*given, self._order, *found, *whole)

    def _group(self, centers: FloatArray) -> None:
        """Group the centres, those near each other together."""
        k, most = len(centers), max(1, centers.shape[1] // 2)
        label = np.arange(k) if k <= most else _near_each_other(centers, most)
        self._order = np.argsort(label, kind="stable")
        self._group_of = np.unique(label, return_inverse=True)[1][self._order]
        self._start = np.searchsorted(self._group_of, np.arange(self._group_of[-1] + 2))
        self._lower = np.zeros((len(self._rows), len(self._start) - 1), dtype=np.float32)

    def _scaled(self, some: FloatArray) -> SinglesArray:
        """Return points or centres around the mean of all, in float32 and of moderate size."""
        return ((some - self._shift) / self._unit).astype(np.float32, copy=False)

    @cached_property
    def _basis(self) -> SinglesArray:
        """(d, p) orthonormal columns near the principal directions of a sample."""
        rng = np.random.default_rng(0)
        rows = rng.choice(self._rows, min(len(self._rows), _SAMPLE), replace=False)
        sample = self._scaled(self._points[np.sort(rows)])
        found = rng.normal(size=(sample.shape[1], min(_LEADING, sample.shape[1])))
        for _ in range(_POWERS):
            found = np.linalg.qr(sample.T @ (sample @ found.astype(np.float32)))[0]
        return np.linalg.qr(found.astype(np.float64))[0].astype(np.float32)

    @cached_property
    def _lead(self) -> SinglesArray:
        """(m, p) coordinates of the rows' points along the basis."""
        step, rows = _ROWS, self._rows
        strips = [rows[at : at + step] for at in range(0, len(rows), step)]
        return np.concatenate([self._scaled(self._points[some]) @ self._basis for some in strips])


def product_costs(
    centroid: FloatArray, mass: FloatArray, some: IntArray, centers: FloatArray
) -> FloatArray:
    """Return `some_costs` of many features by a product of matrices of float64.

    Squares are of distances from the mean of the centres, so data far from the origin lose no more
    digits than others.
    """
    middle = centers.mean(axis=0)
    points, around = centroid[some] - middle, centers - middle
    cost = points @ (-2.0 * around.T)
    cost += np.einsum("ij,ij->i", points, points)[:, None]
    cost += np.einsum("ij,ij->i", around, around)
    return np.asarray(mass[some, None] * np.maximum(cost, 0.0, out=cost))


def _power_of_two(points: FloatArray, shift: FloatArray) -> float:
    """Return a power of two not far from the largest coordinate; 1 where all are 0."""
    most = max(
        float(np.abs(points[at : at + _ROWS] - shift).max()) for at in range(0, len(points), _ROWS)
    )
    return float(np.ldexp(1.0, int(np.frexp(most)[1])))


def _factors(centers: SinglesArray) -> _Factors:
    square = np.einsum("ij,ij->i", centers, centers)
    times = np.ascontiguousarray(np.float32(-2.0) * centers.T)
    return _Factors(times, square, float(np.sqrt(square.max())))


def _times(
    some: SinglesArray, factors: _Factors
) -> tuple[SinglesArray, SinglesArray, SinglesArray]:
    """Return (m, k) products, (m,) squares, and (m,) what rounding may add to their sum."""
    own = np.einsum("ij,ij->i", some, some)
    # A sum of d products is off by d roundings at most, in any order of adding.
    share = np.float32((some.shape[1] + _MORE) * 2.0**-24)
    doubt = share * (np.sqrt(own) + factors.most) ** 2 + np.float32(_LEAST_DOUBT)
    return some @ factors.times, own, doubt


def _near_each_other(centers: FloatArray, most: int) -> IntArray:
    """Return (k,) labels of groups of centres, ``most`` groups at most."""
    middles = centers[np.linspace(0, len(centers) - 1, most).astype(np.int64)]
    labels = nearest_centers(centers, middles)
    for _ in range(_GROUPINGS):
        means = cluster_means(centers, labels, most)
        middles = np.where(np.isnan(means), middles, means)
        labels = nearest_centers(centers, middles)
    return labels
