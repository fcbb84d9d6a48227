"""The bound of duals under sizes or soft links: a least value for every class of clusters.

Clusters with the same limits on their points make a class. With duals of any sign and a value v_q
below which no cluster of class q lies, c_q of them in a clustering, every clustering costs at least
the sum of the duals plus the sum of c_q v_q between its blocks. Without sizes there is one class. A
cluster's value includes its soft links (`ccviz.proof.partition_pricing`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.proof.budget import Budget
from ccviz.proof.partition_pricing import Limits, none_below_within
from ccviz.proof.question import pricings
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Centroids, gamma, rescaled
from ccviz.proof.soft import SoftCosts


class SizeClass(NamedTuple):
    """Clusters with the same limits on their points, and their number."""

    lower: float
    upper: float
    clusters: int


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The duals of the blocks, and the classes with their claimed least values.

    Attributes
    ----------
    duals : (s,) float64
    least : (q,) float64
    classes : tuple of SizeClass
        By ascending limits.
    links : SoftCosts
    """

    duals: np.ndarray
    least: np.ndarray
    classes: tuple[SizeClass, ...]
    links: SoftCosts

    @property
    def counts(self) -> np.ndarray:
        """(q,) float64 numbers of clusters."""
        return np.array([each.clusters for each in self.classes], dtype=np.float64)

    @property
    def total(self) -> float:
        """The bound that is claimed, rounded."""
        return float(self.duals.sum() + self.counts @ self.least)


def needs_classes(problem: Problem) -> bool:
    """Return whether splitting a cluster may cost something or be forbidden."""
    return problem.sizes is not None or problem.is_soft


def classes_within(problem: Problem) -> tuple[SizeClass, ...]:
    """Return the classes of a problem's clusters by ascending limits; one without sizes."""
    if problem.sizes is None:
        weights = problem.masses
        least = float(weights[weights > 0.0].min())
        return (SizeClass(least, float(weights.sum()), problem.k),)
    limits = np.stack([problem.sizes.lower, problem.sizes.upper], axis=1)
    rows, counts = np.unique(limits, axis=0, return_counts=True)
    return tuple(
        SizeClass(float(low), float(high), int(count))
        for (low, high), count in zip(rows.tolist(), counts, strict=True)
    )


def class_values(
    problem: Problem,
    certificate: dict[str, np.ndarray],
    exponent: int,
    blocks: int,
    links: SoftCosts,
) -> ClassValues:
    """Return the duals and least values of a leaf.

    Parameters
    ----------
    problem : Problem
    certificate : dict of arrays
    exponent : int
        Its numbers are multiplied by 2 to that power.
    blocks : int
    links : SoftCosts

    Raises
    ------
    FlawError
        If they are not those of the blocks and classes.
    """
    if {"taken", "case_zone"} & set(certificate):
        raise FlawError("has places or zones under sizes or soft links")
    if "least" not in certificate:
        raise FlawError("lacks its least")
    duals = rescaled(certificate["duals"], exponent)
    least = rescaled(certificate["least"], exponent)
    classes = classes_within(problem)
    if duals.shape != (blocks,):
        raise FlawError(f"has {duals.size} duals, not those of {blocks} blocks")
    if least.shape != (len(classes),):
        raise FlawError(f"has {least.size} least values, not those of {len(classes)} classes")
    return ClassValues(duals, least, classes, links)


def class_bound(
    problem: Problem,
    block_of: np.ndarray,
    means: Centroids,
    values: ClassValues,
    needed: float,
    budget: Budget,
) -> tuple[float, bool]:
    """Return the bound that duals prove between the blocks, and whether all searches ended.

    The least values are lowered where the bound is ``needed`` only so far.

    Parameters
    ----------
    problem : Problem
    block_of : (n,) int64
    means : Centroids
    values : ClassValues
    needed : float
    budget : Budget

    Raises
    ------
    FlawError
        If a cluster has a lower value.
    """
    duals, least, counts = values.duals, values.least, values.counts
    size = float(np.abs(duals).sum() + counts @ np.abs(least)) + abs(needed)
    margin = gamma(len(duals) + len(least) + 8) * size
    if math.isfinite(needed):
        excess = values.total - needed - 4.0 * margin
        least = least - max(0.0, excess) / problem.k
    links = values.links.pairs, values.links.cut
    answers = [
        none_below_within(pricing, Limits(each.lower, each.upper, *links), value, budget)
        for pricing in pricings(problem, block_of, means, duals)
        for each, value in zip(values.classes, least.tolist(), strict=True)
    ]
    if False in answers:
        raise FlawError("overlooks a cluster of lower value")
    total = replace(values, least=least).total
    return total - margin - gamma(8) * float(counts @ np.abs(least)), None not in answers
