"""Alterations of a run, one at a time, that a checker must see through.

`altered` changes an event, `altered_bytes` what is stored of an event or of the problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from ccviz.events import (
    Event,
    IncumbentFound,
    NodeBranched,
    NodeLeft,
    NodeOpened,
    NodePruned,
    PartBounded,
    PartsCut,
    ProofKept,
)
from ccviz.problem.problem import Problem

_KINDS = (
    IncumbentFound, NodeOpened, NodeBranched, NodePruned, NodeLeft, PartsCut, PartBounded, ProofKept
)  # fmt: skip
_Leaf = NodePruned | NodeLeft | PartBounded
_FACTORS = (0.0, -1.0, 0.9, 1.1, 1.0 + 1e-6, 1e30, 1e-30, np.nan, np.inf)


def altered(rng: np.random.Generator, problem: Problem, events: list[Event]) -> list[Event]:
    """Return the events with one changed, left out or there twice."""
    places = [i for i, event in enumerate(events) if isinstance(event, _KINDS)]
    at = places[rng.integers(len(places))]
    changed = _changed(rng, problem, events[at])
    instead = [[], [events[at]] * 2, *[[changed]] * 8][rng.integers(10)]
    return [*events[:at], *instead, *events[at + 1 :]]


def altered_bytes(rng: np.random.Generator, stored: list[bytes]) -> list[bytes]:
    """Return stored values, a problem and events, with one changed in the file's own terms."""
    matter = [i for i, data in enumerate(stored) if i == 0 or _matters(data)]
    at = matter[rng.integers(len(matter))]
    value = msgspec.msgpack.decode(stored[at])
    way = rng.integers(8)
    if way == 0:
        data = bytearray(stored[at])
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        return [*stored[:at], bytes(data), *stored[at + 1 :]]
    found = list(_packed(value))
    if way == 3 and value.get("rules"):
        _alter_rule(rng, value["rules"])
    elif way == 1 or not found:
        value["more" if rng.random() < 0.5 else "place"] = True
    elif way == 2:
        del value[sorted(value)[rng.integers(len(value))]]
    else:
        _alter_packed(rng, found[rng.integers(len(found))])
    return [*stored[:at], msgspec.msgpack.encode(value), *stored[at + 1 :]]


def _matters(data: bytes) -> bool:
    return msgspec.msgpack.decode(data)["type"] in {kind.__name__ for kind in _KINDS}


def _packed(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _packed(each)
    elif isinstance(value, list) and len(value) == 5 and isinstance(value[4], bytes):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _packed(each)


def _alter_packed(rng: np.random.Generator, packed: list[Any]) -> None:
    """Change what is said of an array, or its bytes."""
    part = rng.integers(6)
    if part < 2:  # the type it has, or is stored in
        packed[part] = ("f8", "f4", "i8", "i4", "i2", "i1", "u1", "b1", "c8")[rng.integers(9)]
    elif part == 2 and packed[2]:
        packed[2][rng.integers(len(packed[2]))] += int(rng.integers(-2, 3))
    elif part == 3:
        packed[3] = not packed[3]
    elif part == 4 and packed[0] == packed[1] == "f8" and not packed[3] and packed[4]:
        numbers = np.frombuffer(packed[4], "<f8").copy()
        at = rng.integers(len(numbers))
        with np.errstate(over="ignore"):
            numbers[at] = _number(rng, numbers[at])
        packed[4] = numbers.tobytes()
    else:
        packed[4] = packed[4][:-1] if rng.random() < 0.5 else packed[4] + bytes(8)


def _alter_rule(rng: np.random.Generator, rules: list[Any]) -> None:
    """Leave a rule out, or change its limit or one of its values."""
    at = rng.integers(len(rules))
    fields = rules[at][1]
    if not fields or rng.random() < 0.2:
        del rules[at]
    elif "values" in fields and rng.random() < 0.5:
        which = rng.integers(len(fields["values"]))
        fields["values"][which] = float(rng.choice([0.0, 1.0, 0.1, 1e30, fields["limit"]]))
    else:
        fields["limit"] = _number(rng, fields.get("limit", 1.0))


def _changed(rng: np.random.Generator, problem: Problem, event: Event) -> Event:
    match event:
        case IncumbentFound():
            change = _of_clustering(rng, event)
        case NodeOpened():
            ways = ({"pair": _pair(rng)}, {"parent": int(rng.integers(-1, 9))})
            sides = ({"together": not event.together}, {"place": not event.place})
            change = (*ways, *sides)[rng.integers(4)]
        case NodeBranched():
            change = ({"pair": _pair(rng)}, {"place": not event.place})[rng.integers(2)]
        case PartsCut():
            change = {"part_of": _array(rng, event.part_of)}
            if rng.random() < 0.3:
                change = {"parts": event.parts + int(rng.integers(-2, 3))}
        case NodePruned() | NodeLeft() | PartBounded():
            change = _of_leaf(rng, problem, event)
        case ProofKept():
            change = _of_kept(rng, problem, event)
        case _:
            raise TypeError(event)
    return msgspec.structs.replace(event, **change)


def _of_kept(rng: np.random.Generator, problem: Problem, event: ProofKept) -> dict[str, Any]:
    """Change the earlier problem, or one of its events."""
    if rng.random() < 0.7:
        return {"events": tuple(altered(rng, problem, list(event.events)))}
    names = [name for name in ("must_link", "cannot_link") if getattr(event, name).size]
    names += ["lower", "upper"] if event.lower is not None else []
    if not names or rng.random() < 0.3:
        return {"lower": np.ones(3, dtype=np.int64), "upper": rng.integers(1, 99, 3)}
    name = names[rng.integers(len(names))]
    return {name: _array(rng, getattr(event, name))}


def _of_clustering(rng: np.random.Generator, event: IncumbentFound) -> dict[str, Any]:
    if rng.random() < 0.3:
        return {"objective": _number(rng, 10.0)}
    return {"labels": _array(rng, event.labels)}


def _of_leaf(rng: np.random.Generator, problem: Problem, event: _Leaf) -> dict[str, Any]:
    if not isinstance(event, PartBounded) and rng.random() < 0.15:
        return {"certificate": event.certificate | _lacking(rng, problem)}
    if isinstance(event, PartBounded) and (event.leaves or event.merged) and rng.random() < 0.7:
        return _of_tree(rng, event)
    return _of_certificate(rng, event)


def _lacking(rng: np.random.Generator, problem: Problem) -> dict[str, np.ndarray]:
    """Say that a leaf was made without some constraints, most of them the problem's own."""
    which = ("must", "cannot", "sizes")[rng.integers(3)]
    if which == "sizes":
        if rng.random() < 0.3:
            return {"with_sizes": np.zeros((0, problem.k), dtype=np.int64)}
        return {"with_sizes": np.sort(rng.integers(0, problem.n + 1, (2, problem.k)), axis=0)}
    pairs = getattr(problem, f"{which}_link").pairs
    if len(pairs) and rng.random() < 0.8:
        return {f"without_{which}": pairs[rng.random(len(pairs)) < 0.5]}
    return {f"without_{which}": rng.integers(0, problem.n, (1, 2))}


def _of_tree(rng: np.random.Generator, event: PartBounded) -> dict[str, Any]:
    """Change which parts are one, or one leaf of their tree: its decisions or what proves it."""
    if not event.leaves or rng.random() < 0.2:
        return {"merged": ((), (0,), (1,), (9,), (*event.merged, event.part))[rng.integers(5)]}
    at = int(rng.integers(len(event.leaves)))
    before, leaf, after = event.leaves[:at], event.leaves[at], event.leaves[at + 1 :]
    if rng.random() < 0.2:
        return {"leaves": before + after}
    name = sorted(leaf)[rng.integers(len(leaf))]
    array = leaf[name]
    if array.dtype.kind == "f" and rng.random() < 0.5:
        array = array * array.dtype.type(rng.choice([0.5, 0.99, 1.01, 2.0]))
    else:
        array = _array(rng, array)
    return {"leaves": (*before, {**leaf, name: array}, *after)}


def _of_certificate(rng: np.random.Generator, event: _Leaf) -> dict[str, Any]:
    names = sorted(event.certificate)
    way = rng.integers(5) if names else rng.integers(2)
    if way == 0:
        return {"lower_bound": _number(rng, event.lower_bound)}
    if way == 1 and isinstance(event, PartBounded):
        return {"part": int(rng.integers(-1, 5))}
    if way == 1 and isinstance(event, NodeLeft):
        return {"node": int(rng.integers(-1, 5))}
    if way == 1:
        return {"reason": ("bound", "infeasible", "integral")[rng.integers(3)]}
    name = names[rng.integers(len(names))]
    array = event.certificate[name]
    if way == 2 and array.dtype.kind == "f":  # all of it, so that a bound may well rise
        array = array * array.dtype.type(rng.choice([0.5, 0.99, 1.01, 2.0]))
    else:
        array = _array(rng, array)
    return {"certificate": {**event.certificate, name: array}}


def _array(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """Return an array with one entry, its type or its shape changed."""
    array = array.copy()
    way = rng.integers(6)
    if way == 0:
        return array[:-1]
    if way == 1:
        return array.astype(np.float64 if array.dtype.kind == "i" else np.int64)
    if way == 2:
        return array.reshape(-1, 1)
    if array.size:
        at = tuple(rng.integers(side) for side in array.shape)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array[at] = _number(rng, float(array[at]))
        else:
            array[at] = rng.integers(-2, 40)
    return array


def _number(rng: np.random.Generator, value: float) -> float:
    return float(value) * _FACTORS[rng.integers(len(_FACTORS))]


def _pair(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(x) for x in rng.integers(-1, 31, 2))
