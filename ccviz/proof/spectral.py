"""The rigorous lower bound of a semidefinite certificate.

For N >= 0 off the conflicts and cut weights w >= 0 put S = C - N - sum w A (Piccialli et al. 2022,
eqs. 7 to 10, scaled by the blocks' sizes). Every clustering is a Y = u u' + R with 0 <= R <= I,
R u = 0 and trace R = k - 1, and costs at least

    constant + u'Su + <S, R> + sum w b.

The bound is safe against rounding (after Jansson, Chaykin and Keil 2007): with any vectors
v_j, any level m and any g_j that are negative for j < k and not so for the others,

    S - u z' - z u' + h u u' = m I + sum g_j v_j v_j' + E   gives
    <S, R> >= (k - 1) m + sum over j < k of g_j |v_j|^2 - sqrt(k - 1) |E|,

for R u = 0, R >= 0 and R <= I. The v_j are eigenvectors as NumPy computes them, m the k-th smallest
eigenvalue; they need not be accurate, since E is computed and its own error bounded.

With sizes a block's Y_ii lies between its share of the largest cluster and that of the smallest.
N_ii may then be of either sign, and the least of the sum of N_ii Y_ii is added.

Soft links add terms to S and to the bound (`soft`): a clustering costs at least as much as these.
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import UNDERFLOW, Centroids, gamma, rescaled
from ccviz.proof.soft import SoftTerms

STAR, CLIQUE = 0, 1  # kinds of cuts

Multipliers = dict[str, np.ndarray]


def spectral_bound(
    blocks: Centroids,
    k: int,
    multipliers: Multipliers,
    exponent: int,
    group: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    soft: SoftTerms | None = None,
) -> float:
    """Return the lower bound that the multipliers prove for the blocks' means.

    Parameters
    ----------
    blocks : Centroids
    k : int
    multipliers : dict of arrays
        ``nonnegativity``, ``points``, ``kind``, ``weights``, see ``docs/proof-format.md``.
    exponent : int
        The multipliers are scaled by 2 to this power.
    group : (s,) int64, optional
        Blocks of the same number are together in every clustering, and are one for the multipliers.
    limits : (float, float), optional
        Fewest and most points of a cluster.
    soft : SoftTerms, optional
        Terms of soft links.

    Raises
    ------
    FlawError
        If the multipliers are malformed.
    """
    Q = np.sqrt(blocks.mass)[:, None] * blocks.points
    squares = float((Q * Q).sum())
    added = 0
    if group is not None:
        # The error of a joined row is at most gamma sum_b m_b |x_b| / sqrt(sum_b m_b), which is at
        # most gamma times the norm of the rows of Q that it joins.
        blocks, Q, added = _joined(blocks, group)
    mass = blocks.mass
    apart = blocks.conflict
    if limits is not None:
        apart = apart | (mass[:, None] + mass[None, :] > limits[1])
        np.fill_diagonal(apart, True)
    N = _nonnegativity(multipliers, apart, exponent)
    largest = math.inf if limits is None else limits[1]
    cuts, cut_size, gain = cut_sums(multipliers, mass, k, exponent, largest)
    on_diagonal, diagonal_size = _on_diagonal(N, mass, limits)
    S = -(Q @ Q.T) - N - cuts
    if soft is not None:
        S, gain, cut_size = S + soft.matrix, gain + soft.gain, cut_size + soft.error
        cut_size += gamma(4) * float(np.linalg.norm(soft.matrix))
    slack = (
        gamma(Q.shape[1] + 8 + 3 * added) * squares + gamma(4) * float(np.linalg.norm(N)) + cut_size
    )
    slack += gamma(Q.size + added * Q.shape[1] + 6) * squares
    inner, rest, more = _over_projections(S, np.sqrt(mass / mass.sum()), k)
    bound = squares + inner + rest + gain + on_diagonal
    sizes = squares + abs(inner) + abs(rest) + abs(gain) + diagonal_size
    bound -= 1.01 * math.sqrt(k) * slack + more + gamma(8) * sizes + UNDERFLOW
    bound -= gamma(len(mass) + 8) * diagonal_size
    return bound


def _joined(blocks: Centroids, group: np.ndarray) -> tuple[Centroids, np.ndarray, int]:
    """Return the blocks with groups as one, their rows of Q, and how many blocks there were."""
    count = int(group.max()) + 1
    mass = np.bincount(group, blocks.mass)
    sums = np.zeros((count, blocks.points.shape[1]))
    np.add.at(sums, group, blocks.mass[:, None] * blocks.points)
    conflict = np.zeros((count, count), dtype=bool)
    i, j = np.nonzero(blocks.conflict)
    conflict[group[i], group[j]] = True
    if conflict.diagonal().any():
        raise FlawError("has blocks together that are in conflict")
    joined = Centroids(sums / mass[:, None], mass, conflict, 0.0, 0.0)
    return joined, sums / np.sqrt(mass)[:, None], len(group)


def _over_projections(S: np.ndarray, u: np.ndarray, k: int) -> tuple[float, float, float]:
    """Return u'Su, a bound on <S, R> as above, and the error bound of both."""
    s = len(S)
    size = 1.01 * float(np.linalg.norm(S))
    image = S @ u
    inner = float(u @ image)
    slack = gamma(2 * s + 16) * size
    if k == 1:
        return inner, 0.0, slack
    M = S - np.outer(u, image) - np.outer(image, u) + np.outer(u, (inner + 2.0 * size) * u)
    values, V = eigen(M)
    level = float(values[k - 1])
    gaps = values - level
    lengths = (V * V).sum(axis=0)
    E = M - (V * gaps) @ V.T
    E[np.diag_indices(s)] -= level
    off = 1.01 * float(np.linalg.norm(E)) + gamma(s + 8) * float(np.abs(gaps) @ lengths)
    off += gamma(4) * (10.0 * size + math.sqrt(s) * abs(level)) + gamma(32) * size
    rest = (k - 1) * level + float(gaps[: k - 1] @ lengths[: k - 1])
    slack += 1.01 * math.sqrt(k - 1) * off
    slack += gamma(s + k + 8) * (k * abs(level) + float(np.abs(gaps[: k - 1]).sum()))
    return inner, rest, slack


def eigen(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors; raise a `FlawError` if LAPACK fails."""
    try:
        return np.linalg.eigh(M)
    except np.linalg.LinAlgError:
        raise FlawError("has multipliers whose eigenvalues cannot be found") from None


def _on_diagonal(
    N: np.ndarray, mass: np.ndarray, limits: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the least of sum N_ii Y_ii, and the sum of the magnitudes.

    Y_ii is the block's share of its cluster's points, of which there are at least as many as the
    block has itself.
    """
    if limits is None:
        return 0.0, 0.0
    fewest, most = np.maximum(limits[0], mass), limits[1]
    both = np.stack([N.diagonal() * mass / most, N.diagonal() * mass / fewest])
    return float(both.min(axis=0).sum()), float(np.abs(both).max(axis=0).sum())


def _nonnegativity(multipliers: Multipliers, apart: np.ndarray, exponent: int) -> np.ndarray:
    s = len(apart)
    upper = multipliers["nonnegativity"]
    if upper.shape != (s * (s + 1) // 2,):
        raise FlawError(f"has {upper.size} multipliers, not those of {s} blocks")
    N = np.zeros((s, s))
    N[np.triu_indices(s)] = rescaled(upper, exponent)
    N += np.triu(N, 1).T
    if (N[~apart] < 0.0).any():
        raise FlawError("has a multiplier of the wrong sign")
    return N


def cut_sums(
    multipliers: Multipliers, mass: np.ndarray, k: int, exponent: int, largest: float = np.inf
) -> tuple[np.ndarray, float, float]:
    """Return the weighted sum of the cuts, its error, and the sum of their right sides.

    A clique inequality (10) is over k + 1 blocks, and clusters have at most ``largest`` points, or
    the weight of all blocks less the k - 1 lightest ones, 1 each at most. A star with centre i and
    members T says
    Z_ii + sum of Z_jh over pairs in T >= sum of Z_ij over T; with one member it is the paper's (8),
    with two (9). It holds because t members in the cluster of i make t - 1 <= t (t - 1) / 2.
    """
    points, kind = multipliers["points"], multipliers["kind"]
    weights = rescaled(multipliers["weights"], exponent)
    if len(points) != len(kind) or kind.shape != weights.shape:
        raise FlawError("has cuts that are not of one length")
    if (weights < 0.0).any():
        raise FlawError("has a cut's multiplier of the wrong sign")
    _check_points(points, kind, len(mass), k)
    # The sum itself, the magnitudes of its parts, and how many parts an entry has.
    total, size, count = np.zeros((3, len(mass), len(mass)))
    root = np.sqrt(mass)
    star = kind == STAR
    apex = points[star, 0]
    _add((total, size, count), apex, apex, weights[star], root)
    for a in range(points.shape[1]):
        for b in range(a):
            used = points[:, a] >= 0
            sign = -1.0 if b == 0 else 1.0
            signed = np.where(star, sign, 1.0) * weights
            _add((total, size, count), points[used, a], points[used, b], signed[used], root)
    gain = float(weights[kind == CLIQUE].sum()) / min(_heaviest(mass, k), largest)
    error = gamma(int(count.max()) + 12) * 1.01 * float(np.linalg.norm(size))
    return total, error, gain * (1.0 - gamma(len(weights) + 4))


def _heaviest(mass: np.ndarray, k: int) -> float:
    """Return the most that a cluster weighs, rounded up: k - 1 blocks are elsewhere."""
    elsewhere = float(np.minimum(np.sort(mass)[: k - 1], 1.0).sum())
    heaviest = float(mass.sum()) - elsewhere
    # Whole numbers are added without any rounding.
    return heaviest if elsewhere == k - 1 else heaviest * (1.0 + gamma(k + len(mass)))


def _check_points(points: np.ndarray, kind: np.ndarray, s: int, k: int) -> None:
    column = np.arange(points.shape[1])
    used = points >= 0
    width = used.sum(axis=1)
    ordered = np.sort(np.where(used, points, s + column), axis=1)
    wrong = (points >= s).any(axis=1) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    wrong |= (used != (column < width[:, None])).any(axis=1)
    wrong |= np.select([kind == STAR, kind == CLIQUE], [width < 2, width != k + 1], True)
    if wrong.any():
        raise FlawError("has a cut over blocks that are not there, or not distinct")


def _add(
    sums: tuple[np.ndarray, np.ndarray, np.ndarray],
    i: np.ndarray,
    j: np.ndarray,
    weights: np.ndarray,
    root: np.ndarray,
) -> None:
    """Add weighted pairs of entries to a sum, their magnitudes to another, ones to a third."""
    half = 0.5 * weights / (root[i] * root[j])
    for total, part in zip(sums, (half, np.abs(half), np.ones(len(half))), strict=True):
        np.add.at(total, (i, j), part)
        np.add.at(total, (j, i), part)
