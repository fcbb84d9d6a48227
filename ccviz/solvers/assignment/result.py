"""What an assignment step answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.assignment.structure import Structure


@dataclass(frozen=True, eq=False)
class Assignment:
    """The answer of an assignment step.

    Attributes
    ----------
    labels : (s,) int64
        Centre of each block; -1 everywhere if none was found.
    objective : float
        Sum of the blocks' costs and of the broken soft links' weights, inf if none was found.
    proved : bool
        Whether the labels are proved optimal, or the lack of any is proved.
    infeasible : bool
        Whether it is proved that no assignment keeps the conflicts, sizes and non-emptiness.
    prices : (k,) float64 or None
        Dual prices of the sizes, without links: negative for a full cluster, positive for one at
        its smallest size. Each block is in the cluster of least cost minus price.
    hasty : bool
        Whether better labels may be found without those limits that were asked for to save time.
    """

    labels: IntArray
    objective: float
    proved: bool
    infeasible: bool
    prices: FloatArray | None = None
    hasty: bool = False

    @property
    def found(self) -> bool:
        """Whether there are labels."""
        return self.objective < np.inf

    @classmethod
    def impossible(cls, s: int) -> Assignment:
        """Return the answer that no assignment exists."""
        return cls(np.full(s, -1), np.inf, proved=True, infeasible=True)

    def of_size(self, s: int) -> Assignment:
        """Return the answer that none was found, for more blocks."""
        return Assignment(np.full(s, -1), np.inf, self.proved, self.infeasible)


def objective_of(labels: IntArray, cost: FloatArray, structure: Structure) -> float:
    """Return the cost of labels with the weights of broken soft links; inf on broken conflicts."""
    return float(cost[np.arange(len(labels)), labels].sum()) + links_cost(labels, structure)


def links_cost(labels: IntArray, structure: Structure) -> float:
    """Return the weights of broken soft links; inf on broken conflicts."""
    if len(structure.pairs) == 0:
        return 0.0
    first, second = structure.pairs.T
    shared = structure.price[labels[first] == labels[second]].sum()
    return structure.constant + float(shared)


def keeps_all(labels: IntArray, structure: Structure, nonempty: bool) -> bool:
    """Whether labels keep the conflicts, sizes and sums, and leave no cluster empty if asked."""
    if labels.min() < 0 or links_cost(labels, structure) == np.inf:
        return False
    sums = all(row.keep(labels, structure.k) for row in structure.sums)
    return sums and keeps_sizes(labels, structure, nonempty)


def keeps_sizes(labels: IntArray, structure: Structure, nonempty: bool) -> bool:
    """Whether labels keep the sizes, and leave no cluster empty if that is asked."""
    load = np.bincount(labels, weights=structure.mass, minlength=structure.k)
    if nonempty and not (load > 0).all():
        return False
    if structure.lower is None or structure.upper is None:
        return True
    return bool(((load >= structure.lower) & (load <= structure.upper)).all())
