"""Scaling of features before they are clustered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.errors import ParameterError, quote
from ccviz.numbers import percent

_STRIP = 1 << 16
"""Points scaled at a time."""
_DIGITS = 13
"""Digits of a scaled number that say what it was: the last two or three are rounding."""

SCALINGS = {
    "none": "not scaled",
    "standard": "mean 0, deviation 1",
    "range": "from 0 to 1",
}
"""Ways to scale features, with their labels."""

LEARNED = "learned"
"""The word by which people ask for weights of the features, `ccviz.data.learned_metric`."""

LEARNED_LABEL = "learned from the links"

WORDS = "words"
"""The word by which people ask that a column of words counts as one feature."""

WORDS_LABEL = "deviation 1, words of a column as one"

CHOICES = (*SCALINGS.items(), (WORDS, WORDS_LABEL))
"""The ways with their labels that need no links."""

OF_WORD = " = "
"""Between a column and a word of it, in the name of the feature that is 1 where a row has it."""

_WEIGHTS = "weights:"
"""Begins a scaling that holds a weight for each feature: ``weights:0.25,3,1.5``."""


def weighted(weights: FloatArray) -> str:
    """Return the scaling that multiplies features by the square roots of weights.

    Parameters
    ----------
    weights : (d,) float
        Positive. Four digits of each are kept.
    """
    return _WEIGHTS + ",".join(f"{weight:.4g}" for weight in weights)


def is_weighted(how: str) -> bool:
    """Return whether a scaling holds a weight for each feature."""
    return how.startswith(_WEIGHTS)


def feature_weights(how: str) -> FloatArray:
    """Return (d,) the weights that a scaling holds.

    Raises
    ------
    ParameterError
        If one is no positive number.
    """
    words = how.removeprefix(_WEIGHTS).split(",")
    try:
        weights = np.array([float(word) for word in words])
    except ValueError:
        weights = np.zeros(1)
    if not np.all((weights > 0) & np.isfinite(weights)):
        raise ParameterError(f"The scaling {quote(how)} does not hold a positive weight a feature.")
    return weights


def settled(how: str, X: FloatArray, features: Sequence[str]) -> str:
    """Return a scaling by what it does to these features: weights in place of `WORDS`.

    Parameters
    ----------
    X : (n, d) float
    """
    return weighted(word_weights(X, features)) if how == WORDS else how


def word_weights(X: FloatArray, features: Sequence[str]) -> FloatArray:
    """Return (d,) weights by which numbers, and each column of words as a whole, have variance 1.

    Parameters
    ----------
    X : (n, d) float
    """
    of_words = ((X == 0) | (X == 1)).all(axis=0).tolist()
    heads = [
        name.partition(OF_WORD)[0] if is_word and OF_WORD in name else ""
        for name, is_word in zip(features, of_words, strict=True)
    ]
    many = Counter(heads)
    shared = [many[head] if head else 1 for head in heads]
    spread = X.var(axis=0, dtype=np.float64)
    return np.asarray(1.0 / (np.where(spread > 0, spread, 1.0) * shared))


def check_scaling(how: str, d: int) -> None:
    """Refuse a scaling that d features cannot have.

    Raises
    ------
    ParameterError
        If it is none, or has another number of weights.
    """
    if is_weighted(how):
        found = len(feature_weights(how))
        if found != d:
            raise ParameterError(f"The scaling has {found:,} weights for {d:,} features.")
    elif how not in SCALINGS:
        ways = ", ".join([*SCALINGS, WORDS, LEARNED])
        raise ParameterError(f"There is no scaling {quote(how)}; there are {ways}.")


def scaling_name(how: str) -> str:
    """Return a scaling in one word for tables, without its weights."""
    return "weights" if is_weighted(how) else how


def scaling_label(how: str) -> str:
    """Return what a report calls a scaling."""
    return "each by a weight of its own" if is_weighted(how) else SCALINGS[how]


def scale(X: FloatArray, how: str) -> FloatArray:
    """Return the points with every feature scaled; a constant feature becomes 0.

    Parameters
    ----------
    X : (n, d) float
        Points of float32 stay float32.
    how : str
        Here and below a key of `SCALINGS`, or the weights of features, see `weighted`.
    """
    return scale_as(X, X, how)


def scale_as(points: FloatArray, X: FloatArray, how: str) -> FloatArray:
    """Return points with every feature scaled as it is for others.

    Parameters
    ----------
    points : (m, d) float
    X : (n, d) float
        The others.
    """
    if how == "none":
        return points
    shift, divisor = _units(X, how)
    scaled = np.empty_like(points, order="C")
    for at in range(0, len(points), _STRIP):  # in strips, without a third large table
        scaled[at : at + _STRIP] = (points[at : at + _STRIP] - shift) / divisor
    return scaled


def unscaled_as(scaled: FloatArray, X: FloatArray, how: str) -> FloatArray:
    """Return what `scale_as` made of points, to the digits that people write.

    Parameters
    ----------
    scaled : (m, d) float
    X : (n, d) float
        The points by which they were scaled.
    """
    if how == "none":
        return scaled
    shift, divisor = _units(X, how)
    points = scaled * divisor + shift
    digits = np.array([float(f"{value:.{_DIGITS}g}") for value in points.ravel()])
    return digits.reshape(points.shape)


def _units(X: FloatArray, how: str) -> tuple[FloatArray, FloatArray]:
    """Return the zero and the unit of each feature once it is scaled."""
    if is_weighted(how):
        return np.zeros(X.shape[1]), 1.0 / np.sqrt(feature_weights(how))
    if how == "standard":
        shift, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    else:
        shift, most = (end.astype(np.float64) for end in (X.min(axis=0), X.max(axis=0)))
        spread = most - shift
    return shift, np.where(spread > 0, spread, 1.0)


def scaling_of(X: FloatArray, scaled: FloatArray) -> str:
    """Return the scaling between two tables; empty if none fits.

    Parameters
    ----------
    X, scaled : (n, d) float64
        The points before and after.
    """
    if X.shape != scaled.shape:
        return ""
    found = next((how for how in SCALINGS if np.allclose(scale(X, how), scaled)), "")
    return found or _weights_between(X, scaled)


def _weights_between(X: FloatArray, scaled: FloatArray) -> str:
    """Return the scaling by weights between two tables; empty if columns are no multiples."""
    largest = np.abs(X).argmax(axis=0), np.arange(X.shape[1])
    before, after = X[largest], scaled[largest]
    ratio = np.divide(after, before, out=np.ones(len(before)), where=before != 0)
    if not np.all((ratio > 0) & np.isfinite(ratio)) or not np.allclose(X * ratio, scaled):
        return ""
    return weighted(ratio**2)


MOST_APART = 10.0
"""Largest ratio of two features' spreads; above it the larger one dominates the distances."""


def apart(columns: Sequence[FloatArray]) -> float:
    """Return the ratio of the largest spread of a feature to the least; 1 if fewer than two vary.

    Parameters
    ----------
    columns : sequence of (n,) float
        NaN where a value is missing.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that are refused as features
        spreads = np.array([np.nanstd(each) for each in columns])
    varied = spreads[(spreads > 0) & np.isfinite(spreads)]
    return float(varied.max() / varied.min()) if len(varied) else 1.0


_NEARLY_ALL = 0.9
"""Share of the variance above which one feature decides the clusters almost alone."""


def dominated(X: FloatArray, features: Sequence[str], cure: str = "") -> str:
    """Return a sentence on the feature that has nine tenths of the variance, empty if none has.

    It decides almost alone which points are near.

    Parameters
    ----------
    X : (n, d) float
        The points as they are clustered.
    cure : str
        A sentence on what to do, which follows.
    """
    spread = X.var(axis=0)
    largest = int(spread.argmax())
    if len(spread) < 2 or not spread[largest] > _NEARLY_ALL * spread.sum():
        return ""
    share = percent(float(spread[largest] / spread.sum()))
    return (
        f"{features[largest]} has {share} of the variance of all {len(spread)} features, and so "
        f"decides the clusters, and this answer, almost alone. {cure}"
    ).rstrip()
