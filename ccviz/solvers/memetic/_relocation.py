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

# --- Compiled posterior of a clustering with annotations ------------------------------------------
#
# The model of Gribel, Gendreau and Vidal (2022): points are Gaussian with one variance a cluster;
# must-links and cannot-links are Poisson counts between the clusters of their ends, one rate a pair
# of clusters and kind; a rate has an exponential prior whose mean comes from the accuracy p of the
# annotations. Everything but the labels is at its best value for them, in closed form.

LEAST_RATE = 1e-10  # A rate's logarithm is cut off here, as where no link of a kind is left


class Annotated(NamedTuple):
    """Points and annotations."""

    point: FloatArray
    start: IntArray  # (n + 1,): Where each point's links begin in ``neighbour`` and ``kind``
    # neighbour, kind, (2m,): The other end of a link; 0 for a must-link, 1 for a cannot-link.
    neighbour: IntArray
    kind: IntArray
    linked: IntArray  # linked, free: The points with a link, and those without
    free: IntArray
    accuracy: float  # p: the share of the annotations that are believed to be right; 0 for no prior
    least_variance: float


class Fit(NamedTuple):
    """A clustering and the sums of its posterior."""

    label: IntArray
    size: FloatArray
    total: FloatArray
    square: FloatArray  # (k,): Sum of squared norms of each cluster's points
    # (2, k, k): Links of each kind between clusters; twice their number inside one.
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


NEAR = 1e-3  # Largest relative change of a scale for the series, whose error is then below rounding
LEAST_GAIN = 1e-9  # Smallest gain that counts, relative to the cost


class CostParts(NamedTuple):
    """The cost of a fit by its parts, computed again after each move."""

    edges: FloatArray  # (2,): Links of each kind
    scale: FloatArray  # (2, 2): `prior_scales` of each kind
    part: FloatArray  # (2, 4, k, k): `rate_cost` of each kind and pair of clusters
    row: FloatArray  # (2, 4, k): The sums of each cluster's parts with all others
    total: FloatArray  # (2, 4, 2): The sums over clusters, and over pairs of two
    gaussian: FloatArray  # (k,): The points' part of each cluster
    norm: FloatArray  # (k,): Squared norm of each cluster's sum
    cost: FloatArray


class Pull(NamedTuple):
    """A point's links, and its cluster's parts without it."""

    links: FloatArray  # (2, k): Its links of each kind to each cluster
    left: FloatArray  # (2, 4, k): The parts of its cluster with each other one, once it has left
    rest: FloatArray  # (2, 4): Their sums


@njit(cache=True)
def relocate(data: Annotated, fit: Fit, order: IntArray) -> bool:
    """Move points to their best clusters by the whole posterior; return whether any moved.

    `fit`: Changed in place; no cluster empty, before and after.
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
        return change + _change_of_others(kind, a, c, scale, fit, costs, pull)
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
def _change_of_others(
    kind: int, a: int, c: int, scale: tuple[float, float], fit: Fit, costs: CostParts, pull: Pull
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

    `spread` (k,): Variance of each cluster.
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
