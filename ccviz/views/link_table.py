"""Links as a person makes them: each is an object, and a million of them are columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isinf
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze

Kind = Literal["must", "cannot"]

BY_HAND = " by hand"
"""The end of the source of a gesture's links: ``merged by hand``."""

KIND_WORDS: dict[Kind, str] = {"must": "must-link", "cannot": "cannot-link"}


@dataclass(frozen=True, order=True)
class Link:
    """A pair of points, the smaller first; hard unless its weight is finite."""

    kind: Kind
    i: int
    j: int
    weight: float = inf
    source: str = field(default="", compare=False)  # What made it: a gesture, a comment in a file

    def __post_init__(self) -> None:
        if self.i > self.j:
            low, high = self.j, self.i
            object.__setattr__(self, "i", low)
            object.__setattr__(self, "j", high)

    @property
    def pair(self) -> tuple[int, int]:
        """The two points."""
        return self.i, self.j

    @property
    def is_hard(self) -> bool:
        """Whether it must be kept."""
        return isinf(self.weight)

    def __str__(self) -> str:
        return f"{KIND_WORDS[self.kind]} {self.i}-{self.j}"


@dataclass(frozen=True, eq=False)
class LinkTable(Sequence[Link]):
    """Links in the order in which they were made, at most one of each kind on a pair.

    A sequence of `Link`, which are made as they are asked for.
    """

    is_must: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    # (m, 2): The smaller point first.
    pairs: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    # (m,): Infinite for hard links.
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    # (m,): Places in `sources`.
    source: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sources: tuple[str, ...] = ()

    @classmethod
    def of(cls, links: Iterable[Link]) -> LinkTable:
        """Return links as a table; the newest word on a pair and kind counts."""
        if isinstance(links, LinkTable):
            return links
        listed = list(links)
        table = cls(
            freeze(np.array([link.kind == "must" for link in listed], dtype=bool)),
            freeze(np.array([link.pair for link in listed], dtype=np.int64).reshape(-1, 2)),
            freeze(np.array([link.weight for link in listed], dtype=np.float64)),
            *_coded([link.source for link in listed]),
        )
        return cls().with_links(table)

    @classmethod
    def of_pairs(cls, must: Any, cannot: Any, sources: Sequence[str] = ()) -> LinkTable:
        """Return rows (i, j) or (i, j, weight) as a table; the sources of must-links come first."""
        tables = [_columns(must), _columns(cannot)]
        pairs, weights = (np.concatenate(each) for each in zip(*tables, strict=True))
        is_must = np.arange(len(pairs)) < len(tables[0][0])
        source, names = _coded(sources or [""] * len(pairs))
        table = cls(freeze(is_must), freeze(pairs), freeze(weights), source, names)
        return cls().with_links(table)

    def __len__(self) -> int:
        return len(self.weights)

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Link]: ...
    def __getitem__(self, place: int | slice) -> Link | Sequence[Link]:
        if isinstance(place, slice):
            return self.taken(np.arange(len(self))[place])
        kind: Kind = "must" if self.is_must[place] else "cannot"
        i, j = self.pairs[place].tolist()
        source = self.sources[self.source[place]]
        return Link(kind, i, j, float(self.weights[place]), source)

    def __iter__(self) -> Iterator[Link]:
        columns = [each.tolist() for each in self._columns]
        for is_must, (i, j), weight, source in zip(*columns, strict=True):
            yield Link("must" if is_must else "cannot", i, j, weight, self.sources[source])

    def __contains__(self, link: object) -> bool:
        if not isinstance(link, Link):
            return False
        return bool(LinkTable.of([link]).among(self).any())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinkTable):
            return isinstance(other, Sequence) and tuple(self) == tuple(other)
        ours, theirs = ((each.is_must, each.pairs, each.weights) for each in (self, other))
        return all(map(np.array_equal, ours, theirs))

    __hash__ = None  # type: ignore[assignment]

    def has(self, kind: Kind) -> bool:
        """Whether there is a link of a kind."""
        return bool((self.is_must == (kind == "must")).any())

    @property
    def is_hard(self) -> NDArray[np.bool_]:
        """(m,) whether each must be kept."""
        return np.isinf(self.weights)

    def of_kind(self, kind: Kind) -> LinkTable:
        """Return the links of a kind."""
        return self.taken(self.is_must == (kind == "must"))

    @property
    def rows(self) -> Any:
        """(m, 3) points and weights, fit for `ccviz.Problem`."""
        return np.column_stack([self.pairs, self.weights])

    def taken(self, which: NDArray[Any]) -> LinkTable:
        """Return some of the links, by their places or a mask."""
        is_must, pairs, weights, source = (freeze(column[which]) for column in self._columns)
        return LinkTable(is_must, pairs, weights, source, self.sources)

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.is_must, self.pairs, self.weights, self.source

    def many_of(self) -> dict[str, int]:
        """Return the number of links of each source, of those without one under an empty text."""
        many = np.bincount(self.source, minlength=len(self.sources)).tolist()
        return {name: each for name, each in zip(self.sources, many, strict=True) if each}

    def of_source(self, source: str) -> LinkTable:
        """Return the links of a source."""
        place = self.sources.index(source) if source in self.sources else -1
        return self.taken(self.source == place)

    def with_links(self, links: Iterable[Link]) -> LinkTable:
        """Return the table with more links; the newest word on a pair and kind counts."""
        new = LinkTable.of(links)
        codes, first, of_new = np.unique(new._codes, return_index=True, return_inverse=True)
        last = np.empty(len(codes), dtype=np.int64)
        last[of_new] = np.arange(len(new))  # of several the last stays
        number = {name: at for at, name in enumerate(dict.fromkeys((*self.sources, *new.sources)))}
        called = np.array([number[each] for each in new.sources], dtype=np.int64)
        newest = (new.weights[last], called[new.source[last]])
        own = self._codes
        place = np.searchsorted(codes, own)
        known = codes[np.minimum(place, len(codes) - 1)] == own if len(codes) else own < 0
        kept = (self.weights.copy(), self.source.copy())
        for column, newer in zip(kept, newest, strict=True):
            column[known] = newer[place[known]]
        fresh = np.ones(len(codes), dtype=bool)
        fresh[place[known]] = False
        order = np.sort(first[fresh])
        added = (new.is_must[order], new.pairs[order], *(each[of_new[order]] for each in newest))
        columns = zip((self.is_must, self.pairs, *kept), added, strict=True)
        is_must, pairs, weights, source = (freeze(np.concatenate(each)) for each in columns)
        return LinkTable(is_must, pairs, weights, source, tuple(number))

    def without(self, links: Iterable[Link]) -> LinkTable:
        """Return the table without some links, the newest word on each, if it has that weight."""
        return self.taken(~self.among(LinkTable.of(links)))

    def among(self, other: LinkTable) -> NDArray[np.bool_]:
        """Return (m,) whether another table has each link, with its weight."""
        codes, weights = other._sorted
        if not len(codes):
            return np.zeros(len(self), dtype=bool)
        place = np.minimum(np.searchsorted(codes, self._codes), len(codes) - 1)
        return (codes[place] == self._codes) & (weights[place] == self.weights)

    @cached_property
    def _sorted(self) -> tuple[IntArray, FloatArray]:
        codes = self._codes
        order = np.argsort(codes)
        return codes[order], self.weights[order]

    @property
    def _codes(self) -> IntArray:
        """(m,) one number for a pair and kind."""
        return (self.pairs[:, 0] << 32) + (self.pairs[:, 1] << 1) + self.is_must


def _coded(texts: Sequence[str]) -> tuple[IntArray, tuple[str, ...]]:
    """Return (m,) the place of each text among the different ones, and these."""
    place = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return freeze(np.array([place[text] for text in texts], dtype=np.int64)), tuple(place)


def _columns(rows: Any) -> tuple[IntArray, FloatArray]:
    """Return (m, 2) pairs, the smaller first, and (m,) weights of rows of two or three."""
    if not isinstance(rows, np.ndarray):
        rows = np.array([row if len(row) == 3 else (*row, inf) for row in rows])
    table = np.asarray(rows, dtype=np.float64)
    if not len(table):
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    weights = table[:, 2] if table.shape[1] == 3 else np.full(len(table), inf)
    return np.sort(table[:, :2].astype(np.int64), axis=1), weights
