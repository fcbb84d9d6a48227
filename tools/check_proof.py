"""Check the proof in a run file: a second checker, written from `docs/proof-format.md` alone.

    python tools/check_proof.py run.ccviz [--gap 1e-4] [--exact] [--seconds 600] [--looks 2e9]

Python's standard library and NumPy. What is inside blocks and clusters is exact, in whole numbers;
bounds between blocks hold whatever rounding did. With ``--exact`` they are whole numbers as well:
doubles only guess multipliers. This file holds a tree or parts together; `check_file.py` reads
values, `check_bounds.py` has what semidefinite certificates prove, `check_clusters.py` what duals
do, with the search of `check_search.py` or the list of `check_every.py`. Exit code 0: proved.
"""

import argparse
import copy
import io
import math
import struct
import sys
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
from check_bounds import SEMIDEFINITE, Blocks, Soft, joined, matrix_of
from check_clusters import AT_NODES, Duals, Graph, check_none, covered, priced, rows_of, rules_of
from check_file import (
    EVENTS,
    HEAD,
    KEPT,
    OPTIONAL,
    OTHERS,
    PROBLEM,
    RIGHT,
    ROUND,
    Budget,
    Limit,
    array,
    arrays,
    is_number,
    is_pair,
    is_whole,
    need,
    take,
    unpacked,
    whole_weights,
)

AGREE = Fraction(1, 10**8)  # relative difference between a claim and what is computed
WRONG = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RecursionError)
WRONG += (TypeError, ValueError, struct.error, zlib.error)
IN_PARTS = {**SEMIDEFINITE, "decisions": "i2", "bound": "f1"}


# --- The run --------------------------------------------------------------------------------------


class Run:
    """The points and their weights as whole numbers of tiny units, and the events that matter.

    The unit of costs is 4^-shift, in which the unit of weights, 1 / ``one``, is a factor.
    """

    def __init__(self, path, wanted, exact, budget):
        self.wanted, self.is_exact, self.budget = Fraction(wanted), exact, budget
        budget.spend("bytes", Path(path).stat().st_size)
        file = io.BytesIO(Path(path).read_bytes())
        need(file.read(12) == b"ccviz run 1\n", "the file does not begin like a run")
        head = self.frame(file)
        need({*head} <= {*HEAD.split()}, "the first frame has a field that is not known")
        self.read_problem(unpacked(head["problem"]))
        self.begin()
        self.read_events(file)

    def begin(self):
        self.opened, self.branched, self.leaves, self.cuts, self.costs = {}, {}, {}, [], []
        self.left, self.kept = {}, None

    def frame(self, file):
        return unpacked(take(file, int.from_bytes(take(file, 8), "big")))

    def read_problem(self, problem):
        needed = {*PROBLEM.split()}
        known = needed <= {*problem} <= needed | {*OPTIONAL.split()}
        need(known, "the problem lacks a field, or has one that is not known")
        X, self.k = array(problem["X"], "f2", self.budget), problem["k"]
        right = X.size and is_whole(self.k) and self.k in range(1, len(X) + 1)
        need(right, "the points are none, or k is none of 1 to n")
        rules, self.floors, self.ways = rules_of(problem.get("rules", []), X, self.k)
        self.is_ruled = bool(rules)
        self.has_others = not {kind for kind, *_ in rules} <= {"MinSum", "MaxExcess", "MaxSum"}
        ratios = [x.as_integer_ratio() for x in X.ravel().tolist()]
        self.shift = max(q.bit_length() for _, q in ratios) - 1
        rows = [p << self.shift + 1 - q.bit_length() for p, q in ratios]
        self.rows = np.array(rows, dtype=object).reshape(X.shape)
        self.links, self.soft = [], []
        self.weights, self.one = self.read_weights(problem)
        self.weighted = self.rows * self.weights[:, None]
        self.fixed = problem.get("fixed", 0)  # the last points, which sizes do not count
        need(is_whole(self.fixed) and self.fixed < len(X), "more centres are given than points")
        self.sizes = self.read_sizes(problem["lower"], problem["upper"])
        self.sums = rows_of(rules, len(X), self.sizes if self.told is None else None)
        if "outliers" in problem:  # their clusters are the last ones, of one point each
            alone, sized = problem["outliers"], self.sizes is not None and not self.is_ruled
            right = sized and "weights" not in problem and is_whole(alone) and 0 < alone < self.k
            right = right and (self.sizes[0] == 1).all() and (self.sizes[1][-alone:] == 1).all()
            need(right, "points left out are not clusters of one point")
        for together, name in ((True, "must_link"), (False, "cannot_link")):
            table = array(problem[name], "f2", self.budget, finite=False)
            need(table.shape[1] == 3 and (table[:, 2] > 0.0).all(), "a link has no weight")
            pairs = [[int(i), int(j)] for i, j in table[:, :2].tolist()]
            need(pairs == table[:, :2].tolist() and all(map(self.is_pair, pairs)), "a link is none")
            need(len({*map(frozenset, pairs)}) == len(pairs), "a link is given twice")
            for pair, weight in zip(pairs, table[:, 2].tolist()):
                if weight == math.inf:
                    self.links.append((pair, together))
                else:
                    self.soft.append((pair, together, self.in_unit(weight)))
        self.near = None
        if "neighbors" in problem:
            pairs = array(problem["neighbors"], "i2", self.budget)
            right = not pairs.size or pairs.shape[1] == 2
            need(right and all(map(self.is_pair, pairs.tolist())), "neighbours are none")
            self.near = self.matrix(pairs.reshape(-1, 2), len(X))
        self.total, self.mass = self.weighted.sum(axis=0), self.weights.sum()
        self.scatter = self.inside(np.zeros(len(X), int))[2]
        # What plain doubles lose of points far from zero: only claims are allowed that much.
        self.plain = Fraction((self.rows * self.weighted).sum(), 2**100)

    def read_weights(self, problem):
        """Return weights as whole numbers, and what a weight of 1 is; both are 1 without any."""
        if "weights" not in problem:
            return np.full(len(self.rows), 1, dtype=object), Fraction(1)
        found, half = whole_weights(array(problem["weights"], "f1", self.budget))
        need(len(found) == len(self.rows), "weights are none")
        self.shift += half
        return found, Fraction(4) ** half

    def read_sizes(self, lower, upper):
        """Return the fewest and the most points of each cluster, None without limits."""
        if lower is None and upper is None:
            return None
        sizes = [array(each, "i1", self.budget) for each in (lower, upper)]
        need(all(len(each) == self.k for each in sizes), "sizes are not one for each cluster")
        n, least = len(self.rows) - self.fixed, np.arange(self.k) >= self.fixed
        lower, upper = sizes[0].clip(least, n + 1), sizes[1].clip(0, n + 1)
        right = (lower <= upper).all() and lower.sum() <= n <= upper.sum()
        need(right, "sizes leave no clustering")
        return lower, upper

    @property
    def told(self):
        """The sizes that bounds know: none beside weights."""
        return self.sizes if (self.weights == 1).all() else None

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
                self.take(event, f"record {number}")

    def take(self, event, name):
        """Check the fields of an event that matters, and keep it."""
        must, may = map(str.split, EVENTS[event["type"]])
        known = {*must} <= event.keys() <= {"type", *must, *may}
        need(known, f"{name} lacks a field, or has one that is not known")
        right = all(RIGHT[name](event[name]) for name in RIGHT.keys() & event.keys())
        need(right, f"{name} has a field that is not as it should be")
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
        elif kind in ("NodePruned", "NodeLeft"):
            certificate = arrays(event.get("certificate", {}), AT_NODES, self.budget)
            witness = certificate.get("witness", np.zeros(0))
            need(((witness >= 0) & (witness < len(self.rows))).all(), "a witness is none")
            leaf = event.get("reason", "bound"), event["lower_bound"], certificate
            if kind == "NodePruned":
                self.once(self.leaves, event, leaf)
            else:
                array(event["block_of"], "i1", self.budget)
                self.left[event["node"]] = leaf  # the last stop counts
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
        elif kind == "ProofKept":
            need(self.kept is None, "more than one proof is kept")
            self.kept = self.earlier(event)

    def earlier(self, event):
        """Return the earlier run whose proof was kept; its constraints are among these."""
        need(not self.soft, "a proof that was kept cannot be checked of soft links")
        run = copy.copy(self)
        run.begin()
        run.ways, run.floors, run.is_ruled, run.links = [[]], [], False, []
        for together, name in ((True, "must_link"), (False, "cannot_link")):
            pairs = array(event[name], "i2", self.budget)
            right = pairs.shape[1] == 2 or not pairs.size
            need(right and all(map(self.is_pair, pairs.tolist())), "a kept link is none")
            run.links += [(pair, together) for pair in pairs.tolist()]
        mine = {(frozenset(pair), together) for pair, together in self.links}
        need(mine >= {(frozenset(p), t) for p, t in run.links}, "a kept link is not given")
        run.sizes = self.wider(run.read_sizes(event.get("lower"), event.get("upper")))
        for at, each in enumerate(event["events"]):
            right = each["type"] in KEPT.split() and (each["type"] == "Started") == (at == 0)
            need(right, "a kept event is out of place")
            run.take(each, f"kept event {at}")
        return run

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
        difference = abs(self.in_unit(claim) - found)
        return difference <= AGREE * max(abs(found), self.scatter) + self.plain

    def in_unit(self, cost):
        return Fraction(cost) * Fraction(4) ** self.shift

    def cost(self, labels, claim):
        right = len(labels) == len(self.rows) and {*labels.tolist()} == {*range(self.k)}
        need(right, "labels are missing")
        kept = ((labels[i] == labels[j]) == together for (i, j), together in self.links)
        need(all(kept), "a clustering breaks a link")
        ruled = (self.keeps_rules(labels == c) for c in range(self.k))
        need(all(ruled), "a clustering breaks a rule")
        lower, upper = self.sizes or (0, len(labels))
        sizes = np.bincount(labels[: len(labels) - self.fixed], minlength=self.k)
        own = self.sizes is None or (labels[len(labels) - self.fixed :] == range(self.fixed)).all()
        need(own and ((sizes >= lower) & (sizes <= upper)).all(), "a clustering breaks the sizes")
        need(not self.falls_apart(labels), "a clustering has a cluster that falls apart")
        cost = self.inside(labels)[2]
        cost += sum(w for (i, j), together, w in self.soft if (labels[i] == labels[j]) != together)
        need(claim is None or self.agree(claim, cost), "a clustering claims another objective")
        return cost

    def graph(self, block, conflict):
        """Return what neighbours say of blocks, None without neighbours."""
        return None if self.near is None else Graph(self.near, block, conflict, self.budget)

    def falls_apart(self, block):
        none = np.zeros((block.max() + 1,) * 2, bool)
        return self.near is not None and self.graph(block, none).falls_apart()

    def keeps_rules(self, inside):
        """Whether a cluster keeps all rules."""
        if any(values[inside].sum() < least for values, least in self.floors):
            return False
        return any(
            all(w[inside].sum() + inside[pairs].all(axis=1).sum() <= most for most, w, pairs in way)
            for way in self.ways
        )

    def inside(self, group):
        """Return the groups' sums and masses, and the squared distances to their means."""
        order, counts = np.argsort(group, kind="stable"), np.bincount(group)
        first = np.cumsum(counts) - counts
        sums = np.add.reduceat(self.weighted[order], first, axis=0)
        masses = np.add.reduceat(self.weights[order], first)
        need((masses > 0).all(), "a cluster holds no weight")
        lost = sum(map(Fraction, (sums**2).sum(axis=1), masses))
        return sums, masses, (self.rows * self.weighted).sum() - lost

    def blocks(self, decisions=()):
        """Return points' blocks, pairs in conflict, which points count, and the graph.

        None without a clustering. Points in blocks of weight 0 do not count, and have the number 0;
        in the graph these blocks come last.
        """
        links, n = {True: [], False: []}, len(self.rows)
        for pair, together in [*self.links, *decisions]:
            links[together].append(pair)
        block = joined(n, links[True])
        if self.k == 2:  # a point in the first half is on one side, in the second on the other
            edges = [(a + side, b + side) for a, b in links[True] for side in (0, n)]
            edges += [(a + side, b + n - side) for a, b in links[False] for side in (0, n)]
            block = joined(2 * n, edges)[:n]
        apart = np.array(links[False], int).reshape(-1, 2)
        none = (block[apart[:, 0]] == block[apart[:, 1]]).any()
        heavy = np.isin(np.arange(block.max() + 1), block[self.weights > 0])
        counts = heavy[block]
        free = counts[[i for pair, *_ in self.soft for i in pair]].all() and self.sizes is None
        free = heavy.all() or self.near is not None or (free and not self.is_ruled)
        need(free, "points of weight 0 have soft links, or rules or sizes beside them")
        number, s = np.argsort(np.argsort(~heavy, kind="stable"))[block], heavy.sum()
        block = np.where(counts, number, 0)
        pairs = block[apart[counts[apart].all(axis=1)]]
        if none or s < self.k:
            return None
        if self.near is None:
            return block, pairs, counts, None
        graph = self.graph(number, self.matrix(number[apart], len(heavy)))
        return None if graph.is_torn else (block, np.argwhere(graph.apart[:s, :s]), counts, graph)

    def matrix(self, pairs, s):
        self.budget.spend("bytes", s * s)
        self.budget.spend("bytes", -s * s)  # it is given back
        return matrix_of(pairs, s)

    def means(self, block):
        """Return blocks' means, sums times all mass, masses, bits, slip, and what bounds all."""
        sums, masses, inside = self.inside(block)
        over = self.mass * sums - masses[:, None] * self.total
        bits = max(abs(x) for x in over.ravel()).bit_length()
        x, m = (over / (self.mass * masses << bits)[:, None]).astype(float), masses.astype(float)
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

    def without(self, certificate):
        """Return the run with only those constraints that a leaf's certificate was made for."""
        run, none = copy.copy(self), np.zeros((0, 2), int)
        for together, name in ((True, "without_must"), (False, "without_cannot")):
            pairs = certificate.get(name, none).tolist()
            gone = {(frozenset(pair), together) for pair in pairs}
            mine = {(frozenset(pair), side) for pair, side, *_ in [*run.links, *run.soft]}
            need(all(map(self.is_pair, pairs)) and gone <= mine, "it lacks a link that is none")
            run.links, run.soft = (
                [each for each in some if (frozenset(each[0]), each[1]) not in gone]
                for some in (run.links, run.soft)
            )
        if "with_sizes" in certificate:
            table = certificate["with_sizes"]
            right = self.sizes is not None and table.shape in ((0, self.k), (2, self.k))
            need(right, "it has sizes that are none")
            run.sizes = self.wider(tuple(table) or None)
        return run

    def wider(self, sizes):
        """Return the sizes of a problem with fewer constraints, None for none."""
        if sizes is not None:
            need(self.sizes is not None, "it has sizes that are not given")
            right = (sizes[0] <= self.sizes[0]).all() and (sizes[1] >= self.sizes[1]).all()
            need(right, "it has sizes that are not wider")
        return sizes

    def certified(self, blocks, certificate, bound, enough, most):
        """Return a semidefinite certificate's bound; without error where doubles do not suffice."""
        least = bound(blocks.proved(certificate, self.is_exact))
        if not self.is_exact and least < enough <= most and blocks.are_few:
            self.budget.spend("looks at blocks", 20 * len(blocks.m) ** 3)
            least = max(least, bound(blocks.proved(certificate, True)))
        return least

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
        block, pairs, counts, graph = found
        if "prices" in certificate:
            least, most = priced(self, block, self.matrix(pairs, block.max() + 1), certificate)
            need(not none or least > most, "it is called infeasible, but its bound is too low")
            need(none or self.agree(claim, least), "it claims a bound that its prices do not prove")
            return None if none else least
        x, over, m, bits, slip, bound = self.means(block)
        exponent, conflict = self.shift - bits, self.matrix(pairs, len(m))
        blocks = Blocks(x, m, over, self.mass, self.k, conflict, exponent, bits, self.one)
        blocks.graph, number = graph, block if graph is None else graph.block
        # Points of weight 0 have no entries: any of them may be in a cluster, whatever they add.
        soft = [each for each in self.soft if counts[each[0]].all() or len({*number[each[0]]}) < 2]
        blocks.sizes, blocks.soft = self.told, Soft(soft, number.tolist(), 4**bits)
        blocks.rows = [
            (np.bincount(block, a * counts), own + int(a[~counts].clip(0).sum()), unit)
            for a, own, unit in self.sums
        ]
        has_duals = "duals" in certificate
        need(not has_duals or number.max() < len(m), "it has duals beside points of weight 0")
        if none and not has_duals:
            return check_none(self, block, blocks, certificate)
        columns = Duals(self, blocks, block, slip, places, certificate) if has_duals else None
        if none:  # none costs more between its blocks than one cluster that breaks all soft links
            most = (blocks.spread + float(blocks.soft.whole)) * (1 + 1e-9)
            need(columns.proved(most) > most, "it is called infeasible, but its bound is too low")
            return None
        least = bound(0.0)
        if certificate.keys() & {"nonnegativity", "lifted"}:
            most = self.in_unit(claim) * (1 + self.wanted / 50)
            least = max(least, self.certified(blocks, certificate, bound, enough, most))
        elif self.soft and len(m) == self.k:  # every block is a cluster
            least += blocks.soft.caps(blocks.apart(math.inf))[1] * 4**bits
        if columns is None:
            need(self.agree(claim, least), "it claims a bound that its certificate does not prove")
            return least
        least = max(least, broken := bound(Fraction(0)) + columns.constant * 4**bits)
        claimed = broken + Fraction(max(0.0, columns.claimed)) * 4**bits
        need(self.agree(claim, claimed), "it claims a bound that its duals do not add up to")
        if columns.claimed <= 0.0 or least >= enough:
            return least
        # What is asked for between the blocks, and what rounding may take of it.
        asked = float(max(Fraction(0), enough - bound(Fraction(0))) / 4**bits) ** 0.5
        found = columns.proved((asked * (1 + 8 * ROUND) + slip) ** 2)
        return max(least, bound(found * 4**bits if self.is_exact else found))

    def parts(self):
        """Return what the parts of the cut with the highest claims add up to."""
        need(not self.has_others, "rules cannot be checked of a run that was divided")
        need((found := self.blocks()) is not None, "the run has parts, but contradicting links")
        (block, pairs, counts, _), bounds = found, []
        part_of, parts, bounded = max(self.cuts, key=lambda cut: sum(e[0] for e in cut[2].values()))
        x, over, m, bits, _, bound = self.means(block)
        owner = np.zeros(len(m), int)
        owner[block[counts]] = part_of[counts]
        need((owner[block] == part_of)[counts].all(), "a cut tears must-linked points apart")
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
            masses = m[index] * times
            part = Blocks(
                x[index], masses, sums, self.mass, self.k, conflict, exponent, bits, self.one
            )
            least = [
                (part.joined(leaf["decisions"]) if len(leaf["decisions"]) else part).proved(
                    leaf, self.is_exact
                )
                for leaf in leaves
            ]
            bounds.append(max(0, min(least, default=0) / shares))
            proved = bounds[-1] if self.is_exact else Fraction(bounds[-1]) * 4**bits
            claim = self.in_unit(claim)
            need(claim <= proved + AGREE * self.scatter, "a part claims more than it proves")
        if self.is_exact:
            return bound(sum(bounds, Fraction(0)))
        return bound(sum(bounds) * (1 - ROUND * (len(bounds) + 9)))

    def gap(self):
        """Return the gap that is proved, None if the problem is infeasible."""
        upper = min(self.costs, default=None)
        enough = 0 if upper is None else upper * (1 - Fraction(99, 100) * self.wanted)
        keeps, run = self.kept is not None and not self.is_closed, self.with_left()
        if self.is_closed or not (keeps or self.cuts):
            lower = run.least(enough)
        else:
            lower = (self.kept if keeps else self).least(enough)
            if keeps and self.cuts and self.kept.cuts:
                lower = max(lower, self.least(enough))
            if run.is_closed and lower is not None and lower < enough:
                lower = max(lower, run.least(enough))
        if upper is None:
            need(lower is None and not keeps, "the run has no clustering")
            return None
        lower = upper if lower is None else lower
        need(lower <= upper, "a bound is above the clustering")
        return 1 - Fraction(lower) / upper if upper else Fraction(0)

    def with_left(self):
        """Return the run whose leaves are also the open nodes that a stop left with bounds."""
        run = copy.copy(self)
        left = {*self.opened} & {*self.left} - {*self.leaves} - {*self.branched}
        run.leaves = {**self.leaves, **{node: self.left[node] for node in left}}
        return run

    def least(self, enough):
        """Return the least bound, None if the problem is infeasible."""
        bounds = (bound for bound in self.bounds(enough) if bound is not None)
        return min(bounds, default=None)

    @property
    def is_closed(self):
        """Whether there is a tree, and each of its nodes is pruned or branched."""
        return bool(self.opened) and {*self.opened} <= {*self.leaves, *self.branched}

    def bounds(self, enough):
        """Return the bounds of the leaves, None without a clustering, or that of the parts."""
        need(self.opened or self.cuts, "the run has no search tree")
        if self.cuts and not self.is_closed:
            return [self.parts()]
        self.check_tree()
        return [self.named_leaf(number, enough) for number in sorted(self.leaves)]

    def named_leaf(self, number, enough):
        try:
            return self.without(self.leaves[number][2]).leaf(number, enough)
        except ValueError as why:
            raise type(why)(f"leaf {number}: {why}") from None


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
