"""A problem as the memetic solvers see it: blocks, conflicts and one feasible clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss
from ccviz.solvers.assignment.structure import Structure, structure_of
from ccviz.solvers.common.dimensions import reduce_dimensions
from ccviz.solvers.memetic._state import BlockData


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where centres can be drawn: at the blocks or at the points.

    Attributes
    ----------
    point : (m, d) float64
    mass : (m,) float64
    block : (m,) int64
        The block that each belongs to.
    """

    point: FloatArray
    mass: FloatArray
    block: IntArray


@dataclass(frozen=True, eq=False)
class Instance:
    """Picklable values that every local search needs.

    Attributes
    ----------
    data : BlockData
        Points, masses and conflicts of the blocks, for the compiled code. The points are centred,
        and rotated into fewer dimensions where there are more features than blocks, unless
        centres are drawn at points.
    drawn : Drawn
        Where centres are drawn.
    structure : Structure
        The same conflicts, for the assignment step.
    k : int
    scatter : float
        Sum of squares inside the blocks.
    spread : float
        Sum of squares of the blocks around the mean of all: the scale of rounding errors.
    feasible : (s,) int64
        Labels of the blocks that break no conflict and leave no cluster empty.
    """

    data: BlockData
    drawn: Drawn
    structure: Structure
    k: int
    scatter: float
    spread: float
    feasible: IntArray

    @property
    def s(self) -> int:
        """Number of blocks."""
        return len(self.data.mass)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        freeze(self.data.point)
        freeze(self.data.mass)

    @classmethod
    def of(cls, blocks: Blocks, feasible: IntArray, points: Problem | None = None) -> Instance:
        """Return the instance of a contracted problem.

        Parameters
        ----------
        blocks : Blocks
        feasible : (n,) int
            Any feasible labels of the points, as `ccviz.check_feasibility` gives them.
        points : Problem, optional
            The problem, for centres that are drawn at its points; else they are at blocks.
        """
        graph = blocks.conflict_graph
        if points is None:
            point = reduce_dimensions(blocks.centroid, blocks.mass)
            drawn = Drawn(point, blocks.mass, np.arange(blocks.s))
        else:
            middle = np.average(blocks.centroid, axis=0, weights=blocks.mass)
            point = np.ascontiguousarray(blocks.centroid - middle)
            mass = np.ones(points.n) if points.weights is None else points.weights
            drawn = Drawn(points.X - middle, mass, blocks.block_of)
        data = BlockData(
            point=freeze(point),
            mass=blocks.mass,
            start=graph.indptr.astype(np.int64),
            neighbour=graph.indices.astype(np.int64),
            linked=np.unique(blocks.conflicts),
        )
        return cls(
            data=data,
            drawn=drawn,
            structure=structure_of(blocks),
            k=blocks.k,
            scatter=blocks.scatter,
            spread=float(blocks.mass @ (point**2).sum(axis=1)),
            feasible=np.array(blocks.project(feasible), dtype=np.int64),
        )

    def means(self, labels: IntArray, otherwise: FloatArray) -> FloatArray:
        """Return (k, d) means of the clusters, those of ``otherwise`` for empty ones."""
        return block_means(self.data.point, self.data.mass, labels, otherwise)

    def costs(self, centers: FloatArray) -> FloatArray:
        """Return (s, k) squared distances of the blocks to the centres, times their mass."""
        return block_costs(self.data.point, self.data.mass, centers)

    def wcss(self, labels: IntArray, centers: FloatArray) -> float:
        """Return the within-cluster sum of squares of the points around given centres."""
        return self.scatter + block_wcss(self.data.point, self.data.mass, labels, centers)
