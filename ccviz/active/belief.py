"""Probabilities of the class of each point, from a few points whose class is known.

A Gaussian process regression of the class indicators in each view of similarity. Every view is
judged by how well it predicts each known point from the other ones (leave-one-out, in closed form:
Rasmussen and Williams 2006, section 5.4.2), and the views are averaged by that. While few points
are known, the sizes of the classes are fitted to the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray

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
    """Points whose class is known or assumed.

    Attributes
    ----------
    rows : (m,) int64
        Where the points stand in the views; a row may occur more than once.
    classes : (m,) int64
    variance : (m,) float64
        Variance of each point's indicators: the larger, the less it is trusted.
    answered : int
        The number of leading points known by answers; only they judge the views.
    """

    rows: IntArray
    classes: IntArray
    variance: FloatArray
    answered: int


@dataclass(frozen=True, eq=False)
class Belief:
    """Probabilities of the classes of every point.

    Attributes
    ----------
    plain : (n, c) float64
        The probability of each class.
    share : (n, c) float64
        The same, with the sizes of the classes half corrected; questions are chosen by it.
    shown : (n, c) float64
        The same, with the sizes of the classes corrected; it is shown.
    left_out : (m, c) float64
        The same of the answered points, each predicted from the other ones.
    weights : (v,) float64
        Weight of each view.
    evidence : Evidence
    """

    plain: FloatArray
    share: FloatArray
    shown: FloatArray
    left_out: FloatArray
    weights: FloatArray
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

    Parameters
    ----------
    views : list of (n, n) float64
    evidence : Evidence
    prior : (n, c) float64
        The probabilities of the classes before any evidence.
    mass : (n,) float64
        Number of points that each represents.

    Returns
    -------
    Belief
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
    """Return (n, c) probabilities from regressed class indicators.

    Parameters
    ----------
    means : (n, c) float64
    """
    return _normalised(np.exp(_SHARPNESS * (means - means.max(axis=1, keepdims=True))))
