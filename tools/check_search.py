"""The search for clusters of low value, and the same once more in whole numbers.

A part of `tools/check_proof.py`, which loads it; Python's standard library and NumPy. Read it from
the top: sets of blocks that exclude each other, the search, what soft links are to it, and the
bound of a box without rounding.
"""

from fractions import Fraction

import numpy as np
from check_file import ROUND, Limit, need, whole

BATCH, FEW = 256, 14  # boxes looked at together; blocks of which single ones are decided on first


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


class Search:
    """A search for sets below v in the sum of q_b(c) = m_b |x_b - c|^2 - dual_b, c any centre.

    Boxes of centres c are halved, and single blocks are put in or left out. ``loads`` say what a
    set may hold: (most, w, T), sum of w plus the pairs' T. Of discs (centre, radius, prize) an
    empty one, its prize NaN, holds no c; the prize of a taken one is taken off where c is in it.
    Over a box, for any prices p >= 0 of loads, a set costs at least the sum of min(0, q + p w) less
    p times what the load has room for; min(0, q) lies above its chord; and a sum of quadratics is
    least at their mean. All is lowered by what rounding may have done, and with ``exact`` done
    again in whole numbers before a box is given up.

    Given ``soft`` links, sets have fewest to most points. Two blocks of a set add ``together``, the
    weights of the cannot-links less those of the must-links between them, and each adds ``cut``,
    half the weights of its must-links. What is together of a block and those that are in, and half
    of what is negative of two that may be, is added to q. For any price t of a point a set costs at
    least the sum of q - t m, plus t times ``fewest``, or ``most`` if t is negative. A block may be
    needed although its q is positive.
    """

    def __init__(self, blocks, duals, loads, discs, budget, soft=None, exact=False):
        alone, conflict = np.ones(len(duals), bool), blocks.conflict.copy()
        for most, w, T in loads:
            conflict |= w[:, None] + w + T > most
            alone &= w <= most
        np.fill_diagonal(conflict, False)
        self.sized = soft is not None
        self.some = some = np.flatnonzero(((duals > 0.0) | self.sized) & alone)
        self.everywhere, self.budget = blocks.x, budget
        self.x, self.m, self.u = blocks.x[some], blocks.m[some], duals[some]
        self.conflict = conflict[np.ix_(some, some)]
        self.loads = [(most, w[some], T[np.ix_(some, some)]) for most, w, T in loads]
        ones = [np.isin(np.arange(len(some)), each) * 1.0 for each in cliques(self.conflict)]
        self.priced = [(1.0, w) for w in ones] + [(most, w) for most, w, _ in self.loads if w.any()]
        self.centre, self.radius, self.prize = discs[:3]
        self.taken = ~np.isnan(self.prize)
        self.prize = np.where(self.taken, self.prize, 0.0)
        if self.sized:
            self.together, twice, links = linked(soft, len(duals), some, float, np.zeros)
            self.cut = twice / 2
            self.weight = abs(self.u) + self.cut + links
        self.whole = Whole(self, blocks, discs, soft) if exact else None

    def check(self, v, low=None, high=None, sizes=(0, 0)):
        """Raise unless there is none below v, for c from low to high or all over the points."""
        self.fewest, self.most = sizes
        if not len(self.m) and not (self.prize > 0.0).any():
            return
        points = self.everywhere if len(self.radius) else self.x
        if low is None:
            low, high = points.min(axis=0), points.max(axis=0)
            low, high = low - ROUND * abs(low) - 1e-250, high + ROUND * abs(high) + 1e-250
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
        """Return what prices of loads add to each block, what they cost in all, and the prices.

        The price is the worth for its weight of the first block that finds no room, best first.
        """
        added, paid, prices = np.zeros(worth.shape), np.zeros(len(worth)), []
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
            prices.append(price)
        return np.where(free, added, 0.0), paid, prices

    def terms(self, index, here, inside, free):
        """Return what blocks are worth, magnitudes in it, prices of points, and what is no set."""
        u, (p, _) = self.u[index], here.shape
        if not self.sized:
            return u, u, np.zeros(p), np.zeros(p, bool)
        m, together = self.m[index], self.together[np.ix_(index, index)]
        sure = inside @ m
        free &= sure[:, None] + m <= self.most
        linked, kept = inside @ together, free @ np.minimum(together, 0.0)
        u = u - self.cut[index] - np.where(inside, linked / 2, linked + kept / 2)
        t = self.price(m, sure, np.where(free, (here - u) / m, np.inf))
        none = (sure > self.most) | (sure + free @ m < self.fewest)
        return u + t[:, None] * m, self.weight[index] + abs(t)[:, None] * m, t, none

    def price(self, m, sure, dense):
        """Return what the last point costs that a set has to hold, or gains that may not be in."""
        order = np.argsort(dense, axis=1)
        dense = np.take_along_axis(dense, order, axis=1)
        after = sure[:, None] + np.cumsum(m[order], axis=1)
        needed = (after - m[order] < self.fewest) & np.isfinite(dense)
        needed = np.where(needed, dense, 0.0).max(axis=1, initial=0.0)
        over = np.where(after > self.most, dense, 0.0).min(axis=1, initial=0.0)
        return np.where(needed > 0.0, needed, over)

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
        u, worths, t, dead = self.terms(index, here, inside, free)
        cost = t * np.where(t > 0.0, self.fewest, self.most)
        added, paid, prices = self.prices(index, free, inside, u - here)
        slip = ROUND * (d + len(self.priced) + len(m) + 16) * (far + worths + added)
        least, most = near - u - slip, far - u + slip
        if not self.sized:  # without a block whose term is not negative a set costs no more
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
        left = (bound < v) & ~dead & ~empty
        for row in np.flatnonzero(~left) if self.whole else ():
            guess = share[row], [price[row] for price in prices], t[row], (middle + mean)[row]
            left[row] = not self.whole.settles(index, low[row], high[row], mark[row], guess, v)
        for row in np.flatnonzero(left):
            block = None
            if not crossed[row] and (few[row] or there[row] < v):
                value = v - change[row] if there[row] < v else -np.inf
                block = self.to_decide(index, q[row], chosen[row], free[row], value)
            (by_box if block is None else by_block).append((row, block))
        if not self.whole:
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
        inside, worth = self.set_of(index[chosen]), q
        wrong, points = self.wrong(inside), self.m @ inside
        if not self.sized:
            need(wrong.any() or q[chosen].sum() >= v, "it overlooks a cluster of lower value")
            candidates = np.flatnonzero(free & (wrong[index] if wrong.any() else q < 0.0))
        else:
            if not wrong.any() and self.fewest <= points <= self.most:
                m, x = self.m[inside], self.x[inside]
                value = (m[:, None] * (x - m @ x / points) ** 2).sum() - self.u[inside].sum()
                value += self.cut[inside].sum() + self.together[np.ix_(inside, inside)].sum() / 2
                need(value >= v and free.any(), "it overlooks a cluster of lower value")
            candidates = np.flatnonzero(free & wrong[index] if wrong.any() else free)
            worth = abs(q) - abs(self.together[np.ix_(index, index[free])]).sum(axis=1) / 2
        return candidates[worth[candidates].argmin()] if len(candidates) else None

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


def linked(soft, s, some, number, zeros):
    """Return what pairs of blocks cost together, twice what each costs cut off, and all."""
    must, cannot = zeros((s, s)), zeros((s, s))
    for pair, weights in soft.pairs.items():
        must[pair], cannot[pair] = map(number, weights)
    must, cannot = must + must.T, cannot + cannot.T
    sums = must.sum(axis=1), (must + cannot).sum(axis=1)
    return (cannot - must)[np.ix_(some, some)], sums[0][some], sums[1][some]


class Whole:
    """A search's blocks in whole numbers, in which boxes are bounded once more, without error.

    Places are in a unit of 1 / ``long``, squares in one of 1 / ``long``^2. What bounds a box holds
    for any shares, prices and multipliers of discs: doubles guess them.
    """

    def __init__(self, search, blocks, discs, soft):
        some, (sums, self.long, more) = search.some, blocks.whole()
        self.search, self.sums = search, sums[some]
        self.m = self.ints(search.m)
        self.squares, self.u = (self.sums**2).sum(axis=1) // self.m, self.of(search.u)
        self.discs = [(o * more, r2 * more**2) for o, r2 in discs[3]]
        self.priced = [(most, self.ints(w)) for most, w in search.priced]
        if search.sized:  # half of each is whole, and none is more than it was
            self.together, twice, _ = linked(
                soft, len(sums), some, lambda w: int(w * self.long**2) // 2 * 2, self.zeros
            )
            self.cut = twice // 2

    @staticmethod
    def ints(values):
        return np.array([int(each) for each in values], dtype=object)

    @staticmethod
    def zeros(shape):
        return np.full(shape, 0, dtype=object)

    def of(self, values, power=2):
        """Return numbers in the unit of squares, or of places, rounded down."""
        return whole(np.asarray(values), self.long**power)

    def settles(self, index, low, high, mark, guess, v):
        """Whether no set with its centre in a box is below v."""
        search, (share, prices, t, mean), one = self.search, guess, 1 << 20
        search.budget.spend("looks at blocks", 20 * search.x.size)
        S, m, u, inside, free = self.sums[index], self.m[index], self.u[index], mark == 1, mark == 0
        low, high, (v, t) = self.of(low, 1), self.of(high, 1), self.of([v, t])
        if search.sized:
            sure, together = m @ inside, self.together[np.ix_(index, index)]
            free &= np.array(sure + m <= search.most, bool)
            if sure > search.most or sure + m @ free < search.fewest:
                return True
            linked, kept = together @ inside, np.minimum(together, 0) @ free
            u = u - self.cut[index] - np.where(inside, linked // 2, linked + kept // 2) + t * m
        over, under = S - m[:, None] * high, m[:, None] * low - S
        near = (np.maximum(np.maximum(over, under), 0) ** 2).sum(axis=1) // m
        far = -(-(np.maximum(abs(over), abs(under)) ** 2).sum(axis=1) // m)
        if not search.sized and (inside & np.array(near >= u, bool)).any():
            return True  # it costs no more without that block
        added, paid = self.zeros(len(m)), -t * int(search.fewest if t > 0 else search.most)
        for (most, w), price in zip(self.priced, prices):
            if price > 0.0:
                w, price = w[index], int(self.of([price])[0])
                added, paid = added + price * w, paid + price * max(int(most) - w @ inside, 0)
        u = u - np.where(free, added, 0)
        share = np.where(free, whole(share, one), inside * one)
        chord = np.maximum(share * np.maximum(far - u, 0), (one - share) * np.maximum(u - near, 0))
        fixed = share @ (self.squares[index] - u) - chord[free].sum() - one * (paid + v)
        return self.settles_discs(fixed, share @ m, share @ S, low, high, mean, one)

    def settles_discs(self, fixed, A, first, low, high, mean, one):
        """Whether A |c|^2 - 2 first c + fixed less prizes of discs is nowhere below 0 in a box."""

        def least(times=0, o=0, r2=0):  # not above it where times (|c - o|^2 - r2) is not above 0
            a, f = A + times, first + times * o
            found = fixed + times * (sum(each * each for each in first * 0 + o) - r2)
            for low_, high_, f_ in zip(low, high, f):
                if a and a * low_ <= f_ <= a * high_:
                    found += -(f_ * f_) // a
                else:
                    found += min(a * c * c - 2 * f_ * c for c in (low_, high_))
            return found

        search, best, goals = self.search, least(), []
        for (o, r2), centre, r, prize, taken in zip(
            self.discs, search.centre, search.radius, search.prize, search.taken
        ):
            near = (np.maximum(np.maximum(o - high, low - o), 0) ** 2).sum()
            far = (np.maximum(abs(o - high), abs(low - o)) ** 2).sum()
            if far < r2 and not taken:
                return True
            beyond = np.sqrt(((centre - mean) ** 2).sum()) / max(r, 1e-300) - 1.0
            times = int(A * Fraction(min(max(beyond, -1.0 if not taken else 0.0), float(one))))
            if near <= r2 and taken:
                goals.append((beyond * r, int(self.of([prize])[0]) * one, (times, o, r2)))
            elif near < r2 and beyond < 0.0:
                best = max(best, least(times, o, r2))
        won = 0
        for _, prize, way in sorted(goals, key=lambda goal: goal[0]):
            won += prize
            if max(best, least(*way)) < won:
                return False
        return best >= 0

    def in_box(self, low, high, change):
        """Whether a box holds the balls about blocks that are raised, and discs with prizes."""
        if (low > high).any():
            return True
        low, high, raised = self.of(low, 1), self.of(high, 1), change[self.search.some] > 0.0
        balls = [*zip(self.sums[raised], self.m[raised], self.u[raised])]
        balls += [(o, 1, r2) for (o, r2), won in zip(self.discs, self.search.prize) if won > 0.0]
        return all(
            (side >= 0).all() and (side**2 >= m * square).all()
            for S, m, square in balls
            for side in (m * high - S, S - m * low)
        )
