"""Probabilities of the class of each point, from a few points whose class is known.

A Gaussian process regression of the class indicators in each view of similarity. Every view is
judged by how well it predicts each known point from the other ones (leave-one-out, in closed form:
Rasmussen and Williams 2006, section 5.4.2), and the views are averaged by that. While few points
are known, the sizes of the classes are fitted to the answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from ccviz.active.answers import Answers
from ccviz.active.strategy import Pair
from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.common.seeding import plain_kmeans

_SHARPNESS = 6.0
"""Factor on regressed class indicators in the softmax that makes probabilities of them."""
_FLATTER = (1.0, 0.75, 0.5, 0.25)
"""Powers tried on the probabilities; one below 1 makes them less certain."""
_PER_CLASS = 2.0
"""Points added to the answered points of each class when the classes' sizes are estimated."""
_FADING = 10.0
"""Number of answered points from which on the estimated sizes lose influence."""
_ROUNDS = 20
"""Iterations that fit the sizes of the classes; each halves the error."""
_TEMPER = 0.5
"""Factor on the scores of the views, since the left-out predictions depend on each other."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Points whose class is known or assumed."""

    rows: IntArray  # (m,): Where the points are in the views; a row may occur more than once
    classes: IntArray
    # (m,): Variance of each point's indicators: the larger, the less it is trusted.
    variance: FloatArray
    answered: int  # The number of leading points known by answers; only they judge the views


@dataclass(frozen=True, eq=False)
class Belief:
    """Probabilities of the classes of every point."""

    plain: FloatArray
    # (n, c): The same, with the sizes of the classes half corrected; questions are chosen by it.
    share: FloatArray
    shown: FloatArray  # (n, c): The same, with the sizes of the classes corrected; it is shown
    # (m, c): The same of the answered points, each predicted from the other ones.
    left_out: FloatArray
    weights: FloatArray  # (v,): Weight of each view
    evidence: Evidence

    @property
    def entropy(self) -> FloatArray:
        """(n,) float64: how unsure the class of each point is, in nats."""
        return -(self.share * np.log(np.maximum(self.share, 1e-300))).sum(axis=1)

    @property
    def doubt(self) -> FloatArray:
        """(n,) float64: how likely it is that the likeliest class of each point is not its class.

        Beliefs that would have foretold the answered points badly are flattened for it, each class
        raised to the power of `_FLATTER` that foretells them best; never sharpened.
        """
        right = (np.arange(self.evidence.answered), self.evidence.classes[: self.evidence.answered])
        scores = [
            np.log(np.maximum(_raised(self.left_out, power)[right], 1e-9)).sum()
            for power in _FLATTER
        ]
        return 1.0 - _raised(self.plain, _FLATTER[int(np.argmax(scores))]).max(axis=1)


def _raised(share: FloatArray, power: float) -> FloatArray:
    return _normalised(share**power)


def _normalised(share: FloatArray) -> FloatArray:
    return share / share.sum(axis=1, keepdims=True)


def believe(
    views: list[FloatArray], evidence: Evidence, prior: FloatArray, mass: FloatArray
) -> Belief:
    """Return what the evidence says about every point.

    `prior` (n, c): The probabilities of the classes before any evidence. `mass` (n,): Number of
    points that each represents.
    """
    rows, answered = evidence.rows, evidence.answered
    rest = np.eye(prior.shape[1])[evidence.classes] - prior[rows]
    means, left_out, scores = [], [], []
    for view in views:
        inverse = np.linalg.inv(view[np.ix_(rows, rows)] + np.diag(evidence.variance))
        pull = inverse @ rest
        means.append(prior + view[:, rows] @ pull)
        others = probabilities((prior[rows] + rest - pull / np.diag(inverse)[:, None])[:answered])
        left_out.append(others)
        right = others[np.arange(answered), evidence.classes[:answered]]
        scores.append(np.log(np.maximum(right, 1e-9)).sum())
    weights = np.exp(_TEMPER * (np.array(scores) - max(scores)))
    weights /= weights.sum()
    plain = probabilities(np.tensordot(weights, np.array(means), 1))
    balance = _balance(plain, evidence, mass)
    half, full = (_normalised(plain * balance**power) for power in (0.5, 1.0))
    left = np.tensordot(weights, np.array(left_out), 1)
    return Belief(plain, half, full, left, weights, evidence)


def _balance(share: FloatArray, evidence: Evidence, mass: FloatArray) -> FloatArray:
    """Return (c,) how much more of each class there should be, to be multiplied with the shares.

    Class mass normalisation (Zhu, Ghahramani and Lafferty 2003, section 4): what spreads from few
    points spreads too far from some of them. The sizes of the classes are to be as in the answers,
    a few more points of each class assumed, less so the more points are answered: these are not
    drawn by chance, and soon say themselves how far a class reaches.
    """
    count = np.bincount(evidence.classes[: evidence.answered], minlength=share.shape[1])
    target = (count + _PER_CLASS) / (count + _PER_CLASS).sum()
    balance = np.ones(share.shape[1])
    for _ in range(_ROUNDS):
        now = mass @ _normalised(share * balance) / mass.sum()
        balance *= np.sqrt(target / np.maximum(now, 1e-9))
    return balance ** min(1.0, _FADING / max(evidence.answered, 1))


def probabilities(means: FloatArray) -> FloatArray:
    """Return (n, c) probabilities from regressed class indicators."""
    return _normalised(np.exp(_SHARPNESS * (means - means.max(axis=1, keepdims=True))))


# --- Which answers to ask for again, where some may be wrong: those on which many others rest -----
#
# Every point is compared with the most linked one of a class, so a wrong answer about one point
# misleads no other one. A wrong answer about two of these misleads all that were compared with
# them: two clusters become one class, or one class becomes two. So the gain of
# asking for an answer again is its cost if it were wrong, and such wrong answers cost most.


_LARGE = (
    3  # fewest points of a class whose most linked one is confirmed, since all of them depend on it
)
_MOST = 5  # largest number of answers about one pair
_TWICE = 1.5  # weight of answers that decides a pair: more than one answer, at most two


def most_linked(answers: Answers, points: list[int]) -> int:
    """Return the point about which most was asked, the first of them."""
    return max(points, key=lambda point: len(answers.about(point)))


def joined_once(answers: Answers, cluster: IntArray, noise: float) -> Pair | None:
    """Return a pair by which two clusters became one class, on the word of a single answer.

    Two of the clusters assumed at first are mostly two classes, so of the answers about the first
    points of two of them, *together* is the likelier one to be wrong.
    """
    first: dict[int, int] = {}
    for answer in answers.log:
        for point in (answer.i, answer.j):
            first.setdefault(int(cluster[point]), point)
    heads = set(first.values())
    for answer in answers.log:
        vote = answers.vote(answer.i, answer.j)
        single = 0 < vote < _decided(noise) and not answers.aside.intersection(answer.pair)
        if single and heads.issuperset(answer.pair):
            return answer.i, answer.j
    return None


def parted_once(
    answers: Answers, classes: list[list[int]], share: FloatArray, noise: float
) -> Pair | None:
    """Return the most linked points of two large classes that are not known well enough to be two.

    Each is confirmed against that class to which it would belong if not to its own.

    `share` (classes, c): How likely the most linked point of each class is to belong to each.
    """
    large = [c for c, members in enumerate(classes) if len(members) >= _LARGE]
    chosen = {c: most_linked(answers, classes[c]) for c in large}
    for c in large:
        others = [int(o) for o in np.argsort(-share[c], kind="stable") if o in chosen and o != c]
        for other in others[:1]:
            i, j = chosen[c], chosen[other]
            asked = sum(set(answer.pair) == {i, j} for answer in answers.about(i))
            unsure = abs(answers.vote(i, j)) < _decided(noise)
            if unsure and asked < _MOST and not answers.aside & {i, j}:
                return i, j
    return None


def _decided(noise: float) -> float:
    return _TWICE * math.log((1 - noise) / noise)


# --- How alike points are, seen in several ways; the answers decide which of them to believe ------
#
# Each view is a matrix with ones on its diagonal: Gaussians of three widths, two resolvents of the
# graph of near neighbours (Zhu, Lafferty and Ghahramani 2003, with the local scaling of
# Zelnik-Manor and Perona 2004), and how often k-means of several k puts two points into one cluster
# (Fred and Jain 2005).


WIDTHS = (0.05, 0.2, 0.6)
"""Widths of the Gaussians, as shares of the median squared distance."""

NEIGHBOURS = 10
RESTARTS = (0.02, 0.2)
"""Restart probabilities of a walk on the graph of neighbours: far views first."""

PARTS = (1, 1, 2, 2, 4, 4, 8)
"""Clusters of the k-means runs, as multiples of k."""


def views(X: FloatArray, k: int, seed: int) -> list[FloatArray]:
    """Return the similarities of all pairs of points in each view."""
    squared = scipy.spatial.distance.cdist(X, X, "sqeuclidean")
    typical = float(np.median(squared[np.triu_indices(len(X), 1)])) or 1.0
    gaussians = [np.exp(-squared / (typical * width)) for width in WIDTHS]
    laplacian = _laplacian(squared)
    walks = []
    for restart in RESTARTS:
        kernel = np.linalg.inv(laplacian + restart * np.eye(len(laplacian)))
        root = np.sqrt(np.diag(kernel))
        walks.append(kernel / np.outer(root, root))
    return [*gaussians, *walks, _shared_clusters(X, k, seed)]


def _laplacian(squared: FloatArray) -> FloatArray:
    """Return the normalised Laplacian of the graph that joins points to their near neighbours."""
    n = len(squared)
    count = min(NEIGHBOURS, n - 1)
    near = np.argsort(squared, axis=1, kind="stable")[:, 1 : count + 1]
    reach = np.sqrt(squared[np.arange(n), near[:, min(6, count - 1)]]) + 1e-12
    row, column = np.repeat(np.arange(n), count), near.ravel()
    weight = np.zeros((n, n))
    weight[row, column] = np.exp(-squared[row, column] / (reach[row] * reach[column]))
    weight = np.maximum(weight, weight.T)
    root = np.sqrt(np.maximum(weight.sum(axis=1), 1e-300))
    return np.eye(n) - weight / np.outer(root, root)


def _shared_clusters(X: FloatArray, k: int, seed: int) -> FloatArray:
    shared = np.zeros((len(X), len(X)))
    for run, parts in enumerate(PARTS):
        clusters = max(1, min(k * parts, len(X) // 3))
        labels = plain_kmeans(X, clusters, seed + run, n_init=1).labels_
        shared += labels[:, None] == labels
    return shared / len(PARTS)
