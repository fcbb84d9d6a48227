"""Compiled steps of the local search of HG-means, and the change by a move of one point.

A move from cluster a to c changes the sizes and links of two clusters, so of the k^2 pairs of
clusters only those with a or c are counted again: O(k) for each cluster that a point may go to.
All others change through the prior alone, whose scale depends on all sizes together. Series that
are summed beforehand (`CostParts`) give the effect of such a small change of the scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import squared_distances
from ccviz.solvers.memetic._posterior import (
    Annotated,
    Fit,
    gaussian_cost,
    gaussian_of,
    pair_cost,
    prior_cost,
    prior_scales,
    rate_cost,
    shift,
)

NEAR = 1e-3
"""Largest relative change of a scale for the series, whose error is then below rounding."""

LEAST_GAIN = 1e-9
"""Smallest gain that counts, relative to the cost."""


class CostParts(NamedTuple):
    """The cost of a fit by its parts, computed again after each move.

    Attributes
    ----------
    edges : (2,) float64
        Links of each kind.
    scale : (2, 2) float64
        `prior_scales` of each kind.
    part : (2, 4, k, k) float64
        `rate_cost` of each kind and pair of clusters.
    row : (2, 4, k) float64
        The sums of each cluster's parts with all others.
    total : (2, 4, 2) float64
        The sums over clusters, and over pairs of two.
    gaussian : (k,) float64
        The points' part of each cluster.
    norm : (k,) float64
        Squared norm of each cluster's sum.
    cost : (1,) float64
        Of the fit.
    """

    edges: FloatArray
    scale: FloatArray
    part: FloatArray
    row: FloatArray
    total: FloatArray
    gaussian: FloatArray
    norm: FloatArray
    cost: FloatArray


class Pull(NamedTuple):
    """A point's links, and its cluster's parts without it.

    Attributes
    ----------
    links : (2, k) float64
        Its links of each kind to each cluster.
    left : (2, 4, k) float64
        The parts of its cluster with each other one, once it has left.
    rest : (2, 4) float64
        Their sums.
    """

    links: FloatArray
    left: FloatArray
    rest: FloatArray


@njit(cache=True)
def relocate(data: Annotated, fit: Fit, order: IntArray) -> bool:
    """Move points to their best clusters by the whole posterior; return whether any moved.

    Parameters
    ----------
    data : Annotated
    fit : Fit
        Changed in place; no cluster empty, before and after.
    order : int64
        The points in the order in which they are tried.
    """
    k, moved = len(fit.size), False
    costs = CostParts(
        np.array([0.5 * fit.links[0].sum(), 0.5 * fit.links[1].sum()]),
        np.zeros((2, 2)),
        np.zeros((2, 4, k, k)),
        np.zeros((2, 4, k)),
        np.zeros((2, 4, 2)),
        np.zeros(k),
        np.zeros(k),
        np.zeros(1),
    )
    pull = Pull(np.zeros((2, k)), np.zeros((2, 4, k)), np.zeros((2, 4)))
    count(data, fit, costs)
    for i in order:
        if fit.size[fit.label[i]] < 2.0:
            continue
        weigh(i, data, fit, costs, pull)
        c = _best_cluster(i, data, fit, costs, pull)
        if c != fit.label[i]:
            shift(i, c, data, fit)
            count(data, fit, costs)
            moved = True
    return moved


@njit(cache=True)
def count(data: Annotated, fit: Fit, costs: CostParts) -> None:
    """Bring the costs up to date."""
    k = len(fit.size)
    n, squares = fit.size.sum(), (fit.size**2).sum()
    costs.row[:] = 0.0
    costs.total[:] = 0.0
    cost = 0.0
    for r in range(k):
        costs.norm[r] = (fit.total[r] ** 2).sum()
        costs.gaussian[r] = gaussian_cost(r, data, fit)
        cost += costs.gaussian[r]
    for kind in range(2):
        if costs.edges[kind] == 0.0:
            continue
        scale = prior_scales(kind, costs.edges[kind], n, squares, data.accuracy)
        costs.scale[kind, 0], costs.scale[kind, 1] = scale
        for r in range(k):
            for s in range(r, k):
                _enter(kind, r, s, pair_cost(kind, r, s, fit, scale), costs)
        cost += prior_cost(k, scale) + costs.total[kind, 0].sum()
    costs.cost[0] = cost


@njit(cache=True)
def _enter(
    kind: int, r: int, s: int, parts: tuple[float, float, float, float], costs: CostParts
) -> None:
    for q in range(4):
        costs.part[kind, q, r, s] = costs.part[kind, q, s, r] = parts[q]
        costs.total[kind, q, 0 if r == s else 1] += parts[q]
        if r != s:
            costs.row[kind, q, r] += parts[q]
            costs.row[kind, q, s] += parts[q]


@njit(cache=True)
def weigh(i: int, data: Annotated, fit: Fit, costs: CostParts, pull: Pull) -> None:
    """Count a point's links, and the cost of its cluster's links without it."""
    a = fit.label[i]
    pull.links[:] = 0.0
    pull.rest[:] = 0.0
    for e in range(data.start[i], data.start[i + 1]):
        pull.links[data.kind[e], fit.label[data.neighbour[e]]] += 1.0
    for kind in range(2):
        if costs.edges[kind] == 0.0:
            continue
        for s in range(len(fit.size)):
            if s == a:
                continue
            found = fit.links[kind, a, s] - pull.links[kind, s]
            parts = rate_cost(found, (fit.size[a] - 1.0) * fit.size[s], costs.scale[kind, 1])
            for q in range(4):
                pull.left[kind, q, s] = parts[q]
                pull.rest[kind, q] += parts[q]


@njit(cache=True)
def _best_cluster(i: int, data: Annotated, fit: Fit, costs: CostParts, pull: Pull) -> int:
    """Return the cluster where the cost is least, the point's own unless another is better."""
    best = fit.label[i]
    least = -LEAST_GAIN * (1.0 + abs(costs.cost[0]))
    for c in range(len(fit.size)):
        if c != fit.label[i]:
            change = change_of(i, c, data, fit, costs, pull)
            if change < least:
                best, least = c, change
    return best


@njit(cache=True)
def change_of(i: int, c: int, data: Annotated, fit: Fit, costs: CostParts, pull: Pull) -> float:
    """Return the change of the cost if point i, whose links were counted, moves to cluster c."""
    change = _points_change(i, c, data, fit, costs)
    for kind in range(2):
        if costs.edges[kind] > 0.0:
            change += _links_change(kind, fit.label[i], c, data.accuracy, fit, costs, pull)
    return change


@njit(cache=True)
def _points_change(i: int, c: int, data: Annotated, fit: Fit, costs: CostParts) -> float:
    a, d = fit.label[i], data.point.shape[1]
    own, to_a, to_c = 0.0, 0.0, 0.0
    for j in range(d):
        value = data.point[i, j]
        own += value * value
        to_a += value * fit.total[a, j]
        to_c += value * fit.total[c, j]
    fewer, more = fit.size[a] - 1.0, fit.size[c] + 1.0
    scatter_a = fit.square[a] - own - (costs.norm[a] - 2.0 * to_a + own) / fewer
    scatter_c = fit.square[c] + own - (costs.norm[c] + 2.0 * to_c + own) / more
    after = gaussian_of(fewer, scatter_a, d, data.least_variance)
    after += gaussian_of(more, scatter_c, d, data.least_variance)
    return after - costs.gaussian[a] - costs.gaussian[c]


@njit(cache=True)
def _links_change(
    kind: int, a: int, c: int, accuracy: float, fit: Fit, costs: CostParts, pull: Pull
) -> float:
    k = len(fit.size)
    inside, across = costs.scale[kind]
    squares = (fit.size**2).sum() + 2.0 * (fit.size[c] - fit.size[a] + 1.0)
    scale = prior_scales(kind, costs.edges[kind], fit.size.sum(), squares, accuracy)
    wider, further = scale[0] - inside, scale[1] - across
    change = prior_cost(k, scale) - prior_cost(k, (inside, across))
    part, row = costs.part[kind], costs.row[kind]
    change -= row[0, a] + row[0, c] - part[0, a, c] + part[0, a, a] + part[0, c, c]
    change += _pairs_of_both(kind, a, c, scale, fit, pull)
    for s in range(k):
        if s != a and s != c:
            found = fit.links[kind, c, s] + pull.links[kind, s]
            change += rate_cost(found, (fit.size[c] + 1.0) * fit.size[s], scale[1])[0]
    if abs(wider) > NEAR * inside or abs(further) > NEAR * across:
        return change + _others_anew(kind, a, c, scale, fit, costs, pull)
    power = np.array([1.0, further, further**2, further**3])
    change += pull.rest[kind, 0] - pull.left[kind, 0, c]
    for q in range(1, 4):
        others = costs.total[kind, q, 1] - row[q, a] - row[q, c] + part[q, a, c]
        change += (others + pull.rest[kind, q] - pull.left[kind, q, c]) * power[q]
        change += (costs.total[kind, q, 0] - part[q, a, a] - part[q, c, c]) * wider**q
    return change


@njit(cache=True)
def _pairs_of_both(
    kind: int, a: int, c: int, scale: tuple[float, float], fit: Fit, pull: Pull
) -> float:
    """Return the cost of the links inside the two clusters and between them after the move."""
    links, fewer, more = fit.links[kind], fit.size[a] - 1.0, fit.size[c] + 1.0
    to_a, to_c = pull.links[kind, a], pull.links[kind, c]
    cost = rate_cost(0.5 * links[a, a] - to_a, 0.5 * fewer * fewer, scale[0])[0]
    cost += rate_cost(0.5 * links[c, c] + to_c, 0.5 * more * more, scale[0])[0]
    return cost + rate_cost(links[a, c] - to_c + to_a, fewer * more, scale[1])[0]


@njit(cache=True)
def _others_anew(
    kind: int,
    a: int,
    c: int,
    scale: tuple[float, float],
    fit: Fit,
    costs: CostParts,
    pull: Pull,
) -> float:
    """Return the cost of the left cluster's pairs, and the change of those of neither cluster."""
    change, k = 0.0, len(fit.size)
    for r in range(k):
        if r in (a, c):
            continue
        found = fit.links[kind, a, r] - pull.links[kind, r]
        change += rate_cost(found, (fit.size[a] - 1.0) * fit.size[r], scale[1])[0]
        for s in range(r, k):
            if s != a and s != c:
                change += pair_cost(kind, r, s, fit, scale)[0] - costs.part[kind, 0, r, s]
    return change


@njit(cache=True)
def assign_likeliest(
    data: Annotated, fit: Fit, free: IntArray, centers: FloatArray, spread: FloatArray
) -> bool:
    """Give each of some points the cluster in which it is most likely; return whether any moved.

    Parameters
    ----------
    data : Annotated
    fit : Fit
        Changed in place.
    free : int64
        Points without links.
    centers : (k, d) float64
    spread : (k,) float64
        Variance of each cluster.
    """
    k, d, moved = len(spread), data.point.shape[1], False
    turned, cost = np.ascontiguousarray(centers.T), np.empty(k)
    for i in free:
        squared_distances(data.point[i], turned, cost)
        best, least = fit.label[i], np.inf
        for r in range(k):
            cost[r] = cost[r] / (2.0 * spread[r]) + 0.5 * d * np.log(spread[r])
            if cost[r] < least:
                best, least = r, cost[r]
        if best != fit.label[i] and fit.size[fit.label[i]] > 1.0:
            shift(i, best, data, fit)
            moved = True
    return moved
