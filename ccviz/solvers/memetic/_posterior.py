"""Compiled posterior of a clustering with annotations.

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
    """A clustering and the sums of its posterior.

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
    scatter = fit.square[r] - (fit.total[r] ** 2).sum() / fit.size[r]
    return gaussian_of(fit.size[r], scatter, data.point.shape[1], data.least_variance)


@njit(cache=True)
def gaussian_of(size: float, scatter: float, d: int, least_variance: float) -> float:
    """Return the points' part of the cost of a cluster, by its size and sum of squares."""
    spread = max(scatter / (size * d), least_variance)
    return scatter / (2.0 * spread) + 0.5 * size * d * np.log(spread)


@njit(cache=True)
def annotation_cost(data: Annotated, fit: Fit) -> float:
    """Return the links' part, with the prior of their rates."""
    k, cost = len(fit.size), 0.0
    for kind in range(2):
        edges = 0.5 * fit.links[kind].sum()
        if edges == 0.0:
            continue
        scale = prior_scales(kind, edges, fit.size.sum(), (fit.size**2).sum(), data.accuracy)
        cost += prior_cost(k, scale)
        for r in range(k):
            for s in range(r, k):
                cost += pair_cost(kind, r, s, fit, scale)[0]
    return cost


@njit(cache=True)
def prior_cost(k: int, scale: tuple[float, float]) -> float:
    """Return the cost of the priors of one kind's rates, whatever the links."""
    if scale[0] == 0.0:
        return 0.0
    return -k * np.log(scale[0]) - 0.5 * k * (k - 1) * np.log(scale[1])


@njit(cache=True)
def pair_cost(
    kind: int, r: int, s: int, fit: Fit, scale: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Return the cost of a kind's links between two clusters, as `rate_cost` does."""
    pairs = fit.size[r] * fit.size[s]
    if r == s:
        return rate_cost(0.5 * fit.links[kind, r, r], 0.5 * pairs, scale[0])
    return rate_cost(fit.links[kind, r, s], pairs, scale[1])


@njit(cache=True)
def rate_cost(found: float, pairs: float, scale: float) -> tuple[float, float, float, float]:
    """Return the cost of links at their best rate, and its series in a change of the scale.

    The rate is found / (pairs + scale). The other three are the coefficients of the change, its
    square and its cube in the series of the cost.
    """
    if found == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    share = 1.0 / (pairs + scale)
    rate = found * share
    if rate <= LEAST_RATE:
        return found * (1.0 - np.log(LEAST_RATE)), 0.0, 0.0, 0.0
    return found * (1.0 - np.log(rate)), rate, -rate * share / 2.0, rate * share * share / 3.0


@njit(cache=True)
def prior_scales(
    kind: int, edges: float, n: float, squares: float, p: float
) -> tuple[float, float]:
    """Return the inverse prior means of the rates inside a cluster and between two.

    The mean is the number of links expected among n points at the accuracy p, where
    the clusters' squared sizes add up to ``squares``; both are 0 without a prior.
    """
    if p == 0.0:
        return 0.0, 0.0
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
