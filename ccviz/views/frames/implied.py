"""Implied links: they follow from the given ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

from ccviz.problem.blocks import Blocks, contract
from ccviz.views.draft import Draft
from ccviz.views.link_table import Link


@dataclass(frozen=True)
class Implied:
    """What follows from a draft's hard links.

    Attributes
    ----------
    links : tuple of Link
        The first of them.
    many : int
        How many there are.
    """

    links: tuple[Link, ...] = ()
    many: int = 0


def implied(draft: Draft, most: int) -> Implied:
    """Return the hard links that follow from a draft's hard links and are not among them.

    Links made by rules are not counted: there may be one for each pair of points.

    Points that must-links join are a block: all its pairs belong together, and a cannot-link to
    one of its points holds for all. With two clusters, two blocks that are both kept apart from
    a third belong together.
    """
    given = draft.links.taken(draft.links.is_hard)
    if not given:
        return Implied()
    blocks = contract(draft.given)
    many = _count(blocks) - len(given)
    follow = (link for link in _all(blocks) if link not in given) if many else ()
    return Implied(tuple(islice(follow, most)), many)


def _all(blocks: Blocks) -> Iterator[Link]:
    for block in (blocks.count > 1).nonzero()[0].tolist():
        yield from (Link("must", i, j) for i, j in combinations(blocks.members(block).tolist(), 2))
    for a, b in blocks.conflicts.tolist():
        yield from (
            Link("cannot", i, j)
            for i, j in product(blocks.members(a).tolist(), blocks.members(b).tolist())
        )


def _count(blocks: Blocks) -> int:
    mass = blocks.count
    inside = (mass * (mass - 1) / 2).sum()
    between = (mass[blocks.conflicts[:, 0]] * mass[blocks.conflicts[:, 1]]).sum()
    return int(inside + between)
