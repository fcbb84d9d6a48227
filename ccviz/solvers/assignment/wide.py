"""Nearest centres of points with many features, such as embeddings, from pass to pass.

Labels and costs are those of distances in float64, but few of these are computed:

- The first pass multiplies matrices of float32. Where their rounding leaves a doubt which centre is
  the nearest, distances in float64 decide.
- Later passes have a lower bound for each point and group of centres (Y. Ding et al.: Yinyang
  k-means, ICML 2015) and look at the groups that it leaves open.
- Where it leaves many open, the leading directions of the points, and the distances from their
  span, bound distances from below: a product of matrices of fewer columns. A sample shows how many
  directions take the least work. Points without such directions are multiplied as at first.

Beside the points there are at most half as many bounds as numbers, and half as many coordinates.
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
from ccviz.solvers.assignment.kernels.wide import lower_bounds, search_all, search_near, search_open
from ccviz.solvers.common.seeding import nearest_centers

SinglesArray = NDArray[np.float32]

_CELLS, _ROWS = 1 << 20, 512
"""The most distances computed together, and the points that they belong to, no fewer than centres:
a pass reads a strip of points twice, and finds it in the cache the second time."""
_OPEN = 0.12  # Share of open distances up to which they are computed one by one
_NEAR = 0.2  # Share of distances that leading directions may leave open to be of use
_LEADING = (32, 64, 128, 192, 256)
"""Numbers of leading directions, of which none is above half of the features."""
_SAMPLE, _TRIED, _POWERS = 2048, 512, 2
"""Points that the directions come from at most, others that they are tried on, and the iterations
of their search."""
_SHARE = 16  # Products in a pass over those in one iteration of that search, at least
_PASSES = 10  # Passes among which the work for the points' coordinates is divided
_ALONE = 6.0  # Time of a distance computed by itself over its time in a product of matrices
_GROUPINGS = 5  # Iterations of the k-means that groups the centres
_MORE = 16  # Roundings of a squared distance beside those of its sum
_MODERATE = 1024.0
"""The largest coordinate, and one over the least one, whose squares are no trouble in float32."""
_LEAST_DOUBT = 1e-30  # Doubt about squares so small that float32 has no digits for them


@dataclass(frozen=True, eq=False)
class _Factors:
    """Centres as factors of products of matrices, in the order of their groups."""

    times: SinglesArray
    square: SinglesArray
    most: float  # The largest distance of a centre from the origin


@dataclass(eq=False)
class _Pass:
    """What all strips of a pass share."""

    centers: FloatArray  # (k, d): In the order of their groups
    # (g,): At least the distance that each group's centres moved; None at first.
    fall: SinglesArray | None
    # whole, leading: All coordinates of the centres; and the leading ones with the distance from
    # their span, None where these are of no use.
    whole: _Factors
    leading: _Factors | None


class WideNearest:
    """Nearest centres of some points; a pass uses what the pass before found.

    `points` (n, d): Read-only. `rows` (m,): The points to look at. `run`: Maps a function over
    strips, in order: ``map``, or that of a pool of threads.
    """

    def __init__(self, points: FloatArray, rows: IntArray, run: Callable[..., Any] = map) -> None:
        self._points, self._rows, self._run = points, rows, run
        self._shift = _shift_of(points)
        self._unit = _power_of_two(points, self._shift)
        self._labels, self._paid = np.full(len(rows), -1), np.empty(len(rows))
        self._lower = np.empty((len(rows), 0), dtype=np.float32)
        self._own = np.empty(len(rows), dtype=np.float32)
        self._before: FloatArray | None = None
        self._basis: SinglesArray | None = None
        self._passes = 0

    def assign(self, centers: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the nearest centre of each row and the squared distance to it.

        `centers` (k, d): As many as the last time.
        """
        if self._before is None:
            self._group(centers)
        now = self._pass_over(np.ascontiguousarray(centers[self._order], dtype=np.float64))
        step = min(max(_ROWS, len(centers)), max(64, _CELLS // len(centers)))
        strips = [slice(at, at + step) for at in range(0, len(self._rows), step)]
        list(self._run(lambda strip: self._search(strip, now), strips))
        self._before, self._passes = now.centers, self._passes + 1
        return self._order[self._labels], self._paid.copy()

    def _pass_over(self, ordered: FloatArray) -> _Pass:
        scaled = self._scaled(ordered)
        if self._before is None:
            return _Pass(ordered, None, _factors(scaled), None)
        drift = np.sqrt(((ordered - self._before) ** 2).sum(axis=1))
        fall = np.maximum.reduceat(drift, self._start[:-1]).astype(np.float32)
        fall = np.nextafter(fall, np.float32(np.inf))
        if self._passes == 1:
            self._basis = self._best_basis(scaled)
        if self._basis is None:
            given = fall if self._may_be_few(ordered, fall) else None
            return _Pass(ordered, given, _factors(scaled), None)
        return _Pass(ordered, fall, _factors(scaled), _factors(_lead(scaled, self._basis)))

    def _may_be_few(self, ordered: FloatArray, fall: SinglesArray) -> bool:
        """Return whether bounds may leave few distances open, as they do for some of the rows."""
        step = max(1, len(self._rows) // _TRIED)
        rows, *found = (
            each[::step].copy() for each in (self._rows, self._labels, self._paid, self._lower)
        )
        number = lower_bounds(self._points, rows, ordered, self._start, fall, *found)
        return number <= 2.0 * _OPEN * len(rows) * len(ordered)

    def _search(self, strip: slice, now: _Pass) -> None:
        """Find the nearest centres of a strip of rows, the quickest way that its bounds allow."""
        found = self._labels[strip], self._paid[strip], self._lower[strip]
        given = self._points, self._rows[strip], now.centers, self._start
        if now.fall is not None:
            number = lower_bounds(*given, now.fall, *found)
            if number <= _OPEN * len(found[0]) * len(now.centers):
                search_open(*given, self._group_of, *found)
                return
        if now.leading is not None and self._basis is not None:
            leads, own = (each[strip] for each in self._leads)
            roundings = _lead_roundings(*self._basis.shape)
            times, doubt = _times(leads, own, now.leading, roundings)
            leading = times, own - doubt, now.leading.square, self._unit
            number = search_near(*given, self._group_of, *found, *leading)
            if number > _NEAR * times.size:
                now.leading = None  # of no use: the strips that follow go without
            return
        some = self._scaled_rows(strip)
        own = self._own[strip]
        if self._before is None:
            own[:] = _square(some)
        times, doubt = _times(some, own, now.whole, some.shape[1] + _MORE)
        whole = times, own, now.whole.square, doubt, self._unit
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
        around = some if self._shift is None else some - self._shift
        return (around if self._unit == 1.0 else around / self._unit).astype(np.float32, copy=False)

    def _scaled_rows(self, strip: slice) -> SinglesArray:
        """Return the points of a strip of rows; a copy only where one is needed."""
        rows = self._rows[strip]
        first, after = int(rows[0]), int(rows[-1]) + 1
        # Rows are in order: as many as between the first and the last are all of them.
        is_whole = after - first == len(rows)
        return self._scaled(self._points[first:after] if is_whole else self._points[rows])

    def _best_basis(self, centers: SinglesArray) -> SinglesArray | None:
        """Return (d, p) nearly orthonormal columns near the principal directions of a sample.

        Their number is the one that takes the least work between the sample and the centres; None
        if products of all features take less.
        """
        rng, (k, d) = np.random.default_rng(0), centers.shape
        numbers = [p for p in _LEADING if 2 * p <= d] or [max(1, d // 2)]
        size = min(_SAMPLE, len(self._rows) * k // (_SHARE * numbers[-1]))
        if size < 2 * numbers[-1]:
            return None
        rows = rng.choice(self._rows, min(len(self._rows), size + _TRIED), replace=False)
        # Tried on points of its own a basis seems better than it is.
        tried, sample = (
            self._scaled(self._points[np.sort(some)])
            for some in np.split(rows, [min(_TRIED, len(rows) // 4)])
        )
        found = rng.standard_normal((d, numbers[-1]), np.float32)
        for _ in range(_POWERS):
            found = np.linalg.qr(sample.T @ (sample @ found))[0]
        # Not only the span: the first columns alone are to be near the first directions.
        along = sample @ found
        turn = np.linalg.eigh(along.T @ along)[1][:, ::-1]
        basis = np.linalg.qr(found.astype(np.float64) @ turn)[0].astype(np.float32)
        least = _squares(tried, centers).min(axis=1, keepdims=True)
        work = []
        for p in numbers:
            leads, led_to = _lead(tried, basis[:, :p]), _lead(centers, basis[:, :p])
            is_open = _squares(leads, led_to) < least  # as far as the leads say
            work.append(p * (1 + d / (_PASSES * k)) + _ALONE * d * float(is_open.mean()))
        if min(work) >= d:
            return None
        return np.ascontiguousarray(basis[:, : numbers[int(np.argmin(work))]])

    @cached_property
    def _leads(self) -> tuple[SinglesArray, SinglesArray]:
        """(m, p + 1) coordinates of the rows' points, see `_lead`, and (m,) their squares."""
        assert self._basis is not None
        leads = np.empty((len(self._rows), self._basis.shape[1] + 1), dtype=np.float32)
        for at in range(0, len(leads), _ROWS):
            strip = slice(at, at + _ROWS)
            leads[strip] = _lead(self._scaled_rows(strip), self._basis)
        return leads, _square(leads)


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


def _shift_of(points: FloatArray) -> FloatArray | None:
    """Return the mean of some points if they are far from the origin: there they lose digits."""
    some = points[:: max(1, len(points) // _SAMPLE)].astype(np.float64)
    mean = some.mean(axis=0)
    is_far = (mean**2).sum() > 0.5 * (some**2).sum() / len(some)
    return mean.astype(points.dtype) if is_far else None


def _power_of_two(points: FloatArray, shift: FloatArray | None) -> float:
    """Return a power of two not far from the largest coordinate; 1 where that will do."""
    most = max(
        max(float(some.max()), -float(some.min()))
        for some in (
            points[at : at + _ROWS] if shift is None else points[at : at + _ROWS] - shift
            for at in range(0, len(points), _ROWS)
        )
    )
    if most == 0.0 or _MODERATE**-1 <= most <= _MODERATE:
        return 1.0
    return float(np.ldexp(1.0, int(np.frexp(most)[1])))


def _factors(centers: SinglesArray) -> _Factors:
    square = _square(centers)
    times = np.ascontiguousarray(np.float32(-2.0) * centers.T)
    return _Factors(times, square, float(np.sqrt(square.max())))


def _lead(some: SinglesArray, basis: SinglesArray) -> SinglesArray:
    """Return (m, p + 1) coordinates along a basis, and at least the distance from its span.

    Their distances, less roundings, are no larger than those of the points: what is left of two
    points outside the span has a product no larger than that of the distances from it.
    """
    leads, square = some @ basis, _square(some)
    beside = np.maximum(square - _square(leads), np.float32(0.0))
    beside += np.float32(_beside_roundings(*basis.shape) * 2.0**-24) * square
    return np.concatenate([leads, np.sqrt(beside)[:, None]], axis=1)


def _beside_roundings(d: int, p: int) -> float:
    """Return the roundings of a square less that of p coordinates, each off by d roundings."""
    return float((2.0 * np.sqrt(p) + 2.0) * (d + _MORE))


def _lead_roundings(d: int, p: int) -> float:
    """Return the roundings of a squared distance of leads.

    These are twice those above, once for each of the points, and those of a product. Products of
    coordinates are off by no more, as the square of a sum has each product twice.
    """
    return 2.0 * _beside_roundings(d, p) + p + 1 + _MORE


def _squares(some: SinglesArray, centers: SinglesArray) -> SinglesArray:
    """Return (m, k) rounded squared distances."""
    factors = _factors(centers)
    return some @ factors.times + _square(some)[:, None] + factors.square


def _square(some: SinglesArray) -> SinglesArray:
    """Return (m,) squared distances from the origin."""
    return np.asarray(np.einsum("ij,ij->i", some, some))


def _times(
    some: SinglesArray, own: SinglesArray, factors: _Factors, roundings: float
) -> tuple[SinglesArray, SinglesArray]:
    """Return (m, k) products, and (m,) what rounding may add to their sum with the squares.

    A sum of d products is off by d roundings at most, in any order of adding.
    """
    share = np.float32(roundings * 2.0**-24)
    doubt = share * (np.sqrt(own) + factors.most) ** 2 + np.float32(_LEAST_DOUBT)
    return some @ factors.times, doubt.astype(np.float32, copy=False)


def _near_each_other(centers: FloatArray, most: int) -> IntArray:
    """Return (k,) labels of groups of centres, ``most`` groups at most."""
    middles = centers[np.linspace(0, len(centers) - 1, most).astype(np.int64)]
    labels = nearest_centers(centers, middles)
    for _ in range(_GROUPINGS):
        means = cluster_means(centers, labels, most)
        middles = np.where(np.isnan(means), middles, means)
        labels = nearest_centers(centers, middles)
    return labels
