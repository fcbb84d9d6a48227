"""Check the proof in a run file: a second checker, written from `docs/proof-format.md` alone.

    python tools/check_proof.py run.ccviz [--gap 1e-4] [--exact] [--seconds 600] [--looks 2e9]

Python's standard library and NumPy. What is inside blocks and clusters is exact, in whole numbers;
bounds between blocks hold whatever rounding did. With ``--exact`` they are whole numbers as well:
doubles only guess multipliers. Read it from the top: the file, semidefinite certificates, the
search for clusters of low value, the run. Neither sizes nor soft links are checked. Exit code 0:
proved within the gap.
"""

import argparse
import io
import math
import struct
import sys
import time
import zlib
from fractions import Fraction
from itertools import chain, combinations, compress, product
from pathlib import Path

import numpy as np

ROUND = 2.0**-52  # twice the error of one operation
BATCH, FEW = 256, 14  # boxes looked at together; blocks of which single ones are decided on first
EXACT_BITS, EXACT_BLOCKS = 180, 300  # of numbers in exact arithmetic at least; most blocks for it
AGREE = Fraction(1, 10**8)  # relative difference between a claim and what is computed
WRONG = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RecursionError)
WRONG += (TypeError, ValueError, struct.error, zlib.error)
PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
SIZED = {0xC4: "b1", 0xC5: "b2", 0xC6: "b4", 0xD9: "s1", 0xDA: "s2", 0xDB: "s4"}
SIZED |= {0xDC: "l2", 0xDD: "l4", 0xDE: "m2", 0xDF: "m4"}
HEAD = "name dataset solver settings limits seed problem workers scaling"
PROBLEM = "X k must_link cannot_link lower upper truth rules asked"
EVENTS = {  # those that matter: the fields they must have, and those they may have
    "Started": ("solver settings seed n d k n_blocks", ""),
    "IncumbentFound": ("labels", "source objective"),
    "NodeOpened": ("node parent depth lower_bound", "pair together place"),
    "NodeBranched": ("node pair lower_bound", "place"),
    "NodePruned": ("node reason lower_bound", "detail certificate"),
    "PartsCut": ("parts part_of", "dropped"),
    "PartBounded": ("part lower_bound upper_bound rounds", "certificate merged leaves"),
    "Finished": ("termination", "message"),
}
OTHERS = """Noted Restarted Assigned CentersMoved DeadEnded BoundImproved InfeasibilityProved
    NodeBounded CutsAdded RelaxationSolved ColumnsPriced ResidualsUpdated GenerationEnded
    QuestionAsked QuestionAnswered"""
SEMIDEFINITE = {"nonnegativity": "f1", "points": "i2", "kind": "i1", "weights": "f1"}
CASES = {"case_zone": "i1", "case_places": "i2", "case_prizes": "f1", "case_blocks": "i2"}
CASES |= {"case_changes": "f1"}
COLUMNS = {"duals": "f1", "least": "f1", "taken": "f1", **CASES}
AT_NODES = {**SEMIDEFINITE, **COLUMNS, "node": "i1", "unit": "i1", "witness": "i1"}
IN_PARTS = {**SEMIDEFINITE, "decisions": "i2", "bound": "f1"}


class Limit(ValueError):  # noqa: N818
    """A budget is used up: nothing is wrong with the proof so far."""


def need(condition, why):
    if not condition:
        raise ValueError(why)


def is_whole(value):
    return type(value) is int and value >= 0


def is_number(value):
    return type(value) in (int, float) and not math.isnan(value)


def is_pair(value):
    return len(value) == 2 and all(map(is_whole, value)) and value[0] != value[1]


RIGHT = {  # what a field of an event must be; arrays are looked at when they are read
    **dict.fromkeys(("together", "place"), lambda value: type(value) is bool),
    **dict.fromkeys(("node", "parts", "part", "n", "d", "k"), is_whole),
    "parent": lambda value: value is None or is_whole(value),
    "pair": lambda value: value is None or is_pair(value),
    "lower_bound": is_number,
    "objective": lambda value: value is None or is_number(value),
    "merged": lambda value: type(value) is list and all(map(is_whole, value)),
    "solver": ("sdp", "colgen", "divide").__contains__,
    "reason": ("bound", "infeasible", "integral").__contains__,
}


class Budget:
    """What a check may take, whatever the file says."""

    def __init__(self, seconds=600.0, looks=2e9, size=1 << 32, nodes=1e6):
        self.end = time.monotonic() + seconds
        self.left = {"bytes": size, "nodes": nodes, "looks at blocks": looks}

    def spend(self, what, amount=0):
        self.left[what] -= amount
        if self.left[what] < 0 or time.monotonic() > self.end:
            what = what if self.left[what] < 0 else "seconds"
            raise Limit(f"it takes more {what} than are allowed here")


def take(file, size):
    data = file.read(size)
    need(len(data) == size, "the file breaks off")
    return data


def unpack(file):
    """Return the next MessagePack value."""
    first = take(file, 1)[0]
    if first < 0x80 or first >= 0xE0 or first in PLAIN:
        return PLAIN.get(first, first - 0x100 * (first >= 0xE0))
    if 0xCA <= first <= 0xD3:
        kind = ">" + "fdBHIQbhiq"[first - 0xCA]
        return struct.unpack(kind, take(file, struct.calcsize(kind)))[0]
    kind, size = "mlss"[first >> 4 & 3], first & (0x1F if first >= 0xA0 else 0x0F)
    if first >= 0xC0:
        kind, width = SIZED[first]
        size = int.from_bytes(take(file, int(width)), "big")
    if kind in "ml":
        items = [unpack(file) for _ in range(size << (kind == "m"))]
        table = dict(zip(items[::2], items[1::2])) if kind == "m" else {}
        need(kind == "l" or len(table) == size, "a map has a key twice")
        return items if kind == "l" else table
    return take(file, size) if kind == "b" else take(file, size).decode()


def unpacked(data):
    """Return the MessagePack value that bytes hold, and nothing after it."""
    value = unpack(file := io.BytesIO(data))
    need(not file.read(1), "something follows a value")
    return value


def array(packed, kind, budget, finite=True):
    """Return an array as float64 or int64; ``kind`` is f or i and how many dimensions."""
    declared, stored, shape, compressed, data = packed
    types = ("f8", "f4") if kind[0] == "f" else ("i8", "i4", "i2", "i1", "u1")
    need(declared in types and len(shape) == int(kind[1]), "an array is of a wrong type")
    smaller = declared[0] == "i" == stored[0] and stored in types and stored[1] <= declared[1]
    need(stored == declared or smaller, "an array is stored in a type that is not its own")
    need(all(map(is_whole, shape)) and type(compressed) is bool, "an array has no shape")
    cells = math.prod(shape)
    budget.spend("bytes", 8 * cells)
    inflater, size = zlib.decompressobj(), cells * int(stored[1])
    data = inflater.decompress(data, size + 1) if compressed else data
    whole = not compressed or (inflater.eof and not inflater.unused_data)
    need(whole and len(data) == size, "an array's bytes do not fit its shape")
    values = np.frombuffer(data, "<" + stored).reshape(shape).astype(kind[0] + "8")
    need(not finite or np.isfinite(values).all(), "an array holds what is no number")
    return values


def arrays(packed, kinds, budget):
    """Return the arrays of a certificate."""
    need(packed.keys() <= kinds.keys(), "a certificate has an array that is not known")
    found = {name: array(each, kinds[name], budget) for name, each in packed.items()}
    for name in {"node", "unit", "least", "bound"} & found.keys():
        need(found[name].shape == (1,), f"{name} is not one number")
    need(abs(found.get("unit", np.zeros(1))[0]) <= 4000, "a unit is out of all range")
    return found


# --- Graphs and semidefinite certificates ---------------------------------------------------------


def joined(count, edges):
    """Return the component of each vertex, numbered by their first vertices."""
    above = list(range(count))

    def top(a):
        while above[a] != a:
            above[a] = a = above[above[a]]
        return a

    for edge in edges:
        a, b = (top(int(end)) for end in edge)
        above[max(a, b)] = min(a, b)
    return np.unique([top(a) for a in range(count)], return_inverse=True)[1]


def covered(leaves):
    """Return whether lists of decisions i, j, side are those of a whole binary tree's leaves."""
    todo = [(leaves, 0)]
    while todo:
        some, depth = todo.pop()
        if len(some) != 1 or len(some[0]) != depth:
            first = {(*leaf[depth][:2],) if len(leaf) > depth else None for leaf in some}
            if len(first) != 1 or None in first:
                return False
            todo += [([e for e in some if e[depth][2] == side], depth + 1) for side in (0, 1)]
    return True


def matrix_of(pairs, s):
    """Return the symmetric matrix (s, s) of pairs."""
    conflict = np.zeros((s, s), bool)
    conflict[tuple(pairs.T)] = conflict[tuple(pairs.T[::-1])] = True
    return conflict


def cliques(conflict):
    """Yield sets of blocks that all exclude each other, no block twice."""
    free = np.ones(len(conflict), bool)
    while free.any():
        clique, common = [], free.copy()
        while common.any():
            clique.append(int(np.where(common, conflict[:, common].sum(axis=1), -1).argmax()))
            common &= conflict[clique[-1]]
        if len(clique) == 1:  # it had the most neighbours of those left, and has none
            return
        free[clique] = False
        yield clique


def colourable(conflict, k, budget):
    """Whether k colours suffice, by trying all; colours not in use are alike."""
    core = np.ones(len(conflict), bool)
    while (few := core & (conflict @ core.astype(int) < k)).any():  # they always find a colour
        core &= ~few
    near = [np.flatnonzero(row).tolist() for row in conflict[np.ix_(core, core)]]
    todo = [([0] * len(near), 0)]  # the colours around each vertex as bits, -1 if it has one
    while todo:
        around, used = todo.pop()
        free = [v for v, bits in enumerate(around) if bits >= 0]
        if not free:
            return True
        v = max(free, key=lambda v: (around[v].bit_count(), len(near[v])))
        for colour in reversed(range(min(used + 1, k))):
            if not around[v] >> colour & 1:
                todo.append((after := around.copy(), max(used, colour + 1)))
                for w in near[v]:
                    after[w] |= 1 << colour if after[w] >= 0 else 0
                after[v] = -1
        budget.spend("looks at blocks", 1000 + 10 * len(near))
        budget.spend("bytes", 8 * len(near))
    return False


class Blocks:
    """Blocks as points with masses, and what semidefinite certificates prove of them.

    ``x`` are doubles next to the blocks' means about that of all points, by 2^bits smaller. Without
    error are ``sums``: n times the masses times these means. The numbers of a certificate are taken
    times 4^exponent.
    """

    def __init__(self, x, m, sums, n, k, conflict, exponent, bits):
        self.x, self.m, self.sums, self.n, self.k = x, m, sums, n, min(k, len(m))
        self.conflict, self.exponent, self.bits = conflict, exponent, bits
        self.spread, self.count, self.parent = m @ (x**2).sum(axis=1), sum(x.shape), self

    def joined(self, decisions):
        """Return the blocks of a leaf, some of which are joined; their spread is the whole's."""
        right = ((decisions >= 0) & (decisions < [len(self.m), len(self.m), 2])).all()
        need(right and (decisions[:, 0] != decisions[:, 1]).all(), "a decision is none")
        group, apart = (
            joined(len(self.m), decisions[decisions[:, 2] == 1, :2]),
            decisions[:, 2] == 0,
        )
        conflicts = np.concatenate([np.argwhere(self.conflict), decisions[apart, :2]])
        m = np.bincount(group, self.m)
        x, sums = np.zeros((2, len(m), self.x.shape[1]), dtype=object)
        np.add.at(sums, group, self.sums)
        np.add.at(x, group, self.m[:, None] * self.x)
        x, conflict = x.astype(float) / m[:, None], matrix_of(group[conflicts], len(m))
        leaf = Blocks(x, m, sums, self.n, self.k, conflict, self.exponent, self.bits)
        need(not conflict.diagonal().any() and leaf.k == self.k, "a leaf contradicts itself")
        leaf.spread, leaf.count, leaf.parent = self.spread, 4 * self.count, self
        return leaf

    def values(self, certificate, name):
        exponent = self.exponent - int(certificate.get("unit", [0])[0])
        values = np.ldexp(certificate[name], 2 * exponent)
        need((abs(values) <= 1e100).all(), "a certificate is too large to add up")
        return values

    def multipliers(self, certificate):
        """Return N over Y, as it is stored, and of the cuts: points, which are stars, weights."""
        need(certificate.keys() >= SEMIDEFINITE.keys(), "a certificate lacks an array")
        s, upper = len(self.m), self.values(certificate, "nonnegativity")
        need(upper.shape == (s * (s + 1) // 2,), "multipliers are of another number of blocks")
        N = np.zeros((s, s))
        N[np.triu_indices(s)] = upper
        N += np.triu(N, 1).T
        need((N >= 0.0)[~self.conflict].all(), "a multiplier has the wrong sign")
        w, points, kind = (
            self.values(certificate, "weights"),
            certificate["points"],
            certificate["kind"],
        )
        used, star, width = points >= 0, kind == 0, (points >= 0).sum(axis=1)
        whole = used == (np.arange(points.shape[1]) < width[:, None])
        need(whole.all() and len(points) == len(kind) == len(w), "a cut is none")
        need((w >= 0.0).all() and ((kind == 0) | (kind == 1)).all(), "a cut has no sign or kind")
        need(np.where(star, width > 1, width == self.k + 1).all(), "a cut is too wide or narrow")
        need((points < s).all(), "a cut is over blocks that are not there")
        return N, points, star, w

    def cuts(self, points, star, w):
        """Return twice the cuts over Z, those added and those taken off."""
        sides, used = np.full((2, len(self.m), len(self.m)), 0, w.dtype), points >= 0
        for b, a in combinations(range(points.shape[1]), 2):
            rows = used[:, a]
            i, j = points[rows, a], points[rows, b]
            need((i != j).all(), "a cut names a block twice")
            off = (star[rows] & (b == 0)).astype(int)  # an apex and its leaf
            np.add.at(sides, (off, i, j), w[rows])
            np.add.at(sides, (off, j, i), w[rows])
        apex = points[star, 0]
        np.add.at(sides[0], (apex, apex), 2 * w[star])
        return sides

    def spectral(self, certificate, exact):
        """Return what a semidefinite certificate proves: a double, or a fraction without error.

        Over Z = D^-1/2 Y D^-1/2 all is rational: Z m = 1, 0 <= Z <= D^-1, <D, Z> = k, and the cost
        is sum m |x|^2 - <D x x' D, Z>. Whatever z, l and W are, the last k - 1 of them for what is
        negative, they leave an E = -D x x' D - N - sum w A - m z' - z m' - l D -+ W W', with
        |<E, Z>| <= k^1/2 |D^-1/2 E D^-1/2| and <= k max over i of (sum over j of |E_ij|) / m_i.
        In exact arithmetic all of these are whole numbers of a tiny unit: rounded, and then true.
        """
        m, k, s, scale, right = self.m, self.k, len(self.m), np.sqrt(self.m), 0
        N, points, star, w = self.multipliers(certificate)
        N, half, mx = N * np.outer(scale, scale), 0.5 * w, m[:, None] * self.x
        if exact:
            need(s <= EXACT_BLOCKS, "it has too many blocks for exact arithmetic")
            most = max(abs(each) for each in self.sums.ravel()).bit_length() * 2
            more, right = max(0, EXACT_BITS - most) // 2, max(0, most - EXACT_BITS) // 2 * 2
            unit = 4 ** (self.bits + more) * self.n**2
            N, half, mx = whole(N, unit), whole(half, unit), self.sums * 2**more
        M = np.array([int(each) for each in m], dtype=object) if exact else m
        plus, minus = self.cuts(points, star, half)
        T = minus - plus - N - mx @ mx.T
        S = (T >> right).astype(float) if exact else T
        S, u = S / np.outer(scale, scale), scale / np.sqrt(m.sum())
        y = S @ u
        y += (np.linalg.norm(S) - 0.5 * (u @ y)) * u  # so that u comes before other eigenvectors
        values, V = np.linalg.eigh(S - np.outer(u, y) - np.outer(y, u))
        level, z, g = values[k - 1], y * scale / np.sqrt(m.sum()), values - values[k - 1]
        W = V * scale[:, None] * np.sqrt(abs(g))
        if exact:
            level, z, W = int(level) << right, whole(z, 2**right), whole(W, 2 ** (right // 2))
        E = T - (W * np.where(g < 0, -1, 1)) @ W.T - np.outer(M, z) - np.outer(z, M)
        E[np.diag_indices(s)] -= level * M
        if exact:
            off = max(map(Fraction, abs(E).sum(axis=1).tolist(), M))
            lost = sum(map(Fraction, (W[:, g < 0] ** 2).sum(axis=1).tolist(), M))
            spread = sum(map(Fraction, (self.parent.sums**2).sum(axis=1), map(int, self.parent.m)))
            gain = Fraction(2 * sum(half[~star].tolist()), int(M.sum()) - k + 1)
            bound = spread * 4**more + 2 * z.sum() + k * level - lost + gain - k * off
            return bound / (4**more * self.n**2)
        lengths, size, spread = (W**2).sum(axis=1) / m, plus + minus + abs(N), self.spread
        lost = ((W[:, g < 0] ** 2).sum(axis=1) / m).sum()
        parts = np.array(
            [spread, 2 * z.sum(), level * k, -lost, 2 * half[~star].sum() / (m.sum() - k + 1)]
        )
        more = abs(parts).sum() + spread + lengths.sum() + abs(level) * s + 2 * abs(z).sum()
        more += np.linalg.norm(size / np.outer(scale, scale)) + 2 * np.sqrt(
            m.sum() * (z**2 / m).sum()
        )
        off = 1.001 * np.linalg.norm(E / np.outer(scale, scale))
        off += ROUND * (self.count + s + len(w) + 50) * more
        return parts.sum() - np.sqrt(k) * off - 1e-250


def whole(values, unit):
    """Return numbers in a unit, rounded down to whole ones."""
    flat = [math.floor(Fraction(each) * unit) for each in values.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(values.shape)


# --- Clusters of low value ------------------------------------------------------------------------


class Search:
    """A search for sets below v in the sum of q_b(c) = m_b |x_b - c|^2 - dual_b, c any centre.

    Boxes of centres c are halved, and single blocks are put in or left out. ``loads`` say what a
    set may hold: (most, w, T), sum of w plus the pairs' T. Of discs (centre, radius, prize) an
    empty one, its prize NaN, holds no c; the prize of a taken one is taken off where c is in it.
    Over a box, for any prices p >= 0 of loads, a set costs at least the sum of min(0, q + p w) less
    p times what the load has room for; min(0, q) lies above its chord; and a sum of quadratics is
    least at their mean. All is lowered by what rounding may have done.
    """

    def __init__(self, blocks, duals, loads, discs, budget):
        alone, conflict = np.ones(len(duals), bool), blocks.conflict.copy()
        for most, w, T in loads:
            conflict |= w[:, None] + w + T > most
            alone &= w <= most
        np.fill_diagonal(conflict, False)
        some = np.flatnonzero((duals > 0.0) & alone)  # no other makes a sum lower
        self.everywhere, self.budget = blocks.x, budget
        self.x, self.m, self.u = blocks.x[some], blocks.m[some], duals[some]
        self.conflict = conflict[np.ix_(some, some)]
        self.loads = [(most, w[some], T[np.ix_(some, some)]) for most, w, T in loads]
        ones = [np.isin(np.arange(len(some)), each) * 1.0 for each in cliques(self.conflict)]
        self.priced = [(1.0, w) for w in ones] + [(most, w) for most, w, _ in self.loads if w.any()]
        self.centre, self.radius, self.prize = discs
        self.taken = ~np.isnan(self.prize)
        self.prize = np.where(self.taken, self.prize, 0.0)

    def check(self, v, low=None, high=None):
        """Raise unless there is none below v, for c from low to high or all over the points."""
        if not len(self.m) and not (self.prize > 0.0).any():
            return
        points = self.everywhere if len(self.radius) else self.x
        low, high = (points.min(axis=0), points.max(axis=0)) if low is None else (low, high)
        waiting = [(np.arange(len(self.m)), low[None], high[None], np.zeros((1, len(self.m)), int))]
        while waiting:
            index, low, high, mark = waiting.pop()
            if len(low) > BATCH:
                halves = slice(len(low) // 2), slice(len(low) // 2, None)
                waiting += [(index, low[half], high[half], mark[half]) for half in halves]
                continue
            here = (mark >= 0).any(axis=0)  # boxes near each other have few blocks
            children = self.split(index[here], low, high, mark[:, here], v)
            if len(children[0]):
                waiting.append((index[here], *children))

    def prices(self, index, free, inside, worth):
        """Return what prices of loads add to each block, and what they are paid for in all.

        The price is the worth for its weight of the first block that finds no room, best first.
        """
        added, paid = np.zeros(worth.shape), np.zeros(len(worth))
        for most, w in self.priced:
            columns = np.flatnonzero(w[index] > 0.0)
            weight, room = w[index][columns], most - inside @ w[index]
            for_it = (np.where(free, worth - added, 0.0)[:, columns] / weight).clip(0.0)
            order = np.argsort(-for_it, axis=1)
            dense = np.take_along_axis(for_it, order, axis=1)
            over = np.cumsum(np.where(dense > 0.0, weight[order], 0.0), axis=1) > room[:, None]
            price = np.where(over, dense, 0.0).max(axis=1, initial=0.0)
            added[:, columns] += price[:, None] * weight
            paid += price * np.maximum(room, 0.0)
        return np.where(free, added, 0.0), paid

    def split(self, index, low, high, mark, v):
        """Return the boxes below v, halved or with a block decided on: low, high and mark."""
        m, u, x, (p, d) = self.m[index], self.u[index], self.x[index], low.shape
        self.budget.spend("looks at blocks", (p + 8) * (x.size + len(index) * len(self.priced)))
        middle = 0.5 * (low + high)
        half = np.maximum(high - middle, middle - low) * (1.0 + ROUND)
        off, inside, free = x - middle[:, None], mark == 1, mark == 0
        near = m * (np.maximum(abs(off) - half[:, None], 0.0) ** 2).sum(axis=2)
        far = m * ((abs(off) + half[:, None]) ** 2).sum(axis=2)
        added, paid = self.prices(index, free, inside, u - m * (off**2).sum(axis=2))
        slip = ROUND * (d + len(self.priced) + 16) * (far + u + added)
        least, most = near - u - slip, far - u + slip
        dead = (inside & (least >= 0.0)).any(axis=1)  # without that block it costs no more
        free &= least < 0.0
        up, down = np.maximum(most + added, 0.0), np.maximum(-least - added, 0.0)
        share = np.where(free, down / np.maximum(up + down, 1e-300), inside * 1.0)
        chord = np.where(free, np.maximum(share * up, (1.0 - share) * down), 0.0).sum(axis=1)
        A, first = (share * m).sum(axis=1), np.einsum("ps,psd->pd", share * m, off)
        second = np.einsum("ps,psd,psd->p", share * m, off, off)
        mean = first / np.maximum(A, 1e-300)[:, None]
        best = np.clip(mean, -half, half)
        square = A * (best**2).sum(axis=1)
        change, crossed, empty, size = self.in_discs(middle, half, mean, best, A)
        bound = second - 2.0 * (best * first).sum(axis=1) + square + change - chord - paid
        bound -= (share * (u - added)).sum(axis=1)
        size += 4.0 * (second + square) + chord + paid + (share * (u + 3.0 * added)).sum(axis=1)
        bound -= ROUND * (len(m) + d + 64) * size + 1e-250 * (size > 0.0)
        # Would a smaller box about the best centre do, at the same prices? Not where there is one.
        q = m * ((off - best[:, None]) ** 2).sum(axis=2) - u
        chosen = inside | (free & (q + added < 0.0))
        there = np.where(chosen, q + added, 0.0).sum(axis=1) - paid + change
        few = (free.sum(axis=1) <= FEW) & (d > 2)
        by_box, by_block = [], []
        for row in np.flatnonzero((bound < v) & ~dead & ~empty):
            block = None
            if not crossed[row] and (few[row] or there[row] < v):
                value = v - change[row] if there[row] < v else -np.inf
                block = self.to_decide(index, q[row], chosen[row], free[row], value)
            (by_box if block is None else by_block).append((row, block))
        mark = np.where(free, 0, np.where(inside, 1, -1))
        open_ = np.where(free & (most > 0.0), m, 0.0)[:, :, None] * (abs(off) + 0.1 * half[:, None])
        varied = np.where(crossed[:, None], 1.0, open_.sum(axis=1) + 1e-300) * half
        rows = np.array([row for row, _ in by_box], int)
        return self.children(index, low, high, mark, rows, varied[rows].argmax(axis=1), by_block)

    def to_decide(self, index, q, chosen, free, v):
        """Return a block to decide on, None if there is none."""
        inside = np.zeros(len(self.m), bool)
        inside[index[chosen]] = True
        wrong = inside & (self.conflict @ inside)
        for most, w, T in self.loads:
            adds = w + T @ inside
            wrong |= inside & (adds > 0.0) & ((w + adds) @ inside > 2.0 * most)
        need(wrong.any() or q[chosen].sum() >= v, "it overlooks a cluster of lower value")
        candidates = np.flatnonzero(free & (wrong[index] if wrong.any() else q < 0.0))
        return candidates[q[candidates].argmin()] if len(candidates) else None

    def children(self, index, low, high, mark, rows, axis, by_block):
        """Return boxes halved, those of one box next to each other, and blocks put in or not."""
        wide, each = high[rows, axis] - low[rows, axis], np.arange(len(rows))
        if (wide <= 1e-13 * abs(self.everywhere).max()).any():
            raise Limit("it has boxes that are too small to split")
        lows, highs = np.repeat(low[rows], 2, axis=0), np.repeat(high[rows], 2, axis=0)
        lows[1::2][each, axis] = highs[::2][each, axis] = 0.5 * (low[rows, axis] + high[rows, axis])
        marks = [*np.repeat(mark[rows], 2, axis=0)]
        for row, block in by_block:
            without, within = mark[row].copy(), mark[row].copy()
            without[block], within[block] = -1, 1
            inside = np.zeros(len(self.m), bool)
            inside[index[within == 1]] = True
            out = self.conflict[index[block]].copy()
            for most, w, T in self.loads:
                out |= w + T @ inside > most - 0.5 * (2.0 * w + T @ inside) @ inside
            within[(within == 0) & out[index]] = -1
            marks += [without, within]
        chosen = np.repeat(np.array([row for row, _ in by_block], int), 2)
        lows, highs = np.concatenate([lows, low[chosen]]), np.concatenate([highs, high[chosen]])
        return lows, highs, np.array(marks, int).reshape(len(lows), len(index))

    def in_discs(self, middle, half, mean, best, A):
        """Return how discs change bounds, which boxes a border crosses, which are empty, sizes.

        The sum of quadratics grows by A times the squared distance from its mean: to the outside of
        an empty disc, or into a taken one, where it is nearer than some prizes.
        """
        off, wide = self.centre - middle[:, None], half[:, None]
        near = np.sqrt((np.maximum(abs(off) - wide, 0.0) ** 2).sum(axis=2))
        far = np.sqrt(((abs(off) + wide) ** 2).sum(axis=2)) * (1.0 + ROUND * (off.shape[2] + 8))
        meets = near <= self.radius * (1.0 + ROUND * (off.shape[2] + 8))
        within = far < self.radius
        crossed, here = meets & ~within, ((best - mean) ** 2).sum(axis=1)
        gap, goal = np.sqrt(((off - mean[:, None]) ** 2).sum(axis=2)), crossed & self.taken
        out = np.where(crossed & ~self.taken, self.radius - gap, 0.0).max(axis=1, initial=0.0)
        out = np.maximum(here, out**2)
        into = np.where(goal, np.maximum(gap - self.radius, 0.0) ** 2, np.inf)
        order = np.argsort(into, axis=1)
        won = np.cumsum(np.take_along_axis(np.where(goal, self.prize, 0.0), order, axis=1), axis=1)
        into = np.maximum(np.take_along_axis(into, order, axis=1), out[:, None])
        reached = np.isfinite(into)
        costs = A[:, None] * (np.where(reached, into, 0.0) - here[:, None]) - won
        change = np.where(reached, costs, np.inf).min(axis=1, initial=np.inf)
        change = np.minimum(A * (out - here), change)
        change -= np.where(within & self.taken, self.prize, 0.0).sum(axis=1)
        reach = np.where(crossed, far + self.radius, 0.0).max(axis=1, initial=0.0)
        size = 16.0 * A * (reach**2 + (mean**2).sum(axis=1)) + 2.0 * self.prize.sum()
        return change, crossed.any(axis=1), (within & ~self.taken).any(axis=1), size


# --- The run --------------------------------------------------------------------------------------


def loads_of(rule, X):
    """Return a rule's alternatives; each is a list of loads: most, weights, pairs that weigh 1."""
    (kind, fields, parts), n = rule, len(X)
    names = {"Both": "", "Either": "", "MaxSize": "limit", "MaxDiameter": "limit"}
    names |= {"MaxOverlap": "points limit", "MinDifference": "points limit"}
    names |= {"SoftCannotLink": "pairs limit"}
    need(kind in names and {*fields} == {*names[kind].split()}, "a rule is of no known kind")
    below, pairs = [loads_of(part, X) for part in parts], fields.get("pairs", [])
    named = [*fields.get("points", []), *(i for pair in pairs for i in pair)]
    need(all(is_whole(i) and i < n for i in named), "a rule names a point that is none")
    ways = math.prod(map(len, below)) if kind == "Both" else sum(map(len, below))
    need(ways <= 256, "the rules can be kept in too many ways")
    if kind in ("Both", "Either"):
        either = [way for ways in below for way in ways]
        return either if kind == "Either" else [[*chain(*ways)] for ways in product(*below)]
    need(is_number(limit := fields["limit"]) and limit >= 0 and not parts, "a rule has no limit")
    weight = np.zeros(n)
    weight[fields.get("points", [])] = 1.0
    weight = 1.0 - weight if kind in ("MaxSize", "MinDifference") else weight
    if kind == "MaxDiameter":
        points = X.tolist()
        far = [math.dist(points[i], points[j]) > limit for i, j in combinations(range(n), 2)]
        pairs, limit = compress(combinations(range(n), 2), far), 0
    pairs = sorted({(min(pair), max(pair)) for pair in pairs})
    return [[(float(limit), weight, np.array(pairs, int).reshape(-1, 2))]]


class Run:
    """The points as whole numbers of one tiny unit, 2^-shift, and the events that matter."""

    def __init__(self, path, wanted, exact, budget):
        self.wanted, self.is_exact, self.budget = Fraction(wanted), exact, budget
        budget.spend("bytes", Path(path).stat().st_size)
        file = io.BytesIO(Path(path).read_bytes())
        need(file.read(12) == b"ccviz run 1\n", "the file does not begin like a run")
        head = self.frame(file)
        need({*head} <= {*HEAD.split()}, "the first frame has a field that is not known")
        self.read_problem(unpacked(head["problem"]))
        self.opened, self.branched, self.leaves, self.cuts, self.costs = {}, {}, {}, [], []
        self.read_events(file)

    def frame(self, file):
        return unpacked(take(file, int.from_bytes(take(file, 8), "big")))

    def read_problem(self, problem):
        known = {*PROBLEM.split()[:-2]} <= {*problem} <= {*PROBLEM.split()}
        need(known, "the problem lacks a field, or has one that is not known")
        X, self.k = array(problem["X"], "f2", self.budget), problem["k"]
        right = X.size and is_whole(self.k) and self.k in range(1, len(X) + 1)
        need(right, "the points are none, or k is none of 1 to n")
        need([problem["lower"], problem["upper"]] == [None, None], "sizes cannot be checked")
        ways = loads_of(["Both", {}, problem.get("rules", [])], X)
        self.is_ruled, self.ways = ways != [[]], ways
        ratios = [x.as_integer_ratio() for x in X.ravel().tolist()]
        self.shift = max(q.bit_length() for _, q in ratios) - 1
        rows = [p << self.shift + 1 - q.bit_length() for p, q in ratios]
        self.rows, self.links = np.array(rows, dtype=object).reshape(X.shape), []
        for together, name in ((True, "must_link"), (False, "cannot_link")):
            table = array(problem[name], "f2", self.budget, finite=False)
            need(
                table.shape[1] == 3 and (table[:, 2] == np.inf).all(),
                "soft links cannot be checked",
            )
            pairs = [[int(i), int(j)] for i, j in table[:, :2].tolist()]
            need(pairs == table[:, :2].tolist() and all(map(self.is_pair, pairs)), "a link is none")
            self.links += [(pair, together) for pair in pairs]
        self.total, self.scatter = self.rows.sum(axis=0), self.inside(np.zeros(len(X), int))[2]
        # What plain doubles lose of points far from zero: only claims are allowed that much.
        self.plain = Fraction((self.rows**2).sum(), 2**100)

    def is_pair(self, pair):
        return is_pair(pair) and max(pair) < len(self.rows)

    def read_events(self, file):
        before, ended = -1, False
        while file.tell() < len(file.getbuffer()):
            number, seconds, data = self.frame(file)
            event = unpacked(data)
            right = is_whole(number) and is_number(seconds) and 0 <= seconds < math.inf
            right &= number > before and (event["type"] == "Started") == (before < 0) and not ended
            need(right, f"record {number} is out of place")
            before, ended = number, event["type"] == "Finished"
            if event["type"] not in OTHERS.split():
                must, may = map(str.split, EVENTS[event["type"]])
                known = {*must} <= event.keys() <= {"type", *must, *may}
                need(known, f"record {number} lacks a field, or has one that is not known")
                right = all(RIGHT[name](event[name]) for name in RIGHT.keys() & event.keys())
                need(right, f"record {number} has a field that is not as it should be")
                self.read(event, event["type"])

    def read(self, event, kind):
        """Keep an event that matters, once its arrays are as they should be."""
        if kind == "Started":
            same = [event[name] for name in "ndk"] == [*self.rows.shape, self.k]
            need(same, "the events are of another run")
        elif kind in ("NodeOpened", "NodeBranched"):
            pair, opens = event.get("pair"), kind == "NodeOpened"
            need(self.is_pair(pair) if pair is not None else opens, "a pair is none")
            decision = pair, event.get("place", False)
            more = (event["parent"], event.get("together", False)) if opens else ()
            self.once(self.opened if opens else self.branched, event, (*more, *decision))
        elif kind == "NodePruned":
            certificate = arrays(event.get("certificate", {}), AT_NODES, self.budget)
            witness = certificate.get("witness", np.zeros(0))
            need(((witness >= 0) & (witness < len(self.rows))).all(), "a witness is none")
            self.once(self.leaves, event, (event["reason"], event["lower_bound"], certificate))
        elif kind == "IncumbentFound":
            self.costs.append(
                self.cost(array(event["labels"], "i1", self.budget), event.get("objective"))
            )
        elif kind == "PartsCut":
            part_of, parts = array(event["part_of"], "i1", self.budget), event["parts"]
            right = 1 <= parts <= len(self.rows) == len(part_of)
            need(right and ((part_of >= -1) & (part_of < parts)).all(), "a cut is none")
            self.cuts.append((part_of, parts, {}))
        elif kind == "PartBounded":
            self.read_part(event, event.get("certificate", {}), event.get("leaves", []))

    def once(self, table, event, value):
        self.budget.spend("nodes", 1)
        need(event["node"] not in table, f"node {event['node']} is opened or closed twice")
        table[event["node"]] = value

    def read_part(self, event, certificate, leaves):
        _, parts, bounds = self.cuts[-1] if self.cuts else (0, 0, {})
        group = (event["part"], *event.get("merged", []))
        need(len({*group}) == len(group) and max(group) < parts, "a part is none, or there twice")
        need(not (leaves and certificate), "a part has a certificate beside its leaves")
        read = [arrays(leaf, IN_PARTS, self.budget) for leaf in leaves]
        if certificate:
            read = [arrays(certificate, SEMIDEFINITE, self.budget)]
            read[0]["decisions"] = np.zeros((0, 3), int)
        right = all(leaf["decisions"].shape[1] == 3 for leaf in read)
        need(right and all({*SEMIDEFINITE} <= {*leaf} for leaf in read), "a part's leaf is none")
        tree = [leaf["decisions"].tolist() for leaf in read]
        need(not tree or covered(tree), "a part's tree has a hole")
        for other in [other for other in bounds if {*other} & {*group}]:
            del bounds[other]
        bounds[group] = event["lower_bound"], read

    # Exact numbers of the whole: the unit of all costs is 4^-shift

    def agree(self, claim, found):
        """Whether a claim is what was found; nothing that is accepted leans on this."""
        difference = abs(Fraction(claim) * 4**self.shift - found)
        return difference <= AGREE * max(abs(found), self.scatter) + self.plain

    def cost(self, labels, claim):
        right = len(labels) == len(self.rows) and {*labels.tolist()} == {*range(self.k)}
        need(right, "labels are missing")
        kept = ((labels[i] == labels[j]) == together for (i, j), together in self.links)
        need(all(kept), "a clustering breaks a link")
        need(
            all(self.keeps_rules(labels == c) for c in range(self.k)), "a clustering breaks a rule"
        )
        cost = self.inside(labels)[2]
        need(claim is None or self.agree(claim, cost), "a clustering claims another objective")
        return cost

    def keeps_rules(self, inside):
        """Whether a cluster keeps all rules."""
        return any(
            all(w[inside].sum() + inside[pairs].all(axis=1).sum() <= most for most, w, pairs in way)
            for way in self.ways
        )

    def inside(self, group):
        """Return the groups' sums and sizes, and the squared distances to their means."""
        order, sizes = np.argsort(group, kind="stable"), np.bincount(group)
        sums = np.add.reduceat(self.rows[order], np.cumsum(sizes) - sizes, axis=0)
        lost = sum(map(Fraction, (sums**2).sum(axis=1), sizes.tolist()))
        return sums, sizes.astype(object), (self.rows**2).sum() - lost

    def blocks(self, decisions=()):
        """Return the points' blocks and pairs of blocks in conflict; None without a clustering."""
        links, n = {True: [], False: []}, len(self.rows)
        for pair, together in [*self.links, *decisions]:
            links[together].append(pair)
        block = joined(n, links[True])
        if self.k == 2:  # a point in the first half is on one side, in the second on the other
            edges = [(a + side, b + side) for a, b in links[True] for side in (0, n)]
            edges += [(a + side, b + n - side) for a, b in links[False] for side in (0, n)]
            block = joined(2 * n, edges)[:n]
        pairs = block[np.array(links[False], int).reshape(-1, 2)]
        none = (pairs[:, 0] == pairs[:, 1]).any() or block.max() + 1 < self.k
        return None if none else (block, pairs)

    def matrix(self, pairs, s):
        self.budget.spend("bytes", s * s)
        self.budget.spend("bytes", -s * s)  # it is given back
        return matrix_of(pairs, s)

    def means(self, block):
        """Return the blocks' means, their sums times n, masses, bits, slip, and what bounds all."""
        sums, sizes, inside = self.inside(block)
        over = len(block) * sums - sizes[:, None] * self.total
        bits = max(abs(x) for x in over.ravel()).bit_length()
        x, m = (over / (len(block) * sizes << bits)[:, None]).astype(float), sizes.astype(float)
        slip = ROUND * (m @ (x**2).sum(axis=1)) ** 0.5 * (1 + ROUND * sum(x.shape)) + 1e-150

        def bound(between):  # the root of a sum of squares moves by the norm of the errors at most
            if isinstance(between, Fraction):
                return inside + max(between, Fraction(0))
            root = max(0.0, max(0.0, between) ** 0.5 * (1 - ROUND) - slip)
            return inside + Fraction(root) ** 2 * 4**bits

        return x, over, m, bits, slip, bound

    # The tree

    def check_tree(self):
        """Check that every clustering falls into a leaf."""
        below, roots = {node: [] for node in self.branched}, 0
        for node, (parent, together, pair, place) in self.opened.items():
            need(
                (parent is None) == (pair is None), f"node {node} has no decision, or the root one"
            )
            need(parent is None or parent < node, f"node {node} is not below its parent")
            need(parent is None or parent in below, f"the parent of node {node} was not branched")
            roots += parent is None
            if parent is not None:
                below[parent].append((together, pair, place))
        need(roots == 1, "the tree has no single root")
        need({*self.leaves, *self.branched} == {*self.opened}, "a node is open, or never was")
        need(not {*self.leaves} & {*self.branched}, "a node is both branched and closed")
        for node, about in self.branched.items():
            sides = sorted(below[node], key=lambda side: side[0])
            need(sides == [(False, *about), (True, *about)], f"node {node} is not covered")

    def path(self, node):
        """Return a node and all above it, and the decisions from the root down: links, places."""
        nodes, found = [node], {False: [], True: []}
        while (opened := self.opened[nodes[-1]])[0] is not None:
            parent, together, pair, place = opened
            nodes.append(parent)
            found[place].insert(0, (pair, together))
        self.budget.spend("looks at blocks", len(nodes) ** 2)
        return nodes, found[False], found[True]

    def leaf(self, number, enough):
        """Return a leaf's bound, None if it holds no clustering."""
        reason, claim, certificate = self.leaves[number]
        node, none = number, reason == "infeasible"
        if "node" in certificate and not none:
            node = int(certificate["node"][0])
            need(node in self.path(number)[0], "it leans on a node that is not above it")
        _, links, places = self.path(node)
        if (found := self.blocks(links)) is None:
            need(none, "it has a bound, but contradicting links")
            return None
        block, pairs = found
        x, over, m, bits, slip, bound = self.means(block)
        n, exponent, conflict = len(block), self.shift - bits, self.matrix(pairs, len(m))
        blocks = Blocks(x, m, over, n, self.k, conflict, exponent, bits)
        if none and "duals" not in certificate:
            return self.check_none(block, blocks, certificate)
        columns = (
            Columns(self, blocks, block, slip, places, certificate)
            if "duals" in certificate
            else None
        )
        if none:  # no clustering costs more between its blocks than one cluster of them all
            most = blocks.spread * (1 + 1e-9)
            need(columns.proved(most) > most, "it is called infeasible, but its bound is too low")
            return None
        least = bound(0.0)
        if "nonnegativity" in certificate:
            least = max(least, bound(blocks.spectral(certificate, self.is_exact)))
        if columns is None:
            need(self.agree(claim, least), "it claims a bound that its certificate does not prove")
            return least
        claimed = bound(Fraction(0)) + Fraction(max(0.0, columns.claimed)) * 4**bits
        need(self.agree(claim, claimed), "it claims a bound that its duals do not add up to")
        if columns.claimed <= 0.0 or least >= enough:
            return least
        # What is asked for between the blocks, and what rounding may take of it.
        asked = float(max(Fraction(0), enough - bound(Fraction(0))) / 4**bits) ** 0.5
        return max(least, bound(columns.proved((asked * (1 + 8 * ROUND) + slip) ** 2)))

    def check_none(self, block, blocks, certificate):
        """Check that blocks cannot be put into k clusters."""
        kept = (self.keeps_rules(block == b) for b in range(self.k))
        if len(blocks.m) == self.k and not all(kept):
            return
        clique = np.unique(block[certificate.get("witness", np.zeros(0, int))])
        apart = blocks.conflict[np.ix_(clique, clique)] | np.eye(len(clique), dtype=bool)
        if len(clique) <= self.k or not apart.all():
            can = colourable(blocks.conflict, self.k, self.budget)
            need(not can, "it is called infeasible, but a clustering exists")

    def parts(self):
        """Return what the parts of the cut with the highest claims add up to."""
        need(not self.is_ruled, "rules cannot be checked of a run that was divided")
        need((found := self.blocks()) is not None, "the run has parts, but contradicting links")
        (block, pairs), bounds = found, []
        part_of, parts, bounded = max(self.cuts, key=lambda cut: sum(e[0] for e in cut[2].values()))
        x, over, m, bits, _, bound = self.means(block)
        owner = np.zeros(len(m), int)
        owner[block] = part_of
        need((owner[block] == part_of).all(), "a cut tears must-linked points apart")
        shares = parts if len(shared := np.flatnonzero(owner < 0)) else 1
        for group, (claim, leaves) in bounded.items():
            index = np.append(own := np.flatnonzero(np.isin(owner, group)), shared)
            need(leaves or claim <= 0.0, "a part claims a bound without a certificate")
            need(len(index) or not leaves, "a part has a certificate, but no points")
            times = np.append(np.full(len(own), shares), np.full(len(shared), len(group)))
            sums, place = over[index] * times.astype(object)[:, None], np.full(len(owner), -1)
            place[index] = np.arange(len(index))
            inner = place[pairs][(place[pairs] >= 0).all(axis=1)]
            conflict, exponent = self.matrix(inner, len(index)), self.shift - bits
            part = Blocks(
                x[index], m[index] * times, sums, len(block), self.k, conflict, exponent, bits
            )
            least = [
                (part.joined(leaf["decisions"]) if len(leaf["decisions"]) else part).spectral(
                    leaf, self.is_exact
                )
                for leaf in leaves
            ]
            bounds.append(max(0, min(least, default=0) / shares))
            proved = bounds[-1] if self.is_exact else Fraction(bounds[-1]) * 4**bits
            claim = Fraction(claim) * 4**self.shift
            need(claim <= proved + AGREE * self.scatter, "a part claims more than it proves")
        if self.is_exact:
            return bound(sum(bounds, Fraction(0)))
        return bound(sum(bounds) * (1 - ROUND * (len(bounds) + 9)))

    def gap(self):
        """Return the gap that is proved, None if the problem is infeasible."""
        need(self.opened or self.cuts, "the run has no search tree")
        upper = min(self.costs, default=None)
        enough = 0 if upper is None else upper * (1 - Fraction(99, 100) * self.wanted)
        done = {*self.opened} <= {*self.leaves, *self.branched}
        if self.cuts and not (self.opened and done):
            bounds = [self.parts()]
        else:
            self.check_tree()
            bounds = [self.named_leaf(number, enough) for number in sorted(self.leaves)]
        lower = min((bound for bound in bounds if bound is not None), default=None)
        if upper is None:
            need(lower is None, "the run has no clustering")
            return None
        lower = upper if lower is None else lower
        need(lower <= upper, "a bound is above the clustering")
        return 1 - Fraction(lower) / upper if upper else Fraction(0)

    def named_leaf(self, number, enough):
        try:
            return self.leaf(number, enough)
        except ValueError as why:
            raise type(why)(f"leaf {number}: {why}") from None


class Columns:
    """What duals of blocks, of places and in zones claim between the blocks, and what they prove.

    Zones have cases; of each zone one case holds, and all their changes may be made at once.
    """

    def __init__(self, run, blocks, block, slip, places, certificate):
        self.run, self.blocks, self.block, self.slip = run, blocks, block, slip
        need("least" in certificate, "it lacks its least value")
        self.duals, (self.v,) = (blocks.values(certificate, name) for name in ("duals", "least"))
        taken = blocks.values(certificate, "taken") if "taken" in certificate else np.zeros(0)
        need(self.duals.shape == blocks.m.shape and self.v <= 0.0, "its duals are of other blocks")
        sides = np.array([side for _, side in places], bool)
        need(len(taken) == sides.sum() and (taken >= 0.0).all(), "its places have other duals")
        prizes = np.zeros(len(places))
        prizes[sides] = taken
        self.discs = self.discs_of(places, prizes)
        self.cases = self.read_cases(certificate) if CASES.keys() & certificate.keys() else []
        need(not (self.cases and places), "it has zones below places")
        rises = {zone: [] for zone, *_ in self.cases}
        for zone, _, change, won in self.cases:
            rises[zone].append(change.sum() + won)
        self.total = self.duals.sum() + taken.sum() + sum(map(min, rises.values()))
        self.claimed = self.total + run.k * self.v
        self.size = abs(self.duals).sum() + taken.sum() + run.k * abs(self.v)
        self.size += sum(abs(change).sum() + won for _, _, change, won in self.cases)

    def proved(self, asked):
        """Return what is proved of the bound asked for, having searched for lower clusters."""
        need(not self.run.is_exact, "--exact looks at no duals, and these are needed")
        count = len(self.duals) + len(self.discs[0]) + 2 * len(self.cases)
        margin = ROUND * (count + 16) * (self.size + abs(asked)) + 1e-250
        v = min(self.v, (asked + 4 * margin - self.total) / self.run.k)
        for search in self.searches(self.duals, self.discs):
            search.check(v)
        for (_, discs, change, _), (low, high) in zip(self.cases, self.boxes(), strict=True):
            for search in self.searches(self.duals + change, discs):
                if (low <= high).all():
                    search.check(v, low, high)
        return self.total + self.run.k * v - margin

    def searches(self, duals, discs):
        """Yield a search for each way in which a cluster can keep the rules."""
        s, loads = len(duals), []
        for way in self.run.ways:
            for most, weight, pairs in way:
                T, ends = np.zeros((s, s)), self.block[pairs]
                np.add.at(T, (ends[:, 0], ends[:, 1]), 1.0)
                w = np.bincount(self.block, weight, s) + T.diagonal()
                np.fill_diagonal(T, 0.0)
                loads.append((most, w, T + T.T))
            yield Search(self.blocks, duals, loads, discs, self.run.budget)
            loads = []

    def discs_of(self, places, prizes):
        """Return discs as a search takes them: a mean may be off by the slip."""
        rows, total, unit = self.run.rows, self.run.total, len(self.run.rows) << self.blocks.bits
        centre, radius, prize = np.zeros((len(places), rows.shape[1])), *np.zeros((2, len(places)))
        for at, ((i, j), taken) in enumerate(places):
            centre[at] = [float(Fraction(each, unit)) for each in len(rows) * rows[i] - total]
            squares = Fraction(((rows[i] - rows[j]) ** 2).sum(), 4**self.blocks.bits)
            radius[at], prize[at] = float(squares) ** 0.5, prizes[at] if taken else np.nan
            reach = abs(centre[at]).sum() + radius[at] + self.slip
            radius[at] += (1 if taken else -1) * (self.slip + ROUND * (rows.shape[1] + 8) * reach)
        return centre, radius, prize

    def read_cases(self, certificate):
        """Return the cases of zones: zone, discs, changes of duals, sum of prizes."""
        need(CASES.keys() <= certificate.keys(), "its cases lack an array")
        zone, places, at = (
            certificate[name] for name in ("case_zone", "case_places", "case_blocks")
        )
        prizes, changes = (
            self.blocks.values(certificate, f"case_{each}") for each in ("prizes", "changes")
        )
        n, s, count, found = len(self.block), len(self.duals), len(zone), []
        need(places.shape == (len(prizes), 4) and at.shape == (len(changes), 2), "its cases differ")
        right = ((places >= 0) & (places < [count, n, n, 2])).all()
        right &= ((at >= 0) & (at < [count, s])).all() and (places[:, 1] != places[:, 2]).all()
        need(right, "a case has a place or a block that is none")
        need((prizes >= 0.0).all() and not prizes[places[:, 3] == 0].any(), "a prize is none")
        trees = {int(each): [] for each in zone}
        for case, number in enumerate(zone.tolist()):
            self.run.budget.spend("looks at blocks", len(places) + len(at) + s)
            own, rows = places[:, 0] == case, at[:, 0] == case
            trees[number].append(places[own, 1:].tolist())
            discs = self.discs_of(
                [((i, j), side == 1) for i, j, side in trees[number][-1]], prizes[own]
            )
            change = np.bincount(at[rows, 1], changes[rows], s)
            found.append((number, discs, change, prizes[own].sum()))
        need(all(map(covered, trees.values())), "a zone has cases that do not cover it")
        return found

    def boxes(self):
        """Return for each case the box of its zone; no two zones' boxes may meet."""
        found = {}
        for zone, (centre, radius, prize), change, _ in self.cases:
            raised, won = change > 0.0, np.nan_to_num(prize) > 0.0
            worth = np.maximum((self.duals + change)[raised], 0.0) / self.blocks.m[raised]
            reach = np.append(np.sqrt(worth) * (1 + 16 * ROUND) + self.slip, radius[won])
            middle = np.concatenate([self.blocks.x[raised], centre[won]])
            reach = (reach + 8 * ROUND * abs(middle).sum(axis=1))[:, None]
            low, high = found.get(zone, (np.inf, -np.inf))
            low = np.minimum((middle - reach).min(axis=0, initial=np.inf), low)
            found[zone] = low, np.maximum((middle + reach).max(axis=0, initial=-np.inf), high)
        for (low, high), (other_low, other_high) in combinations(found.values(), 2):
            need((low > other_high).any() or (high < other_low).any(), "it has zones that meet")
        return [found[zone] for zone, *_ in self.cases]


def judge(path, wanted, exact=False, budget=None):
    """Return whether a run is proved, and a sentence."""
    try:
        with np.errstate(all="ignore"):
            gap = Run(path, wanted, exact, budget or Budget()).gap()
        right = gap is None or gap <= Fraction(wanted) * Fraction(1001, 1000)
        need(right, f"the gap is {float(gap or 0):.2g}, {wanted} is asked for")
    except Limit as limit:
        return False, f"no proof yet: {limit}."
    except WRONG as why:
        return False, f"no proof: {why} ({type(why).__name__})."
    return True, "proved infeasible" if gap is None else f"proved within gap {float(gap):.2g}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Check the proof in a run file.")
    parser.add_argument("path")
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--exact", action="store_true", help="bounds in whole numbers, no doubles")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--looks", type=float, default=2e9, help="most that searches may look at")
    given = parser.parse_args()
    budget = Budget(given.seconds, given.looks)
    proved, sentence = judge(given.path, given.gap, given.exact, budget)
    print(sentence)
    sys.exit(not proved)
