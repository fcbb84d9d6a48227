"""Check the proof in a run file: a second checker, written from `docs/proof-format.md` alone.

    python tools/check_proof.py run.ccviz [--gap 1e-4] [--nodes 100000]

Python's standard library and NumPy. Sums of squares of clusters and means of blocks are exact
rationals; eigenvalues are enclosed by a residual. Exit code 0: proved within the gap; 1: no proof;
2: not decided (rules, or a search of more nodes than allowed).
"""

import argparse
import sys
import zlib
from fractions import Fraction

import numpy as np
from run_file import Exact, NoProofError, array, contract, decode, frames, need

ROUND = 2.0**-52  # twice the error of one operation


class UndecidedError(Exception):
    """What was left out."""


class Blocks:
    """Means of blocks as doubles, correct to one rounding, in a unit in which all are below 1."""

    def __init__(self, exact, block, conflict):
        s, n = len(conflict), exact.n
        sums, sizes = exact.sums(block, s)
        over = [[n * x - m * t for x, t in zip(row, exact.total)] for row, m in zip(sums, sizes)]
        self.bits = max(abs(x) for row in over for x in row).bit_length()
        parts = [[x / (n * m << self.bits) for x in row] for row, m in zip(over, sizes)]
        self.x, self.mass = np.array(parts), np.array(sizes, float)
        self.exponent, self.conflict, self.k = exact.shift - self.bits, conflict, exact.k
        self.inside = exact.scatter(block, s)
        self.slip = ROUND * float(np.sqrt(self.mass @ (self.x**2).sum(axis=1))) + 1e-150

    def bound(self, certificate, enough, nodes):
        """Return a bound on the sum of squares, in the unit of the exact points."""
        if "duals" in certificate:
            needed = float(max(0, enough - self.inside) / 4**self.bits)
            between = self.columns(certificate, (needed**0.5 * (1 + ROUND) + self.slip) ** 2, nodes)
        elif "nonnegativity" in certificate:
            between = self.spectral(certificate)
        else:
            return self.inside
        root = max(0.0, float(max(0.0, between)) ** 0.5 * (1 - ROUND) - self.slip)
        return self.inside + Fraction(root) ** 2 * 4**self.bits

    def values(self, certificate, name):
        need(name in certificate, f"a certificate lacks its {name}")
        values = array(certificate[name], "f", 1)
        unit = array(certificate["unit"], "i", 1)[0] if "unit" in certificate else 0
        with np.errstate(over="ignore"):
            values = np.ldexp(values, 2 * (self.exponent - int(unit)))
        need((abs(values) <= 1e100).all(), "a certificate is too large to add up")
        return values

    def spectral(self, certificate):
        s, k, n = len(self.mass), self.k, self.mass.sum()
        root = np.sqrt(self.mass)
        Q = root[:, None] * self.x
        N = np.zeros((s, s))
        upper = self.values(certificate, "nonnegativity")
        need(len(upper) == s * (s + 1) // 2, "a certificate is not over the blocks of its node")
        N[np.triu_indices(s)] = upper
        N += np.triu(N, 1).T
        need((N >= 0.0)[~self.conflict].all(), "a multiplier has the wrong sign")
        A, weight, gain = self.cuts(certificate, root)
        S = -(Q @ Q.T) - N - A
        slack = ROUND * (Q.size + 2 * s + 99) * ((Q**2).sum() + np.linalg.norm(N) + 2 * weight)
        u = np.sqrt(self.mass / n)
        image = S @ u
        inner, size = float(u @ image), float(np.linalg.norm(S))
        moved = S - np.outer(u, image) - np.outer(image, u) + (inner + 2 * size) * np.outer(u, u)
        rest = 0.0
        if k > 1:
            values, V = np.linalg.eigh(moved)
            level = values[k - 1]
            E = moved - level * np.eye(s) - (V * (values - level)) @ V.T
            lengths = (V**2).sum(axis=0)
            rest = (k - 1) * level + ((values - level) * lengths)[: k - 1].sum()
            slack += np.linalg.norm(E) + ROUND * (s + 9) * (np.abs(values - level) @ lengths)
        slack += ROUND * (2 * s + 99) * (size + k * abs(rest))
        return float((Q**2).sum() + inner + rest + gain - 1.1 * np.sqrt(k) * slack - 1e-250)

    def cuts(self, certificate, root):
        """Return the weighted cuts over Y, what they may be off by, and their right sides."""
        need({"points", "kind"} <= set(certificate), "a certificate lacks its cuts")
        points, kind = array(certificate["points"], "i", 2), array(certificate["kind"], "i", 1)
        weights, s, k = self.values(certificate, "weights"), len(root), self.k
        need(len(points) == len(kind) == len(weights), "the cuts are not of one length")
        need((weights >= 0.0).all(), "a cut's multiplier has the wrong sign")
        A, size, gain = np.zeros((s, s)), 0.0, 0.0
        for row, star, w in zip(
            points.tolist(), (kind == 0).tolist(), weights.tolist(), strict=True
        ):
            members = [b for b in row if b >= 0]
            whole = row[: len(members)] == members and len(set(members)) == len(members)
            whole = whole and max(members, default=s) < s
            need(whole and (len(members) > 1 if star else len(members) == k + 1), "a cut is none")
            for a, i in enumerate(members):
                for b in range(a):
                    part = 0.5 * (-w if star and b == 0 else w) / (root[i] * root[members[b]])
                    A[i, members[b]] += part
                    A[members[b], i] += part
                    size += 2 * abs(part)
            if star:
                A[members[0], members[0]] += w / self.mass[members[0]]
                size += w / self.mass[members[0]]
            else:
                gain += w / (self.mass.sum() - k + 1)
        need(set(kind.tolist()) <= {0, 1}, "a cut is of no known kind")
        return A, size * (1 + len(weights)), gain * (1 - ROUND * (len(weights) + 9))

    def columns(self, certificate, needed, nodes):
        duals, least = self.values(certificate, "duals"), self.values(certificate, "least")
        need(len(duals) == len(self.mass) and len(least) == 1, "the duals are not over the blocks")
        need(least[0] <= 0.0, "a least value is above zero")
        total = float(duals.sum())
        margin = ROUND * (len(duals) + 9) * (np.abs(duals).sum() + self.k * abs(least[0]) + needed)
        v = min(0.0, float(least[0]), (needed + 2 * margin - total) / self.k)
        gaps = ((self.x[:, None] - self.x) ** 2).sum(axis=2)
        apart = np.outer(self.mass, self.mass) * gaps * (1 - ROUND * (self.x.shape[1] + 9))
        search(apart, self.mass, duals, self.conflict, v, nodes)
        return total + self.k * v * (1 + ROUND) - margin


def search(apart, mass, duals, conflict, v, nodes):
    """Show that no cluster is below v: put blocks in one by one, bounding all that may follow."""
    worth = np.array([b for b in np.argsort(-duals) if duals[b] > 0.0], int)
    slack = ROUND * (len(mass) + 99) * np.abs(duals).sum()
    stack = [(0.0, 0.0, 0.0, worth, np.zeros(len(mass)))]
    while stack:
        spread, weight, dual, free, reach = stack.pop()
        for at, b in enumerate(free):
            nodes -= 1
            if nodes < 0:
                raise UndecidedError("a search for clusters takes more nodes than allowed")
            rest = free[at + 1 :]
            rest = rest[~conflict[b, rest]]
            now = (spread + reach[b], weight + mass[b], dual + duals[b], rest, reach + apart[b])
            need(now[0] / now[1] - now[2] - slack >= v, "a cluster is below the value claimed")
            if below(now, mass, duals, slack, v):
                stack.append(now)


def below(node, mass, duals, slack, v):
    """Whether blocks that may follow could bring the cluster below v."""
    spread, weight, dual, free, reach = node
    total, low = weight + mass[free].sum(), weight
    while low < total:
        high = min(total, max(low + 1.0, 1.1 * low))  # of the cluster's mass
        gain = np.minimum(0.0, reach[free] / high - duals[free])
        order = np.argsort(gain / mass[free])
        sizes = mass[free][order]
        share = np.clip((high - weight - np.cumsum(sizes)) / sizes + 1.0, 0.0, 1.0)
        if spread / high - dual + gain[order] @ share - slack < v:
            return True
        low = high
    return False


class Run:
    """The events that matter, and what they come to."""

    def __init__(self, path, nodes):
        read = frames(path)
        problem = decode(next(read)["problem"])
        if problem["rules"]:
            raise UndecidedError("rules are not checked here")
        self.exact, self.nodes = Exact(problem), nodes
        self.opened, self.branched, self.leaves, self.upper = {}, {}, {}, None
        for line in read:
            event = decode(line[2])
            kind = event["type"]
            if kind == "IncumbentFound":
                self.clustering(array(event["labels"], "i", 1).tolist())
            if kind in ("NodeOpened", "NodeBranched", "NodePruned"):
                table = {"NodeOpened": self.opened, "NodeBranched": self.branched}
                table = table.get(kind, self.leaves)
                need(event["node"] not in table, "a node is opened or closed twice")
                table[event["node"]] = event

    def clustering(self, labels):
        exact = self.exact
        need(len(labels) == exact.n and set(labels) == set(range(exact.k)), "labels are missing")
        need(all(labels[a] == labels[b] for a, b in exact.must), "a must-link is broken")
        need(all(labels[a] != labels[b] for a, b in exact.cannot), "a cannot-link is broken")
        cost = exact.scatter(labels, exact.k)
        self.upper = cost if self.upper is None else min(cost, self.upper)

    def cover(self):
        """Check that every clustering falls into a leaf."""
        below = {node: [] for node in self.opened}
        need(set(self.branched) | set(self.leaves) == set(below), "a node is open, or never was")
        need(not set(self.branched) & set(self.leaves), "a node is both branched and closed")
        for node, event in self.opened.items():
            if event["parent"] is None:
                need(event["pair"] is None, "the root has a decision")
            else:
                need(event["parent"] in below and event["parent"] < node, "a node lacks a parent")
                below[event["parent"]].append(event)
        need(sum(e["parent"] is None for e in self.opened.values()) == 1, "there is no one root")
        for node, children in below.items():
            pair = self.branched[node]["pair"] if node in self.branched else None
            sides = [[pair, False], [pair, True]] if pair else []
            found = sorted([[e["pair"], e["together"]] for e in children], key=lambda e: e[1])
            need(found == sides, f"the children of node {node} do not cover it")

    def path(self, node):
        while node is not None:
            yield node
            node = self.opened[node]["parent"]

    def blocks(self, node):
        links = {True: list(self.exact.must), False: list(self.exact.cannot)}
        for event in (self.opened[above] for above in self.path(node)):
            if event["pair"] is not None:
                links[event["together"]].append(self.exact.pair(event["pair"]))
        return contract(self.exact, links[True], links[False])

    def leaf(self, node, enough):
        """Return a leaf's bound, None if it holds no clustering."""
        event = self.leaves[node]
        certificate, found = event["certificate"], self.blocks(node)
        if event["reason"] == "infeasible":
            if found is None:
                return None
            if "duals" in certificate:
                blocks = Blocks(self.exact, *found)
                whole = Fraction(float(blocks.mass @ (blocks.x**2).sum(axis=1))) * 4**blocks.bits
                whole = blocks.inside + whole * (1 + Fraction(1, 10**9))
                bound = blocks.bound(certificate, whole * (1 + Fraction(1, 10**9)), self.nodes)
                need(bound > whole, f"leaf {node} may have a clustering")
            else:
                witness = (
                    array(certificate["witness"], "i", 1).tolist()
                    if "witness" in certificate
                    else []
                )
                clique = {found[0][x] for x in witness if 0 <= x < self.exact.n}
                apart = all(found[1][a, b] for a in clique for b in clique if a != b)
                if not (apart and len(clique) > self.exact.k):
                    raise UndecidedError(f"whether leaf {node} is infeasible is not searched here")
            return None
        owner = node
        if "node" in certificate:
            owner = int(array(certificate["node"], "i", 1)[0])
            need(owner in self.path(node), f"leaf {node} leans on a node that is not above it")
            found = self.blocks(owner)
        need(found is not None, f"leaf {node} has a bound, but contradicting links")
        return Blocks(self.exact, *found).bound(certificate, enough, self.nodes)

    def gap(self, wanted):
        """Return the gap that is proved, None if the problem is infeasible."""
        need(self.opened, "the run has no tree")
        self.cover()
        enough = (
            0 if self.upper is None else self.upper * (1 - Fraction(wanted) * Fraction(99, 100))
        )
        bounds = [bound for node in self.leaves if (bound := self.leaf(node, enough)) is not None]
        if self.upper is None:
            need(not bounds, "the run has no clustering")
            return None
        lower = min(bounds, default=self.upper)
        need(lower <= self.upper, "a bound is above the clustering")
        return float((self.upper - lower) / self.upper) if self.upper else 0.0


def judge(path, wanted, nodes):
    """Return an exit code and a sentence."""
    try:
        gap = Run(path, nodes).gap(wanted)
        need(gap is None or gap <= 1.001 * wanted, f"the gap is {gap}, {wanted} is asked for")
    except NoProofError as why:
        return 1, f"no proof: {why}."
    except UndecidedError as why:
        return 2, f"not decided: {why}."
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError, zlib.error) as wrong:
        return 1, f"no proof: the file is not what it should be ({type(wrong).__name__})."
    return 0, "proved infeasible" if gap is None else f"proved within gap {gap:.2g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--nodes", type=int, default=100_000, help="most nodes of a search")
    options = parser.parse_args()
    code, sentence = judge(options.run, options.gap, options.nodes)
    print(sentence)
    return code


if __name__ == "__main__":
    sys.exit(main())
