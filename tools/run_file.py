"""Reads a run file as `docs/proof-format.md` has it, and its problem as exact whole numbers."""

import struct
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np


class NoProofError(Exception):
    """Why a run is no proof."""


def need(condition, why):
    """Raise `NoProofError` unless the condition holds."""
    if not condition:
        raise NoProofError(why)


class MessagePack:
    """Reads one value after the other."""

    fixed = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
             0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}  # fmt: skip
    sized = {0xC4: ("bin", 1), 0xC5: ("bin", 2), 0xC6: ("bin", 4), 0xD9: ("str", 1),
             0xDA: ("str", 2), 0xDB: ("str", 4), 0xDC: ("list", 2), 0xDD: ("list", 4),
             0xDE: ("map", 2), 0xDF: ("map", 4)}  # fmt: skip

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        need(self.at + count <= len(self.data), "the file breaks off")
        self.at += count
        return self.data[self.at - count : self.at]

    def value(self, depth=0):
        need(depth < 50, "the file is nested too deeply")
        b = self.take(1)[0]
        if b < 0x80 or b >= 0xE0:
            return b if b < 0x80 else b - 0x100
        if b in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[b]
        if b in self.fixed:
            return struct.unpack(self.fixed[b], self.take(struct.calcsize(self.fixed[b])))[0]
        if b < 0xC0:
            kind, size = (
                ("map", b & 15) if b < 0x90 else ("list", b & 15) if b < 0xA0 else ("str", b & 31)
            )
        else:
            need(b in self.sized, "the file holds what is no MessagePack of a run")
            kind, width = self.sized[b]
            size = int.from_bytes(self.take(width), "big")
        if kind == "bin":
            return bytes(self.take(size))
        if kind == "str":
            return self.take(size).decode()
        if kind == "list":
            return [self.value(depth + 1) for _ in range(size)]
        return {self.value(depth + 1): self.value(depth + 1) for _ in range(size)}


def decode(data):
    """Return the value in the bytes."""
    return MessagePack(data).value()


def array(packed, kinds, dimensions):
    """Return an array as float64 or int64, its kind of number and dimensions checked."""
    need(isinstance(packed, list) and len(packed) == 5, "an array is none")
    kind, stored, shape, compressed, data = packed
    known = {"f8", "f4", "i8", "i4", "i2", "i1", "u1"}
    need(kind in known and stored in known and kind[0] in kinds, "an array is of a wrong type")
    need(len(shape) == dimensions, "an array has not the dimensions it should have")
    size = int(np.prod([int(each) for each in shape], dtype=object)) * int(stored[1])
    need(min(shape, default=0) >= 0 and 0 <= size <= 1 << 30, "an array is too large")
    if compressed:
        data = zlib.decompressobj().decompress(data, size + 1)
    need(len(data) == size, "an array's bytes do not fit its shape")
    values = np.frombuffer(data, "<" + stored).reshape(shape)
    values = values.astype(np.float64 if kinds == "f" else np.int64)
    need(kinds != "f" or not np.isnan(values).any(), "an array holds what is no number")
    return values


def frames(path):
    """Yield the values of a run file's frames."""
    data = Path(path).read_bytes()
    need(data.startswith(b"ccviz run 1\n"), "the file does not begin like a run")
    at = 12
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "big")
        need(at + 8 + size <= len(data), "the file breaks off")
        yield decode(data[at + 8 : at + 8 + size])
        at += 8 + size


class Exact:
    """The points as whole numbers of one tiny unit, 2^-shift."""

    def __init__(self, problem):
        need(problem["lower"] is None and problem["upper"] is None, "sizes cannot be proved")
        X = array(problem["X"], "f", 2)
        self.n, self.d, self.k = *X.shape, problem["k"]
        need(X.size and np.isfinite(X).all() and isinstance(self.k, int), "the points are none")
        need(1 <= self.k <= self.n, "k is out of range")
        pairs = [[x.as_integer_ratio() for x in row] for row in X.tolist()]
        self.shift = max(q.bit_length() for row in pairs for _, q in row) - 1
        self.rows = [[p * ((1 << self.shift) // q) for p, q in row] for row in pairs]
        self.total = [sum(column) for column in zip(*self.rows, strict=True)]
        self.must, self.cannot = (
            self.links(problem[name]) for name in ("must_link", "cannot_link")
        )

    def links(self, packed):
        table = array(packed, "f", 2)
        need(table.shape[1] == 3 and (table[:, 2] == np.inf).all(), "soft links cannot be proved")
        return [self.pair(row) for row in table[:, :2].tolist()]

    def pair(self, pair):
        need(isinstance(pair, list) and len(pair) == 2, "a pair is none")
        need(all(0 <= x < self.n and int(x) == x for x in pair), "a pair names points out of range")
        need(pair[0] != pair[1], "a pair joins a point to itself")
        return int(pair[0]), int(pair[1])

    def scatter(self, group, count):
        """Return the sum of squared distances to the groups' means, a fraction of 4^-shift."""
        squares = sum(x * x for row in self.rows for x in row)
        sums, sizes = self.sums(group, count)
        return squares - sum(
            Fraction(sum(x * x for x in row), size) for row, size in zip(sums, sizes, strict=True)
        )

    def sums(self, group, count):
        sums, sizes = [[0] * self.d for _ in range(count)], [0] * count
        for row, g in zip(self.rows, group, strict=True):
            sums[g] = [a + b for a, b in zip(sums[g], row, strict=True)]
            sizes[g] += 1
        return sums, sizes


def roots(count, edges):
    """Return the smallest vertex of each vertex's component."""
    root = list(range(count))

    def find(a):
        while root[a] != a:
            root[a] = a = root[root[a]]
        return a

    for a, b in edges:
        a, b = find(a), find(b)
        root[max(a, b)] = min(a, b)
    return [find(a) for a in range(count)]


def contract(exact, must, cannot):
    """Return the points' blocks and the conflicts (s, s), or None without a clustering."""
    n = exact.n
    root = roots(n, must)
    if exact.k == 2:
        touched = {root[a] for pair in cannot for a in pair}
        double = [(a, b) for a, b in must] + [(a + n, b + n) for a, b in must]
        sides = roots(2 * n, double + [e for a, b in cannot for e in ((a, b + n), (a + n, b))])
        keys = [("side", sides[a]) if root[a] in touched else ("own", root[a]) for a in range(n)]
    else:
        keys = root
    number = {}
    block = [number.setdefault(key, len(number)) for key in keys]
    conflict = np.zeros((len(number), len(number)), bool)
    for a, b in cannot:
        conflict[block[a], block[b]] = conflict[block[b], block[a]] = True
    return None if conflict.diagonal().any() or len(number) < exact.k else (block, conflict)
