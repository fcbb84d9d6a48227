"""Multipliers of soft links, exact for clusterings whatever the sizes of clusters.

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
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.kernels import Rows, add_row
from ccviz.solvers.relaxation.model import Relaxation

# --- Multipliers in single precision, where that holds them ---------------------------------------

_SINGLE = (1e-30, 1e38)
"""Range of the largest multiplier for which single precision keeps all its digits."""


def compact(values: FloatArray) -> np.ndarray:
    """Return multipliers in single precision, which halves a stored tree, if it can hold them."""
    largest = float(np.abs(values).max(initial=0.0))
    fits = largest == 0.0 or _SINGLE[0] < largest < _SINGLE[1]
    return values.astype(np.float32) if fits else values


_CANDIDATES = 12  # Blocks that are tried as the centre of a cannot-link
_DEEPER = 0.01  # Share by which a new row must exceed those that the link has
_BELOW_CAP = 1.0 - 2e-7
"""Factor on stored multipliers, so that rounding to single precision keeps them below the cap."""


@dataclass(frozen=True, eq=False)
class SoftPrices:
    """Multipliers of the undecided pairs of a relaxation, in some unit of the objective."""

    must: FloatArray  # (a, s): p of each must-link
    link: IntArray  # (c,): The cannot-link of each row, ascending
    centre: IntArray  # (c,): -1 for the row `fewest` Z_ij
    members: np.ndarray
    weights: FloatArray  # (c,): Multipliers of the rows

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
    return cannot_rows(pairs, prices.centre, prices.members, mass, fewest)


class SoftAscent:
    """Ascent over the multipliers while the relaxation iterates.

    `rho`: Penalty of the method: its multipliers are those of the scaled objective over rho.
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
        add_must(G, self.relaxation.soft.must, self.root, self.must)
        kernels.add_rows(G, self.weights, self.rows)

    def sweep(self, G: FloatArray) -> None:
        """Ascend once over all multipliers, and change G with them."""
        soft = self.relaxation.soft
        must_sweep(G, soft.must, self.root, self.must, self.must_cap, *self.limits)
        link, cap = self.prices.link, self.cap
        capped_sweep(G, self.weights, self.rows, link, cap, *self.limits)

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

    Returns `part` (s, s): Less the sum of the prices' terms.
    """
    part = np.zeros((relaxation.s, relaxation.s))
    rows = rows_of(relaxation, prices)
    scaled = prices.weights.astype(np.float64) * rows.norm
    root = np.sqrt(relaxation.mass)
    add_must(part, relaxation.soft.must, root, prices.must.astype(np.float64))
    kernels.add_rows(part, scaled, rows)
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
    separate_cannot(Z, relaxation.mass, soft.cannot, _CANDIDATES, centre, members, depth)
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

    `child_of` (s,): The child's block that holds each of the parent's.
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


# --- Compiled: the terms of soft links in a matrix, and one ascent over their multipliers ---------
#
# Entries of the symmetric matrix Y are in scaled variables: m_h Z_ih = sqrt(m_h / m_i) Y_ih.


@njit(cache=True, inline="always")  # pragma: no cover - compiled
def _add(G: Any, i: int, h: int, value: float) -> None:
    """Add a multiple of the entry (i, h) of a symmetric matrix."""
    if i == h:
        G[i, i] += value
    else:
        G[i, h] += 0.5 * value
        G[h, i] += 0.5 * value


@njit(cache=True, inline="always")  # pragma: no cover - compiled
def _entry(G: Any, i: int, h: int, low: Any, high: Any) -> float:
    """Return an entry of the projection of G on the polyhedron."""
    if i == h:
        return min(max(G[i, i], low[i]), high[i])
    return max(G[i, h], 0.0)


@njit(cache=True)  # pragma: no cover - compiled
def add_must(G: Any, pairs: Any, root: Any, price: Any) -> None:
    """Subtract the sum over pairs and blocks h of price times m_h (Z_ih - Z_jh)."""
    for g in range(len(pairs)):
        i, j = pairs[g, 0], pairs[g, 1]
        for h in range(len(root)):
            p = price[g, h]
            if p != 0.0:
                _add(G, i, h, -p * root[h] / root[i])
                _add(G, j, h, p * root[h] / root[j])


@njit(cache=True)  # pragma: no cover - compiled
def must_sweep(G: Any, pairs: Any, root: Any, price: Any, cap: Any, low: Any, high: Any) -> None:
    """Ascend once over the prices of must-links; each lies within its cap of zero."""
    for g in range(len(pairs)):
        i, j = pairs[g, 0], pairs[g, 1]
        for h in range(len(root)):
            at_i, at_j = root[h] / root[i], root[h] / root[j]
            apart = at_i * _entry(G, i, h, low, high) - at_j * _entry(G, j, h, low, high)
            square = at_i * at_i * (1.0 if i == h else 0.5)
            square += at_j * at_j * (1.0 if j == h else 0.5)
            new = min(max(price[g, h] + apart / square, -cap[g]), cap[g])
            step = new - price[g, h]
            if step != 0.0:
                price[g, h] = new
                _add(G, i, h, -step * at_i)
                _add(G, j, h, step * at_j)


@njit(cache=True)  # pragma: no cover - compiled
def cannot_rows(pairs: Any, centre: Any, members: Any, mass: Any, fewest: Any) -> Rows:
    """Return rows for cannot-links, as `kernels.cut_rows` does for cuts.

    A row without a centre (-1) says that its pair shares fewest Z_ij of a cluster.
    """
    s = len(mass)
    start = np.zeros(len(centre) + 1, np.int64)
    position = np.empty(len(centre) * (4 * s + 1), np.int64)
    mirror, value = np.empty_like(position), np.empty(len(position))
    side, norm = np.empty(len(centre)), np.empty(len(centre))
    sums, used, at = np.zeros((s, s)), np.empty((4 * s + 1, 2), np.int64), 0
    for c in range(len(centre)):
        i, j, center = pairs[c, 0], pairs[c, 1], centre[c]
        count = 0
        if center < 0:
            count = _note(sums, used, count, i, j, fewest[c])
        else:
            for h in range(s):
                if members[c, h]:
                    count = _note(sums, used, count, i, h, mass[h])
                    count = _note(sums, used, count, j, h, mass[h])
                    count = _note(sums, used, count, h, h, -mass[h])
                    count = _note(sums, used, count, h, center, mass[h])
        square = 0.0
        first = at
        for t in range(count):
            a, b = used[t, 0], used[t, 1]
            if sums[a, b] == 0.0:
                continue
            entry = -sums[a, b] / np.sqrt(mass[a] * mass[b]) * (1.0 if a == b else 0.5)
            square += entry * entry * (1.0 if a == b else 2.0)
            position[at], mirror[at], value[at] = a * s + b, b * s + a, entry
            sums[a, b] = 0.0
            at += 1
        norm[c] = np.sqrt(square) if square > 0.0 else 1.0
        side[c] = (0.0 if center < 0 else -1.0) / norm[c]
        for t in range(first, at):
            value[t] /= norm[c]
        start[c + 1] = at
    return Rows(start, position[:at].copy(), mirror[:at].copy(), value[:at].copy(), side, norm)


@njit(cache=True, inline="always")  # pragma: no cover - compiled
def _note(sums: Any, used: Any, count: int, a: int, b: int, value: float) -> int:
    """Add to an entry of the upper triangle, and note that it is used."""
    if a > b:
        a, b = b, a
    if sums[a, b] == 0.0:
        used[count, 0], used[count, 1] = a, b
        count += 1
    sums[a, b] += value
    return count


@njit(cache=True)  # pragma: no cover - compiled
def capped_sweep(
    G: Any, weight: Any, rows: Rows, group: Any, cap: Any, low: Any, high: Any
) -> None:
    """Ascend once over the multipliers of cannot-links' rows.

    Rows of one link follow each other (``group``), and their multipliers, each over the norm of
    its row, add up to the link's cap at most. At the cap the row that is violated most takes from
    the others.
    """
    g, norm, first = G.ravel(), rows.norm, 0
    while first < len(weight):
        last = first
        while last < len(weight) and group[last] == group[first]:
            last += 1
        room = cap[group[first]]
        for c in range(first, last):
            room -= weight[c] / norm[c]
        for c in range(first, last):
            violation = _violation(g, rows, c, low, high)
            step = min(max(violation, -weight[c]), max(room, 0.0) * norm[c])
            room -= step / norm[c]
            _step(g, weight, rows, c, step)
            if violation * norm[c] > 0.0 and room <= 0.0 and last - first > 1:
                _take(g, weight, rows, c, first, last, low, high)
        first = last


@njit(cache=True)  # pragma: no cover - compiled
def _take(
    g: Any, weight: Any, rows: Rows, c: int, first: int, last: int, low: Any, high: Any
) -> None:
    """Shift multipliers to a row from those of its link that are violated less."""
    norm = rows.norm
    for other in range(first, last):
        if other == c or weight[other] <= 0.0:
            continue
        own = norm[c] * _violation(g, rows, c, low, high)
        its = norm[other] * _violation(g, rows, other, low, high)
        shift = (own - its) / (norm[c] + norm[other]) ** 2
        shift = min(shift, weight[other] / norm[other])
        if shift > 0.0:
            _step(g, weight, rows, c, shift * norm[c])
            _step(g, weight, rows, other, -shift * norm[other])


@njit(cache=True)  # pragma: no cover - compiled
def _violation(g: Any, rows: Rows, c: int, low: Any, high: Any) -> float:
    start, position, mirror, value, side, _ = rows
    s, violation = len(low), side[c]
    for t in range(start[c], start[c + 1]):
        y = g[position[t]]
        if position[t] == mirror[t]:
            i = position[t] // s
            violation -= value[t] * min(max(y, low[i]), high[i])
        elif y > 0.0:
            violation -= value[t] * y * 2.0
    return violation


@njit(cache=True)  # pragma: no cover - compiled
def _step(g: Any, weight: Any, rows: Rows, c: int, step: float) -> None:
    start, position, mirror, value, _, _ = rows
    if step != 0.0:
        weight[c] = max(0.0, weight[c] + step)
        add_row(g, start[c], start[c + 1], position, mirror, value, step)


@njit(cache=True)  # pragma: no cover - compiled
def separate_cannot(
    Z: Any, mass: Any, pairs: Any, candidates: int, centre: Any, members: Any, depth: Any
) -> None:
    """Fill in the best centre and members of each cannot-link, and what share of it they say.

    The centre is one of some blocks that share most with both ends.
    """
    s = len(mass)
    both = np.empty(s)
    for g in range(len(pairs)):
        i, j = pairs[g, 0], pairs[g, 1]
        for h in range(s):
            both[h] = min(Z[i, h], Z[j, h])
        order = np.argsort(-both)
        depth[g] = -np.inf
        for t in range(min(candidates, s)):
            center = order[t]
            total = -1.0
            for h in range(s):
                gain = mass[h] * (Z[i, h] + Z[j, h] - Z[h, h] + Z[h, center])
                if gain > 0.0:
                    total += gain
            if total > depth[g]:
                depth[g], centre[g] = total, center
        center = centre[g]
        for h in range(s):
            members[g, h] = Z[i, h] + Z[j, h] - Z[h, h] + Z[h, center] > 0.0
