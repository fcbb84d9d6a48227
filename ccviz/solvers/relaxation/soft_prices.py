r"""Multipliers of soft links, exact for clusterings whatever the sizes of clusters.

In the Z of a clustering the rows of two blocks are equal if they share a cluster, and have no
common entry otherwise. So with masses m, if blocks i and j are apart,

    sum over h of m_h |Z_ih - Z_jh| = 2,

and 0 if they are together. A broken must-link of weight w costs half of that, w times, at least
the sum of p_h m_h (Z_ih - Z_jh) for any prices |p_h| <= w / 2.

If they are together, for any block c (the centre) and any set T of blocks, the share

    sum over h in T of m_h (Z_ih + Z_jh - Z_hh + Z_hc) - 1

is at most 1, and at most 0 if they are apart: only one of their two clusters holds c, and a block
of the other has Z_jh = Z_hh and Z_hc = 0. The share is 1 if T is the cluster of i, j and c. They
share also `fewest` Z_ij, with the fewest points of a cluster that holds both. A broken cannot-link
of weight w costs at least any sum of multiples of its shares by multipliers >= 0 that add up to w.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels, soft_kernels
from ccviz.solvers.relaxation.compact import compact
from ccviz.solvers.relaxation.cuts import Rows
from ccviz.solvers.relaxation.model import Relaxation

_CANDIDATES = 12
"""Blocks that are tried as the centre of a cannot-link."""
_DEEPER = 0.01
"""Share by which a new row must exceed those that the link has."""
_BELOW_CAP = 1.0 - 2e-7
"""Factor on stored multipliers, so that rounding to single precision keeps them below the cap."""


@dataclass(frozen=True, eq=False)
class SoftPrices:
    """Multipliers of the undecided pairs of a relaxation, in some unit of the objective.

    Attributes
    ----------
    must : (a, s) float64
        p of each must-link.
    link : (c,) int64
        The cannot-link of each row, ascending.
    centre : (c,) int64
        -1 for the row `fewest` Z_ij.
    members : (c, s) bool
        T.
    weights : (c,) float64
        Multipliers of the rows.
    """

    must: FloatArray
    link: IntArray
    centre: IntArray
    members: np.ndarray
    weights: FloatArray

    def times(self, factor: float) -> SoftPrices:
        """Return the multipliers in another unit."""
        return replace(self, must=self.must * factor, weights=self.weights * factor)


def no_prices(relaxation: Relaxation) -> SoftPrices:
    """Return multipliers of zero; each cannot-link has its row without a centre."""
    soft, s = relaxation.soft, relaxation.s
    count = len(soft.cannot)
    return SoftPrices(
        np.zeros((len(soft.must), s)),
        np.arange(count),
        np.full(count, -1),
        np.zeros((count, s), dtype=bool),
        np.zeros(count),
    )


def rows_of(relaxation: Relaxation, prices: SoftPrices) -> Rows:
    """Return the rows of cannot-links: less of the share is more of the row."""
    pairs = relaxation.soft.cannot[prices.link]
    mass = relaxation.mass
    fewest = mass[pairs[:, 0]] + mass[pairs[:, 1]]
    if relaxation.limits is not None:
        fewest = np.maximum(fewest, relaxation.limits.fewest.min())
    return Rows(*soft_kernels.cannot_rows(pairs, prices.centre, prices.members, mass, fewest))


class SoftAscent:
    """Ascent over the multipliers while the relaxation iterates.

    Parameters
    ----------
    relaxation : Relaxation
    prices : SoftPrices
        In the scaled objective.
    unit : float
        Divisor of the objective.
    rho : float
        Penalty of the method: its multipliers are those of the scaled objective over rho.
    """

    def __init__(self, relaxation: Relaxation, prices: SoftPrices, unit: float, rho: float) -> None:
        soft = relaxation.soft
        self.relaxation, self.prices, self.rho = relaxation, prices, rho
        self.rows = rows_of(relaxation, prices)
        self.root = np.sqrt(relaxation.mass)
        self.must, self.weights = prices.must / rho, prices.weights * self.rows.norm / rho
        self.must_cap = 0.5 * soft.must_weight / (unit * rho)
        self.cap = soft.cannot_weight / (unit * rho)
        self.limits = relaxation.diagonal_limits

    def add(self, G: FloatArray) -> None:
        """Add what the multipliers contribute to G, in place."""
        soft_kernels.add_must(G, self.relaxation.soft.must, self.root, self.must)
        kernels.add_rows(G, self.weights, *self.rows.entries)

    def sweep(self, G: FloatArray) -> None:
        """Ascend once over all multipliers, and change G with them."""
        soft = self.relaxation.soft
        soft_kernels.must_sweep(G, soft.must, self.root, self.must, self.must_cap, *self.limits)
        soft_kernels.capped_sweep(
            G, self.weights, *self.rows.entries, self.rows.side, self.rows.norm,
            self.prices.link, self.cap, *self.limits,
        )  # fmt: skip

    def reached(self) -> SoftPrices:
        """Return the multipliers."""
        return replace(
            self.prices, must=self.must * self.rho, weights=self.weights * self.rho / self.rows.norm
        )


def stored(relaxation: Relaxation, prices: SoftPrices) -> SoftPrices:
    """Return multipliers that surely are within their caps, in single precision if it can.

    Rows without a multiplier go.
    """
    soft = relaxation.soft
    cap = 0.5 * soft.must_weight[:, None]
    must = np.clip(prices.must, -cap, cap) * _BELOW_CAP
    total = np.bincount(prices.link, prices.weights, len(soft.cannot))
    share = np.minimum(1.0, soft.cannot_weight / np.maximum(total, 1e-300))
    weights = prices.weights * share[prices.link] * _BELOW_CAP
    used = weights > 0.0
    return SoftPrices(
        compact(must),
        prices.link[used],
        prices.centre[used],
        prices.members[used],
        compact(weights[used]),
    )


def part_of(relaxation: Relaxation, prices: SoftPrices) -> tuple[FloatArray, float]:
    """Return what the multipliers take from the objective's matrix, and what they add to it.

    Parameters
    ----------
    relaxation : Relaxation
    prices : SoftPrices

    Returns
    -------
    part : (s, s) float64
        Less the sum of the prices' terms.
    gain : float
    """
    part = np.zeros((relaxation.s, relaxation.s))
    rows = rows_of(relaxation, prices)
    scaled = prices.weights.astype(np.float64) * rows.norm
    root = np.sqrt(relaxation.mass)
    soft_kernels.add_must(part, relaxation.soft.must, root, prices.must.astype(np.float64))
    kernels.add_rows(part, scaled, *rows.entries)
    return part, float(scaled @ rows.side)


def arrays(relaxation: Relaxation, prices: SoftPrices) -> dict[str, np.ndarray]:
    """Return multipliers by name, as a certificate carries them."""
    soft = relaxation.soft
    return {
        "must_pairs": soft.must,
        "must_prices": prices.must,
        "cannot_rows": np.column_stack([soft.cannot[prices.link], prices.centre]),
        "cannot_members": prices.members.astype(np.int64),
        "cannot_prices": prices.weights,
    }


def renewed(relaxation: Relaxation, Y: FloatArray, prices: SoftPrices | None) -> SoftPrices | None:
    """Return the multipliers without idle rows, and with those rows that Y violates most."""
    soft = relaxation.soft
    if prices is None or not len(soft.cannot):
        return prices
    Z = relaxation.to_z(Y)
    count = len(soft.cannot)
    centre, depth = np.zeros(count, np.int64), np.empty(count)
    members = np.zeros((count, relaxation.s), dtype=np.bool_)
    soft_kernels.separate_cannot(
        Z, relaxation.mass, soft.cannot, _CANDIDATES, centre, members, depth
    )
    known = np.zeros(count)
    np.maximum.at(known, prices.link, _shares(relaxation, Y, prices))
    new = np.flatnonzero(depth > known + _DEEPER)
    kept = (prices.weights > 0.0) | (prices.centre < 0)
    order = np.argsort(np.concatenate([prices.link[kept], new]), kind="stable")
    return SoftPrices(
        prices.must,
        np.concatenate([prices.link[kept], new])[order],
        np.concatenate([prices.centre[kept], centre[new]])[order],
        np.concatenate([prices.members[kept], members[new]])[order],
        np.concatenate([prices.weights[kept], np.zeros(len(new))])[order],
    )


def _shares(relaxation: Relaxation, Y: FloatArray, prices: SoftPrices) -> FloatArray:
    """Return (c,) what share of a cluster the rows say that their pairs have in Y."""
    rows = rows_of(relaxation, prices)
    twice = np.where(rows.position == rows.mirror, 1.0, 2.0)
    terms = rows.value * twice * Y.ravel()[rows.position]
    sums = np.bincount(np.repeat(np.arange(len(rows.side)), np.diff(rows.start)), terms,
                       len(rows.side))  # fmt: skip
    return (rows.side - sums) * rows.norm


def inherited(
    prices: SoftPrices | None, child_of: IntArray, parent: Relaxation, child: Relaxation
) -> SoftPrices | None:
    """Return multipliers to begin a child with: those of pairs that are undecided there.

    Parameters
    ----------
    prices : SoftPrices or None
    child_of : (s,) int64
        The child's block that holds each of the parent's.
    parent, child : Relaxation
    """
    if prices is None or not len(child.soft):
        return None
    start = no_prices(child)
    T = np.zeros((parent.s, child.s))  # a price over a union is the mean of its blocks'
    T[np.arange(parent.s), child_of] = parent.mass / child.mass[child_of]
    to, swapped = _places(child_of[parent.soft.must], child.soft.must, child.s)
    for g in np.flatnonzero(to >= 0):
        start.must[to[g]] += (-1.0 if swapped[g] else 1.0) * (prices.must[g] @ T)
    to, _ = _places(child_of[parent.soft.cannot], child.soft.cannot, child.s)
    link = to[prices.link]
    kept = (link >= 0) & (prices.centre >= 0)
    missing = np.zeros((int(kept.sum()), child.s))
    np.add.at(missing.T, child_of, (~prices.members[kept]).T)
    order = np.argsort(np.concatenate([start.link, link[kept]]), kind="stable")
    return SoftPrices(
        start.must,
        np.concatenate([start.link, link[kept]])[order],
        np.concatenate([start.centre, child_of[prices.centre[kept]]])[order],
        np.concatenate([start.members, missing == 0.0])[order],
        np.concatenate([start.weights, prices.weights[kept]])[order],
    )


def _places(ends: IntArray, known: IntArray, s: int) -> tuple[IntArray, np.ndarray]:
    """Return where pairs are among known ones, -1 for none, and whether they are turned round."""
    place = {pair: at for at, pair in enumerate(map(tuple, known.tolist()))}
    low, high = ends.min(axis=1, initial=s), ends.max(axis=1, initial=-1)
    found = [place.get(pair, -1) for pair in zip(low.tolist(), high.tolist(), strict=True)]
    return np.array(found, dtype=np.int64), ends[:, 0] > ends[:, 1]
