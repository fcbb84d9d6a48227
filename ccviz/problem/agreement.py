"""How much a clustering agrees with known classes: indices of pairs and of information.

The formulas are those of Hubert and Arabie (1985) and of Vinh, Epps and Bailey (2010), and the
values those of `sklearn.metrics`, which takes a second to load.
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.arrays import FloatArray, IntArray


def agreement(truth: IntArray, labels: IntArray) -> dict[str, float]:
    """Return the adjusted Rand index and others.

    Parameters
    ----------
    truth, labels : (n,) int

    Returns
    -------
    dict
        ``ari`` adjusted Rand index, ``ami`` adjusted and ``nmi`` normalised mutual information
        (by the mean of the entropies), ``mirkin`` the share of pairs that are together in one and
        apart in the other, ``hubert`` one less twice that.
    """
    table = contingency(truth, labels)
    mirkin, ari = _pair_indices(table)
    return {
        "ari": ari,
        "ami": _adjusted_information(table),
        "nmi": _normalised_information(table),
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


def _information(table: IntArray) -> float:
    n = table.sum()
    row, column = np.nonzero(table)
    share = table[row, column] / n
    expected = table.sum(1)[row] * (table.sum(0)[column] / n) / n
    return float(max((share * np.log(share / expected)).sum(), 0.0))


def _is_trivial(table: IntArray) -> bool:
    """Whether both partitions are one cluster, or both only single points: equal by definition."""
    r, c = table.shape
    return r == c == 1 or r == c == int(table.sum())


def _normalised_information(table: IntArray) -> float:
    if _is_trivial(table):
        return 1.0
    information = _information(table)
    mean = (_entropy(table.sum(1)) + _entropy(table.sum(0))) / 2
    return information / mean if information > np.finfo(float).eps else 0.0


def _adjusted_information(table: IntArray) -> float:
    if _is_trivial(table):
        return 1.0
    information, expected = _information(table), _expected_information(table)
    above = (_entropy(table.sum(1)) + _entropy(table.sum(0))) / 2 - expected
    least = np.finfo(float).eps  # of a difference that rounding may have made 0
    return (information - expected) / (min(above, -least) if above < 0 else max(above, least))


def _expected_information(table: IntArray) -> float:
    """Return the mean mutual information of random partitions with the same sizes."""
    n = int(table.sum())
    logs = np.fromiter(map(math.lgamma, range(1, n + 2)), np.float64, n + 1)  # of the factorials
    return float(
        sum(_expected(a, b, logs) for a in table.sum(1).tolist() for b in table.sum(0).tolist())
    )


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
