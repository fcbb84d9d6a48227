"""Links as they are drawn: lines between points, broken ones marked, a chain; and their prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice, product
from typing import overload

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.numbers import count, number
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import same_points, tightens
from ccviz.studies.least_change import LeastChange
from ccviz.studies.margin_table import Margins
from ccviz.studies.price_table import LinkPrice, Prices
from ccviz.views.draft import Draft
from ccviz.views.frames.scatter import Coloring, Plane
from ccviz.views.link_table import BY_HAND, Kind, Link, LinkTable

_Key = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class PriceList:
    """The prices that are known of the current links."""

    by_link: dict[_Key, LinkPrice] = field(default_factory=dict)
    words: str = ""  # How many are proved, and whether they are of the problem before an edit

    @cached_property
    def highest(self) -> float:
        """The highest lower limit; 0 without prices."""
        return max((price.lower for price in self.by_link.values()), default=0.0)

    def of(self, links: Iterable[Link]) -> LinkPrice | None:
        """Return the highest price among some links; None if none is known."""
        known = [self.by_link.get((link.kind, link.i, link.j)) for link in links]
        found = [price for price in known if price is not None]
        return max(found, key=lambda price: (price.lower, price.upper), default=None)

    def share(self, price: LinkPrice) -> float:
        """Return a price as a share of the highest one, from 0 to 1."""
        return price.lower / self.highest if self.highest > 0.0 else 0.0

    def shares(self, links: LinkTable) -> FloatArray:
        """Return (m,) the price of each link as a share of the highest, 0 where unknown."""
        if not self.by_link:
            return np.zeros(len(links))
        found = [self.of([link]) for link in links]
        return np.array([self.share(price) if price else 0.0 for price in found])


NO_PRICES = PriceList()
"""Nothing is known of any price."""


def price_list(known: Prices | None, asked: Problem) -> PriceList:
    """Return the prices of a run for the current links."""
    if known is None:
        return NO_PRICES
    rows = known.rows
    proved = sum(row.is_proved for row in rows)
    words = f"{proved} of {count(len(rows), 'price')} proved"
    if not known.problem.asks_the_same(asked):
        words += ", of the problem before your last edit"
    return PriceList({(row.kind, row.i, row.j): row for row in rows}, words)


def price_words(price: LinkPrice) -> str:
    """Return both limits of a price, as a sentence."""
    if price.is_implied:
        return "Costs nothing: the other links imply it."
    low = number(price.lower)
    if price.is_proved:
        return f"This link raises the optimum by {low}: proved."
    return f"This link raises the optimum by at least {low} and at most {number(price.upper)}."


def legend_words(prices: PriceList) -> str:
    """Return the meaning of the lines' width."""
    if not prices.by_link:
        return "no prices yet: all lines have one width"
    return f"wide lines: links of a high price, up to {number(prices.highest)}"


# --- How sure the points of a run are: what the plot shows of it, and sentences -------------------


def sure_only(frame: Coloring, known: Margins | None, rise: float | None) -> Coloring:
    """Return a colouring in which the points that are proved to stay keep their colours.

    `rise`: Share by which the cost may rise; None for all points.
    """
    if known is None or rise is None or len(frame.labels) != known.problem.n:
        return frame
    return replace(frame, labels=np.where(known.surely_there(rise), frame.labels, -1))


def sure_words(known: Margins | None, rise: float, asked: Problem) -> str:
    """Return how many points are proved to stay, as a sentence without its full stop."""
    if known is None:
        return ""
    stay = int(known.surely_there(rise).sum())
    words = (
        f"{stay:,} of {count(known.problem.n, 'point')} proved to belong here unless the cost may "
        f"rise by more than {100.0 * rise:.3g} %"
    )
    if known.todo:
        words += f", {count(len(known.todo), 'bound')} to come"
    if not known.problem.asks_the_same(asked):
        words += ", of the problem before your last edit"
    return words


def answer_words(known: Margins | None, pair: tuple[int, int], asked: Problem) -> str:
    """Return what the less likely answer to a question would cost, as a sentence, or nothing.

    `asked`: The current one, with the answers so far. They can only raise the cost.
    """
    if known is None or not same_points(known.problem, asked):
        return ""
    if not tightens(known.problem, asked):
        return ""
    least = known.least_of_pair(*pair)
    together = known.labels[pair[0]] == known.labels[pair[1]]
    answer = "Apart" if together else "Together"
    if not np.isfinite(least):
        return f"The links already rule out “{answer}”."
    share = least / known.objective if known.objective > 0.0 else 0.0
    if share < 5e-4:
        return "Either answer may leave the cost where it is."
    return f"“{answer}” raises the cost by at least {100.0 * share:.2g} %: proved."


# --- Sentences on the clustering that stays near to the one before --------------------------------


def stay_words(found: LeastChange) -> str:
    """Return how many points moved."""
    return f"{count(len(found.moved), 'point') if len(found.moved) else 'no point'} changed cluster"


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines between pairs of points."""

    x0: FloatArray  # x0, y0, x1, y1, (m,): Their ends
    y0: FloatArray
    x1: FloatArray
    y1: FloatArray
    broken: np.ndarray  # (m,): Whether the clustering shown breaks the link
    soft: np.ndarray
    names: Sequence[str]
    prices: FloatArray  # (m,): The price of each as a share of the highest, 0 where unknown


def lines(
    draft: Draft,
    kind: Kind,
    where: Plane,
    labels: IntArray | None = None,
    prices: PriceList = NO_PRICES,
) -> Lines:
    """Return the lines of all links of a kind.

    `labels` (n,): The clustering shown, -1 where a point has no cluster yet.
    """
    links = draft.links.of_kind(kind)
    return Lines(
        *ends_of(links.pairs, where),
        broken=_broken(links.pairs, kind, labels),
        soft=~links.is_hard,
        names=_Names(links),
        prices=prices.shares(links),
    )


def ends_of(pairs: IntArray, where: Plane) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return x0, y0, x1 and y1 of the lines between pairs of points."""
    i, j = pairs.T
    return where.x[i], where.y[i], where.x[j], where.y[j]


class _Names(Sequence[str]):
    """What links are called, each when it is asked for: of a million few are."""

    def __init__(self, links: LinkTable) -> None:
        self._links = links

    def __len__(self) -> int:
        return len(self._links)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        links = self._links[place]
        return str(links) if isinstance(links, Link) else list(map(str, links))


MOST_LINES = 3000
"""Links that are drawn as lines; more of them are a picture of how many cross each place."""


def some_of(frame: Lines, keep: np.ndarray, most: int = MOST_LINES) -> Lines:
    """Return some of the lines, at most a given number, spread evenly."""
    kept = np.flatnonzero(keep)
    kept = kept[rows_of(len(kept), most)]
    return Lines(
        frame.x0[kept], frame.y0[kept], frame.x1[kept], frame.y1[kept],
        frame.broken[kept], frame.soft[kept], [frame.names[row] for row in kept.tolist()],
        frame.prices[kept],
    )  # fmt: skip


def rows_of(many: int, most: int) -> IntArray:
    """Return all row numbers, or a given number of them, spread evenly."""
    return np.arange(many) if many <= most else np.linspace(0, many - 1, most).astype(np.int64)


def _broken(pairs: IntArray, kind: Kind, labels: IntArray | None) -> np.ndarray:
    if labels is None:
        return np.zeros(len(pairs), dtype=bool)
    first, second = labels[pairs[:, 0]], labels[pairs[:, 1]]
    together = first == second
    return (first >= 0) & (second >= 0) & (together if kind == "cannot" else ~together)


LINKS_DRAWN = {
    "All links": "all", "Faded": "faded", "Only broken": "broken", "At the pointer": "near",
    "By price": "price",
}  # fmt: skip
"""Ways to draw links, with words for people; those at the pointer the browser finds itself."""

_FADED = 0.15


def opacity(frame: Lines, drawn: str) -> FloatArray:
    """Return (m,) how much is seen of each line."""
    if drawn in ("all", "price"):
        return np.ones(len(frame.x0))
    if drawn == "faded":
        return np.full(len(frame.x0), _FADED)
    return (frame.broken if drawn == "broken" else np.zeros(len(frame.x0))).astype(np.float64)


_WIDEST = 9.0
"""Width of the line of the highest price, in pixels."""


def widths(frame: Lines, drawn: str) -> FloatArray:
    """Return (m,) the width of each line in pixels: less for soft links, or by price."""
    plain = np.where(frame.soft, 1.0, 2.0)
    return 1.0 + (_WIDEST - 1.0) * frame.prices if drawn == "price" else plain


def many_broken(pairs: IntArray, kind: Kind, labels: IntArray | None) -> int:
    """Return how many (m, 2) pairs of a kind the clustering shown breaks."""
    return int(_broken(pairs, kind, labels).sum())


# --- Links as they are listed: the must-links that one group asked for are one entry --------------


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
    """Yield the links, newest first, with groups as one entry each."""
    chain: list[Link] = []
    for link in reversed(links):
        if chain and not _goes_on(chain, link):
            yield from _as_entries(chain)
            chain = []
        chain.append(link)
    yield from _as_entries(chain)


def _goes_on(chain: list[Link], link: Link) -> bool:
    """Whether a link made before a chain leads to its first point, alike in weight and source."""
    last = chain[-1]
    if link.kind != "must" or last.kind != "must" or link.weight != last.weight:
        return False
    if link.source != last.source:
        return False
    shared = set(link.pair) & set(last.pair)
    if len(shared) != 1:
        return False
    if len(chain) == 1 or link.source.endswith(BY_HAND):  # a gesture links points with a middle
        return True
    return not shared & set(chain[-2].pair)


def _as_entries(chain: Iterable[Link]) -> list[Entry]:
    links = tuple(chain)
    return [Entry(links)] if len(links) >= LEAST_GROUP else [Entry((link,)) for link in links]


# --- Implied links: they follow from the given ones -----------------------------------------------


@dataclass(frozen=True)
class Implied:
    """What follows from a draft's hard links."""

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
    mass = blocks.count
    inside = (mass * (mass - 1) / 2).sum()
    between = (mass[blocks.conflicts[:, 0]] * mass[blocks.conflicts[:, 1]]).sum()
    many = int(inside + between) - len(given)
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
