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
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks
from ccviz.solvers.relaxation.size_classes import (
    SizeClasses,
    SizeLimits,
    classes_of,
    limits_of,
    pairs_apart,
)
from ccviz.solvers.relaxation.soft_pairs import NO_SOFT_PAIRS, SoftPairs, soft_pairs_of

_HEAVIEST = 10.0
"""Weight beyond which that of a soft link is cut off, relative to the squares of all points."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The data of one node's relaxation.

    Attributes
    ----------
    factor : (s, d) float64
        Q, the scaled and centred centroids of the blocks.
    mass : (s,) float64
        e, the weight of each block: its number of points if there are no weights.
    conflicts : (c, 2) int64
        Pairs of blocks that must be apart.
    k : int
        Clusters.
    constant : float
        Sum of squared distances of all points to their mean, and the soft links' constant costs.
    limits : SizeLimits or None
        On the points of each block's cluster, where sizes are given.
    classes : SizeClasses or None
        Where every cluster has a given size and they differ.
    soft : SoftPairs
        Soft links that multipliers price, see `soft_prices`.
    priced : SoftPairs
        Soft links whose prices are linear, since every cluster has a given size.
    """

    factor: FloatArray
    mass: FloatArray
    conflicts: IntArray
    k: int
    constant: float
    limits: SizeLimits | None = None
    classes: SizeClasses | None = None
    soft: SoftPairs = NO_SOFT_PAIRS
    priced: SoftPairs = NO_SOFT_PAIRS

    def __post_init__(self) -> None:
        # Read-only in every process: a compiled kernel has one signature then, not one for each.
        for array in (self.mass, self.conflicts):
            freeze(array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        self.__post_init__()

    @property
    def s(self) -> int:
        """Number of blocks."""
        return len(self.mass)

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


def relax(blocks: Blocks) -> Relaxation:
    """Return the relaxation over a problem's blocks."""
    sizes, conflicts = blocks.sizes, blocks.conflicts
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
    )
