"""Duals lowered until no cluster found has a negative reduced cost.

One cluster of negative reduced cost lowers the Lagrangian bound by its excess k times. Lowering the
duals of its own blocks by that excess takes it once, as the dual adjustment of facility location
(Erlenkotter 1978). What each block gains in the cluster, its dual less its squared distance to the
mean, falls by the same share: the reduced cost is then zero, that of its neighbours about zero.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.cluster import squared_distance
from ccviz.solvers.colgen.model.discs import center_of
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.pricing.pricer import UNLIMITED, Priced, Pricer

ADJUSTMENTS = 12
"""Most exact pricings of one adjustment; little is missing after that."""
_ENOUGH = 1e-6
"""Excess over the cardinality dual that may stay, as a share of it."""


def is_enough(proof: Priced, cardinality_dual: float) -> bool:
    """Whether no cluster gains more than the cardinality dual, up to a negligible excess."""
    return -proof.min_reduced_cost <= cardinality_dual * (1.0 + _ENOUGH)


def price_and_adjust(
    pricer: Pricer,
    at: FloatArray,
    cardinality_dual: float,
    rounds: int,
    visit_limit: int = UNLIMITED,
) -> Iterator[tuple[Priced, FloatArray]]:
    """Yield exact pricings with their duals, then with lower ones, until nothing more is found.

    Parameters
    ----------
    pricer : Pricer
    at : (s + t,) float64
    cardinality_dual : float
        Largest gain that a cluster may have from its blocks.
    rounds : int
        Most pricings.
    visit_limit : int
        Of each, see `Pricer.exact`.
    """
    for _ in range(rounds):
        proof = pricer.exact(at, -cardinality_dual, -cardinality_dual, visit_limit)
        yield proof, at
        if not proof.exact or is_enough(proof, cardinality_dual):
            return
        order = np.argsort(proof.costs - proof.columns @ at)
        at, _ = adjusted(pricer.alternatives[0], proof.columns, order, at, cardinality_dual, 0.0)


@njit(cache=True)
def adjusted(
    instance: Instance,
    columns: np.ndarray,
    order: np.ndarray,
    duals: FloatArray,
    cardinality_dual: float,
    more: float,
) -> tuple[FloatArray, np.ndarray]:
    """Lower duals until no cluster gains more than the cardinality dual, one after the other.

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
    order : (q,) int64
        The columns to visit.
    duals : (s + t,) float64
    cardinality_dual : float
    more : float
        Excess that may stay.

    Returns
    -------
    duals : (s + t,) float64
        None below zero, none above what it was.
    needed : (m,) bool
        Columns that still had an excess at their turn: of similar ones only the first.
    """
    duals = duals.copy()
    needed = np.zeros(len(columns), dtype=np.bool_)
    gain = np.empty(columns.shape[1])
    center = np.empty(instance.points.shape[1])
    for c in order:
        members = np.flatnonzero(columns[c])
        center_of(instance, columns[c], center)
        gained = 0.0
        for b in members:
            cost = 0.0  # of a disc
            if b < len(instance.mass):
                cost = instance.mass[b] * squared_distance(instance.points, b, center)
            gain[b] = max(0.0, duals[b] - cost)
            gained += gain[b]
        if gained <= cardinality_dual + more:
            continue
        needed[c] = True
        share = 1.0 - cardinality_dual / gained
        for b in members:
            duals[b] -= share * gain[b]
    return duals, needed
