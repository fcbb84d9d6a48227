"""Compiled posterior of a clustering with annotations, and its local search.

The model of Gribel, Gendreau and Vidal (2022): points are Gaussian with one variance a cluster;
must-links and cannot-links are Poisson counts between the clusters of their ends, one rate a pair
of clusters and kind; a rate has an exponential prior whose mean comes from the accuracy p of the
annotations. Everything but the labels is at its best value for them, in closed form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit

LEAST_RATE = 1e-10
"""A rate's logarithm is cut off here, as where no link of a kind is left."""


class Annotated(NamedTuple):
    """Points and annotations.

    Attributes
    ----------
    point : (n, d) float64
    start : (n + 1,) int64
        Where each point's links begin in ``neighbour`` and ``kind``.
    neighbour, kind : (2m,) int64
        The other end of a link; 0 for a must-link, 1 for a cannot-link.
    linked, free : int64
        The points with a link, and those without.
    accuracy : float
        p: the share of the annotations that are believed to be right; 0 for no prior.
    least_variance : float
        A cluster of one point would have none, and infinite likelihood.
    """

    point: FloatArray
    start: IntArray
    neighbour: IntArray
    kind: IntArray
    linked: IntArray
    free: IntArray
    accuracy: float
    least_variance: float


class Fit(NamedTuple):
    """A clustering and the sums that its posterior is made of.

    Attributes
    ----------
    label : (n,) int64
    size : (k,) float64
    total : (k, d) float64
    square : (k,) float64
        Sum of squared norms of each cluster's points.
    links : (2, k, k) float64
        Links of each kind between clusters; twice their number inside one.
    """

    label: IntArray
    size: FloatArray
    total: FloatArray
    square: FloatArray
    links: FloatArray


@njit(cache=True)
def open_fit(data: Annotated, label: IntArray, k: int) -> Fit:
    """Return the fit of (n,) labels."""
    d = data.point.shape[1]
    fit = Fit(label.copy(), np.zeros(k), np.zeros((k, d)), np.zeros(k), np.zeros((2, k, k)))
    for i in range(len(label)):
        r = label[i]
        fit.size[r] += 1.0
        fit.total[r] += data.point[i]
        fit.square[r] += (data.point[i] ** 2).sum()
        for e in range(data.start[i], data.start[i + 1]):
            fit.links[data.kind[e], r, label[data.neighbour[e]]] += 1.0
    return fit


@njit(cache=True)
def posterior_cost(data: Annotated, fit: Fit) -> float:
    """Return the negative logarithm of the posterior, up to a constant."""
    cost = annotation_cost(data, fit)
    for r in range(len(fit.size)):
        cost += gaussian_cost(r, data, fit)
    return cost


@njit(cache=True)
def variance(r: int, data: Annotated, fit: Fit) -> float:
    """Return the variance of cluster r per feature."""
    scatter = fit.square[r] - (fit.total[r] ** 2).sum() / fit.size[r]
    return max(scatter / (fit.size[r] * data.point.shape[1]), data.least_variance)


@njit(cache=True)
def gaussian_cost(r: int, data: Annotated, fit: Fit) -> float:
    """Return the points' part of cluster r."""
    if fit.size[r] == 0.0:
        return 0.0
    spread = variance(r, data, fit)
    scatter = fit.square[r] - (fit.total[r] ** 2).sum() / fit.size[r]
    return scatter / (2.0 * spread) + 0.5 * fit.size[r] * data.point.shape[1] * np.log(spread)


@njit(cache=True)
def annotation_cost(data: Annotated, fit: Fit) -> float:
    """Return the links' part, with the prior of their rates."""
    k, cost = len(fit.size), 0.0
    for kind in range(2):
        inside, across = prior_scales(kind, data, fit)
        if inside < 0.0:
            continue
        for r in range(k):
            for s in range(r, k):
                scale = inside if r == s else across
                pairs = fit.size[r] * fit.size[s]
                half = 0.5 if r == s else 1.0
                found = fit.links[kind, r, s]
                rate = found / (pairs + scale / half) if found > 0.0 else 0.0
                cost -= half * (found * np.log(max(rate, LEAST_RATE)) - rate * pairs)
                if scale > 0.0:
                    cost -= np.log(scale) - scale * rate
    return cost


@njit(cache=True)
def prior_scales(kind: int, data: Annotated, fit: Fit) -> tuple[float, float]:
    """Return the inverse prior means of the rates inside a cluster and between two.

    The mean is what the accuracy lets expect of so many links of the kind; both are 0 without a
    prior and -1 if there is no such link.
    """
    edges, p = 0.5 * fit.links[kind].sum(), data.accuracy
    if edges == 0.0:
        return -1.0, -1.0
    if p == 0.0:
        return 0.0, 0.0
    n = fit.size.sum()
    squares = (fit.size**2).sum()
    inside, across = 0.5 * (squares + n), 0.5 * (n * n - squares)
    if kind == 0:
        right = (p * inside + (1.0 - p) * across) / (edges * p)
        return right, right * p / (1.0 - p)
    right = ((1.0 - p) * inside + p * across) / (edges * p)
    return right * p / (1.0 - p), right


@njit(cache=True)
def shift(i: int, c: int, data: Annotated, fit: Fit) -> None:
    """Move point i to cluster c."""
    a = fit.label[i]
    for j in range(data.point.shape[1]):
        value = data.point[i, j]
        fit.total[a, j] -= value
        fit.total[c, j] += value
        fit.square[a] -= value * value
        fit.square[c] += value * value
    fit.size[a] -= 1.0
    fit.size[c] += 1.0
    fit.label[i] = c
    for e in range(data.start[i], data.start[i + 1]):
        s, kind = fit.label[data.neighbour[e]], data.kind[e]
        fit.links[kind, a, s] -= 1.0
        fit.links[kind, s, a] -= 1.0
        fit.links[kind, c, s] += 1.0
        fit.links[kind, s, c] += 1.0


@njit(cache=True)
def search(
    data: Annotated, label: IntArray, k: int, order: IntArray, most: int
) -> tuple[IntArray, float, int]:
    """Relocate linked points by the posterior and assign free ones by likelihood, in turn.

    Parameters
    ----------
    label : (n,) int64
        No cluster empty.
    order : int64
        The linked points in the order in which they are tried.
    most : int
        Sweeps at most.

    Returns
    -------
    label : (n,) int64
    cost : float
    sweeps : int
    """
    fit, sweeps = open_fit(data, label, k), 0
    for _ in range(most):
        before = sweeps
        while sweeps < most and _relocate_linked(data, fit, order):
            sweeps += 1
        while sweeps < most and _assign_free(data, fit):
            sweeps += 1
        if sweeps == before:
            break
    fit = open_fit(data, fit.label, k)
    return fit.label, posterior_cost(data, fit), sweeps + 1


@njit(cache=True)
def _relocate_linked(data: Annotated, fit: Fit, order: IntArray) -> bool:
    """Move each linked point to its best cluster by the whole posterior."""
    moved = False
    for i in order:
        a = fit.label[i]
        if fit.size[a] < 2.0:
            continue
        best, least = a, posterior_cost(data, fit)
        least -= 1e-9 * (1.0 + abs(least))
        for c in range(len(fit.size)):
            if c != a:
                shift(i, c, data, fit)
                cost = posterior_cost(data, fit)
                if cost < least:
                    best, least = c, cost
        shift(i, best, data, fit)
        moved |= best != a
    return moved


@njit(cache=True)
def _assign_free(data: Annotated, fit: Fit) -> bool:
    """Give each point without links the cluster in which it is most likely."""
    k, d = fit.total.shape
    centers, spread = np.empty((k, d)), np.empty(k)
    for r in range(k):
        centers[r] = fit.total[r] / fit.size[r]
        spread[r] = variance(r, data, fit)
    moved = False
    for i in data.free:
        best, least = fit.label[i], np.inf
        for r in range(k):
            cost = ((data.point[i] - centers[r]) ** 2).sum() / (2.0 * spread[r])
            cost += 0.5 * d * np.log(spread[r])
            if cost < least:
                best, least = r, cost
        if best != fit.label[i] and fit.size[fit.label[i]] > 1.0:
            shift(i, best, data, fit)
            moved = True
    return moved
