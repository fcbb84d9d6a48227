"""The semidefinite relaxation of a node (Piccialli et al. 2022, eq. 7), in scaled variables.

With block sizes e, D = diag(e) and Y = D^1/2 Z D^1/2 the relaxation reads

    minimise    constant + <C, Y>,  C = -Q Q^T
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


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The data of one node's relaxation.

    Attributes
    ----------
    factor : (s, d) float64
        Q, the scaled and centred centroids of the blocks.
    mass : (s,) float64
        e, points in each block.
    conflicts : (c, 2) int64
        Pairs of blocks that must be apart.
    k : int
        Clusters.
    constant : float
        Sum of squared distances of all points to their mean.
    limits : SizeLimits or None
        On the points of each block's cluster, where sizes are given.
    classes : SizeClasses or None
        Where every cluster has a given size and they differ.
    """

    factor: FloatArray
    mass: FloatArray
    conflicts: IntArray
    k: int
    constant: float
    limits: SizeLimits | None = None
    classes: SizeClasses | None = None

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
    def n(self) -> int:
        """Number of points."""
        return round(float(self.mass.sum()))

    @cached_property
    def u(self) -> FloatArray:
        """(s,) the unit vector that every feasible Y keeps."""
        return np.sqrt(self.mass / self.n)

    @cached_property
    def cost(self) -> FloatArray:
        """(s, s) C."""
        return -(self.factor @ self.factor.T)

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
    return Relaxation(
        factor=factor,
        mass=blocks.mass,
        conflicts=np.ascontiguousarray(conflicts),
        k=blocks.k,
        constant=blocks.scatter + float((factor**2).sum()),
        limits=None if sizes is None else limits_of(sizes, blocks.mass),
        classes=None if sizes is None else classes_of(sizes, blocks.mass),
    )
