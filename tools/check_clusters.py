"""What holds of single clusters: rules, colourings, and duals (of column generation).

A part of `tools/check_proof.py`, which loads it; Python's standard library and NumPy. Read it from
the top: rules, whether blocks fit into clusters at all, and what duals prove once `check_search.py`
has found no cluster of low value, or `check_every.py` has looked at each.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, compress, product

import numpy as np
from check_bounds import CANNOT, GIVEN, LIFTED, MUST, SEMIDEFINITE, joined
from check_every import Every, floors_over
from check_file import ROUND, is_number, is_whole, need
from check_search import Search

CASES = {"case_zone": "i1", "case_places": "i2", "case_prizes": "f1", "case_blocks": "i2"}
CASES |= {"case_changes": "f1"}
COLUMNS = {"duals": "f1", "least": "f1", "taken": "f1", "listed": "i1", **CASES}
# What proves the bound of a node: names of arrays, their kinds and dimensions.
AT_NODES = {**SEMIDEFINITE, **LIFTED, **MUST, **CANNOT, **GIVEN, **COLUMNS}
AT_NODES |= {"node": "i1", "unit": "i1", "witness": "i1"}
AT_NODES |= {"prices": "f1", "apart_pairs": "i2", "apart_prices": "f2"}
AT_NODES |= {"without_must": "i2", "without_cannot": "i2", "with_sizes": "i2"}
DUALS = {"duals", "least", "taken", "case_prizes", "case_changes"}


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


def on_grid(values, limit, n):
    """Return a column's values as whole numbers below 2^53 in all, a limit alike, and the unit."""
    right = len(values) == n and all(map(is_number, values)) and is_number(limit) and limit >= 0
    need(right, "a rule's column or limit is none")
    values = np.array(values, float)
    unit = math.ldexp(1.0, math.frexp(math.fsum(abs(values)))[1] - 52)
    need(
        unit > 0.0 and not np.fmod(values, unit).any(),
        "a rule's column has sums that are not exact",
    )
    return values / unit, Fraction(limit) / Fraction(unit), unit


IMPLIED = {"ImpliedMax": ("MaxSum", "MinSum", 1), "ImpliedMin": ("MinSum", "MaxSum", -1)}


def plain(rules, k):
    """Return rules, those that follow from others checked, and called as what they are.

    Of a total that k clusters share, none has what the others need, and each what they cannot hold.
    """
    found = []
    for kind, fields, parts in rules:
        if kind in IMPLIED:
            kind, other, sign = IMPLIED[kind]
            total, limit = sum(map(Fraction, fields["values"])), Fraction(fields["limit"])
            same = [f for name, f, _ in rules if name == other and f["values"] == fields["values"]]
            follows = (sign * (total - (k - 1) * Fraction(f["limit"]) - limit) <= 0 for f in same)
            need(any(follows), "a limit on sums does not follow from the others")
        found.append((kind, fields, parts))
    return found


FLOORS = ("MinSum", "MaxExcess")  # rules that parts of a cluster may break


def floor_of(rule, n):
    """Return the values and the least sum of a cluster of a limit that its parts may break."""
    kind, fields, parts = rule
    need({*fields} == {"values", "limit"} and not parts, "a rule is of no known kind")
    values, limit, _ = on_grid(fields["values"], fields["limit"], n)
    if kind == "MaxExcess":  # of values with signs, at most the limit
        return -values, -math.floor(limit)
    need((values >= 0).all(), "a rule's column is below 0")
    return values, math.ceil(limit)


def rules_of(rules, X, k):
    """Return rules as `plain` does, floors of those that parts break, ways to keep the others."""
    rules = plain(rules, k)
    floors = [floor_of(rule, len(X)) for rule in rules if rule[0] in FLOORS]
    return rules, floors, loads_of(["Both", {}, [r for r in rules if r[0] not in FLOORS]], X)


def rows_of(rules, n, sizes):
    """Return what limits on sums ask of each cluster: values and a number add up to 0 at least.

    Whole numbers of a unit, which comes third. Sizes beside weights are limits on sums of ones.
    """
    rows, ones = [], np.ones(n)
    for kind, fields, _ in rules:
        if kind in ("MinSum", "MaxSum", "MaxExcess"):
            values, limit, unit = on_grid(fields["values"], fields["limit"], n)
            if kind != "MinSum":
                rows.append((-values, math.floor(limit), unit))
            elif limit > 0:
                rows.append((values, -math.ceil(limit), unit))
    if sizes is None:
        return rows
    return [*rows, (ones, -int(sizes[0].min()), 1.0), (-ones, int(sizes[1].max()), 1.0)]


def loads_of(rule, X):
    """Return a rule's alternatives; each is a list of loads: most, weights, pairs that weigh 1."""
    (kind, fields, parts), n = rule, len(X)
    fields = dict(fields)
    names = {"Both": "", "Either": "", "MaxSize": "limit", "MaxDiameter": "limit"}
    names |= {"MaxOverlap": "points limit", "MinDifference": "points limit"}
    names |= {"SoftCannotLink": "pairs limit", "MaxSum": "values limit"}
    place = fields.pop("place", []) if kind == "MaxDiameter" else []
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
    if kind == "MaxSum":
        weight, limit, _ = on_grid(fields["values"], limit, n)
        limit = min(math.floor(limit), 2**53)
    if kind == "MaxDiameter":
        points = place or X.tolist()
        right = len(points) == n and len({len(row) for row in points}) == 1
        right = right and all(is_number(x) and abs(x) < math.inf for x in chain(*points))
        need(right, "a rule has no place for each point")
        far = [math.dist(points[i], points[j]) > limit for i, j in combinations(range(n), 2)]
        pairs, limit = compress(combinations(range(n), 2), far), 0
    pairs = sorted({(min(pair), max(pair)) for pair in pairs})
    limit = limit if limit == math.inf else float(math.floor(limit))  # all weights are whole
    return [[(limit, weight, np.array(pairs, int).reshape(-1, 2))]]


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


class Graph:
    """Neighbours of points as a matrix, and what they say of blocks of points.

    A cluster with a block holds none that is ``apart`` from it, so all of it is reached from the
    block without those; blocks that are not reached whole are apart from it, too.
    """

    def __init__(self, near, block, conflict, budget):
        self.near, self.block, self.budget = near, block, budget
        self.apart, before = conflict.copy(), None
        while before is None or (before != self.apart).any():
            before = self.apart.copy()
            for b in range(len(conflict)):
                lost = block[~self.reached(b, self.apart[b])]
                self.apart[b, lost] = self.apart[lost, b] = True
        self.is_torn = self.apart.diagonal().any()

    def reached(self, b, gone):
        """Return which points paths from a block's first one reach without some blocks."""
        free = ~gone[self.block]
        front = free & (np.arange(len(free)) == (self.block == b).argmax())
        found = front.copy()
        while front.any():
            self.budget.spend("looks at blocks", front.sum())
            front = self.near[front].any(axis=0) & free & ~found
            found |= front
        return found

    def separates(self, i, j, others):
        """Whether all paths between some two points of blocks i and j meet other blocks."""
        gone = self.apart[i] | self.apart[j]
        gone[others] = True
        both = (self.block == i) | (self.block == j)
        return not {i, j} & {*others} and not self.reached(i, gone)[both].all()

    def falls_apart(self):
        """Whether some block's points are not joined among themselves."""
        alone = ~np.eye(len(self.apart), dtype=bool)
        return any(not self.reached(b, gone)[self.block == b].all() for b, gone in enumerate(alone))

    def is_too_little(self, floors, sizes, k):
        """Whether blocks or islands leave too little for each of k clusters, or islands are more.

        ``floors`` are values and the least sum of a cluster, in whole numbers, whose sums are
        exact.
        """
        island = joined(len(self.block), np.argwhere(self.near))
        limits = [(values, low, math.inf) for values, low in floors if (values >= 0.0).all()]
        if sizes is not None:
            limits.append((np.ones(len(island)), sizes[0].min(), sizes[1].max()))
        for values, low, high in limits:
            held = ~self.apart @ np.bincount(self.block, values)
            shared = [int(each) for each in np.bincount(island, values)]
            few = [1 if high == math.inf else max(1, -(-each // int(high))) for each in shared]
            many = [each // int(low) if low > 0 else k for each in shared]
            off = sum(few) > k or sum(many) < k
            if (held < low).any() or off or any(a > b for a, b in zip(few, many)):
                return True
        return island.max() >= k


def placeable(m, conflict, lower, upper, budget):
    """Whether blocks fit into clusters of limited sizes, by trying all; without masses, colours.

    The next block is one that the most clusters are barred to; clusters not in use that have the
    same limits are alike.
    """
    core, k = np.ones(len(m), bool), len(lower)
    while not m.any() and (few := core & (conflict @ core.astype(int) < k)).any():
        core &= ~few  # they always find a colour
    m, near = m[core], [np.flatnonzero(row).tolist() for row in conflict[np.ix_(core, core)]]
    todo, limits = [([0] * len(m), np.zeros(k), 0)], [*zip(lower, upper)]
    while todo:  # the clusters barred to each block as bits, -1 if it is in one
        barred, size, used = todo.pop()
        free = [b for b, bits in enumerate(barred) if bits >= 0]
        budget.spend("looks at blocks", 1000 + 10 * len(m))
        budget.spend("bytes", 8 * len(m))
        if not np.maximum(lower - size, 0).sum() <= m[free].sum() <= (upper - size).sum():
            continue
        if not free:
            return True
        b = max(free, key=lambda b: (barred[b].bit_count(), m[b], len(near[b])))
        alike = {limits[c]: c for c in reversed(range(k)) if not used >> c & 1}
        open_ = [c for c in range(k) if used >> c & 1 or alike[limits[c]] == c]
        for c in reversed([c for c in open_ if not barred[b] >> c & 1]):
            if size[c] + m[b] <= upper[c]:
                after, grown = barred.copy(), size + m[b] * (np.arange(k) == c)
                for other in near[b]:
                    after[other] |= 1 << c if after[other] >= 0 else 0
                after[b] = -1
                todo.append((after, grown, used | 1 << c))
    return False


def check_none(run, block, blocks, certificate):
    """Check that blocks cannot be put into k clusters."""
    kept = (run.keeps_rules(block == b) for b in range(run.k))
    conflict, number = blocks.conflict, block
    if blocks.graph is not None:  # those of weight 0 too
        conflict, number = blocks.graph.apart, blocks.graph.block
    if len(conflict) == run.k and (not all(kept) or run.falls_apart(block)):
        return
    floors = [*run.floors, ((run.weights > 0).astype(float), 1)]
    if blocks.graph is not None and blocks.graph.is_too_little(floors, run.sizes, run.k):
        return
    clique = np.unique(block[certificate.get("witness", np.zeros(0, int))])
    apart = blocks.conflict[np.ix_(clique, clique)] | np.eye(len(clique), dtype=bool)
    if len(clique) <= run.k or not apart.all():
        colours = np.zeros((2, run.k), int)
        m = np.bincount(number[: len(block) - run.fixed], minlength=len(conflict))
        m *= run.sizes is not None
        can = placeable(m, conflict, *(run.sizes or colours), run.budget)
        need(not can, "it is called infeasible, but a clustering exists")


# --- Duals ----------------------------------------------------------------------------------------


def priced(run, block, conflict, certificate):
    """Return what clusterings cost at least by prices of given centres, and at most, exactly."""
    n, k, (lower, upper) = len(block) - run.fixed, run.k, run.sizes or (None, None)
    price = [run.in_unit(each) for each in certificate["prices"].tolist()]
    need(lower is not None and run.fixed == k == len(price), "its prices are of other clusters")
    pairs = certificate.get("apart_pairs", np.zeros((0, 2), int))
    charge = certificate.get("apart_prices", np.zeros((0, k)))
    right = pairs.shape == (len(charge), 2) and charge.shape[1] == k and (charge >= 0.0).all()
    need(right and ((pairs >= 0) & (pairs < len(conflict))).all(), "its pairs are none")
    need(conflict[tuple(pairs.T)].all(), "it charges a pair that may be together")
    points, centres = run.rows[:n], run.rows[n:]
    cost = [((points - c) ** 2).sum(axis=1) * run.weights[:n] for c in centres]
    cost = np.array(cost, dtype=object).T
    paid = np.zeros(conflict.shape[:1] + (k,), dtype=object)
    np.add.at(paid, block[:n], cost - np.array(price, dtype=object))
    whole = np.array([[run.in_unit(each) for each in row] for row in charge.tolist()], dtype=object)
    whole = whole.reshape(charge.shape)
    for side in pairs.T:
        np.add.at(paid, side, whole)
    apart, total = conflict[:, block[n:]], Fraction(0)
    apart[block[n:]] = ~np.eye(k, dtype=bool)
    for b in range(len(paid)):
        if apart[b].all():
            return Fraction(1), Fraction(0)  # no centre is left for it
        total += min(paid[b][~apart[b]])
    total += sum(min(p * int(a), p * int(z)) for p, a, z in zip(price, lower, upper)) - whole.sum()
    heavy, largest = run.weights[-1], run.weights[0] * min(n, int(upper.max()))
    return total * Fraction(heavy, heavy + largest), Fraction(cost.max(axis=1).sum())


class Duals:
    """What duals of blocks, of places and in zones claim between the blocks, and what they prove.

    Clusters of the same fewest and most points are a class, in which each has a least value; they
    all are one where there are neither sizes nor soft links. Zones have cases; of each zone one
    case holds, and all their changes may be made at once. With ``--exact`` all values are rounded
    down to multiples of ``step``, so that sums in doubles are exact; they are as good as any.
    """

    def __init__(self, run, blocks, block, slip, places, certificate):
        self.run, self.blocks, self.block, self.slip = run, blocks, block, slip
        self.listed = "listed" in certificate
        self.sized = run.told is not None or bool(run.soft) or self.listed
        zoned = CASES.keys() & {*certificate}
        other = places or zoned or "taken" in certificate
        need(not (self.sized and other), "it has places or zones under sizes or soft links")
        self.classes, self.constant = [((0, 0), run.k)], blocks.soft.inside
        if self.sized:
            least = min(each for each in run.weights if each)
            lower, upper = run.told or ([least] * run.k, [run.mass] * run.k)
            self.classes = sorted(Counter(zip(map(int, lower), map(int, upper))).items())
        counts = np.array([count for _, count in self.classes])
        self.values = self.read_values(certificate)
        self.duals, self.least = self.values["duals"], self.values["least"]
        need(self.duals.shape == blocks.m.shape, "its duals are of other blocks")
        need(self.least.shape == counts.shape, "its least values are of other classes")
        need(self.sized or self.least[0] <= 0.0, "its least value is above 0")
        taken, sides = self.values.get("taken", np.zeros(0)), [side for _, side in places]
        need(len(taken) == sum(sides) and (taken >= 0.0).all(), "its places have other duals")
        prizes = np.zeros(len(places))
        prizes[np.array(sides, bool)] = taken
        self.discs = self.discs_of(places, prizes)
        self.cases = self.read_cases(certificate) if zoned else []
        need(not (self.cases and places), "it has zones below places")
        rises = {zone: [] for zone, *_ in self.cases}
        for zone, _, change, won in self.cases:
            rises[zone].append(change.sum() + won)
        self.total = self.duals.sum() + taken.sum() + sum(map(min, rises.values()))
        self.counts, self.claimed = counts, self.total + counts @ self.least
        self.size = abs(self.duals).sum() + taken.sum() + counts @ abs(self.least)
        self.size += sum(abs(change).sum() + won for _, _, change, won in self.cases)

    def read_values(self, certificate):
        """Return arrays of duals and the like, rounded if they are to be exact."""
        need("least" in certificate, "it lacks its least values")
        names, self.step = DUALS & certificate.keys(), 0.0
        found = {name: self.blocks.values(certificate, name) for name in names}
        if self.run.is_exact:
            need(sum(map(len, found.values())) < 4096, "it has too many duals to be exact")
            _, last = math.frexp(max(abs(each).max(initial=0.0) for each in found.values()))
            tiny = 2 - 2 * self.blocks.whole()[1].bit_length()
            self.step = math.ldexp(1.0, max(last - 40, tiny))
        return {name: self.down(each) for name, each in found.items()}

    def down(self, values):
        return np.floor(values / self.step) * self.step if self.step else values

    def proved(self, asked):
        """Return what is proved of the bound asked for, having searched for lower clusters."""
        asked -= (constant := float(self.constant))
        count = len(self.duals) + len(self.least) + len(self.discs[0]) + 2 * len(self.cases)
        margin = 4.0 * ROUND * (count + 16) * (self.size + abs(asked) + constant) + 1e-250
        spare = max(0.0, self.claimed - asked - 4.0 * (margin + self.step * self.run.k))
        v = self.down(self.least - spare / self.run.k)
        for search in self.searches(self.duals, self.discs):
            for (limits, _), each in zip(self.classes, v):
                search.check(each, sizes=limits)
        for (_, discs, change, _), (low, high) in zip(self.cases, self.boxes(), strict=True):
            for search in self.searches(self.duals + change, discs):
                if (low <= high).all():
                    search.check(v[0], low, high)
        total = self.total + self.counts @ v
        return Fraction(total) + self.constant if self.step else total + constant - margin

    def searches(self, duals, discs):
        """Yield a search for each way in which a cluster can keep the rules."""
        heaviest = 2.0 * (abs(self.duals).sum() + abs(self.least).max())  # to pay it is too much
        soft = self.blocks.soft.limited(heaviest) if self.sized else None
        floors, more = floors_over(self.run, self.block), (self.run.budget, soft, self.run.is_exact)
        for loads in loads_over(self.run, self.block):
            if self.listed:
                yield Every(self.blocks, duals, loads, floors, *more)
            else:
                yield Search(self.blocks, duals, loads, discs, *more)

    def discs_of(self, places, prizes):
        """Return discs as a search takes them, and without error: a mean may be off by the slip."""
        rows, mass, unit, whole = self.run.rows, self.run.mass, 1 << self.blocks.bits, []
        centre, radius, prize = np.zeros((len(places), rows.shape[1])), *np.zeros((2, len(places)))
        for at, ((i, j), taken) in enumerate(places):
            middle, squares = mass * rows[i] - self.run.total, ((rows[i] - rows[j]) ** 2).sum()
            whole.append((middle, squares * mass**2))
            centre[at] = [float(Fraction(each, mass * unit)) for each in middle]
            radius[at] = float(Fraction(squares, unit**2)) ** 0.5
            prize[at] = prizes[at] if taken else np.nan
            reach = abs(centre[at]).sum() + radius[at] + self.slip
            radius[at] += (1 if taken else -1) * (self.slip + ROUND * (rows.shape[1] + 8) * reach)
        return centre, radius, prize, whole

    def read_cases(self, certificate):
        """Return the cases of zones: zone, discs, changes of duals, sum of prizes."""
        need(CASES.keys() <= certificate.keys(), "its cases lack an array")
        zone, places, at = (
            certificate[name] for name in ("case_zone", "case_places", "case_blocks")
        )
        prizes, changes = self.values["case_prizes"], self.values["case_changes"]
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
        for zone, (centre, radius, prize, _), change, _ in self.cases:
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
        for zone, discs, change, _ in self.cases if self.run.is_exact else ():
            search = next(self.searches(self.duals + change, discs))
            need(search.whole.in_box(*found[zone], change), "a zone is too small")
        return [found[zone] for zone, *_ in self.cases]
