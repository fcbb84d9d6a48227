"""What holds of single clusters: rules, colourings, and duals (of column generation).

The second half of `tools/check_proof.py`, which loads it; Python's standard library and NumPy.
Read it from the top: rules, whether blocks fit into clusters at all, the search for clusters of low
value, and what duals prove once it has found none.
"""

import math
import time
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, compress, product

import numpy as np

ROUND = 2.0**-52  # twice the error of one operation
BATCH, FEW = 256, 14  # boxes looked at together; blocks of which single ones are decided on first
CASES = {"case_zone": "i1", "case_places": "i2", "case_prizes": "f1", "case_blocks": "i2"}
CASES |= {"case_changes": "f1"}


class Limit(ValueError):  # noqa: N818
    """A budget is used up: nothing is wrong with the proof so far."""


def need(condition, why):
    if not condition:
        raise ValueError(why)


def is_whole(value):
    return type(value) is int and value >= 0


def is_number(value):
    return type(value) in (int, float) and not math.isnan(value)


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


# --- Rules and colourings -------------------------------------------------------------------------


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


def loads_over(run, block):
    """Yield the loads over blocks for each way in which a cluster can keep the rules."""
    s = block.max() + 1
    for way in run.ways:
        loads = []
        for most, weight, pairs in way:
            T, ends = np.zeros((s, s)), block[pairs]
            np.add.at(T, (ends[:, 0], ends[:, 1]), 1.0)
            w = np.bincount(block, weight, s) + T.diagonal()
            np.fill_diagonal(T, 0.0)
            loads.append((most, w, T + T.T))
        yield loads


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


def packable(m, conflict, lower, upper, budget):
    """Whether blocks fit into clusters of limited sizes, by trying all, the largest first."""
    order = np.lexsort((-conflict.sum(axis=1), -m))
    m, conflict, limits = m[order], conflict[np.ix_(order, order)], [*zip(lower, upper)]
    left = np.append(np.cumsum(m[::-1])[::-1], 0.0)
    todo = [()]  # the clusters of the first blocks
    while todo:
        put = todo.pop()
        at, size = len(put), np.bincount(np.array(put, int), m[: len(put)], len(lower))
        budget.spend("looks at blocks", 1000 + len(m))
        if not np.maximum(lower - size, 0).sum() <= left[at] <= (upper - size).sum():
            continue
        if at == len(m):
            return True
        barred = {put[each] for each in np.flatnonzero(conflict[at, :at])}
        empty = {limits[c]: c for c in np.flatnonzero(size == 0.0)[::-1]}  # those alike are one
        places = [*np.flatnonzero(size > 0.0), *empty.values()]
        fit = [c for c in places if c not in barred and size[c] + m[at] <= upper[c]]
        todo += [(*put, c) for c in reversed(fit)]
    return False


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

    every = False  # whether sets have to be looked at with blocks that make their sum higher

    def __init__(self, blocks, duals, loads, discs, budget):
        alone, conflict = np.ones(len(duals), bool), blocks.conflict.copy()
        for most, w, T in loads:
            conflict |= w[:, None] + w + T > most
            alone &= w <= most
        np.fill_diagonal(conflict, False)
        self.some = some = np.flatnonzero(((duals > 0.0) | self.every) & alone)
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

    def terms(self, index, here, inside, free):
        """Return what blocks are worth, magnitudes in that, what all sets cost, which are none."""
        return self.u[index], self.u[index], 0.0, np.zeros(len(here), bool)

    def split(self, index, low, high, mark, v):
        """Return the boxes below v, halved or with a block decided on: low, high and mark."""
        m, x, (p, d) = self.m[index], self.x[index], low.shape
        self.budget.spend("looks at blocks", (p + 8) * (x.size + len(index) * len(self.priced)))
        middle = 0.5 * (low + high)
        half = np.maximum(high - middle, middle - low) * (1.0 + ROUND)
        off, inside, free = x - middle[:, None], mark == 1, mark == 0
        near = m * (np.maximum(abs(off) - half[:, None], 0.0) ** 2).sum(axis=2)
        far = m * ((abs(off) + half[:, None]) ** 2).sum(axis=2)
        here = m * (off**2).sum(axis=2)
        u, worths, cost, dead = self.terms(index, here, inside, free)
        added, paid = self.prices(index, free, inside, u - here)
        slip = ROUND * (d + len(self.priced) + len(m) + 16) * (far + worths + added)
        least, most = near - u - slip, far - u + slip
        if not self.every:  # without a block whose term is not negative a set costs no more
            dead |= (inside & (least >= 0.0)).any(axis=1)
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
        bound = second - 2.0 * (best * first).sum(axis=1) + square + change - chord - paid + cost
        bound -= (share * (u - added)).sum(axis=1)
        size += 4.0 * (second + square) + chord + paid + abs(cost)
        size += (share * (worths + 3.0 * added)).sum(axis=1)
        bound -= ROUND * (2 * len(m) + d + 64) * size + 1e-250 * (size > 0.0)
        # Would a smaller box about the best centre do, at the same prices? Not where there is one.
        q = m * ((off - best[:, None]) ** 2).sum(axis=2) - u
        chosen = inside | (free & (q + added < 0.0))
        there = np.where(chosen, q + added, 0.0).sum(axis=1) - paid + change + cost
        open_ = free & (least < 0.0)
        few = (open_.sum(axis=1) <= FEW) & (d > 2) | ~free.any(axis=1)
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

    def wrong(self, inside):
        """Return the blocks of a set that are too many for a load, or in conflict."""
        wrong = inside & (self.conflict @ inside)
        for most, w, T in self.loads:
            adds = w + T @ inside
            wrong |= inside & (adds > 0.0) & ((w + adds) @ inside > 2.0 * most)
        return wrong

    def set_of(self, blocks):
        inside = np.zeros(len(self.m), bool)
        inside[blocks] = True
        return inside

    def to_decide(self, index, q, chosen, free, v):
        """Return a block to decide on, None if there is none."""
        wrong = self.wrong(self.set_of(index[chosen]))
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
            inside = self.set_of(index[within == 1])
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


class SizedSearch(Search):
    """The same for sets of ``fewest`` to ``most`` points, with soft links in their value.

    Two blocks of a set add ``together``, the weights of the cannot-links less those of the
    must-links between them, and each adds ``cut``, half the weights of its must-links. Over a box,
    for any price t of a point, a set costs at least the sum of q - t m, plus t times ``fewest``, or
    ``most`` if t is negative. What is together of a block and those that are in, and half of what
    is negative of two that may be, is added to q. A block may be needed although its q is positive.
    """

    every = True

    def __init__(self, blocks, duals, loads, discs, budget, soft):
        super().__init__(blocks, duals, loads, discs, budget)
        must, cannot = np.zeros((2, len(duals), len(duals)))
        for pair, weights in soft.pairs.items():
            must[pair], cannot[pair] = map(float, weights)
        must, cannot = must + must.T, cannot + cannot.T
        both = np.ix_(self.some, self.some)
        self.together, self.cut = (cannot - must)[both], must.sum(axis=1)[self.some] / 2
        self.weight = abs(self.u) + self.cut + (cannot + must).sum(axis=1)[self.some]

    def check_sizes(self, v, fewest, most):
        """Raise unless there is no set of so many points below v."""
        self.fewest, self.most = fewest, most
        self.check(v)

    def terms(self, index, here, inside, free):
        m, together = self.m[index], self.together[np.ix_(index, index)]
        sure = inside @ m
        free &= sure[:, None] + m <= self.most
        linked, kept = inside @ together, free @ np.minimum(together, 0.0)
        u = self.u[index] - self.cut[index] - np.where(inside, linked / 2, linked + kept / 2)
        t = self.price(m, sure, np.where(free, (here - u) / m, np.inf))
        none = (sure > self.most) | (sure + free @ m < self.fewest)
        worths = self.weight[index] + abs(t)[:, None] * m
        return u + t[:, None] * m, worths, t * np.where(t > 0.0, self.fewest, self.most), none

    def price(self, m, sure, dense):
        """Return what the last point costs that a set has to hold, or gains that may not be in."""
        order = np.argsort(dense, axis=1)
        dense = np.take_along_axis(dense, order, axis=1)
        after = sure[:, None] + np.cumsum(m[order], axis=1)
        needed = (after - m[order] < self.fewest) & np.isfinite(dense)
        needed = np.where(needed, dense, 0.0).max(axis=1, initial=0.0)
        over = np.where(after > self.most, dense, 0.0).min(axis=1, initial=0.0)
        return np.where(needed > 0.0, needed, over)

    def to_decide(self, index, q, chosen, free, v):
        inside = self.set_of(index[chosen])
        wrong, points = self.wrong(inside), self.m @ inside
        if not wrong.any() and self.fewest <= points <= self.most:
            m, x = self.m[inside], self.x[inside]
            value = (m[:, None] * (x - m @ x / points) ** 2).sum() - self.u[inside].sum()
            value += self.cut[inside].sum() + self.together[np.ix_(inside, inside)].sum() / 2
            need(value >= v and free.any(), "it overlooks a cluster of lower value")
        candidates = np.flatnonzero(free & wrong[index] if wrong.any() else free)
        linked = abs(self.together[np.ix_(index, index[free])]).sum(axis=1)
        return candidates[(abs(q) - linked / 2)[candidates].argmin()]


class Classes:
    """What duals claim under sizes or soft links, and what they prove.

    Clusters of the same fewest and most points are a class, in which each has a least value.
    """

    def __init__(self, run, blocks, block, _, places, certificate):
        other = {"taken", *CASES} & certificate.keys()
        need(not places and not other, "it has places or zones under sizes or soft links")
        self.run, self.blocks, self.block = run, blocks, block
        least = min(each for each in run.weights if each)
        lower, upper = run.sizes or ([least] * run.k, [run.mass] * run.k)
        self.classes = sorted(Counter(zip(map(int, lower), map(int, upper))).items())
        self.counts = np.array([count for _, count in self.classes])
        need("least" in certificate, "it lacks its least values")
        self.duals, self.least = (blocks.values(certificate, name) for name in ("duals", "least"))
        need(self.duals.shape == blocks.m.shape, "its duals are of other blocks")
        need(self.least.shape == self.counts.shape, "its least values are of other classes")
        self.constant, self.claimed = (
            blocks.soft.inside,
            self.duals.sum() + self.counts @ self.least,
        )

    def proved(self, asked):
        """Return what is proved of the bound asked for, having searched for lower clusters."""
        need(not self.run.is_exact, "--exact looks at no duals, and these are needed")
        constant = float(self.constant)
        size = constant + abs(asked) + abs(self.duals).sum() + self.counts @ abs(self.least)
        margin = ROUND * (len(self.duals) + len(self.least) + 16) * 4.0 * size + 1e-250
        v = self.least - max(0.0, self.claimed - (asked - constant) - 4.0 * margin) / self.run.k
        for loads in loads_over(self.run, self.block):
            discs = np.zeros((0, self.blocks.x.shape[1])), *np.zeros((2, 0))
            search = SizedSearch(
                self.blocks, self.duals, loads, discs, self.run.budget, self.blocks.soft
            )
            for (limits, _), each in zip(self.classes, v):
                search.check_sizes(each, *limits)
        return constant + self.duals.sum() + self.counts @ v - margin


class Columns:
    """What duals of blocks, of places and in zones claim between the blocks, and what they prove.

    Zones have cases; of each zone one case holds, and all their changes may be made at once.
    """

    constant = 0

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
        for loads in loads_over(self.run, self.block):
            yield Search(self.blocks, duals, loads, discs, self.run.budget)

    def discs_of(self, places, prizes):
        """Return discs as a search takes them: a mean may be off by the slip."""
        rows, total, unit = self.run.rows, self.run.total, self.run.mass << self.blocks.bits
        centre, radius, prize = np.zeros((len(places), rows.shape[1])), *np.zeros((2, len(places)))
        for at, ((i, j), taken) in enumerate(places):
            centre[at] = [float(Fraction(each, unit)) for each in self.run.mass * rows[i] - total]
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
