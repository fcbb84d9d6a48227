"""Budgets, and values of a file, read strictly: MessagePack, arrays in the types they declare.

A part of `tools/check_proof.py`, which loads it; Python's standard library and NumPy.
"""

import io
import math
import struct
import time
import zlib
from fractions import Fraction

import numpy as np

ROUND = 2.0**-52  # twice the error of one operation
PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
SIZED = {0xC4: "b1", 0xC5: "b2", 0xC6: "b4", 0xD9: "s1", 0xDA: "s2", 0xDB: "s4"}
SIZED |= {0xDC: "l2", 0xDD: "l4", 0xDE: "m2", 0xDF: "m4"}


class Limit(ValueError):  # noqa: N818
    """A budget is used up: nothing is wrong with the proof so far."""


def need(condition, why):
    if not condition:
        raise ValueError(why)


def whole(values, unit):
    """Return numbers in a unit, rounded down to whole ones."""
    flat = [math.floor(Fraction(each) * unit) for each in values.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(values.shape)


def is_whole(value):
    return type(value) is int and value >= 0


def is_pair(value):
    return len(value) == 2 and all(map(is_whole, value)) and value[0] != value[1]


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


HEAD = "name dataset solver settings limits seed problem workers scaling"
PROBLEM = "X k must_link cannot_link lower upper truth"
OPTIONAL = "rules asked weights outliers outliers_asked fixed neighbors"
EVENTS = {  # those that matter: the fields they must have, and those they may have
    "Started": ("solver settings seed n d k n_blocks", ""),
    "IncumbentFound": ("labels", "source objective"),
    "NodeOpened": ("node parent depth lower_bound", "pair together place"),
    "NodeBranched": ("node pair lower_bound", "place"),
    "NodePruned": ("node reason lower_bound", "detail certificate"),
    "NodeLeft": ("node lower_bound certificate block_of", ""),
    "PartsCut": ("parts part_of", "dropped"),
    "PartBounded": ("part lower_bound upper_bound rounds", "certificate merged leaves"),
    "ProofKept": ("lower_bound must_link cannot_link events", "lower upper added"),
    "Finished": ("termination", "message"),
}
KEPT = "Started NodeOpened NodeBranched NodePruned PartsCut PartBounded"
OTHERS = """Noted Restarted Assigned CentersMoved DeadEnded BoundImproved InfeasibilityProved
    NodeBounded CutsAdded RelaxationSolved ColumnsPriced ResidualsUpdated GenerationEnded
    QuestionAsked QuestionAnswered TreeKept NodeReopened"""
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
    for name in {"node", "unit", "bound"} & found.keys():
        need(found[name].shape == (1,), f"{name} is not one number")
    need(abs(found.get("unit", np.zeros(1))[0]) <= 4000, "a unit is out of all range")
    return found


def whole_weights(weights):
    """Return weights as whole numbers, and half the bits by which they are larger."""
    need((weights >= 0.0).all() and weights.any(), "weights are none")
    ratios = [w.as_integer_ratio() for w in weights.tolist() if w]
    half = max(q.bit_length() - (p & -p).bit_length() for p, q in ratios) + 1 >> 1
    found = np.array(
        [int(Fraction(w) * Fraction(4) ** half) for w in weights.tolist()], dtype=object
    )
    need(found.sum() < 2**53, "weights have sums that are not exact")
    return found, half
