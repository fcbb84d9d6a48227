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

from ccviz.proof.connection import Paths
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import UNDERFLOW, Centroids, gamma, rescaled
from ccviz.proof.soft import SoftCaps, SoftTerms, priced_terms

# Kinds of cuts: from ROW on, a row and the number of a limit on sums.
SEPARATOR, STAR, CLIQUE, ROW = -1, 0, 1, 2

Multipliers = dict[str, np.ndarray]
Sums = tuple[tuple[np.ndarray, float], ...]
"""What limits on sums ask of each row i of Z: sum of a_j Z_ij + c Z_ii >= 0; each a (s,), and c."""


def spectral_bound(
    blocks: Centroids,
    k: int,
    multipliers: Multipliers,
    exponent: int,
    group: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    soft: SoftTerms | None = None,
    sums: Sums = (),
    paths: Paths | None = None,
) -> float:
    """Return the lower bound that the multipliers prove for the blocks' means.

    `multipliers`: ``nonnegativity``, ``points``, ``kind``, ``weights``, see
    ``docs/proof-format.md``. `group` (s,): Blocks of the same number are together in every
    clustering, and are one for the multipliers. `limits` (float, float): Fewest and most points of
    a cluster. `sums`, `paths`: Of the blocks; none of groups.
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
    cuts, cut_size, gain = cut_sums(multipliers, mass, k, exponent, largest, sums, paths)
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
    multipliers: Multipliers,
    mass: np.ndarray,
    k: int,
    exponent: int,
    largest: float = np.inf,
    sums: Sums = (),
    paths: Paths | None = None,
) -> tuple[np.ndarray, float, float]:
    """Return the weighted sum of the cuts, its error, and the sum of their right sides.

    A clique inequality (10) is over k + 1 blocks, and clusters have at most ``largest`` points, or
    the weight of all blocks less the k - 1 lightest ones, 1 each at most. A star with centre i and
    members T says
    Z_ii + sum of Z_jh over pairs in T >= sum of Z_ij over T; with one member it is the paper's (8),
    with two (9). It holds because t members in the cluster of i make t - 1 <= t (t - 1) / 2. A row
    holds because its entries are equal in the cluster of i, which keeps the limit, and else 0. A
    separator says that Z_ij is at most the sum of Z_iv over S: a path from i to j meets S. Behind j
    in S the entries are Z_jv.
    """
    points, kind = multipliers["points"], multipliers["kind"]
    weights = rescaled(multipliers["weights"], exponent)
    if len(points) != len(kind) or kind.shape != weights.shape:
        raise FlawError("has cuts that are not of one length")
    if (weights < 0.0).any():
        raise FlawError("has a cut's multiplier of the wrong sign")
    _check_points(points, kind, len(mass), k, len(sums))
    again = _again(points, kind)
    _check_separators(np.where(again, -1, points)[kind == SEPARATOR], paths)
    # The sum itself, the magnitudes of its parts, and how many parts an entry has.
    total, size, count = np.zeros((3, len(mass), len(mass)))
    root = np.sqrt(mass)
    star = kind == STAR
    apex = points[star, 0]
    _add((total, size, count), apex, apex, weights[star], root)
    for a in range(points.shape[1]):
        for b in range(a):
            used = (points[:, a] >= 0) & (kind != SEPARATOR)
            sign = -1.0 if b == 0 else 1.0
            signed = np.where(star, sign, 1.0) * weights
            _add((total, size, count), points[used, a], points[used, b], signed[used], root)
    end = np.where(again.cumsum(axis=1) > 0, points[:, 1:2], points[:, :1])
    for a in range(1, points.shape[1]):
        used = (points[:, a] >= 0) & (kind == SEPARATOR) & ~again[:, a]
        signed = (-1.0 if a == 1 else 1.0) * weights[used]
        _add((total, size, count), end[used, a], points[used, a], signed, root)
    for number, (values, own) in enumerate(sums):
        rows = kind == ROW + number
        center, weight = points[rows, 0], weights[rows]
        _add((total, size, count), center, center, weight * own, root)
        _add(
            (total, size, count),
            np.repeat(center, len(mass)),
            np.tile(np.arange(len(mass)), len(center)),
            np.outer(weight, values).ravel(),
            root,
        )
    gain = float(weights[kind == CLIQUE].sum()) / min(_heaviest(mass, k), largest)
    error = gamma(int(count.max()) + 12) * 1.01 * float(np.linalg.norm(size))
    return total, error, gain * (1.0 - gamma(len(weights) + 4))


def _heaviest(mass: np.ndarray, k: int) -> float:
    """Return the most that a cluster weighs, rounded up: k - 1 blocks are elsewhere."""
    elsewhere = float(np.minimum(np.sort(mass)[: k - 1], 1.0).sum())
    heaviest = float(mass.sum()) - elsewhere
    # Whole numbers are added without any rounding.
    return heaviest if elsewhere == k - 1 else heaviest * (1.0 + gamma(k + len(mass)))


def _check_points(points: np.ndarray, kind: np.ndarray, s: int, k: int, sums: int) -> None:
    column = np.arange(points.shape[1])
    used = points >= 0
    width = used.sum(axis=1)
    # A separator may lie between two points of one block.
    twice = ((kind == SEPARATOR) & (width > 1))[:, None] & (column == 1)
    twice &= points[:, :1] == points
    twice |= _again(points, kind)
    ordered = np.sort(np.where(used & ~twice, points, s + column), axis=1)
    wrong = (points >= s).any(axis=1) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    wrong |= (used != (column < width[:, None])).any(axis=1)
    is_row = (kind >= ROW) & (kind < ROW + sums)
    is_off = [width < 2, width < 2, width != k + 1, width != 1]
    wrong |= np.select([kind == SEPARATOR, kind == STAR, kind == CLIQUE, is_row], is_off, True)
    if wrong.any():
        raise FlawError("has a cut over blocks that are not there, or not distinct")


def _again(points: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return where j is again in the S of a separator, before the blocks v that count by Z_jv."""
    again = np.zeros(points.shape, dtype=bool)
    is_pair = (kind == SEPARATOR) & (points[:, :1] != points[:, 1:2]).all(axis=1)
    again[is_pair, 2:] = points[is_pair, 2:] == points[is_pair, 1:2]
    return again


def _check_separators(points: np.ndarray, paths: Paths | None) -> None:
    for i, j, *others in points.tolist():
        if paths is None or not paths.separates(i, j, [v for v in others if v >= 0]):
            raise FlawError(f"has a separator of blocks {i} and {j} that does not separate them")


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


# --- The bound of a certificate lifted by size, rigorous to the last bit --------------------------
#
# Where each cluster has a given size, the clusters of one size make a class: c clusters of u
# points. With p_i = 1 for the blocks in them, e their masses and P_ij = 1 for pairs in one cluster,
# a class's B = [[1, r'], [r, W]] has W_ij = sqrt(e_i e_j) P_ij / u and r_i = sqrt(e_i) p_i / sqrt(u
# c). It is a projection R of rank c plus w w' for a unit vector w, both zero along v = (-sqrt(u c),
# sqrt(e)). So with N_ij >= 0 where two blocks may share a cluster of the class, and S = C - N - sum
# w A,
#
#     <N, B> >= N_00 + sum p_i g_i,    g_i = N_ii e_i / u + 2 N_0i sqrt(e_i / (u c)),
#
# and <S, B> is bounded as in `spectral`, once with rank c and once with rank 1. Every block is in
# one class that it fits into, and costs at least the least of their g_i. Soft links add a linear
# term to the S of each class: blocks of one cluster of it have u Z_ij = 1 (`soft`).


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

    `multipliers`: ``lifted``, ``points``, ``kind``, ``owner``, ``weights``, see
    ``docs/proof-format.md``.
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
