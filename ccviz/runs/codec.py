"""Events and problems as bytes and back, without ever running what they hold.

MessagePack through msgspec; an array is its dtype, shape and bytes. Decoding checks every type,
so a forged file ends in a sentence, not in code; and a `Budget` says how many bytes of arrays it
may become, however few it has.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import time
import zlib
from functools import partial
from typing import Any

import msgspec
import numpy as np

from ccviz.errors import ArchiveError
from ccviz.events import AnyEvent, Event
from ccviz.problem.asked import AnyAsked, Asked, AskedRule, joined, parts_of
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes

_COMPRESS_FROM = 512
_SAMPLE, _COMPRESSED = 1 << 16, 0.9
_DTYPES = {"f8", "f4", "i8", "i4", "i2", "i1", "u1", "b1"}
_SMALL_INTS = (np.int8, np.int16, np.int32)


class _Packed(msgspec.Struct, array_like=True):
    """An array on its way: integers travel in the smallest type that holds them."""

    kind: str
    stored: str
    shape: tuple[int, ...]
    compressed: bool
    data: bytes


class _PackedRule(msgspec.Struct, array_like=True):
    """A rule by its class name; rules made of rules hold them in ``parts``."""

    kind: str
    fields: dict[str, Any]
    parts: list[_PackedRule]


class _PackedAsked(msgspec.Struct):
    """What was asked: rules, each with the clustering or column that it names, links and sizes.

    Of rules joined by *or* the first is in ``rules``, the others at its place in ``others``.
    """

    rules: list[tuple[str, np.ndarray]]
    must_link: np.ndarray
    cannot_link: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    others: list[list[tuple[str, np.ndarray]]] | msgspec.UnsetType = msgspec.UNSET


class PackedProblem(msgspec.Struct):
    """The parts of a `Problem`, as they are stored."""

    X: np.ndarray
    k: int
    must_link: np.ndarray
    cannot_link: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    truth: np.ndarray | None
    rules: list[_PackedRule] = []
    asked: _PackedAsked | msgspec.UnsetType = msgspec.UNSET
    weights: np.ndarray | msgspec.UnsetType = msgspec.UNSET
    outliers: int | msgspec.UnsetType = msgspec.UNSET
    outliers_asked: int | msgspec.UnsetType = msgspec.UNSET
    fixed: int | msgspec.UnsetType = msgspec.UNSET
    neighbors: np.ndarray | msgspec.UnsetType = msgspec.UNSET


class Budget:
    """How many bytes of arrays may come out of what is read, and until when.

    An array counts as it is in memory: inflated, and in the type that it is to have.

    `total_bytes`, `seconds`: Of all; without an end if not given.
    """

    def __init__(
        self,
        message_bytes: int = 1 << 30,
        total_bytes: float = math.inf,
        seconds: float = math.inf,
    ) -> None:
        self._message_bytes, self._total_bytes = message_bytes, total_bytes
        self._message = threading.local()  # one thread's message is not another's
        self._end = time.monotonic() + seconds

    def begin(self) -> None:
        """Begin another message."""
        self._message.left = self._message_bytes
        if time.monotonic() > self._end:
            raise ArchiveError("it takes too long to read.")

    def spend(self, size: int) -> None:
        """Take a number of bytes."""
        self._message.left -= size
        self._total_bytes -= size
        if self._message.left < 0 or self._total_bytes < 0:
            raise ArchiveError("an array is too large")


def _pack(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.str[1:] in _DTYPES:
        return _pack_array(value)
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(f"no way to store a {type(value).__name__}")


def _pack_array(array: np.ndarray) -> _Packed:
    stored = np.ascontiguousarray(_shrunk(array))
    data = stored.tobytes()
    compressed = len(data) >= _COMPRESS_FROM and _shrinks(data)
    return _Packed(
        array.dtype.str[1:],
        stored.dtype.str[1:],
        array.shape,
        compressed,
        zlib.compress(data, 1) if compressed else data,
    )


def _shrinks(data: bytes) -> bool:
    """Whether compression pays, judged by the first bytes: measured numbers are noise."""
    sample = data[:_SAMPLE]
    return len(zlib.compress(sample, 1)) < _COMPRESSED * len(sample)


def _shrunk(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "i" and array.size:
        low, high = int(array.min()), int(array.max())
        for small in _SMALL_INTS:
            if np.iinfo(small).min <= low and high <= np.iinfo(small).max:
                return array.astype(small)
    return array


def _unpack(budget: Budget, kind: type, value: Any) -> Any:
    if kind is not np.ndarray:
        raise NotImplementedError(f"no way to read a {kind.__name__}")
    packed = msgspec.convert(value, _Packed)
    if not {packed.kind, packed.stored} <= _DTYPES:
        raise ValueError(f"unknown array type {packed.kind!r}")
    narrower = packed.kind[0] == packed.stored[0] == "i" and packed.stored[1] <= packed.kind[1]
    if packed.stored != packed.kind and not narrower:
        raise ValueError(f"an array of {packed.kind} is stored as {packed.stored}")
    if any(length < 0 for length in packed.shape):
        raise ValueError("an array has a negative length")
    cells = int(np.prod(packed.shape, dtype=object))
    size = cells * np.dtype(packed.stored).itemsize
    budget.spend(max(size, cells * np.dtype(packed.kind).itemsize))
    data = _inflate(packed.data, size) if packed.compressed else packed.data
    array = np.frombuffer(data, dtype=packed.stored).reshape(packed.shape).astype(packed.kind)
    array.setflags(write=False)
    return array


def _inflate(data: bytes, size: int) -> bytes:
    inflater = zlib.decompressobj()
    out = inflater.decompress(data, size + 1) if size else b""
    if len(out) != size:
        raise ValueError("an array's bytes do not fit its shape")
    return out


_encoder = msgspec.msgpack.Encoder(enc_hook=_pack)


class Decoder:
    """Reads events and problems within a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget, hook = budget, partial(_unpack, budget)
        self._event: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(AnyEvent, dec_hook=hook)
        self._problem = msgspec.msgpack.Decoder(PackedProblem, dec_hook=hook)

    def event(self, data: bytes) -> AnyEvent:
        """Return the event in the bytes.

        Raises `ArchiveError` if they hold none, or one that the budget does not allow.
        """
        self._budget.begin()
        try:
            return self._event.decode(data)
        except _BROKEN as broken:
            raise ArchiveError(f"a stored event cannot be read: {broken}.") from None

    def problem(self, data: bytes) -> Problem:
        """Return the problem in the bytes, checked like any other input."""
        self._budget.begin()
        try:
            packed = self._problem.decode(data)
            rules = tuple(_unpack_rule(rule) for rule in packed.rules)
            asked = _unpack_asked(packed) if packed.asked else None
        except _BROKEN as broken:
            raise ArchiveError(f"a stored problem cannot be read: {broken}.") from None
        return Problem(
            packed.X,
            packed.k,
            must_link=packed.must_link,  # type: ignore[arg-type]
            cannot_link=packed.cannot_link,  # type: ignore[arg-type]
            sizes=_unpack_sizes(packed),
            truth=packed.truth,
            rules=rules,
            asked=asked,
            weights=None if packed.weights is msgspec.UNSET else packed.weights,
            outliers=_given(packed.outliers),
            outliers_asked=_given(packed.outliers_asked) or _given(packed.outliers),
            fixed=0 if packed.fixed is msgspec.UNSET else packed.fixed,
            neighbors=None if packed.neighbors is msgspec.UNSET else packed.neighbors,  # type: ignore[arg-type]
        )


def _given(number: int | msgspec.UnsetType) -> int:
    return 0 if number is msgspec.UNSET else number


_BROKEN = (msgspec.MsgspecError, ValueError, zlib.error, RecursionError, TypeError)
_own = Decoder(Budget())


def encode_event(event: Event) -> bytes:
    """Return an event as bytes."""
    return _encoder.encode(event)


def decode_event(data: bytes) -> AnyEvent:
    """Return the event in the bytes."""
    return _own.event(data)


def encode_problem(problem: Problem) -> bytes:
    """Return a problem as bytes."""
    sizes = problem.sizes
    packed = PackedProblem(
        X=problem.X,
        k=problem.k,
        must_link=_link_table(problem.must_link),
        cannot_link=_link_table(problem.cannot_link),
        lower=sizes.lower if sizes else None,
        upper=sizes.upper if sizes else None,
        truth=problem.truth,
        rules=[_pack_rule(rule) for rule in problem.rules],
        asked=_pack_asked(problem.asked) if problem.asked else msgspec.UNSET,
        weights=msgspec.UNSET if problem.weights is None else problem.weights,
        outliers=problem.outliers or msgspec.UNSET,
        fixed=problem.fixed or msgspec.UNSET,
        neighbors=msgspec.UNSET if problem.neighbors is None else problem.neighbors.pairs,
    )
    if problem.outliers_asked > problem.outliers:
        packed.outliers_asked = problem.outliers_asked
    return _encoder.encode(packed)


def _pack_asked(asked: Asked) -> _PackedAsked:
    sizes = asked.sizes
    parts = [[(rule.text, _known_array(rule)) for rule in parts_of(each)] for each in asked.rules]
    is_joined = any(len(each) > 1 for each in parts)
    return _PackedAsked(
        rules=[each[0] for each in parts],
        must_link=_link_table(asked.must_link),
        cannot_link=_link_table(asked.cannot_link),
        lower=sizes.lower if sizes else None,
        upper=sizes.upper if sizes else None,
        others=[each[1:] for each in parts] if is_joined else msgspec.UNSET,
    )


def _known_array(rule: AskedRule) -> np.ndarray:
    return np.array(rule.known, dtype=np.float64 if rule.words.names_column else np.int64)


def _unpack_asked(packed: PackedProblem) -> Asked:
    asked: Any = packed.asked
    others = [[]] * len(asked.rules) if asked.others is msgspec.UNSET else asked.others
    rules: tuple[AnyAsked, ...] = tuple(
        joined(_unpack_asked_rule(text, known) for text, known in (first, *more))
        for first, more in zip(asked.rules, others, strict=True)
    )
    for rule in rules:
        rule.check(len(packed.X))
    given = Problem(  # which checks them
        packed.X, packed.k, asked.must_link, asked.cannot_link, _unpack_sizes(asked)
    )
    return Asked(rules, given.must_link, given.cannot_link, given.sizes)


def _unpack_asked_rule(text: str, known: np.ndarray) -> AskedRule:
    if known.ndim != 1 or known.dtype.kind not in "if":
        raise ValueError("what a rule names is no row of numbers")
    rule = AskedRule(text, tuple(known.tolist()))
    if known.dtype.kind == "f" and not rule.words.names_column:
        raise ValueError("a clustering that a rule names is no row of whole numbers")
    return rule


def _unpack_sizes(packed: PackedProblem | _PackedAsked) -> Sizes | None:
    if packed.lower is None or packed.upper is None:
        return None
    return Sizes(packed.lower, packed.upper)


def _link_table(links: Links) -> np.ndarray:
    return np.column_stack([links.pairs, links.weights])


def _pack_rule(rule: Any) -> _PackedRule:
    kind = type(rule).__name__
    if _rule_class(kind) is not type(rule):
        raise ArchiveError(f"no way to store a rule of the class {kind}.")
    fields = {each.name: getattr(rule, each.name) for each in dataclasses.fields(rule)}
    if not fields.get("place", True):  # a file of before has none
        del fields["place"]
    parts = [_pack_rule(part) for part in fields.pop("rules", ())]
    return _PackedRule(kind, fields, parts)


def _unpack_rule(packed: _PackedRule) -> Any:
    cls = _rule_class(packed.kind)
    if cls is None:
        raise ArchiveError(f"a stored rule is of the unknown class {packed.kind!r}.")
    if "rules" in {each.name for each in dataclasses.fields(cls)}:
        return cls(tuple(_unpack_rule(part) for part in packed.parts))
    return msgspec.convert(packed.fields, cls)


def _rule_class(kind: str) -> Any:
    # Imported here: few problems have rules.
    from ccviz.problem.rules import STORED

    return STORED.get(kind)


def decode_problem(data: bytes) -> Problem:
    """Return the problem in the bytes, checked like any other input."""
    return _own.problem(data)
