"""Duals lowered to where no cluster found is worth more than the price.

One cluster below the price takes its whole excess from the Lagrangian bound k times. To lower the
duals of its own blocks by that excess takes it once, as the dual adjustment of facility location
does (Erlenkotter 1978). What each block gains in the cluster, its dual less its squared distance to
the mean, falls by the same share: the cluster is then worth the price, its neighbours about that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.cluster import squared_distance
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.places import center_of
from ccviz.solvers.colgen.pricing import UNLIMITED, Priced, Pricer

REPAIRS = 12  # pricings, at most: what is left then is little
_ENOUGH = 1e-6  # no cluster is worth more than the price, relatively


def is_enough(proof: Priced, price: float) -> bool:
    """Whether no cluster is worth more than the price, or by so little that it may stay."""
    return -proof.least <= price * (1.0 + _ENOUGH)


def lowering(
    pricer: Pricer, at: FloatArray, price: float, rounds: int, visit_limit: int = UNLIMITED
) -> Iterator[tuple[Priced, FloatArray]]:
    """Yield what exact pricing says at duals, and at lower ones, until no more is found.

    Parameters
    ----------
    pricer : Pricer
    at : (s + t,) float64
    price : float
        What no cluster is to be worth more than.
    rounds : int
        Most pricings.
    visit_limit : int
        Of each, see `Pricer.exact`.
    """
    for _ in range(rounds):
        proof = pricer.exact(at, -price, -price, visit_limit)
        yield proof, at
        if not proof.exact or is_enough(proof, price):
            return
        order = np.argsort(proof.costs - proof.columns @ at)
        at, _ = lowered(pricer.alternatives[0], proof.columns, order, at, price, 0.0)


@njit(cache=True)
def lowered(
    instance: Instance,
    columns: np.ndarray,
    order: np.ndarray,
    duals: FloatArray,
    price: float,
    more: float,
) -> tuple[FloatArray, np.ndarray]:
    """Lower duals until no cluster is worth the price and ``more`` on top, one after the other.

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
    order : (q,) int64
        Of the columns to look at.
    duals : (s + t,) float64
    price, more : float

    Returns
    -------
    duals : (s + t,) float64
        None below zero, none above what it was.
    needed : (m,) bool
        Columns that were worth more when it was their turn: of many alike it is the first.
    """
    duals = duals.copy()
    needed = np.zeros(len(columns), dtype=np.bool_)
    gain = np.empty(columns.shape[1])
    center = np.empty(instance.points.shape[1])
    for c in order:
        members = np.flatnonzero(columns[c])
        center_of(instance, columns[c], center)
        worth = 0.0
        for b in members:
            cost = 0.0  # of a place
            if b < len(instance.mass):
                cost = instance.mass[b] * squared_distance(instance.points, b, center)
            gain[b] = max(0.0, duals[b] - cost)
            worth += gain[b]
        if worth <= price + more:
            continue
        needed[c] = True
        share = 1.0 - price / worth
        for b in members:
            duals[b] -= share * gain[b]
    return duals, needed
