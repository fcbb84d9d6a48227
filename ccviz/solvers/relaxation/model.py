"""The semidefinite relaxation of a node (Piccialli et al. 2022, eq. 7), in scaled variables.

With the blocks' weights e, D = diag(e) and Y = D^1/2 Z D^1/2 the relaxation reads

    minimise    constant + <C, Y>,  C = -Q Q^T  (and soft links, see `soft_prices`)
    subject to  Y u = u,  trace Y = k,  Y psd,  Y >= 0,  Y_ij = 0 on conflicts,

where u = sqrt(e / n) is a unit vector, the rows of Q are sqrt(e_i) times the centred centroids,
and so C u = 0. Facial reduction: Y = u u^T + R with R psd, R u = 0 and trace R = k - 1. In a
clustering R is a projection, so R <= I may be added; `admm` and `certificate` both use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks, BoundedBlocks, with_weight
from ccviz.problem.partition import cluster_means
from ccviz.problem.relaxed import Bounded
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import row_limits
from ccviz.solvers.relaxation.separators import BlockGraph

# --- Soft links as the relaxation sees them: a price for each undecided pair of blocks ------------
#
# A pair of blocks that is together costs the weights of its soft cannot-links, one that is apart
# those of its soft must-links. The smaller of the two is always paid. What remains is the weight of
# a single must-link or cannot-link of the pair. A pair that can only be apart is decided.

_ROUNDED_DOWN = 1.0 - 1e-9
"""Factor on weights, so that they are no larger than exact sums of the links' weights."""


@dataclass(frozen=True, eq=False)
class SoftPairs:
    """Undecided pairs of blocks with soft links."""

    # must, cannot, (a, 2): Pairs that cost their weight if they are apart, or together; smaller
    # block first.
    must: IntArray
    # must_weight, cannot_weight, (a,): Positive, and cut off where they exceed all costs.
    must_weight: FloatArray
    cannot: IntArray
    cannot_weight: FloatArray
    constant: float  # Weight of soft links that every clustering breaks

    def __post_init__(self) -> None:
        for array in (self.must, self.must_weight, self.cannot, self.cannot_weight):
            freeze(array)

    def __len__(self) -> int:
        return len(self.must) + len(self.cannot)

    def linear_arrays(self) -> dict[str, np.ndarray]:
        """Return pairs and their prices together, as a certificate carries them."""
        if not len(self):
            return {}
        return {
            "soft_pairs": np.concatenate([self.must, self.cannot]),
            "soft_prices": np.concatenate([-self.must_weight, self.cannot_weight]),
        }


NO_SOFT_PAIRS = SoftPairs(
    np.empty((0, 2), np.int64), np.empty(0), np.empty((0, 2), np.int64), np.empty(0), 0.0
)


def soft_pairs_of(blocks: Blocks, conflicts: IntArray, heaviest: float) -> SoftPairs:
    """Return the undecided pairs of a problem's blocks.

    `conflicts` (c, 2): Pairs of blocks that cannot share a cluster. `heaviest`: Weight beyond which
    a weight is cut off; the bound stays valid.
    """
    if not (len(blocks.soft_must) or len(blocks.soft_cannot) or blocks.penalty):
        return NO_SOFT_PAIRS
    key, if_apart, if_together = _prices(blocks)
    pairs: IntArray = np.stack(np.divmod(key, blocks.s), axis=1)
    is_apart = np.isin(key, conflicts[:, 0] * blocks.s + conflicts[:, 1])
    if blocks.s == blocks.k:
        is_apart[:] = True
    constant = blocks.penalty + float(if_apart[is_apart].sum())
    undecided = ~is_apart
    pairs, if_apart, if_together = pairs[undecided], if_apart[undecided], if_together[undecided]
    constant += float(np.minimum(if_apart, if_together).sum())
    net = np.clip(if_apart - if_together, -heaviest, heaviest) * _ROUNDED_DOWN
    must, cannot = net > 0.0, net < 0.0
    return SoftPairs(pairs[must], net[must], pairs[cannot], -net[cannot], constant)


def _prices(blocks: Blocks) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return a number for each pair of blocks, and its costs if apart and if together."""
    kinds = (blocks.soft_must, blocks.soft_cannot)
    keys = [each.pairs[:, 0] * blocks.s + each.pairs[:, 1] for each in kinds]
    key, which = np.unique(np.concatenate(keys), return_inverse=True)
    sides = np.split(which, [len(keys[0])])
    apart, together = (
        np.bincount(side, links.weights, len(key)).astype(np.float64)
        for side, links in zip(sides, kinds, strict=True)
    )
    return key.astype(np.int64), apart, together


# --------------------------------------------------------------------------------------------------
# Clusters of given sizes as the relaxation sees them: limits of a block, classes of one size.
#
# A block i in a cluster of c points has Z_ii = 1 / c. So limits on the sizes are limits on the
# diagonal of Z, strong where all clusters are alike. Where every cluster has a given size and sizes
# differ, the clusters of one size make a class with a matrix of its own, see `lifted`.

MOST_CLASSES = 12
"""Different sizes up to which each has a matrix of its own; with more, limits serve."""


@dataclass(frozen=True, eq=False)
class SizeLimits:
    """Fewest and most points of the cluster that a block is in."""

    fewest: FloatArray
    most: FloatArray


@dataclass(frozen=True, eq=False)
class SizeClasses:
    """The different sizes of clusters."""

    size: FloatArray  # (q,): Points of a cluster of each class, ascending
    count: IntArray
    allowed: np.ndarray  # (q, s): Whether a block fits into a cluster of the class

    def __len__(self) -> int:
        return len(self.size)


def limits_of(sizes: Sizes, mass: FloatArray) -> SizeLimits:
    """Return each block's limits: those of all clusters, and its own points."""
    fewest = np.maximum(float(sizes.lower.min()), mass)
    return SizeLimits(fewest, np.full(len(mass), float(sizes.upper.max())))


def classes_of(sizes: Sizes, mass: FloatArray) -> SizeClasses | None:
    """Return the classes of clusters of one size, None where limits say as much or must do."""
    if not sizes.is_exact:
        return None
    size, count = np.unique(sizes.lower, return_counts=True)
    if not 1 < len(size) <= MOST_CLASSES:
        return None
    allowed = mass[None, :] <= size[:, None]
    return SizeClasses(size.astype(np.float64), count.astype(np.int64), allowed)


def pairs_apart(mass: FloatArray, conflicts: IntArray, most: float) -> IntArray:
    """Return the (m, 2) pairs of blocks that conflict, or hold more points than a cluster may."""
    apart = mass[:, None] + mass[None, :] > most
    apart[conflicts[:, 0], conflicts[:, 1]] = True
    return np.argwhere(np.triu(apart, 1))


class RowSums(NamedTuple):
    """What limits on sums ask of each row i of Z: sum of a_j Z_ij + c Z_ii >= 0."""

    values: FloatArray  # (r, s): a, the sums of the blocks
    own: FloatArray  # (r,): c


MOST_ROW_SUMS = 120
"""Most limits that rows keep; the bound leaves others out."""


def row_sums_of(problem: Bounded, blocks: BoundedBlocks) -> RowSums | None:
    """Return what a problem's limits on sums ask of the rows over its blocks."""
    rows = row_limits(problem)[:MOST_ROW_SUMS]
    if not rows:
        return None
    s, is_light = blocks.heavy, blocks.block_of >= blocks.heavy
    values = [np.bincount(blocks.block_of, each, s)[:s] for each, _ in rows]
    # Points in blocks of weight 0, which have no entries, may all be in the cluster, or none.
    own = [own + float(np.maximum(each[is_light], 0.0).sum()) for each, own in rows]
    return RowSums(np.array(values, dtype=np.float64), np.array(own))


_HEAVIEST = 10.0
"""Weight beyond which that of a soft link is cut off, relative to the squares of all points."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The data of one node's relaxation."""

    factor: FloatArray  # (s, d): Q, the scaled and centred centroids of the blocks
    # (s,): e, the weight of each block: its number of points if there are no weights.
    mass: FloatArray
    conflicts: IntArray  # (c, 2): Pairs of blocks that must be apart
    k: int
    # Sum of squared distances of all points to their mean, and the soft links' constant costs.
    constant: float
    limits: SizeLimits | None = None
    classes: SizeClasses | None = None
    soft: SoftPairs = NO_SOFT_PAIRS  # Soft links that multipliers price, see `soft_prices`
    # Soft links whose prices are linear, since every cluster has a given size.
    priced: SoftPairs = NO_SOFT_PAIRS
    sums: RowSums | None = None  # What limits on sums ask of each row; none beside classes
    graph: BlockGraph | None = None  # Neighbours among the blocks; none beside classes

    def __post_init__(self) -> None:
        # Read-only in every process: a compiled kernel has one signature then, not one for each.
        for array in (self.mass, self.conflicts, *self.row_sums):
            freeze(array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        self.__post_init__()

    @property
    def s(self) -> int:
        """Number of blocks."""
        return len(self.mass)

    @property
    def row_sums(self) -> RowSums:
        """What limits on sums ask of each row, if anything."""
        return self.sums or RowSums(freeze(np.zeros((0, self.s))), freeze(np.zeros(0)))

    @cached_property
    def n(self) -> float:
        """Weight of all blocks: the number of points if the problem has no weights."""
        return float(self.mass.sum())

    @cached_property
    def heaviest(self) -> float:
        """Upper bound on the weight of a cluster: k - 1 blocks are elsewhere.

        They count at most 1 each, as points do.
        """
        return self.n - float(np.minimum(np.sort(self.mass)[: self.k - 1], 1.0).sum())

    @cached_property
    def u(self) -> FloatArray:
        """(s,) the unit vector that every feasible Y keeps."""
        return np.sqrt(self.mass / self.n)

    @cached_property
    def cost(self) -> FloatArray:
        """(s, s) C, with the prices of soft links where all clusters have one size."""
        squares = -(self.factor @ self.factor.T)
        if not len(self.priced) or self.classes is not None or self.limits is None:
            return squares
        return squares + self.prices(float(self.limits.most.max()))

    def prices(self, size: float) -> FloatArray:
        """Return the matrix of linear prices in clusters of a size: y_ij = size Z_ij."""
        matrix = np.zeros((self.s, self.s))
        soft, root = self.priced, np.sqrt(self.mass)
        for pairs, price in ((soft.must, -soft.must_weight), (soft.cannot, soft.cannot_weight)):
            i, j = pairs.T
            matrix[i, j] = matrix[j, i] = 0.5 * price * size / (root[i] * root[j])
        return matrix

    @cached_property
    def diagonal_limits(self) -> tuple[FloatArray, FloatArray]:
        """Two (s,) arrays, the least and the largest Y_ii: e_i over the points of its cluster."""
        if self.limits is None:
            return np.zeros(self.s), np.full(self.s, np.inf)
        return self.mass / self.limits.most, self.mass / self.limits.fewest

    def to_z(self, Y: FloatArray) -> FloatArray:
        """Return the paper's Z = D^-1/2 Y D^-1/2."""
        root = np.sqrt(self.mass)
        return Y / np.outer(root, root)


def relax_to_search(blocks: Blocks) -> Relaxation:
    """Return what exchanges and descents read; no bound holds, as sizes may count other masses."""
    return relax(BoundedBlocks(blocks))


def relax(
    blocks: BoundedBlocks, sums: RowSums | None = None, graph: BlockGraph | None = None
) -> Relaxation:
    """Return the relaxation over a problem's blocks, without those of weight 0."""
    blocks = BoundedBlocks(with_weight(blocks))
    sizes, conflicts = blocks.sizes, blocks.conflicts
    if graph is not None:
        conflicts = np.argwhere(np.triu(graph.apart[: blocks.s, : blocks.s], 1))
    if sizes is not None:
        conflicts = pairs_apart(blocks.mass, conflicts, float(sizes.upper.max()))
    mean = blocks.mass @ blocks.centroid / blocks.mass.sum()
    factor = np.sqrt(blocks.mass)[:, None] * (blocks.centroid - mean)
    limits = None if sizes is None else limits_of(sizes, blocks.mass)
    classes = None if sizes is None else classes_of(sizes, blocks.mass)
    squares = blocks.scatter + float((factor**2).sum())
    soft = soft_pairs_of(blocks, conflicts, _HEAVIEST * squares)
    is_linear = classes is not None or (
        sizes is not None and sizes.lower.min() == sizes.upper.max()
    )
    constant = squares + soft.constant
    if is_linear:
        constant += float(soft.must_weight.sum())
    return Relaxation(
        factor=factor,
        mass=blocks.mass,
        conflicts=np.ascontiguousarray(conflicts),
        k=blocks.k,
        constant=constant,
        limits=limits,
        classes=classes,
        soft=NO_SOFT_PAIRS if is_linear else soft,
        priced=soft if is_linear else NO_SOFT_PAIRS,
        sums=None if classes is not None else sums,
        graph=None if classes is not None else graph,
    )


# --- The branching rule of Piccialli et al. 2022, section 3.3, with soft links first --------------
#
# In the Z of a clustering any two blocks have Z_ij = 0 or equal rows. The pair that is farthest
# from both, by min(Z_ij, |Z_i - Z_j|^2), is put together in one child and kept apart in the
# other.
#
# A soft link whose pair is decided costs a constant. So the soft link with the largest undecided
# weight comes first, by the share of a cluster that its pair has in common, if that is a part of
# the gap.

_PART_OF_GAP = 0.05
"""Least undecided weight of a soft link that is branched on, relative to the gap of the node."""


def branching_pair(
    relaxation: Relaxation, Y: FloatArray, gap: float = np.inf, held: FloatArray | None = None
) -> tuple[int, int] | None:
    """Return the pair of blocks to branch on; None if every two blocks conflict.

    `gap`: How far the bound is below the one that closes the node. `held` (s, s): With neighbours,
    how much of the bound separators owe to each entry.
    """
    Z = relaxation.to_z(Y)
    soft = _undecided(relaxation, Z)
    if soft is not None and soft[1] >= _PART_OF_GAP * gap:
        return soft[0]
    score = _farthest(Z) if held is None else _undecided_and_held(relaxation, Z, held)
    score[np.tril_indices(relaxation.s)] = -1.0
    score[relaxation.conflicts[:, 0], relaxation.conflicts[:, 1]] = -1.0
    i, j = np.unravel_index(int(score.argmax()), score.shape)
    return (int(i), int(j)) if score[i, j] >= 0.0 else None


def _undecided(relaxation: Relaxation, Z: FloatArray) -> tuple[tuple[int, int], float] | None:
    """Return the soft link with the largest undecided weight, and that weight."""
    found = (relaxation.soft, relaxation.priced)
    pairs = np.concatenate([each for soft in found for each in (soft.must, soft.cannot)])
    if not len(pairs):
        return None
    weight = np.concatenate(
        [each for soft in found for each in (soft.must_weight, soft.cannot_weight)]
    )
    share = np.minimum(Z[pairs[:, 0]], Z[pairs[:, 1]]) @ relaxation.mass
    score = weight * np.clip(np.minimum(share, 1.0 - share), 0.0, None)
    at = int(score.argmax())
    return (int(pairs[at, 0]), int(pairs[at, 1])), float(score[at])


def _farthest(Z: FloatArray) -> FloatArray:
    """Return how far together and how unlike in their rows blocks are (Piccialli et al. 2022)."""
    gram = Z @ Z.T
    squares = np.diag(gram)
    distance = squares[:, None] + squares[None, :] - 2.0 * gram
    return np.minimum(Z, np.maximum(distance, 0.0))


def _undecided_and_held(relaxation: Relaxation, Z: FloatArray, held: FloatArray) -> FloatArray:
    """Return how undecided two blocks are, times what either decision costs the relaxation.

    Together costs more the farther apart they are (the root of Ward's cost), and apart what the
    separators rest on their entry. Both are relative to their means, since neither is a bound.
    """
    diagonal = np.diagonal(Z)
    share = np.minimum(Z / diagonal[:, None], Z / diagonal)
    undecided = np.clip(np.minimum(share, 1.0 - share), 0.0, None)
    mass = relaxation.mass
    points = relaxation.factor / np.sqrt(mass)[:, None]
    squares = (points**2).sum(axis=1)
    away = np.maximum(squares[:, None] + squares - 2.0 * points @ points.T, 0.0)
    cost = np.sqrt(away * (mass[:, None] * mass / (mass[:, None] + mass)))
    rests = held / (held.sum() or 1.0) * np.count_nonzero(held)
    return undecided * (cost / (cost.mean() or 1.0) + rests)


# --- Closed-form multipliers of a clustering: a bound before the first iteration ------------------
#
# If clusters are well apart the relaxation has their clustering as its only solution, and
# multipliers that prove it can be written down (Iguchi, Mixon, Peterson and Villar 2017; Li, Li,
# Ling, Strohmer and Wei 2020). Here those of two blocks in clusters a and b, D_i the squared
# distance of block i to its own cluster's mean and m_a the cluster's mass, are
#
#     N_ij = sqrt(e_i e_j) (|x_i - x_j|^2 - D_i - D_j - c / m_a - c / m_b) / 2,
#
# and zero within a cluster. Then S = C - N takes each cluster's indicator to a multiple of itself
# but for a multiple of u, with the value -c on all of their span that is orthogonal to u; what is
# orthogonal to all indicators it sees through the scatter inside single clusters only. So the k - 1
# smallest eigenvalues are -c, and the bound is the clustering's cost, if c is at least the largest
# eigenvalue of any cluster's scatter matrix. The least such c leaves the fewest N_ij negative;
# these are set to zero, which is the only loss.


def multipliers_of(relaxation: Relaxation, labels: IntArray) -> FloatArray:
    """Return (s, s) N of either sign; `ccviz.solvers.relaxation.certificate.certify` takes -N.

    `labels` (s,): A clustering, every cluster with a block.
    """
    root = np.sqrt(relaxation.mass)
    points = relaxation.factor / root[:, None]
    size = np.bincount(labels, relaxation.mass, relaxation.k)
    means = cluster_means(points, labels, relaxation.k, relaxation.mass)
    away = points - means[labels]
    scatters = ((root[:, None] * away)[labels == cluster] for cluster in range(relaxation.k))
    level = max(float(np.linalg.norm(each, 2)) ** 2 for each in scatters)
    taken = (away**2).sum(axis=1) + level / size[labels]
    products = points @ points.T
    squares = products.diagonal()
    N = 0.5 * (squares - taken)[:, None] + 0.5 * (squares - taken) - products
    N *= np.outer(root, root)
    N[labels[:, None] == labels] = 0.0
    return N
