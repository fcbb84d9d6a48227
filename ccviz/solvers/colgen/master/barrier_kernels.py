"""Compiled loops of `ccviz.solvers.colgen.master.barrier`: slacks, barrier, derivatives."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit

_NO_PART = 1e-5
"""Entries of which the facility holds less are left out of its outer product."""
_EXACT = 1e-9
"""Relative accuracy of a facility's slack."""
_TURNS = 60
"""Most iterations for a facility's slack."""


@njit(cache=True, error_model="numpy")
def _slacks(reduced: float, m: float) -> tuple[float, float]:
    """Return w of an entry and w + cost - dual, where nothing cancels in either."""
    half = 0.5 * reduced
    root = np.sqrt(m * m + half * half)
    far = m + abs(half) + root
    near = 2.0 * m * (m + root) / far
    return (near, far) if half > 0.0 else (far, near)


@njit(cache=True, error_model="numpy")
def shares_held(
    start: np.ndarray, block: np.ndarray, cost: FloatArray, row: FloatArray, left: FloatArray
) -> FloatArray:
    """Return the share of its facility that each entry holds."""
    held = np.empty(len(block))
    for p in range(len(left)):
        for e in range(start[p], start[p + 1]):
            held[e] = left[p] / _slacks(cost[e] - row[block[e]], left[p])[1]
    return held


@njit(cache=True, error_model="numpy")
def _left_of(
    first: int,
    last: int,
    block: np.ndarray,
    cost: FloatArray,
    row: FloatArray,
    most: float,
    guess: float,
) -> float:
    """Return m > 0 with m + sum of w = most, by Newton's method; -1 if there is none.

    The left side is convex in m and rises, so after the first step the root is approached from
    above.
    """
    gain = 0.0
    for e in range(first, last):
        gain += max(0.0, row[block[e]] - cost[e])
    if not gain < most:
        return -1.0
    m = guess
    for _ in range(_TURNS):
        total, slope = m, 1.0
        for e in range(first, last):
            half = 0.5 * (cost[e] - row[block[e]])
            root = np.sqrt(m * m + half * half)
            total += m - half + root if half < 0.0 else m + m * m / (root + half)
            slope += 1.0 + m / root
        step = (total - most) / slope
        m = m - step if m > step else 0.1 * m
        if abs(step) <= _EXACT * m:
            break
    return m


@njit(cache=True, error_model="numpy")
def barrier(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    own: FloatArray,
    most: FloatArray,
    row: FloatArray,
    cardinality_dual: float,
    left: FloatArray,
) -> float:
    """Return the sum of all logarithms, minus infinity outside; fill in the facilities' slacks."""
    if not cardinality_dual > 0.0:
        return -np.inf
    total = np.log(cardinality_dual)
    for b in range(len(row)):
        if not 0.0 < row[b] < most[b]:
            return -np.inf
        total += np.log(row[b]) + np.log(most[b] - row[b])
    for p in range(len(own)):
        m = _left_of(start[p], start[p + 1], block, cost, row, own[p] + cardinality_dual, left[p])
        if not m > 0.0:
            return -np.inf
        left[p] = m
        product = m
        for e in range(start[p], start[p + 1]):
            half = 0.5 * (cost[e] - row[block[e]])
            # w times (w + cost - dual); their sum is 2 (m + root)
            product *= 2.0 * m * (m + np.sqrt(m * m + half * half))
            if not 1e-200 < product < 1e200:
                total += np.log(product)
                product = 1.0
        total += np.log(product)
    return total


@njit(cache=True, error_model="numpy")
def normal(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    most: FloatArray,
    row: FloatArray,
    cardinality_dual: float,
    left: FloatArray,
    band: FloatArray,
    border: FloatArray,
    residual: FloatArray,
    share: FloatArray,
    kept: FloatArray,
) -> float:
    """Fill in the barrier's gradient and minus its second derivatives; return their corner.

    Those are diagonal but for an outer product of each facility, of its entries' shares.
    """
    s = len(row)
    band[:] = 0.0
    border[:] = 0.0
    diagonal = band[0]
    for b in range(s):
        below, above = 1.0 / row[b], 1.0 / (most[b] - row[b])
        residual[b] = below - above
        diagonal[b] = below * below + above * above
    residual[s] = -1.0 / cardinality_dual
    corner = 1.0 / (cardinality_dual * cardinality_dual)
    for p in range(len(left)):
        m = left[p]
        stiff = m * m
        for e in range(start[p], start[p + 1]):
            b = block[e]
            w, v = _slacks(cost[e] - row[b], m)  # v is w + cost - dual
            both = w * w + v * v
            share[e] = w * w / both
            stiff += v * v * share[e]
            residual[b] -= 1.0 / v
            diagonal[b] += 1.0 / both
        residual[s] -= 1.0 / m
        kept[p] = 1.0 / stiff
        corner += kept[p]
    _add_outer(start, block, share, kept, band, border)
    return corner


@njit(cache=True, error_model="numpy")
def _add_outer(
    start: np.ndarray,
    block: np.ndarray,
    share: FloatArray,
    kept: FloatArray,
    band: FloatArray,
    border: FloatArray,
) -> None:
    """Add each facility's outer product of shares, without negligible ones.

    Of these only the diagonal is kept, and no border: so the sum has no negative eigenvalue.
    """
    some, value = np.empty(len(border), dtype=np.int64), np.empty(len(border))
    for p in range(len(kept)):
        count = 0
        for e in range(start[p], start[p + 1]):
            if share[e] > _NO_PART:
                some[count], value[count] = block[e], share[e]
                count += 1
            else:
                band[0, block[e]] += kept[p] * share[e] * share[e]
        for i in range(count):
            column = band[:, some[i]]
            scaled = kept[p] * value[i]
            border[some[i]] += scaled
            for j in range(i, count):
                column[some[j] - some[i]] += scaled * value[j]
