"""Prices of links for the list of links and for the lines of the plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.numbers import count, number
from ccviz.problem.problem import Problem
from ccviz.studies.price_table import LinkPrice, Prices
from ccviz.views.link_table import Link, LinkTable

_Key = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class PriceList:
    """The prices that are known of the current links.

    Attributes
    ----------
    by_link : dict
        From kind and points.
    words : str
        How many are proved, and whether they are of the problem before an edit.
    """

    by_link: dict[_Key, LinkPrice] = field(default_factory=dict)
    words: str = ""

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
        """Return (m,) the price of each link as a share of the highest, 0 where unknown.

        Parameters
        ----------
        links : LinkTable
            With m links.
        """
        if not self.by_link:
            return np.zeros(len(links))
        found = [self.of([link]) for link in links]
        return np.array([self.share(price) if price else 0.0 for price in found])


NO_PRICES = PriceList()
"""Nothing is known of any price."""


def price_list(known: Prices | None, asked: Problem) -> PriceList:
    """Return the prices of a run for the current links.

    Parameters
    ----------
    known : Prices or None
    asked : Problem
        The current one.
    """
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
