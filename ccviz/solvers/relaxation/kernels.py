"""Compiled loops of the relaxation: rows of cuts, one step of ADMM, separation.

A cut is a row of sparse entries of the symmetric matrix Y, scaled to Frobenius norm 1. Entries are
flat positions in the (s, s) matrix, with the position of their mirror image beside them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ccviz.compiled import njit

SEPARATOR, TWO_PARTITION, CLIQUE, ROW = -1, 0, 1, 2
MOST_MEMBERS = 5


class Rows(NamedTuple):
    """Cuts as rows: where each starts, its entries, its right side, and its norm before."""

    start: Any
    position: Any
    mirror: Any
    value: Any
    side: Any
    norm: Any


@njit(cache=True)  # pragma: no cover - compiled
def cut_rows(  # noqa: C901 - one compiled loop nest
    points: Any, kind: Any, root_mass: Any, right_side: float, sums: Any, own: Any
) -> Rows:
    """Return the rows of cuts.

    ``points`` (m, w) are block indices padded by -1, of a separator i, j and S, where those behind
    another j are of its row. ``root_mass`` is sqrt(e), ``right_side`` that of a clique cut in terms
    of Z; ``sums`` (r, s) and ``own`` (r,) are those of limits on sums.
    Off-diagonal values are halved: they represent two entries.
    """
    m, s = len(kind), len(root_mass)
    width = points.shape[1]
    start = np.zeros(m + 1, np.int64)
    entries = 0
    for c in range(m):
        members = 0
        while members < width and points[c, members] >= 0:
            members += 1
        if kind[c] >= ROW:
            entries += s
        else:
            entries += members if kind[c] == SEPARATOR else 1 + members * (members - 1) // 2
    position = np.empty(entries, np.int64)
    mirror = np.empty(entries, np.int64)
    value = np.empty(entries)
    side = np.zeros(m)
    norm = np.empty(m)
    at = 0
    for c in range(m):
        first = at
        members = 0
        while members < width and points[c, members] >= 0:
            members += 1
        lead = 0  # the first block of a 2-partition is its centre: entries of the other sign
        if kind[c] >= ROW:
            r = kind[c] - ROW
            at = _put_sum(points[c, 0], sums[r], own[r], root_mass, at, position, mirror, value)
        elif kind[c] == SEPARATOR:
            i = points[c, 0]
            for a in range(1, members):
                j = points[c, a]
                if a > 1 and j == points[c, 1]:
                    i = j
                    continue
                entry = -1.0 if a == 1 else 1.0
                entry *= (1.0 if i == j else 0.5) / (root_mass[i] * root_mass[j])
                at = _put(i, j, entry, s, at, position, mirror, value)
            members = 0
        elif kind[c] == CLIQUE:
            side[c] = right_side
        else:
            lead = 1
            i = points[c, 0]
            at = _put(i, i, 1.0 / root_mass[i] ** 2, s, at, position, mirror, value)
        for a in range(members):
            for b in range(a):
                i, j = points[c, b], points[c, a]
                sign = -0.5 if b < lead else 0.5
                entry = sign / (root_mass[i] * root_mass[j])
                at = _put(i, j, entry, s, at, position, mirror, value)
        square = 0.0
        for t in range(first, at):
            square += value[t] * value[t] * (1.0 if position[t] == mirror[t] else 2.0)
        norm[c] = np.sqrt(square) if square > 0.0 else 1.0
        for t in range(first, at):
            value[t] /= norm[c]
        side[c] /= norm[c]
        start[c + 1] = at
    return Rows(start, position[:at].copy(), mirror[:at].copy(), value[:at].copy(), side, norm)


@njit(cache=True, inline="always")  # pragma: no cover - compiled
def _put(
    i: int, j: int, entry: float, s: int, at: int, position: Any, mirror: Any, value: Any
) -> int:
    position[at] = i * s + j
    mirror[at] = j * s + i
    value[at] = entry
    return at + 1


@njit(cache=True)  # pragma: no cover - compiled
def _put_sum(
    i: int, sums: Any, own: float, root_mass: Any, at: int, position: Any, mirror: Any, value: Any
) -> int:
    s = len(root_mass)
    for j in range(s):
        entry = 0.5 * sums[j] / (root_mass[i] * root_mass[j])
        if i == j:
            entry = (sums[i] + own) / root_mass[i] ** 2
        if entry != 0.0:
            at = _put(i, j, entry, s, at, position, mirror, value)
    return at


@njit(cache=True)  # pragma: no cover - compiled
def add_rows(G: Any, weight: Any, rows: Rows) -> None:
    """Add the weighted sum of the rows to the matrix G."""
    g, (start, position, mirror, value, _, _) = G.ravel(), rows
    for c in range(len(weight)):
        if weight[c] != 0.0:
            add_row(g, start[c], start[c + 1], position, mirror, value, weight[c])


@njit(cache=True, entry=False, inline="always")  # pragma: no cover - compiled
def add_row(
    g: Any, first: int, last: int, position: Any, mirror: Any, value: Any, weight: float
) -> None:
    """Add a multiple of a row, its entries from first to last, to a flat matrix."""
    for t in range(first, last):
        g[position[t]] += weight * value[t]
        if position[t] != mirror[t]:
            g[mirror[t]] += weight * value[t]


@njit(cache=True)  # pragma: no cover - compiled
def hildreth_sweep(
    G: Any, weight: Any, rows: Rows, slope: Any, offset: Any, low: Any, high: Any
) -> None:
    """Ascend once over the multipliers of the cuts of the projection of G on the polyhedron.

    The projection on {Y >= 0, cuts} is max(G, 0) at the best multipliers, whose sum of rows G
    already holds; a row's step is its violation, cut off where its multiplier would pass zero.
    A diagonal entry is slope (G_ii + offset), held between ``low`` and ``high`` (all (s,)).
    """
    g, (start, position, mirror, value, side, _) = G.ravel(), rows
    s = len(slope)
    for c in range(len(weight)):
        violation = side[c]
        for t in range(start[c], start[c + 1]):
            y = g[position[t]]
            if position[t] == mirror[t]:
                i = position[t] // s
                violation -= value[t] * min(max(slope[i] * (y + offset[i]), low[i]), high[i])
            elif y > 0.0:
                violation -= value[t] * y * 2.0
        step = max(violation, -weight[c])
        if step != 0.0:
            weight[c] += step
            add_row(g, start[c], start[c + 1], position, mirror, value, step)


@njit(cache=True)  # pragma: no cover - compiled
def forbid(G: Any, conflicts: Any, value: float) -> None:
    """Set the entries of conflicting pairs."""
    for c in range(len(conflicts)):
        G[conflicts[c, 0], conflicts[c, 1]] = value
        G[conflicts[c, 1], conflicts[c, 0]] = value


@njit(cache=True)  # pragma: no cover - compiled
def admm_update(
    X: Any, G: Any, C: Any, Y: Any, M: Any, W: Any, rho: float, step: float
) -> tuple[float, float]:
    """Set Y = max(G, 0), M += step rho (X - Y), W = Y - (C + M) / rho; return both residuals."""
    x, g, c = X.ravel(), G.ravel(), C.ravel()
    y, m, w = Y.ravel(), M.ravel(), W.ravel()
    primal = dual = 0.0
    inverse = 1.0 / rho
    for p in range(x.size):
        new = max(g[p], 0.0)
        difference = x[p] - new
        primal += difference * difference
        moved = new - y[p]
        dual += moved * moved
        m[p] += step * rho * difference
        y[p] = new
        w[p] = new - (c[p] + m[p]) * inverse
    return np.sqrt(primal), rho * np.sqrt(dual)


@njit(cache=True)  # pragma: no cover - compiled
def separate_two_partitions(  # noqa: C901 - one compiled loop nest
    Z: Any, mass: Any, least: float, first_members: int, most_members: int, points: Any, depth: Any
) -> int:
    """Find violated 2-partition inequalities greedily; return their number.

    For each centre i and first member j, members join while they deepen the violation; the deepest
    set on the way is kept. There is one for each ordered pair: the deepest of all are near-copies.
    Only the ``first_members`` blocks with the largest Z_ij are first members of a centre, and no
    set has more than ``most_members`` of at most MOST_MEMBERS.
    ``points`` (c, 1 + MOST_MEMBERS) and ``depth`` (c,) are filled.
    """
    s = len(Z)
    near = np.empty(s, np.int64)
    gain = np.empty(s)
    largest = np.empty(min(first_members, s) + 1)
    members = np.empty(MOST_MEMBERS, np.int64)
    found = 0
    for i in range(s):
        count = 0
        for j in range(s):
            # With Z >= 0 only members with Z_ij > 0 can deepen a violation.
            if j != i and Z[i, j] > least:
                near[count] = j
                count += 1
        # A violated inequality has a first member above this mean.
        first = Z[i, i] / most_members
        if count > first_members:
            for b in range(count):
                gain[b] = Z[i, near[b]]
            first = max(first, _nth_largest(gain[:count], first_members, largest))
        for a in range(count):
            if Z[i, near[a]] <= first:
                continue
            violation, size, best = -Z[i, i], 0, 0.0
            square = 1.0 / mass[i] ** 2
            for b in range(count):
                gain[b] = Z[i, near[b]]
            add, kept = a, 0
            while gain[add] > 0.0 and size < most_members:
                j = near[add]
                violation += gain[add]
                square += 0.5 / (mass[i] * mass[j])
                for t in range(size):
                    square += 0.5 / (mass[j] * mass[members[t]])
                members[size] = j
                size += 1
                if violation > least and violation / np.sqrt(square) > best:
                    best, kept = violation / np.sqrt(square), size
                for b in range(count):
                    gain[b] -= Z[j, near[b]]
                gain[add] = -np.inf
                add = int(np.argmax(gain[:count]))
            if kept > 0:
                points[found, 0] = i
                points[found, 1:] = -1
                for t in range(kept):
                    points[found, 1 + t] = members[t]
                _sort(points[found, 1 : kept + 1])
                depth[found] = best
                found += 1
    return found


@njit(cache=True)  # pragma: no cover - compiled
def _nth_largest(values: Any, n: int, largest: Any) -> float:
    """Return the value at place n (from 0) of the values sorted downwards.

    ``largest`` (n + 1,) is work space. NumPy's partition takes seconds to compile.
    """
    m = 0
    for value in values:
        if m <= n or value > largest[n]:
            place = min(m, n)
            while place > 0 and largest[place - 1] < value:
                largest[place] = largest[place - 1]
                place -= 1
            largest[place] = value
            m += 1
    return largest[n]


@njit(cache=True)  # pragma: no cover - compiled
def _sort(values: Any) -> None:
    """Sort a few values in place, by insertion. NumPy's sort takes seconds to compile."""
    for at in range(1, len(values)):
        value, place = values[at], at
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@njit(cache=True)  # pragma: no cover - compiled
def separate_cliques(
    Z: Any, root_mass: Any, size: int, right_side: float, least: float, points: Any, depth: Any
) -> int:
    """Find violated clique inequalities (10) greedily from each block; return their number."""
    s = len(Z)
    cost = np.empty(s)
    chosen = np.empty(size, np.int64)
    found = 0
    for first in range(s):
        chosen[0] = first
        total = 0.0
        for j in range(s):
            cost[j] = Z[first, j]
        cost[first] = np.inf
        for a in range(1, size):
            j = int(np.argmin(cost))
            total += cost[j]
            chosen[a] = j
            for h in range(s):
                cost[h] += Z[j, h]
            cost[j] = np.inf
        if right_side - total > least:
            square = 0.0
            for a in range(size):
                for b in range(a):
                    square += 0.5 / (root_mass[chosen[a]] * root_mass[chosen[b]]) ** 2
            for t in range(size):
                points[found, t] = chosen[t]
            _sort(points[found, :size])
            depth[found] = (right_side - total) / np.sqrt(square)
            found += 1
    return found
