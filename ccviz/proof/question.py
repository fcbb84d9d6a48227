"""The pricing problem: blocks and their duals, conflicts, limits and discs.

`ccviz.proof.pricing` solves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ccviz.errors import ProblemError
from ccviz.problem.problem import Problem
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Centroids, Unit, gamma

_MOST_WAYS = 256  # most alternatives of the rules' disjunctive normal form


@dataclass(frozen=True, eq=False)
class Limit:
    """An upper limit on a cluster's load.

    Attributes
    ----------
    most : float
    weight : (s,) float64
        Weight of each block.
    together : (s, s) float64
        Additional weight of two blocks that are both in; symmetric, zero diagonal.
    """

    most: float
    weight: np.ndarray
    together: np.ndarray

    def of(self, inside: np.ndarray) -> float:
        """Return the load of the cluster (s,) bool."""
        return float(self.weight[inside].sum() + 0.5 * self.together[np.ix_(inside, inside)].sum())


@dataclass(frozen=True, eq=False)
class Places:
    """Discs on which the tree has branched: occupied ("taken") or empty of cluster means.

    Attributes
    ----------
    center : (r, d) float64
    radius : (r,) float64
        Rounded up for an occupied disc, rounded down for an empty one.
    prize : (r,) float64
        Dual of an occupied disc, not negative, which every centre in it gains; nan for an empty
        one.
    """

    center: np.ndarray
    radius: np.ndarray
    prize: np.ndarray

    @property
    def taken(self) -> np.ndarray:
        """(r,) bool: occupied discs."""
        return np.asarray(~np.isnan(self.prize))


NOWHERE = Places(np.zeros((0, 1)), np.zeros(0), np.zeros(0))
"""No discs."""


def discs_of(
    unit: Unit, means: Centroids, taken: np.ndarray, empty: np.ndarray, prize: np.ndarray
) -> Places:
    """Return discs from the points that define them, and the prizes of occupied ones.

    A computed mean has an error of at most the slip, by which radii are enlarged or reduced.
    """
    center, border = unit.A[np.concatenate([taken, empty])].transpose(1, 0, 2)
    radius = np.sqrt(((border - center) ** 2).sum(axis=1))
    side = np.where(np.arange(len(radius)) < len(taken), 1.0, -1.0)
    radius += side * (means.slip + gamma(center.shape[1] + 8) * (radius + means.slip))
    return Places(center, radius, np.append(prize, np.full(len(empty), np.nan)))


@dataclass(frozen=True, eq=False)
class Pricing:
    """A pricing problem: blocks, their duals, conflicts and limits.

    Attributes
    ----------
    points : (s, d) float64
        Centroids of the blocks.
    mass : (s,) float64
    duals : (s,) float64
    conflict : (s, s) bool
    limits : tuple of Limit
    places : Places
    """

    points: np.ndarray
    mass: np.ndarray
    duals: np.ndarray
    conflict: np.ndarray
    limits: tuple[Limit, ...] = ()
    places: Places = NOWHERE

    def of(self, some: np.ndarray) -> Pricing:
        """Return the problem over some of the blocks."""
        limits = tuple(
            Limit(limit.most, limit.weight[some], limit.together[np.ix_(some, some)])
            for limit in self.limits
        )
        conflict = self.conflict[np.ix_(some, some)]
        return Pricing(
            self.points[some], self.mass[some], self.duals[some], conflict, limits, self.places
        )

    def allows(self, inside: np.ndarray) -> bool:
        """Whether the cluster (s,) bool keeps all conflicts and limits."""
        if self.conflict[np.ix_(inside, inside)].any():
            return False
        return all(limit.of(inside) <= limit.most for limit in self.limits)

    def value(self, inside: np.ndarray) -> float:
        """Return the value of the cluster (s,) bool."""
        points, mass = self.points[inside], self.mass[inside]
        gaps = points - mass @ points / mass.sum()
        return float(mass @ (gaps * gaps).sum(axis=1) - self.duals[inside].sum())


def pricings(
    problem: Problem,
    block_of: np.ndarray,
    blocks: Centroids,
    duals: np.ndarray,
    places: Places = NOWHERE,
) -> list[Pricing]:
    """Return the pricing problems of a node: one for each alternative of the rules.

    Parameters
    ----------
    problem : Problem
    block_of : (n,) int64
    blocks : Centroids
    duals : (s,) float64
    places : Places

    Raises
    ------
    FlawError
        If the rules are malformed, or have too many alternatives.
    """
    try:
        choices = [rule.alternatives(problem) for rule in problem.rules]
    except ProblemError as wrong:
        raise FlawError(str(wrong).removesuffix(".")) from None
    if np.prod([float(len(each)) for each in choices]) > _MOST_WAYS:
        raise FlawError(f"the rules can be kept in more than {_MOST_WAYS} ways")
    return [
        Pricing(
            blocks.points, blocks.mass, duals, blocks.conflict,
            tuple(_over_blocks(load, block_of) for loads in way for load in loads), places,
        )
        for way in product(*choices)
    ]  # fmt: skip


def _over_blocks(load: Any, block_of: np.ndarray) -> Limit:
    """Return a rule's load over points as one over blocks."""
    s = int(block_of.max()) + 1
    weight = np.bincount(block_of, load.weight, s).astype(float)
    together = np.zeros((s, s))
    ends = block_of[load.pairs].reshape(-1, 2)
    np.add.at(together, (ends[:, 0], ends[:, 1]), 1.0)
    weight += together.diagonal()
    together += together.T
    np.fill_diagonal(together, 0.0)
    return Limit(load.limit, weight, together)
