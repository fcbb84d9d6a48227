"""Compiled loops over soft links: their terms in a matrix, and one ascent over their multipliers.

Pairs and rows are those of `soft_prices`. Entries of the symmetric matrix Y are in scaled
variables: m_h Z_ih = sqrt(m_h / m_i) Y_ih.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.compiled import njit


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
def cannot_rows(pairs: Any, centre: Any, members: Any, mass: Any, fewest: Any) -> Any:
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
    return start, position[:at].copy(), mirror[:at].copy(), value[:at].copy(), side, norm


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
    G: Any,
    weight: Any,
    start: Any,
    position: Any,
    mirror: Any,
    value: Any,
    side: Any,
    norm: Any,
    group: Any,
    cap: Any,
    low: Any,
    high: Any,
) -> None:
    """Ascend once over the multipliers of cannot-links' rows.

    Rows of one link follow each other (``group``), and their multipliers, each over the norm of
    its row, add up to the link's cap at most. At the cap the row that is violated most takes from
    the others.
    """
    s = len(low)
    first = 0
    while first < len(weight):
        last = first
        while last < len(weight) and group[last] == group[first]:
            last += 1
        room = cap[group[first]]
        for c in range(first, last):
            room -= weight[c] / norm[c]
        for c in range(first, last):
            violation = _violation(G, c, s, start, position, mirror, value, side, low, high)
            step = min(max(violation, -weight[c]), max(room, 0.0) * norm[c])
            room -= step / norm[c]
            _step(G, weight, c, step, start, position, mirror, value)
            if violation * norm[c] > 0.0 and room <= 0.0 and last - first > 1:
                _take(
                    G, weight, c, first, last, s, start, position, mirror, value, side, norm,
                    low, high,
                )  # fmt: skip
        first = last


@njit(cache=True)  # pragma: no cover - compiled
def _take(
    G: Any,
    weight: Any,
    c: int,
    first: int,
    last: int,
    s: int,
    start: Any,
    position: Any,
    mirror: Any,
    value: Any,
    side: Any,
    norm: Any,
    low: Any,
    high: Any,
) -> None:
    """Shift multipliers to a row from those of its link that are violated less."""
    for other in range(first, last):
        if other == c or weight[other] <= 0.0:
            continue
        own = norm[c] * _violation(G, c, s, start, position, mirror, value, side, low, high)
        its = norm[other] * _violation(G, other, s, start, position, mirror, value, side, low, high)
        shift = (own - its) / (norm[c] + norm[other]) ** 2
        shift = min(shift, weight[other] / norm[other])
        if shift > 0.0:
            _step(G, weight, c, shift * norm[c], start, position, mirror, value)
            _step(G, weight, other, -shift * norm[other], start, position, mirror, value)


@njit(cache=True)  # pragma: no cover - compiled
def _violation(
    G: Any,
    c: int,
    s: int,
    start: Any,
    position: Any,
    mirror: Any,
    value: Any,
    side: Any,
    low: Any,
    high: Any,
) -> float:
    g = G.ravel()
    violation = side[c]
    for t in range(start[c], start[c + 1]):
        y = g[position[t]]
        if position[t] == mirror[t]:
            i = position[t] // s
            violation -= value[t] * min(max(y, low[i]), high[i])
        elif y > 0.0:
            violation -= value[t] * y * 2.0
    return violation


@njit(cache=True)  # pragma: no cover - compiled
def _step(
    G: Any, weight: Any, c: int, step: float, start: Any, position: Any, mirror: Any, value: Any
) -> None:
    if step == 0.0:
        return
    g = G.ravel()
    weight[c] = max(0.0, weight[c] + step)
    for t in range(start[c], start[c + 1]):
        g[position[t]] += step * value[t]
        if position[t] != mirror[t]:
            g[mirror[t]] += step * value[t]


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
