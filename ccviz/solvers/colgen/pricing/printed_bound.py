"""The bound of section 4.3 of Babaki, Guns and Nijssen 2014, as printed.

For every size of the cluster the candidates' distances (1) are bounded by those of the candidates
that are nearest per point, and their duals (4) by those with the largest per point: two orders,
each of its own. Distances between candidates (2) count as 0.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit

_EPS = float(np.finfo(np.float64).eps)


@njit(cache=True, entry=False)
def printed_bound(
    beta: FloatArray,
    gain: FloatArray,
    mass: FloatArray,
    inside: tuple[float, float, float],
    step: float,
) -> float:
    """Return a lower bound on every cluster that extends one by some of m candidates.

    Parameters
    ----------
    beta : (m,) float64
        Sum of squared distances that a candidate adds, to the cluster and within itself.
    gain : (m,) float64
        Its duals.
    mass : (m,) float64
        Its points: whole numbers.
    inside : tuple of float
        Sum of squared distances, duals and points of the cluster itself.
    step : float
        Relative error of each sum, by which the bound is lowered.
    """
    distances, duals, size = inside
    near, rich = np.argsort(beta / mass), np.argsort(-gain / mass)
    least = distances / size * (1.0 - step) - duals * (1.0 + step)
    i, j = 0, 0
    low, filled, covered = 0.0, 0.0, 0.0
    while j < len(rich) or low < covered:
        if low >= covered:  # more points need one more of the richest
            covered += mass[rich[j]]
            duals += gain[rich[j]]
            j += 1
        # From low + 1 to high points more, both sums stay.
        fits = filled + mass[near[i]] if i < len(near) else np.inf
        high = min(covered, fits - 1.0)
        if high > low:
            value = distances / (size + high) * (1.0 - step) - duals * (1.0 + step)
            least = min(least, value)
            low = high
        if high < covered:
            distances += beta[near[i]]
            filled = fits
            i += 1
    return least


@njit(cache=True)
def least_extension(
    apart: FloatArray,
    spread: float,
    dual: float,
    inside: np.ndarray,
    candidates: IntArray,
    block: tuple[FloatArray, FloatArray, FloatArray],
) -> float:
    """Return the printed bound of a cluster of blocks, without the blocks' own scatter.

    Parameters
    ----------
    apart : (s,) float64
        Mass-weighted squared distances of each candidate's mean to the means in the cluster.
    spread, dual : float
        Sums of the same, and of duals, over the cluster.
    inside : (s,) bool
        Blocks of the cluster.
    candidates : (m,) int64
    block : tuple of (s,) float64
        Mass, dual and scatter of each block. With a scatter w the paper's dual is w more, and the
        squared distances of its points to m other points are m w more.
    """
    mass, duals, scatter = block
    size, within = 0.0, 0.0
    for b in range(len(mass)):
        if inside[b]:
            size += mass[b]
            within += scatter[b]
    beta, gain = np.empty(len(candidates)), np.empty(len(candidates))
    for i, c in enumerate(candidates):
        beta[i] = apart[c] + scatter[c] * (mass[c] + size) + mass[c] * within
        gain[i] = duals[c] + scatter[c]
    whole = (spread + size * within, dual + within, size)
    return printed_bound(beta, gain, mass[candidates], whole, 8.0 * (len(mass) + 32.0) * _EPS)
