"""A clustering of a problem's points, its objective, its violations and its scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray, freeze, row_strips
from ccviz.errors import CcvizError
from ccviz.problem.asked import label_rules
from ccviz.problem.fixed_centers import order_of
from ccviz.problem.links import Links
from ccviz.problem.points import unknown_classes
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import KeptRule, kept_rules
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import IMPLIED

__all__ = ["Partition", "Violations", "cluster_means", "cluster_squares", "cluster_sums"]

# --- How much a clustering agrees with known classes: indices of pairs and of information ---------
#
# The formulas are those of Hubert and Arabie (1985) and of Vinh, Epps and Bailey (2010), and the
# values those of `sklearn.metrics`, which takes a second to load.


def agreement(truth: IntArray, labels: IntArray) -> dict[str, float]:
    """Return the adjusted Rand index and others.

    Returns: ``ari`` adjusted Rand index, ``ami`` adjusted and ``nmi`` normalised mutual information
    (by the mean of the entropies), ``mirkin`` the share of pairs that are together in one and apart
    in the other, ``hubert`` one less twice that. Points of no known class do not count; without
    any other there are no scores.
    """
    known = ~unknown_classes(truth)
    if not known.any():
        return {}
    table = contingency(truth[known], labels[known])
    mirkin, ari = _pair_indices(table)
    adjusted, normalised = _shared_information(table)
    return {
        "ari": ari,
        "ami": adjusted,
        "nmi": normalised,
        "mirkin": mirkin,
        "hubert": 1.0 - 2.0 * mirkin,
    }


def contingency(truth: IntArray, labels: IntArray) -> IntArray:
    """Return how many points of each class are in each cluster, both in rising order."""
    classes, row = np.unique(truth, return_inverse=True)
    clusters, column = np.unique(labels, return_inverse=True)
    cells = np.bincount(row * len(clusters) + column, minlength=len(classes) * len(clusters))
    return cells.reshape(len(classes), len(clusters)).astype(np.int64)


def _pair_indices(table: IntArray) -> tuple[float, float]:
    n = int(table.sum())
    pairs = n * (n - 1)
    both = int((table * (table - 1)).sum())
    rows, columns = (int((sums * (sums - 1)).sum()) for sums in (table.sum(1), table.sum(0)))
    mirkin = (rows + columns - 2 * both) / max(pairs, 1)
    # Numbers of pairs are exact integers; in this form the index is 1 for equal partitions.
    together_in_one, together_in_other = rows - both, columns - both
    apart = pairs - rows - columns + both
    if together_in_one == together_in_other == 0:
        return mirkin, 1.0
    numerator = 2 * (both * apart - together_in_one * together_in_other)
    denominator = (both + together_in_one) * (together_in_one + apart) + (
        both + together_in_other
    ) * (together_in_other + apart)
    return mirkin, numerator / denominator


def _entropy(sizes: IntArray) -> float:
    share = sizes[sizes > 0] / sizes.sum()
    return float(max(-(share * np.log(share)).sum(), 0.0))


def _shared_information(table: IntArray) -> tuple[float, float]:
    """Return the adjusted and the normalised mutual information."""
    n, (r, c), rows, columns = int(table.sum()), table.shape, table.sum(1), table.sum(0)
    if r == c == 1 or r == c == n:  # one cluster each, or only single points: equal
        return 1.0, 1.0
    row, column = np.nonzero(table)
    share = table[row, column] / n
    by_chance = rows[row] * (columns[column] / n) / n
    information = float(max((share * np.log(share / by_chance)).sum(), 0.0))
    mean = (_entropy(rows) + _entropy(columns)) / 2
    # Of random partitions with the same sizes, on average.
    logs = np.fromiter(map(math.lgamma, range(1, n + 2)), np.float64, n + 1)  # of the factorials
    expected = float(sum(_expected(a, b, logs) for a in rows.tolist() for b in columns.tolist()))
    above = mean - expected
    least = float(np.finfo(float).eps)  # of a difference that rounding may have made 0
    above = min(above, -least) if above < 0 else max(above, least)
    return (information - expected) / above, information / mean if information > least else 0.0


def _expected(a: int, b: int, logs: FloatArray) -> float:
    """Return the share of a class of a points and a cluster of b (Vinh et al., equation 4)."""
    n = len(logs) - 1
    first = max(1, a + b - n)
    shared = np.arange(first, min(a, b) + 1)
    log_ways = logs[a] + logs[b] + logs[n - a] + logs[n - b] - logs[n]
    log_ways = log_ways - sum(logs[left] for left in (shared, a - shared, b - shared))
    log_ways -= logs[n - a - b + shared]
    information = shared / n * (np.log(n * shared.astype(np.float64)) - np.log(float(a) * b))
    return float((information * np.exp(log_ways)).sum())


_CELLS = 1 << 16  # cells of the table processed at a time, a few columns of it
_WIDE = 32  # features from which some rows are processed at a time
_SOME = 1024  # points at least whose mean is near enough to measure the spread from
_DIGITS = 1e3  # a difference that is a smaller share of its parts loses too many digits


@dataclass(frozen=True)
class Violations:
    """How many constraints a partition breaks.

    Attributes
    ----------
    must_link, cannot_link : int
        Broken links, hard and soft; without links that rules were reduced to.
    hard : int
        Broken hard links of both kinds, with links that rules were reduced to.
    sizes : int
        Clusters with too few or too many points, those without weight included.
    rules : int
        Clusters that break an anti-monotone constraint, and broken kinds of links and of sizes
        that rules were reduced to.
    neighbors : int
        Clusters that fall apart in the graph of neighbours; `Partition.pieces_apart` has their
        pieces.
    """

    must_link: int
    cannot_link: int
    hard: int
    sizes: int
    rules: int = 0
    neighbors: int = 0

    @property
    def none_hard(self) -> bool:
        """Whether every hard constraint holds."""
        return self.hard == self.sizes == self.rules == self.neighbors == 0


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """Labels of a problem's points; everything else is computed from them in float64.

    Parameters
    ----------
    labels : (n,) int
        Clusters numbered 0 to k - 1, those of points left out last.

    Raises
    ------
    CcvizError
        If the labels are not n numbers in that range.
    """

    problem: Problem
    labels: IntArray

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64)
        k = self.problem.k
        if labels.shape != (self.problem.n,) or labels.min() < 0 or labels.max() >= k:
            raise CcvizError(f"a clustering needs {self.problem.n} labels, each from 0 to {k - 1}.")
        object.__setattr__(self, "labels", freeze(labels))

    def __repr__(self) -> str:
        return (
            f"Partition({self.problem.n_points} points in {self.problem.n_clusters} clusters, "
            f"WCSS {self.wcss:.6g})"
        )

    @property
    def shown(self) -> IntArray:
        """Labels as people see them: none for given centres, -1 for points left out."""
        return self.problem.shown(self.labels)

    def in_order(self) -> Partition:
        """Return it with the clusters of given centres first, in their order."""
        problem = self.problem
        if not problem.fixed:
            return self
        first = order_of(self.labels, problem.k, problem.fixed)
        return Partition(problem, np.argsort(first)[self.labels])

    @cached_property
    def cluster_sizes(self) -> IntArray:
        """(k,) points in each cluster."""
        return np.bincount(self.labels, minlength=self.problem.k)

    @property
    def kept_sizes(self) -> IntArray:
        """(n_clusters,) points in each cluster: no given centres, no points left out."""
        shown = self.shown
        return np.bincount(shown[shown >= 0], minlength=self.problem.n_clusters)

    @cached_property
    def centers(self) -> FloatArray:
        """(k, d) weighted mean of each cluster, NaN for one without weight."""
        problem = self.problem
        return cluster_means(problem.X, self.labels, problem.k, problem.weights)

    @cached_property
    def cluster_weights(self) -> FloatArray:
        """(k,) weight of each cluster; the number of its points if there are no weights."""
        return np.bincount(self.labels, self.problem.weights, self.problem.k).astype(np.float64)

    @cached_property
    def wcss(self) -> float:
        """Within-cluster sum of squares, weighted if there are weights."""
        # From one point of each cluster: far from zero the means themselves lose digits.
        labels, k, weights = self.labels, self.problem.k, self.problem.weights
        first = np.zeros(k, dtype=np.int64)
        order = np.arange(self.problem.n)[::-1]
        if weights is not None:  # from the heaviest one, which is not far from the mean
            order = np.argsort(weights, kind="stable")
        first[labels[order]] = order
        size = np.where(self.cluster_weights > 0.0, self.cluster_weights, 1.0)
        if self.problem.X.shape[1] > _WIDE:
            return self._wide_wcss(self.problem.X[first].astype(np.float64), size)
        total = 0.0
        for strip in _strips(self.problem.X):
            near = strip - strip[first][labels]
            mean = _sums(near, labels, k, weights) / size[:, None]
            squares = (near - mean[labels]) ** 2
            total += float((squares if weights is None else weights[:, None] * squares).sum())
        return total

    def _wide_wcss(self, first: FloatArray, size: FloatArray) -> float:
        """Return the WCSS of many features, from (k, d) one point of each cluster."""
        X, labels, weights = self.problem.X, self.labels, self.problem.weights
        middle, total = _spread(self.problem)
        between = float(((self.centers - middle) ** 2).sum(axis=1) @ self.cluster_weights)
        if total - between > total / _DIGITS:
            return total - between
        # Clusters far from each other.
        mean = first + _row_sums(X, labels, len(first), weights, first) / size[:, None]
        return _squares(X, labels, weights, mean)

    @cached_property
    def penalty(self) -> float:
        """Sum of the weights of broken soft links."""
        return float(
            self.problem.must_link.weights[
                self.broken_must_link & ~self.problem.must_link.is_hard
            ].sum()
            + self.problem.cannot_link.weights[
                self.broken_cannot_link & ~self.problem.cannot_link.is_hard
            ].sum()
        )

    @property
    def objective(self) -> float:
        """WCSS plus the weights of broken soft links."""
        return self.wcss + self.penalty

    @cached_property
    def broken_must_link(self) -> np.ndarray:
        """(m,) bool: must-links whose points are apart."""
        return ~self._together(self.problem.must_link)

    @cached_property
    def broken_cannot_link(self) -> np.ndarray:
        """(m,) bool: cannot-links whose points are together."""
        return self._together(self.problem.cannot_link)

    def _together(self, links: Links) -> np.ndarray:
        return self.labels[links.pairs[:, 0]] == self.labels[links.pairs[:, 1]]

    @cached_property
    def violations(self) -> Violations:
        """Numbers of broken constraints."""
        problem = self.problem
        given = problem.given
        broken = [
            (~self._together(given.must_link), given.must_link.is_hard),
            (self._together(given.cannot_link), given.cannot_link.is_hard),
        ]
        hard = [
            int((self.broken_must_link & problem.must_link.is_hard).sum()),
            int((self.broken_cannot_link & problem.cannot_link.is_hard).sum()),
        ]
        sizes = self._wrong_sizes(given.sizes)
        stand_for_rules = [
            *(many > int((apart & is_hard).sum())
              for many, (apart, is_hard) in zip(hard, broken, strict=True)),
            bool((self._wrong_sizes(problem.sizes) & ~sizes).any()),
        ]  # fmt: skip
        return Violations(
            must_link=int(broken[0][0].sum()),
            cannot_link=int(broken[1][0].sum()),
            hard=sum(hard),
            sizes=int(sizes.sum()),
            rules=sum(stand_for_rules)
            + sum(
                not rule.allows(problem, np.flatnonzero(self.labels == j))
                for rule in problem.rules
                if not isinstance(rule, IMPLIED)
                for j in range(problem.k)
            ),
            neighbors=len({cluster for cluster, _ in self.pieces_apart}),
        )

    @cached_property
    def pieces_apart(self) -> list[tuple[int, IntArray]]:
        """Cluster and (m,) points of each piece that is apart from its cluster's largest."""
        neighbors = self.problem.neighbors
        return [] if neighbors is None else neighbors.broken(self.labels)

    def _wrong_sizes(self, sizes: Sizes | None) -> np.ndarray:
        """Return (k,) bool: clusters without weight, too small or too large."""
        problem, wrong = self.problem, self.cluster_weights <= 0.0
        if sizes is not None:
            size = np.bincount(self.labels[: problem.n_points], minlength=problem.k)
            wrong |= (size < sizes.lower) | (size > sizes.upper)
            wrong[: problem.fixed] |= self.labels[problem.n_points :] != np.arange(problem.fixed)
        return wrong

    @cached_property
    def kept_rules(self) -> tuple[KeptRule, ...]:
        """For each rule of the problem whether it holds; empty if there are no rules."""
        return kept_rules(self.problem, self.labels)

    @cached_property
    def scores(self) -> dict[str, float]:
        """Agreement with the truth: ARI, AMI, NMI, Mirkin and Hubert; empty without truth.

        Mirkin is the share of pairs on which the two clusterings disagree and Hubert the share
        of agreements less that of disagreements (Hubert and Arabie 1985).
        """
        if self.problem.truth is None:
            return {}
        return agreement(self.problem.truth, self.labels)

    @cached_property
    def forced_by(self) -> str:
        """The hard rule, as ``labels(type)``, by which alone the clusters agree with the classes.

        Its column has the known classes. Empty if there is no such rule, or it is broken.
        """
        truth = self.problem.truth
        if truth is None or self.scores.get("mirkin") != 0.0:
            return ""
        known = ~unknown_classes(truth)
        for rule in label_rules(self.problem.given.rules):
            words = np.array(rule.known, dtype=np.int64)[known]
            is_same = bool(words.all()) and agreement(truth[known], words)["mirkin"] == 0.0
            if is_same and rule.words.limit == np.inf:
                return rule.text
        return ""

    @property
    def free_scores(self) -> dict[str, float]:
        """The scores; none where a rule forces them, for they say nothing of the clustering."""
        return {} if self.forced_by else self.scores

    @property
    def n_scored(self) -> int:
        """Number of points that the scores are of: those of a known class."""
        return 0 if self.problem.truth is None else int((self.problem.truth >= 0).sum())

    @property
    def scored_part(self) -> str:
        """How many of the points the scores are of, such as "30 of 300"; empty if all or none."""
        known, n = self.n_scored, self.problem.n_points
        return f"{known:,} of {n:,}" if 0 < known < n else ""


def cluster_means(
    X: FloatArray, labels: IntArray, k: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return (k, d) means of the clusters, NaN for those without weight.

    Parameters
    ----------
    X : (n, d) float64 or float32
    labels : (n,) int64
        0 to k - 1.
    weights : (n,) float64, optional
        1 by default.

    Returns
    -------
    (k, d) float64
    """
    total = cluster_sums(X, labels, k, weights)
    with np.errstate(invalid="ignore"):
        return total / np.bincount(labels, weights, k)[:, None]


def cluster_sums(
    X: FloatArray, labels: IntArray, k: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return (k, d) weighted sums of the clusters' points.

    Parameters
    ----------
    X : (n, d) float64 or float32
    labels : (n,) int64
        0 to k - 1.
    weights : (n,) float64, optional
        1 by default.
    """
    if X.shape[1] > _WIDE:
        return _row_sums(X, labels, k, weights)
    strips = (_sums(strip, labels, k, weights) for strip in _strips(X))
    return np.concatenate([np.empty((k, 0)), *strips], axis=1)  # of no columns too


def cluster_squares(X: FloatArray, labels: IntArray, k: int, means: FloatArray) -> FloatArray:
    """Return (k, d) sums of squared differences to the clusters' means.

    Parameters
    ----------
    X : (n, d) float64 or float32
    labels : (n,) int64
        0 to k - 1.
    means : (k, d) float64
    """
    total = np.zeros((k, X.shape[1]))
    for some in row_strips(*X.shape):
        near = X[some] - means[labels[some]]
        total += _members(labels[some], k).T @ np.square(near, out=near)
    return total


def _strips(X: FloatArray) -> Iterator[FloatArray]:
    """Yield a few columns of a table at a time as float64, to avoid a second large table."""
    width = max(1, _CELLS // len(X))
    for at in range(0, X.shape[1], width):
        yield X[:, at : at + width].astype(np.float64, copy=False)


def _row_sums(
    X: FloatArray,
    labels: IntArray,
    k: int,
    weights: FloatArray | None,
    origin: FloatArray | None = None,
) -> FloatArray:
    """Return (k, d) weighted sums of the clusters, from zero or from (k, d) origins."""
    total = np.zeros((k, X.shape[1]))
    for some in row_strips(*X.shape):
        here, near = labels[some], X[some].astype(np.float64, copy=False)
        near = near if origin is None else near - origin[here]
        total += _members(here, k, None if weights is None else weights[some]).T @ near
    return total


def _members(labels: IntArray, k: int, weights: FloatArray | None = None) -> csr_array:
    """Return the (m, k) matrix of which points are in which cluster, with their weights."""
    share = np.ones(len(labels)) if weights is None else weights
    return csr_array((share, labels, np.arange(len(labels) + 1)), (len(labels), k))


_SPREADS: WeakKeyDictionary[Problem, tuple[FloatArray, float]] = WeakKeyDictionary()
"""What `_spread` returned: a run checks several partitions of one problem."""


def _spread(problem: Problem) -> tuple[FloatArray, float]:
    """Return (d,) the mean of some points, and the weighted sum of all squared distances to it."""
    if problem not in _SPREADS:
        some = problem.X[:: max(1, problem.n // _SOME)]
        middle = some.mean(axis=0, dtype=np.float64)
        total = _squares(problem.X, None, problem.weights, middle[None])
        _SPREADS[problem] = middle, total
    return _SPREADS[problem]


def _squares(
    X: FloatArray, labels: IntArray | None, weights: FloatArray | None, origin: FloatArray
) -> float:
    """Return the weighted sum of squared distances to (k, d) origins, or to one without labels."""
    total = 0.0
    for some in row_strips(*X.shape):
        near = X[some] - (origin if labels is None else origin[labels[some]])
        each = np.einsum("ij,ij->i", near, near)
        total += float(each.sum() if weights is None else weights[some] @ each)
    return total


def _sums(
    strip: FloatArray, labels: IntArray, k: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return (k, columns) the weighted sums of the clusters."""
    width = strip.shape[1]
    strip = strip if weights is None else weights[:, None] * strip
    if width == 1:
        return np.bincount(labels, strip[:, 0], k).astype(np.float64)[:, None]
    place = labels[:, None] * width + np.arange(width)
    total = np.bincount(place.ravel(), strip.ravel(), k * width)
    return total.astype(np.float64).reshape(k, width)
