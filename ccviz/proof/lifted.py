"""The bound of a certificate lifted by size, rigorous to the last bit.

Where each cluster has a given size, the clusters of one size make a class: c clusters of u points.
With p_i = 1 for the blocks in them, e their masses and P_ij = 1 for pairs in one cluster, a class's
B = [[1, r'], [r, W]] has W_ij = sqrt(e_i e_j) P_ij / u and r_i = sqrt(e_i) p_i / sqrt(u c). It is a
projection R of rank c plus w w' for a unit vector w, both zero along v = (-sqrt(u c), sqrt(e)).
So with N_ij >= 0 where two blocks may share a cluster of the class, and S = C - N - sum w A,

    <N, B> >= N_00 + sum p_i g_i,    g_i = N_ii e_i / u + 2 N_0i sqrt(e_i / (u c)),

and <S, B> is bounded as in `spectral`, once with rank c and once with rank 1. Every block is in one
class that it fits into, and costs at least the least of their g_i. Soft links add a
linear term to the S of each class: blocks of one cluster of it have u Z_ij = 1 (`soft`).
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import UNDERFLOW, Centroids, gamma, rescaled
from ccviz.proof.soft import SoftCaps, priced_terms
from ccviz.proof.spectral import STAR, Multipliers, cut_sums, eigen

Classes = list[tuple[float, int]]
"""Cluster size and number of clusters of each class, by ascending size."""


def classes_of(sizes: np.ndarray) -> Classes:
    """Return the classes of clusters of given sizes (k,)."""
    size, count = np.unique(sizes, return_counts=True)
    return [(float(u), int(c)) for u, c in zip(size, count, strict=True)]


def lifted_bound(
    blocks: Centroids,
    classes: Classes,
    k: int,
    multipliers: Multipliers,
    exponent: int,
    caps: SoftCaps | None = None,
) -> float:
    """Return the lower bound that lifted multipliers prove for the blocks' means.

    Parameters
    ----------
    blocks : Centroids
    classes : list of (u, c)
    k : int
    multipliers : dict of arrays
        ``lifted``, ``points``, ``kind``, ``owner``, ``weights``, see ``docs/proof-format.md``.
    exponent : int
        The multipliers are scaled by 2 to this power.
    caps : SoftCaps, optional
        Costs of soft links.

    Raises
    ------
    FlawError
        If the multipliers are malformed.
    """
    s, mass = len(blocks.mass), blocks.mass
    Q = np.sqrt(mass)[:, None] * blocks.points
    squares = float((Q * Q).sum())
    C = np.pad(-(Q @ Q.T), ((1, 0), (1, 0)))
    upper, owner = _read(multipliers, classes, s)
    bound, lost = squares, gamma(Q.size + 8) * squares
    gains = np.full((len(classes), s), np.inf)
    for at, (size, count) in enumerate(classes):
        fits = mass <= size
        if not fits.any():
            raise FlawError(f"has no block for a cluster of {size:.0f} points")
        N = _matrix(rescaled(upper[at], exponent), s + 1)
        _check_signs(N, blocks, size, fits)
        own = {name: multipliers[name][owner == at] for name in ("points", "kind", "weights")}
        cuts, cut_error, _ = cut_sums(own, mass, k, exponent)
        soft = priced_terms(caps, mass, multipliers, exponent, size)
        S = C - N - np.pad(cuts - soft.matrix, ((1, 0), (1, 0)))
        slack = gamma(Q.shape[1] + 8) * squares + gamma(6) * float(np.linalg.norm(N)) + cut_error
        slack += soft.error + gamma(4) * float(np.linalg.norm(soft.matrix))
        slack += gamma(4) * float(np.linalg.norm(cuts))
        inner, more = _least(S, size, count, mass)
        bound += inner + float(N[0, 0])
        lost += more + 1.01 * math.sqrt(count + 3) * slack + gamma(8) * abs(inner)
        lost += gamma(8) * (abs(float(N[0, 0])) + abs(bound))
        diagonal = N.diagonal()[1:] * mass / size
        border = 2.0 * N[0, 1:] * np.sqrt(mass / (size * count))
        gains[at] = np.where(fits, diagonal + border, np.inf)
        lost += gamma(8) * float((np.abs(diagonal) + np.abs(border)).sum())
    least = gains.min(axis=0)
    if not np.isfinite(least).all():
        raise FlawError("has a block that is too large for any cluster")
    bound += float(least.sum()) + soft.gain
    lost += gamma(s + 8) * float(np.abs(least).sum())
    return bound - lost - gamma(8) * (abs(bound) + lost) - UNDERFLOW


def _read(multipliers: Multipliers, classes: Classes, s: int) -> tuple[np.ndarray, np.ndarray]:
    upper, owner = multipliers["lifted"], multipliers["owner"]
    if upper.shape != (len(classes), (s + 1) * (s + 2) // 2):
        raise FlawError(f"has multipliers of the shape {upper.shape}, not of {s} blocks")
    if len({len(multipliers[name]) for name in ("owner", "points", "kind", "weights")}) > 1:
        raise FlawError("has cuts that are not of one length")
    if ((owner < 0) | (owner >= len(classes))).any():
        raise FlawError("has a cut of a class that is not there")
    if (multipliers["kind"] != STAR).any():
        raise FlawError("has a cut of a kind that holds for no class")
    return upper, owner


def _matrix(upper: np.ndarray, size: int) -> np.ndarray:
    N = np.zeros((size, size))
    N[np.triu_indices(size)] = upper
    return N + np.triu(N, 1).T


def _check_signs(N: np.ndarray, blocks: Centroids, size: float, fits: np.ndarray) -> None:
    """Raise a flaw if an entry of two blocks that may share a cluster of the class is negative."""
    mass = blocks.mass
    apart = blocks.conflict | (mass[:, None] + mass[None, :] > size)
    apart |= ~fits[:, None] | ~fits[None, :]
    np.fill_diagonal(apart, True)
    if (N[1:, 1:][~apart] < 0.0).any():
        raise FlawError("has a multiplier of the wrong sign")


def _least(S: np.ndarray, size: float, count: int, mass: np.ndarray) -> tuple[float, float]:
    """Return a bound on <S, B> and its error bound.

    As in `spectral`, with any vectors v_j, level m and g_j of the sign of the eigenvalues less m,
    S - v z' - z v' + h v v' = m I + sum g_j v_j v_j' + E. R adds its c smallest, w w' the smallest
    once more; |B| is at most sqrt(c + 3).
    """
    n = len(S)
    v = np.concatenate([[-math.sqrt(size * count)], np.sqrt(mass)])
    v /= np.linalg.norm(v)
    norm = 1.01 * float(np.linalg.norm(S))
    image = S @ v
    lift = float(v @ image) + 2.0 * norm
    M = S - np.outer(v, image) - np.outer(image, v) + np.outer(v, lift * v)
    values, V = eigen(M)
    level = float(values[count])
    gaps = values - level
    lengths = (V * V).sum(axis=0)
    E = M - (V * gaps) @ V.T
    E[np.diag_indices(n)] -= level
    off = 1.01 * float(np.linalg.norm(E)) + gamma(n + 8) * float(np.abs(gaps) @ lengths)
    off += gamma(4) * (10.0 * norm + math.sqrt(n) * abs(level)) + gamma(32) * norm
    skew = 1.01 * float(np.linalg.norm(V.T @ V - np.eye(n))) + gamma(n + 8) * n
    lowest = min(float(gaps[0]), 0.0)
    below = float(gaps[:count] @ lengths[:count])
    found = (count + 1) * level + below + lowest * (1.0 + skew)
    lost = 1.01 * math.sqrt(count + 3) * off + 12.0 * gamma(2 * n + 16) * norm
    lost += gamma(n + count + 8) * ((count + 2) * abs(level) + float(np.abs(gaps[:count]).sum()))
    lost += gamma(n + 8) * abs(lowest)
    return found, lost
