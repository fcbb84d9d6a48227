"""Prices of links for the list of links and for the lines of the plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.numbers import count, number
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import same_points, tightens
from ccviz.studies.least_change import LeastChange
from ccviz.studies.margin_table import Margins
from ccviz.studies.price_table import LinkPrice, Prices
from ccviz.views.frames.scatter import Coloring
from ccviz.views.link_table import Link, LinkTable

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
    """Return how many points moved, and what the clustering costs at most."""
    moved = count(len(found.moved), "point")
    cost, most = number(found.partition.objective), number(found.allowed)
    return f"{moved} changed cluster (circled): WCSS {cost}, at most {most} tolerated"
