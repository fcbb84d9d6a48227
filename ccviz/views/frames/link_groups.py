"""Links as they are listed: the must-links that one group asked for are one entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ccviz.arrays import IntArray
from ccviz.views.link_table import Link

LEAST_GROUP = 3
"""Must-links in a chain that count as a group; fewer were made one by one as likely as not."""


@dataclass(frozen=True)
class Entry:
    """Content of a row: a link, or the chain of a group."""

    links: tuple[Link, ...]

    @property
    def is_group(self) -> bool:
        """Whether it is more than a pair."""
        return len(self.links) > 1

    @cached_property
    def pairs(self) -> IntArray:
        """(m, 2) the pairs of its links."""
        return np.array([link.pair for link in self.links], dtype=np.int64)

    @cached_property
    def points(self) -> list[int]:
        """The points that it is about: a pair, or those of a group in order."""
        return np.unique(self.pairs).tolist() if self.is_group else list(self.links[0].pair)

    def words(self, names: Sequence[str] = ()) -> str:
        """Return the points in words, the first one of a group."""
        said = [names[end] if names else str(end) for end in self.points[:2]]
        return f"{len(self.points):,} points: {said[0]} …" if self.is_group else " – ".join(said)


def entries(links: Sequence[Link]) -> Iterator[Entry]:
    """Yield the links, newest first, with groups as one entry each.

    Parameters
    ----------
    links : sequence of Link
        In the order in which they were made.
    """
    chain: list[Link] = []
    for link in reversed(links):
        if chain and not _goes_on(chain, link):
            yield from _as_entries(chain)
            chain = []
        chain.append(link)
    yield from _as_entries(chain)


def _goes_on(chain: list[Link], link: Link) -> bool:
    """Whether a link made before a chain leads to its first point, with the same weight."""
    last = chain[-1]
    if link.kind != "must" or last.kind != "must" or link.weight != last.weight:
        return False
    shared = set(link.pair) & set(last.pair)
    if len(shared) != 1:
        return False
    return len(chain) == 1 or not shared & set(chain[-2].pair)


def _as_entries(chain: Iterable[Link]) -> list[Entry]:
    links = tuple(chain)
    return [Entry(links)] if len(links) >= LEAST_GROUP else [Entry((link,)) for link in links]
