"""What semidefinite certificates prove of blocks, in doubles or without any rounding.

A part of `tools/check_proof.py`, which loads it; Python's standard library and NumPy. Read it from
the top: graphs of blocks, soft links between them, the two kinds of certificates, and the one
enclosure that both rest on.
"""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
from check_file import ROUND, need, whole

EXACT_BITS, EXACT_BLOCKS = 180, 300  # of numbers in exact arithmetic at least; most blocks for it
ROOTS = 40  # bits after the point of the roots of masses, which are rounded up
SEMIDEFINITE = {"nonnegativity": "f1", "points": "i2", "kind": "i1", "weights": "f1"}
LIFTED = {"lifted": "f2", "points": "i2", "kind": "i1", "owner": "i1", "weights": "f1"}
MUST = {"must_pairs": "i2", "must_prices": "f2"}  # soft links in clusters of any size
CANNOT = {"cannot_rows": "i2", "cannot_members": "i2", "cannot_prices": "f1"}
GIVEN = {"soft_pairs": "i2", "soft_prices": "f1"}  # and in clusters of given sizes
HEAVIEST = 10**90  # a soft link that is heavier is taken for that: doubles stay finite


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


def matrix_of(pairs, s):
    """Return the symmetric matrix (s, s) of pairs."""
    conflict = np.zeros((s, s), bool)
    conflict[tuple(pairs.T)] = conflict[tuple(pairs.T[::-1])] = True
    return conflict


def symmetric(upper, s):
    """Return the matrix (s, s) whose upper triangle is given row by row."""
    need(upper.shape == (s * (s + 1) // 2,), "multipliers are of another number of blocks")
    N = np.zeros((s, s))
    N[np.triu_indices(s)] = upper
    return N + np.triu(N, 1).T


def add(sums, i, j, half):
    """Add Z_ij, times twice ``half``, to a matrix over Z, and its magnitude to a second one."""
    for total, part in zip(sums, (half, abs(half))):
        np.add.at(total, (i, j), part)
        np.add.at(total, (j, i), part)


class Soft:
    """What soft links cost between blocks, and what the prices of a certificate make of that.

    ``pairs`` holds for two blocks the weights of the must-links and of the cannot-links between
    them, ``inside`` is the weight of the cannot-links inside blocks: fractions, ``unit`` for 1.
    """

    def __init__(self, links=(), block=(), unit=1):
        self.pairs, self.inside = {}, Fraction(0)
        for (i, j), together, weight in links:
            pair = (min(block[i], block[j]), max(block[i], block[j]))
            weight = min(weight / unit, Fraction(HEAVIEST))
            if pair[0] != pair[1]:
                self.pairs.setdefault(pair, [Fraction(0), Fraction(0)])[not together] += weight
            elif not together:
                self.inside += weight

    @property
    def whole(self):
        """What a clustering costs that breaks all of them."""
        return self.inside + sum(map(sum, self.pairs.values()))

    def limited(self, heaviest):
        """Return the links with no heavier weights: no cluster costs more, so bounds hold."""
        links = Soft()
        links.inside, heaviest = self.inside, Fraction(heaviest)
        links.pairs = {
            pair: [min(each, heaviest) for each in both] for pair, both in self.pairs.items()
        }
        return links

    def caps(self, apart):
        """Return of each pair what it costs more apart and together, and what all cost anyway."""
        caps, constant = {}, self.inside
        for pair, (must, cannot) in self.pairs.items():
            paid = must if apart[pair] else min(must, cannot)
            constant += paid
            caps[pair] = (0, 0) if apart[pair] else (must - paid, cannot - paid)
        return caps, constant

    def free(self, blocks, certificate, scaled, caps, fewest):
        """Return a matrix over Z and magnitudes in it, and constants, for clusters of any size."""
        s, masses = len(blocks.m), scaled.masses(blocks.m)
        sums, terms = np.full((2, s, s), 0, masses.dtype), []
        if "must_pairs" in certificate:
            pairs = blocks.pairs(certificate["must_pairs"])
            half = blocks.values(certificate, "must_prices") / 2
            need(half.shape == (len(pairs), s), "a soft must-link has no price for each block")
            scaled.terms_of_entry += 8 * len(pairs)
            for (i, j), most, each in zip(pairs, abs(half).max(axis=1), scaled.shortened(half)):
                need(4 * Fraction(most) <= caps.get((i, j), (0, 0))[0], "a price is above its cap")
                add(sums, i, np.arange(s), each * masses)
                add(sums, j, np.arange(s), -each * masses)
        if "cannot_rows" in certificate:
            rows, members = certificate["cannot_rows"], certificate["cannot_members"]
            half, left = blocks.values(certificate, "cannot_prices") / 2, {}
            right = rows.shape == (len(half), 3) and members.shape == (len(half), s)
            need(right and ((members == 0) | (members == 1)).all(), "a cannot-link's row is none")
            right = (rows >= [0, 0, -1]).all() and (rows < s).all() and (half >= 0.0).all()
            need(right and (rows[:, 0] < rows[:, 1]).all(), "a cannot-link's row is none")
            scaled.terms_of_entry += 8 * len(rows)
            table = zip(rows.tolist(), members, half, scaled.shortened(half))
            for (i, j, c), member, price, each in table:
                left.setdefault((i, j), caps.get((i, j), (0, 0))[1])
                left[i, j] -= 2 * Fraction(price)
                need(left[i, j] >= 0, "prices are above their cap")
                if c < 0:
                    add(sums, i, j, each * max(masses[i] + masses[j], fewest))
                    continue
                inside = np.flatnonzero(member)
                for other in (i, j, c):
                    add(sums, other, inside, each * masses[inside])
                add(sums, inside, inside, -each * masses[inside])
                terms.append(-2 * each)
        return sums, terms

    def given(self, blocks, certificate, scaled, caps):
        """Return the same for clusters of one point; the matrix grows with their size."""
        s = len(blocks.m)
        sums, terms = np.full((2, s, s), 0, scaled.masses(blocks.m).dtype), []
        if "soft_pairs" in certificate:
            pairs = blocks.pairs(certificate["soft_pairs"])
            half = blocks.values(certificate, "soft_prices") / 2
            need(len(pairs) == len(half), "a soft link has no price")
            scaled.terms_of_entry += len(pairs)
            for (i, j), price, each in zip(pairs, half, scaled.shortened(half)):
                apart, together = caps.get((i, j), (0, 0))
                need(-apart <= 2 * Fraction(price) <= together, "a price is above its cap")
                add(sums, i, j, each)
                terms += [-2 * each] if each < 0 else []
        return sums, terms


class Blocks:
    """Blocks as points with masses, and what semidefinite certificates prove of them.

    ``x`` are doubles next to the blocks' means about that of all points, by 2^bits smaller. Without
    error are ``sums``: n, all mass, times the masses times these means. The numbers of a
    certificate are taken times 4^exponent, and ``one`` is the mass of a point of weight 1.
    ``sizes`` are the fewest and most points of each cluster, or None; ``soft`` are the soft links.
    ``rows`` are the limits on sums: values of the blocks and a number, so that in a cluster they
    add up to 0 at least, as whole numbers of a unit; and the unit. ``graph`` are the neighbours.

    All is in terms of Z = D^-1/2 Y D^-1/2, which has no roots: Z_ij is 0, or 1 over the points of
    the common cluster, or over their mass. The cost is sum m |x|^2 - <D x x' D, Z>.
    """

    def __init__(self, x, m, sums, n, k, conflict, exponent, bits, one=Fraction(1)):
        self.sizes, self.soft, self.one, self.rows, self.graph = None, Soft(), one, [], None
        self.are_few = len(m) <= EXACT_BLOCKS and (m < 2**53).all()
        self.x, self.m, self.sums, self.n, self.k = x, m, sums, n, min(k, len(m))
        self.conflict, self.exponent, self.bits = conflict, exponent, bits
        self.spread, self.count, self.parent = m @ (x**2).sum(axis=1), sum(x.shape), self

    def joined(self, decisions):
        """Return the blocks of a leaf, some of which are joined; their spread is the whole's."""
        right = ((decisions >= 0) & (decisions < [len(self.m), len(self.m), 2])).all()
        need(right and (decisions[:, 0] != decisions[:, 1]).all(), "a decision is none")
        together, apart = decisions[:, 2] == 1, decisions[:, 2] == 0
        group = joined(len(self.m), decisions[together, :2])
        conflicts = np.concatenate([np.argwhere(self.conflict), decisions[apart, :2]])
        m = np.bincount(group, self.m)
        x, sums = np.zeros((2, len(m), self.x.shape[1]), dtype=object)
        np.add.at(sums, group, self.sums)
        np.add.at(x, group, self.m[:, None] * self.x)
        x, conflict = x.astype(float) / m[:, None], matrix_of(group[conflicts], len(m))
        leaf = Blocks(x, m, sums, self.n, self.k, conflict, self.exponent, self.bits, self.one)
        need(not conflict.diagonal().any() and leaf.k == self.k, "a leaf contradicts itself")
        leaf.spread, leaf.count, leaf.parent = self.spread, 6 * self.count, self
        return leaf

    def whole(self):
        """Return sums without error in a tiny unit, what is 1 in it, and by what it is smaller."""
        need(len(self.m) <= EXACT_BLOCKS, "it has too many blocks to be exact")
        need((self.m < 2**53).all(), "it has masses that are too large to be exact")
        most = max(abs(each) for each in self.sums.ravel()).bit_length() * 2
        more = 2 ** (max(0, EXACT_BITS - most) // 2)
        return self.sums * more, (self.n * more) << self.bits, more

    def values(self, certificate, name):
        exponent = self.exponent - int(certificate.get("unit", [0])[0])
        values = np.ldexp(certificate[name], 2 * exponent)
        need((abs(values) <= 1e100).all(), "a certificate is too large to add up")
        return values

    def pairs(self, pairs):
        """Return pairs of blocks, the smaller first, all different."""
        need(pairs.shape[1] == 2 and ((pairs >= 0) & (pairs < len(self.m))).all(), "a pair is none")
        need((pairs[:, 0] < pairs[:, 1]).all(), "a pair is the wrong way round")
        pairs = [*map(tuple, pairs.tolist())]
        need(len({*pairs}) == len(pairs), "a pair has two prices")
        return pairs

    def apart(self, most):
        """Return which blocks share no cluster, of at most so many points."""
        apart = self.conflict | (self.m[:, None] + self.m > most)
        return apart if self.k < len(self.m) else ~np.eye(self.k, dtype=bool)

    def proved(self, certificate, exact):
        """Return the bound of a certificate: a double, or a fraction without error."""
        kinds, terms = (
            (LIFTED, self.lifted) if "lifted" in certificate else (SEMIDEFINITE, self.plain)
        )
        soft = (each for each in (MUST, CANNOT, GIVEN) if each.keys() & certificate.keys())
        for each in (kinds, *soft):
            need(certificate.keys() >= each.keys(), "a certificate lacks an array")
        scaled = Exact(self) if exact else Doubles(self)
        return scaled.total(terms(certificate, scaled))

    def plain(self, certificate, scaled):
        """Return the terms of the bound of a certificate over Z."""
        m, k, sizes = self.m, self.k, self.sizes
        fewest, most = (1, len(m) * m.sum()) if sizes is None else (sizes[0].min(), sizes[1].max())
        apart = self.conflict.copy()
        if sizes is not None:  # two that are too large together; and Z_ii has limits of its own
            apart |= (m[:, None] + m > most) | np.eye(len(m), dtype=bool)
        N = symmetric(self.values(certificate, "nonnegativity"), len(m))
        need((N >= 0.0)[~apart].all(), "a multiplier has the wrong sign")
        points, kind, w = self.cut_rows(certificate)
        N, half = (
            scaled.multipliers(N * np.outer(np.sqrt(m), np.sqrt(m))),
            scaled.multipliers(w / 2),
        )
        plus, minus = self.cuts(points, kind, half, scaled.masses)
        scaled.terms_of_entry += 3 * len(w)
        caps, constant = self.soft.caps(self.apart(most))
        if sizes is not None and fewest == most:
            (soft, size), prices = self.soft.given(self, certificate, scaled, caps)
            soft, size = int(most) * soft, int(most) * size
        else:
            (soft, size), prices = self.soft.free(self, certificate, scaled, caps, int(fewest))
        T, size = minus - plus - N - scaled.squares + soft, plus + minus + abs(N) + size
        bound = [*scaled.least(T, size, m, k - 1), *prices, scaled.constant(constant)]
        elsewhere = sum(min(Fraction(each), self.one) for each in np.sort(m)[: k - 1])
        heaviest = min(Fraction(int(most)), sum(map(Fraction, m)) - elsewhere)
        right = scaled.over(2 * half[kind == 1].sum(), heaviest)
        if sizes is None:
            return [*bound, right]
        diagonal = N.diagonal()
        limits = [scaled.over(diagonal, each) for each in (m * 0 + most, np.maximum(fewest, m))]
        return [*bound, right, *np.minimum(*limits)]

    def lifted(self, certificate, scaled):
        """Return the terms of the bound of a certificate that is lifted by size.

        A class has c clusters of u points. Its matrix Z is 1 / (u c), p_i / (u c) and P_ij / u,
        where p_i says that block i is in one of them, P_ij that i and j are in the same.
        """
        need(
            self.sizes is not None and (self.sizes[0] == self.sizes[1]).all(), "sizes are not given"
        )
        sizes, counts = np.unique(self.sizes[0], return_counts=True)
        m, s, upper = self.m, len(self.m), self.values(certificate, "lifted")
        points, kind, w = self.cut_rows(certificate)
        owner = certificate["owner"]
        right = len(upper) == len(sizes) and (kind == 0).all() and len(owner) == len(kind)
        need(right and ((owner >= 0) & (owner < len(sizes))).all(), "a class or its cut is none")
        caps, constant = self.soft.caps(self.apart(sizes.max()))
        soft, prices = self.soft.given(self, certificate, scaled, caps)
        scaled.terms_of_entry += 2 * len(w)
        terms, gains = [*prices, scaled.constant(constant)], []
        for at, (u, c) in enumerate(zip(sizes.tolist(), counts.tolist())):
            fits, own, all_m = m <= u, owner == at, np.append(u * c, m)
            N = symmetric(upper[at], s + 1)
            apart = self.conflict | (m[:, None] + m > u) | ~fits | ~fits[:, None]
            right = (N[1:, 1:] >= 0.0)[~(apart | np.eye(s, dtype=bool))].all()
            need(right and fits.any(), "a multiplier has the wrong sign, or a class no block")
            N = scaled.multipliers(N * np.outer(np.sqrt(all_m), np.sqrt(all_m)))
            half = scaled.multipliers(w[own] / 2)
            plus, minus = self.cuts(points[own], kind[own], half, scaled.masses)
            T, size = -N, abs(N)
            T[1:, 1:] += minus - plus - scaled.squares + u * soft[0]
            size[1:, 1:] += plus + minus + u * soft[1]
            terms += [*scaled.least(T, size, all_m, c, True), scaled.over(N[0, 0], u * c)]
            gain = (
                scaled.over(2 * N[0, 1:], u * c + 0 * m),
                scaled.over(N.diagonal()[1:], u + 0 * m),
            )
            gains.append(np.where(fits, gain[0] + gain[1], np.inf))
            scaled.size += abs(np.array(gain, float)).sum()
        least = np.array(gains).min(axis=0)
        need((least < np.inf).all(), "a block is too large for any cluster")
        return [*terms, *least]

    def cut_rows(self, certificate):
        """Return of the cuts: their blocks, their kinds, their weights.

        Kind 0 is a star, 1 a clique, 2 and more the row of a block and the limit of that number:
        within a cluster all entries of a row of Z are equal, so the limit is linear in the row.
        Kind -1 is a separator: Z_ij is at most the sum of Z_iv over blocks that separate i and j,
        and of Z_jv over those after another j.
        """
        w = self.values(certificate, "weights") * float(self.one)  # costs times a mass
        points = certificate["points"]
        kind, s = certificate["kind"].astype(int), len(self.m)
        used, width = points >= 0, (points >= 0).sum(axis=1)
        right = used == (np.arange(points.shape[1]) < width[:, None])
        need(right.all() and len(points) == len(kind) == len(w), "a cut is none")
        known = (kind >= -(self.graph is not None)) & (kind < 2 + len(self.rows))
        need((w >= 0.0).all() and known.all(), "a cut has no sign or kind")
        wide = [width > 1, width > 1, width == self.k + 1]
        right = np.select([kind == -1, kind == 0, kind == 1], wide, width == 1)
        need(right.all(), "a cut is too wide or narrow")
        need((points < s).all(), "a cut is over blocks that are not there")
        for row in points[kind == -1].tolist():
            i, j, *others = (block for block in row if block >= 0)
            others = [v for v in others if v != j or i == j]
            need(len({*others}) == len(others), "a separator names a block twice")
            need(self.graph.separates(i, j, others), "a separator does not separate")
        units = np.array([1.0, 1.0, *(unit for _, _, unit in self.rows), 1.0])  # the last of -1
        return points, kind, w * units[kind]

    def cuts(self, points, kind, w, masses):
        """Return twice the cuts over Z, those added and those taken off."""
        sides, used = np.full((2, len(self.m), len(self.m)), 0, w.dtype), points >= 0
        star = kind == 0
        for number, (values, own, _) in enumerate(self.rows, 2):
            for i, each in zip(points[kind == number, 0], w[kind == number]):
                for side, sign in zip(sides, (1, -1)):
                    row = each * masses(np.maximum(sign * values, 0))
                    side[i] += row
                    side[:, i] += row
                    side[i, i] += 2 * each * max(sign * own, 0)
        for b, a in combinations(range(points.shape[1]), 2):
            rows = used[:, a] & (kind >= 0)
            i, j = points[rows, a], points[rows, b]
            need((i != j).all(), "a cut names a block twice")
            off = (star[rows] & (b == 0)).astype(int)  # an apex and its leaf
            np.add.at(sides, (off, i, j), w[rows])
            np.add.at(sides, (off, j, i), w[rows])
        apex = points[star, 0]
        np.add.at(sides[0], (apex, apex), 2 * w[star])
        end = points[:, 0].copy()
        for a in range(1, points.shape[1]):
            rows = used[:, a] & (kind == -1)
            if a > 1:
                turns = rows & (points[:, a] == points[:, 1])
                end[turns], rows = points[turns, 1], rows & ~turns
            i, j = end[rows], points[rows, a]
            np.add.at(sides[int(a == 1)], (i, j), w[rows])
            np.add.at(sides[int(a == 1)], (j, i), w[rows])
        return sides


class Doubles:
    """Doubles whose errors are bounded and taken off."""

    def __init__(self, blocks):
        mx = blocks.m[:, None] * blocks.x
        self.squares, self.spread, self.size = mx @ mx.T, blocks.spread, 0.0
        self.terms_of_entry = blocks.count + len(blocks.m) + 50
        self.multipliers, self.over = np.asarray, lambda value, by: value / np.asarray(by, float)
        self.shortened, self.masses, self.constant = np.asarray, np.asarray, float

    def least(self, T, size, m, at, lifted=False):
        """Return terms that add up to no more than <T, Z>; ``size`` are the magnitudes in T.

        Of Z are known Z m = 1, 0 <= Z <= D^-1 and <D, Z> = at + 1. If lifted, Z m' = 0 for the m'
        with the first one negative, <D, Z> = at + 1, and D^1/2 Z D^1/2 is a projection of rank
        ``at`` plus one of rank 1. Whatever z, l and W are, the first ``at`` of them for what is
        negative, they leave an E = T - m z' - z m' - l D -+ W W' with
        |<E, Z>| <= (at + 1)^1/2 |D^-1/2 E D^-1/2|, (at + 3)^1/2 if lifted.
        """
        level, z, W, signs, scale, side = guesses(T, m, at, lifted)
        E = T - (W * signs) @ W.T - np.outer(side * m, z) - np.outer(z, side * m)
        E[np.diag_indices(len(m))] -= level * m
        V = W[:, signs < 0] / scale[:, None]
        lengths = (W**2).sum(axis=1) / m
        terms = [0.0 if lifted else 2 * z.sum(), level * (at + 1), -(V**2).sum()]
        terms += [-abs(V.T @ V).sum(axis=1).max(initial=0.0)] if lifted else []
        more = abs(np.array(terms)).sum() + self.spread + (1 + lifted * at) * lengths.sum()
        more += abs(level) * len(m) + 2 * abs(z).sum() + 2 * (m.sum() * (z**2 / m).sum()) ** 0.5
        more += np.linalg.norm(size / np.outer(scale, scale))
        off = 1.001 * np.linalg.norm(E / np.outer(scale, scale))
        off += ROUND * (self.terms_of_entry + len(m)) * more
        return [*terms, -(np.sqrt(at + 1 + 2 * lifted)) * off]

    def total(self, terms):
        size = self.spread + self.size + sum(map(abs, terms))
        return self.spread + sum(terms) - ROUND * (len(terms) + self.terms_of_entry) * size - 1e-250


class Exact:
    """Whole numbers of a tiny unit: multipliers are rounded to them, and then true."""

    def __init__(self, blocks):
        mx, self.long, more = blocks.whole()
        self.back, self.size, self.n = more**2, 0, blocks.n
        self.unit = self.long**2 // self.n**2
        most = max(abs(each) for each in blocks.sums.ravel()).bit_length() * 2
        self.right = max(0, most - EXACT_BITS) // 2 * 2
        self.squares, self.parent, self.terms_of_entry = mx @ mx.T, blocks.parent, 0

    def masses(self, m):
        return np.array([int(each) for each in m], dtype=object)

    def shortened(self, values):
        """Return multipliers of either sign, none of which becomes larger."""
        down = self.multipliers(abs(values))
        return np.where(values < 0.0, -down, down)

    def constant(self, value):
        return value * self.unit * self.n**2

    def multipliers(self, values):
        return whole(np.asarray(values), self.unit * self.n**2)

    def over(self, value, by):
        if not isinstance(value, np.ndarray):
            return Fraction(value) / by
        return np.array(list(map(Fraction, value, map(int, by))), dtype=object)

    def least(self, T, _, m, at, lifted=False):
        """Return terms as above, of which |<E, Z>| <= <D, Z> |D^-1/2 E D^-1/2|."""
        M = self.masses(m)
        level, z, W, signs, _, side = guesses((T >> self.right).astype(float), m, at, lifted)
        level, z = int(level) << self.right, whole(z, 2**self.right)
        W, side = whole(W, 2 ** (self.right // 2)), side.astype(int).astype(object)
        E = T - (W * signs) @ W.T - np.outer(side * M, z) - np.outer(z, side * M)
        E[np.diag_indices(len(m))] -= level * M
        # Collatz: a row sum of M^-1/2 |E| M^-1/2 is at least its largest eigenvalue.
        inverse = [math.isqrt((1 << 2 * ROOTS) // each) + 1 for each in M]
        off = Fraction((inverse * (abs(E) @ np.array(inverse, dtype=object))).max(), 1 << 2 * ROOTS)
        V = W[:, signs < 0]
        lost = sum(map(Fraction, (V**2).sum(axis=1).tolist(), M), Fraction(0))
        terms = [0 if lifted else 2 * z.sum(), level * (at + 1), -lost, -(at + 1) * off]
        if lifted and V.size:
            share = np.array([[Fraction(each, int(by)) for each in row] for row, by in zip(V, M)])
            terms.append(-abs(V.T @ share).sum(axis=1).max())
        return terms

    def total(self, terms):
        sums, masses = (self.parent.sums**2).sum(axis=1), map(int, self.parent.m)
        spread = sum(map(Fraction, sums, masses)) * self.back
        return (spread + sum(map(Fraction, terms))) / (self.back * self.n**2)


def guesses(T, m, at, lifted):
    """Return a level, z, the columns of W, their signs, the roots of m, and the sides of m'."""
    scale, side = np.sqrt(m), np.where(lifted & (np.arange(len(m)) == 0), -1.0, 1.0)
    S, u = T / np.outer(scale, scale), side * scale / np.sqrt(m.sum())
    y = S @ u
    # The known eigenvector comes before all others; if lifted, where Z is 0, after them.
    y += ((-1 if lifted else 1) * np.linalg.norm(S) - 0.5 * (u @ y)) * u
    values, V = np.linalg.eigh(S - np.outer(u, y) - np.outer(y, u))
    gaps = values - values[at]
    W = V * scale[:, None] * np.sqrt(abs(gaps))
    return values[at], y * scale / np.sqrt(m.sum()), W, np.where(gaps < 0, -1, 1), scale, side
