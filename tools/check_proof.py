"""Check the proof in a run file: a second checker, written from `docs/proof-format.md` alone.

    python tools/check_proof.py run.ccviz [--gap 1e-4]

Python's standard library and NumPy. What is inside blocks and clusters is exact, in whole numbers;
bounds between blocks hold whatever rounding did. Neither rules are read nor leaves that duals alone
prove, those of column generation. Exit code 0: proved within the gap.
"""

import io
import struct
import sys
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np

ROUND = 2.0**-52  # twice the error of one operation
TYPES = {"f8", "f4", "i8", "i4", "i2", "i1", "u1"}
PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
SIZED = {0xC4: "b1", 0xC5: "b2", 0xC6: "b4", 0xD9: "s1", 0xDA: "s2", 0xDB: "s4"}
SIZED |= {0xDC: "l2", 0xDD: "l4", 0xDE: "m2", 0xDF: "m4"}
WRONG = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError)
WRONG += (ValueError, struct.error, zlib.error)


def need(condition, why):
    if not condition:
        raise ValueError(why)


def unpack(file):
    """Return the next MessagePack value."""
    first = file.read(1)[0]
    if first < 0x80 or first >= 0xE0 or first in PLAIN:
        return PLAIN.get(first, first - 0x100 * (first >= 0xE0))
    if 0xCA <= first <= 0xD3:
        kind = ">" + "fdBHIQbhiq"[first - 0xCA]
        return struct.unpack(kind, file.read(struct.calcsize(kind)))[0]
    kind, size = "mlss"[first >> 4 & 3], first & (0x1F if first >= 0xA0 else 0x0F)
    if first >= 0xC0:
        kind, width = SIZED[first]
        size = int.from_bytes(file.read(int(width)), "big")
    if kind in "ml":
        items = [unpack(file) for _ in range(size << (kind == "m"))]
        return items if kind == "l" else dict(zip(items[::2], items[1::2]))
    return file.read(size) if kind == "b" else file.read(size).decode()


def array(packed, kinds, dimensions):
    """Return an array as float64 or int64."""
    kind, stored, shape, compressed, data = packed
    right = {kind, stored} <= TYPES and kind[0] in kinds and len(shape) == dimensions
    need(right, "an array is of a wrong type")
    data = zlib.decompressobj().decompress(data, 1 << 30) if compressed else data
    values = np.frombuffer(data, "<" + stored).reshape(shape).astype(kinds[0] + "8")
    need(np.isfinite(values).all() or dimensions == 2, "an array holds what is no number")
    return values


def joined(count, edges):
    """Return the component of each vertex, numbered by their first vertices."""
    group = np.arange(count)
    for a, b in edges:
        group[group == max(group[a], group[b])] = min(group[a], group[b])
    return np.unique(group, return_inverse=True)[1]


def covered(leaves):
    """Return whether lists of decisions are those of a whole binary tree's leaves."""
    todo = [(leaves, 0)]
    while todo:
        some, depth = todo.pop()
        if len(some) != 1 or len(some[0]) != depth:
            sides = [[leaf for leaf in some if leaf[depth][2] == side] for side in (0, 1)]
            if not all(sides) or len({(*leaf[depth][:2],) for leaf in some}) > 1:
                return False
            todo += [(side, depth + 1) for side in sides]
    return True


class Blocks:
    """Blocks as points with masses, and what a certificate proves of them."""

    def __init__(self, x, m, k, conflicts, exponent, certificate):
        self.x, self.m, self.k, self.certificate = x, m, min(k, len(m)), certificate
        self.spread, self.count = m @ (x**2).sum(axis=1), sum(x.shape)
        self.conflict = np.zeros((len(m), len(m)), bool)
        self.conflict[tuple(conflicts.T)] = self.conflict[tuple(conflicts.T[::-1])] = True
        self.exponent = exponent  # the unit is 2^-exponent
        if "unit" in certificate:
            self.exponent -= array(certificate["unit"], "i", 1).item()

    def joined(self, certificate, decisions):
        """Return the blocks of a leaf, some of which are joined; their spread stays the whole's."""
        need({*decisions[:, :2].ravel()} <= {*range(len(self.m))}, "a decision is none")
        group = joined(len(self.m), decisions[decisions[:, 2] == 1, :2])
        apart = decisions[decisions[:, 2] == 0, :2]
        conflicts = np.concatenate([np.argwhere(self.conflict), apart])
        m, x = np.bincount(group, self.m), np.zeros((group.max() + 1, self.x.shape[1]))
        np.add.at(x, group, self.m[:, None] * self.x)
        leaf = Blocks(x / m[:, None], m, self.k, group[conflicts], self.exponent, certificate)
        need(not leaf.conflict.diagonal().any() and leaf.k == self.k, "a leaf contradicts itself")
        leaf.spread, leaf.count = self.spread, 4 * self.count
        return leaf

    def values(self, name):
        values = np.ldexp(array(self.certificate[name], "f", 1), 2 * self.exponent)
        need((abs(values) <= 1e100).all(), "a certificate is too large to add up")
        return values

    def spectral(self):
        """Return what a semidefinite certificate proves.

        For P = D^1/2 Y D^1/2 all is rational: P 1 = m, 0 <= P <= D, <D^-1, P> = k, and the cost is
        sum m |x|^2 - <x x', P>. Whatever z, l, V and g are, they leave an E = -x x' - N - sum w A
        - 1 z' - z 1' - l D^-1 - V g V' with |<E, P>| <= k^1/2 |D^1/2 E D^1/2|.
        """
        x, m, k, s, scale = self.x, self.m, self.k, len(self.m), np.sqrt(self.m)
        N = np.zeros((s, s))
        N[np.triu_indices(s)] = self.values("nonnegativity")
        N = (N + np.triu(N, 1).T) / np.outer(scale, scale)  # rounded: all it needs is its sign
        need((N >= 0.0)[~self.conflict].all(), "a multiplier has the wrong sign")
        (plus, minus), gain, count = self.cuts()
        T, u = minus - plus - N, scale / np.sqrt(m.sum())
        S = (T - x @ x.T) * np.outer(scale, scale)
        y = S @ u
        y += (np.linalg.norm(S) - 0.5 * (u @ y)) * u  # so that u comes before other eigenvectors
        values, V = np.linalg.eigh(S - np.outer(u, y) - np.outer(y, u))
        level, g = values[k - 1], values - values[k - 1]
        V, z = V / scale[:, None], y / (scale * np.sqrt(m.sum()))
        E = T - np.hstack([x, V * g]) @ np.hstack([x, V]).T - (z[:, None] + z) - np.diag(level / m)
        lengths, spread, size = m @ V**2, self.spread, plus + minus + abs(N)
        parts = np.array([spread, 2 * z @ m, level * k, np.minimum(g, 0.0) @ lengths, gain])
        more = abs(parts).sum() + spread + abs(g) @ lengths + abs(level) * s + 2 * abs(z) @ m
        more += np.sqrt(m @ size**2 @ m) + 2 * np.sqrt(m.sum() * (m @ z**2))
        off = 1.001 * np.sqrt(m @ E**2 @ m) + ROUND * (self.count + count + 50) * more
        return parts.sum() - np.sqrt(k) * off - 1e-250

    def cuts(self):
        """Return the weighted cuts over P, added and taken off, their right sides, how many."""
        w, m, s = self.values("weights"), self.m, len(self.m)
        points, kind = array(self.certificate["points"], "i", 2), self.certificate["kind"]
        used, star = points >= 0, array(kind, "i", 1) == 0
        width = used.sum(axis=1)
        whole = used == (np.arange(points.shape[1]) < width[:, None])
        need(whole.all() and len(points) == len(star) == len(w), "a cut is none")
        need((w >= 0.0).all(), "a cut's multiplier has the wrong sign")
        need(np.where(star, width > 1, width == self.k + 1).all(), "a cut is too wide or narrow")
        sides = np.zeros((2, s, s))
        for a in range(points.shape[1]):
            for b in range(a):
                i, j, w_ab = points[used[:, a], a], points[used[:, a], b], w[used[:, a]]
                need((i != j).all(), "a cut names a block twice")
                off = (star[used[:, a]] & (b == 0)).astype(int)  # an apex and its leaf
                np.add.at(sides, (off, i, j), 0.5 * w_ab / (m[i] * m[j]))
        sides += sides.transpose(0, 2, 1)
        apex = points[star, 0]
        np.add.at(sides[0], (apex, apex), w[star] / m[apex] ** 2)
        return sides, w[~star].sum() / (m.sum() - self.k + 1), len(w)


class Run:
    """The points as whole numbers of one tiny unit, 2^-shift, and the events that matter."""

    def __init__(self, path):
        file = io.BytesIO(Path(path).read_bytes())
        need(file.read(12) == b"ccviz run 1\n", "the file does not begin like a run")
        inside = [unpack(file) for head in iter(lambda: file.read(8), b"")]
        problem = unpack(io.BytesIO(inside[0]["problem"]))
        X, self.k = array(problem["X"], "f", 2), problem["k"]
        need(np.isfinite(X).all() and self.k in range(1, len(X) + 1), "the points are none")
        rules = [problem["lower"], problem["upper"], *problem["rules"]]
        need(rules == [None, None], "sizes and rules are not checked here")
        ratios = [x.as_integer_ratio() for x in X.ravel().tolist()]
        self.shift = max(q.bit_length() for _, q in ratios) - 1
        whole = [p << self.shift + 1 - q.bit_length() for p, q in ratios]
        self.rows, self.links = np.array(whole, dtype=object).reshape(X.shape), []
        for together, name in ((True, "must_link"), (False, "cannot_link")):
            table = array(problem[name], "f", 2)
            need((table[:, 2] == np.inf).all(), "soft links are not checked here")
            self.links += [(pair, together) for pair in table[:, :2].tolist()]
        self.events = {"NodeOpened": [], "NodePruned": [], "IncumbentFound": [], "Parts": []}
        for _, _, data in inside[1:]:
            event = unpack(io.BytesIO(data))
            if event["type"] == "PartsCut":
                self.events["Parts"].append([event])
            elif event["type"] == "PartBounded":
                self.events["Parts"][-1].append(event)
            elif event["type"] in self.events:
                self.events[event["type"]].append(event)

    def sums(self, group):
        """Return the groups' sums and sizes, and the squared distances to their means."""
        order, sizes = np.argsort(group, kind="stable"), np.bincount(group)
        need(len(group) == len(self.rows) and sizes.all(), "a group is empty")
        sums = np.add.reduceat(self.rows[order], np.cumsum(sizes) - sizes, axis=0)
        lost = sum(map(Fraction, (sums**2).sum(axis=1), sizes.tolist()))
        return sums, sizes.astype(object), (self.rows**2).sum() - lost

    def blocks(self, decisions=()):
        """Return the points' blocks and pairs of blocks in conflict; None without a clustering."""
        links, n = {True: [], False: []}, len(self.rows)
        for pair, together in [*self.links, *decisions]:
            i, j = map(int, pair)
            need(pair == [i, j] and i != j and min(pair) >= 0 and max(pair) < n, "a pair is none")
            links[together].append((i, j))
        block = joined(n, links[True])
        if self.k == 2:  # a point in the first half is on one side, in the second on the other
            edges = [(a + side, b + side) for a, b in links[True] for side in (0, n)]
            edges += [(a + side, b + n - side) for a, b in links[False] for side in (0, n)]
            block = joined(2 * n, edges)[:n]
        pairs = block[np.array(links[False], int).reshape(-1, 2)]
        none = (pairs[:, 0] == pairs[:, 1]).any() or block.max() + 1 < self.k
        return None if none else (block, pairs)

    def means(self, block):
        """Return doubles next to the blocks' means, their masses and unit, and what bounds all."""
        sums, sizes, inside = self.sums(block)
        over = len(block) * sums - sizes[:, None] * self.rows.sum(axis=0)
        bits = max(abs(x) for x in over.ravel()).bit_length()
        x, m = (over / (len(block) * sizes << bits)[:, None]).astype(float), sizes.astype(float)
        slip = ROUND * (m @ (x**2).sum(axis=1)) ** 0.5 * (1 + ROUND * sum(x.shape)) + 1e-150

        def whole(between):  # the root of a sum of squares moves by the norm of the errors at most
            root = max(0.0, max(0.0, between) ** 0.5 * (1 - ROUND) - slip)
            return inside + Fraction(root) ** 2 * 4**bits

        return x, m, self.shift - bits, whole

    def walk(self):
        """Yield the leaves that all clusterings fall into, each with its path of links."""
        leaves, below = {event["node"]: event for event in self.events["NodePruned"]}, {}
        for event in self.events["NodeOpened"]:
            below.setdefault(event["parent"], []).append(event)
        (root,) = below[None]
        need(root["pair"] is None, "the root has a decision")
        stack = [{root["node"]: None}]
        while stack:
            path = stack.pop()
            node = [*path][-1]
            if node in leaves:
                yield leaves[node], path
                continue
            a, b = below[node]
            same = [(e["pair"], e.get("place", False)) for e in (a, b)]
            whole = same[0] == same[1] and {a["together"], b["together"]} == {True, False}
            need(whole and node < min(a["node"], b["node"]), f"node {node} is not covered")
            for e, (pair, place) in zip((a, b), same):  # a place links no points
                stack.append({**path, e["node"]: None if place else (pair, e["together"])})

    def is_open(self):
        """Whether there is no tree, or one with a node that is neither pruned nor a parent."""
        opened = self.events["NodeOpened"]
        done = {e["node"] for e in self.events["NodePruned"]} | {e["parent"] for e in opened}
        return not opened or not {e["node"] for e in opened} <= done

    def leaf(self, event, path):
        """Return a leaf's bound, None if it holds no clustering."""
        certificate, none, nodes = event["certificate"], event["reason"] == "infeasible", [*path]
        if "node" in certificate:
            nodes = nodes[: nodes.index(array(certificate["node"], "i", 1).item()) + 1]
        found = self.blocks([path[node] for node in nodes if path[node] is not None])
        if found is None:
            need(none, "a leaf has a bound, but contradicting links")
            return None
        x, m, exponent, whole = self.means(found[0])
        blocks = Blocks(x, m, self.k, found[1], exponent, certificate)
        if none:
            clique = np.unique(found[0][array(certificate["witness"], "i", 1)])
            apart = blocks.conflict[np.ix_(clique, clique)] | np.eye(len(clique), dtype=bool)
            need(apart.all() and len(clique) > self.k, "a witness is none")
            return None
        return whole(blocks.spectral() if "nonnegativity" in certificate else 0.0)

    def parts(self):
        """Return what the parts of the cut with the highest claims add up to."""
        block, pairs = self.blocks()
        cuts = self.events["Parts"]
        cut, *bounded = max(cuts, key=lambda cut: sum(e["lower_bound"] for e in cut[1:]))
        x, m, exponent, whole = self.means(block)
        part_of, owner, bounds = array(cut["part_of"], "i", 1), np.zeros(len(m), int), {}
        owner[block], numbers = part_of, {*range(cut["parts"])}
        need({*part_of.tolist()} <= {-1, *numbers}, "a cut names a part that is none")
        need((owner[block] == part_of).all(), "a cut tears must-linked points apart")
        shares = len(numbers) if len(shared := np.flatnonzero(owner < 0)) else 1
        for event in bounded:
            group, place = {event["part"], *event.get("merged", [])}, np.full(len(owner), -1)
            need(group <= numbers, "a part is none")
            bounds = {other: value for other, value in bounds.items() if not group & {*other}}
            index = np.append(own := np.flatnonzero(np.isin(owner, [*group])), shared)
            place[index] = np.arange(len(index))
            inner = place[pairs][(place[pairs] >= 0).all(axis=1)]
            mass = np.append(m[own] * shares, m[shared] * len(group))
            whole_part = Blocks(x[index], mass, self.k, inner, exponent, event["certificate"])
            found = [whole_part] if event["certificate"] else []
            tree = [(array(leaf["decisions"], "i", 2), leaf) for leaf in event.get("leaves", [])]
            need(not tree or covered([d.tolist() for d, _ in tree]), "a part's tree has a hole")
            found += [whole_part.joined(leaf, decisions) for decisions, leaf in tree]
            if found:
                least = min(blocks.spectral() for blocks in found)
                bounds[tuple(group)] = max(0.0, least / shares)
        return whole(sum(bounds.values()) * (1 - ROUND * (len(bounds) + 9)))

    def gap(self):
        """Return the gap that is proved, None if the problem is infeasible."""
        costs = []
        for event in self.events["IncumbentFound"]:
            labels = array(event["labels"], "i", 1)
            need({*labels.tolist()} == {*range(self.k)}, "labels are missing")
            kept = ((labels[int(i)] == labels[int(j)]) == side for (i, j), side in self.links)
            need(all(kept), "a clustering breaks a link")
            costs.append(self.sums(labels)[2])
        parts = self.events["Parts"] and self.is_open()
        bounds = [self.parts()] if parts else [self.leaf(*e) for e in self.walk()]
        if not costs:
            need(bounds.count(None) == len(bounds), "the run has no clustering")
            return None
        upper = min(costs)
        lower = min((bound for bound in bounds if bound is not None), default=upper)
        need(lower <= upper, "a bound is above the clustering")
        return float(1 - lower / upper) if upper else 0.0


def judge(path, wanted):
    """Return whether a run is proved, and a sentence."""
    try:
        gap = Run(path).gap()
        need(gap is None or gap <= 1.001 * wanted, f"the gap is {gap}, {wanted} is asked for")
    except WRONG as why:
        return False, f"no proof: {why} ({type(why).__name__})."
    return True, "proved infeasible" if gap is None else f"proved within gap {gap:.2g}"


if __name__ == "__main__":
    path, _, wanted = (*sys.argv[1:], "--gap", "1e-4")[:3]
    proved, sentence = judge(path, float(wanted))
    print(sentence)
    sys.exit(not proved)
