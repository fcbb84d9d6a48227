"""Drawing of links: lines between points, broken ones marked, and a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.draft import Draft
from ccviz.views.frames.prices import NO_PRICES, PriceList
from ccviz.views.frames.scatter import Plane
from ccviz.views.link_table import Kind, Link, LinkTable


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines between pairs of points.

    Attributes
    ----------
    x0, y0, x1, y1 : (m,) float64
        Their ends.
    broken : (m,) bool
        Whether the clustering shown breaks the link.
    soft : (m,) bool
    names : sequence of str
    prices : (m,) float64
        The price of each as a share of the highest, 0 where unknown.
    """

    x0: FloatArray
    y0: FloatArray
    x1: FloatArray
    y1: FloatArray
    broken: np.ndarray
    soft: np.ndarray
    names: Sequence[str]
    prices: FloatArray


def lines(
    draft: Draft,
    kind: Kind,
    where: Plane,
    labels: IntArray | None = None,
    prices: PriceList = NO_PRICES,
) -> Lines:
    """Return the lines of all links of a kind.

    Parameters
    ----------
    draft : Draft
    kind : {"must", "cannot"}
    where : Plane
    labels : (n,) int, optional
        The clustering shown, -1 where a point has no cluster yet.
    prices : PriceList
        What is known of the links' prices.
    """
    links = draft.links.of_kind(kind)
    pairs = links.pairs
    i, j = pairs[:, 0], pairs[:, 1]
    return Lines(
        x0=where.x[i],
        y0=where.y[i],
        x1=where.x[j],
        y1=where.y[j],
        broken=_broken(pairs, kind, labels),
        soft=~links.is_hard,
        names=_Names(links),
        prices=prices.shares(links),
    )


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
    """Return some of the lines, at most a given number, spread evenly.

    Parameters
    ----------
    frame : Lines
    keep : (m,) bool
    most : int
    """
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
    """Return (m,) how much is seen of each line.

    Parameters
    ----------
    frame : Lines
    drawn : str
        A value of `LINKS_DRAWN`.
    """
    if drawn in ("all", "price"):
        return np.ones(len(frame.x0))
    if drawn == "faded":
        return np.full(len(frame.x0), _FADED)
    return (frame.broken if drawn == "broken" else np.zeros(len(frame.x0))).astype(np.float64)


_WIDEST = 9.0
"""Width of the line of the highest price, in pixels."""


def widths(frame: Lines, drawn: str) -> FloatArray:
    """Return (m,) the width of each line in pixels: less for soft links, or by price.

    Parameters
    ----------
    frame : Lines
    drawn : str
        A value of `LINKS_DRAWN`.
    """
    plain = np.where(frame.soft, 1.0, 2.0)
    return 1.0 + (_WIDEST - 1.0) * frame.prices if drawn == "price" else plain


def many_broken(pairs: IntArray, kind: Kind, labels: IntArray | None) -> int:
    """Return how many (m, 2) pairs of a kind the clustering shown breaks."""
    return int(_broken(pairs, kind, labels).sum())


@dataclass(frozen=True, eq=False)
class Path:
    """Points to light up, joined in their order."""

    x: FloatArray
    y: FloatArray


def path(points: Sequence[int], where: Plane) -> Path:
    """Return a chain of points as it is lit up on the plot."""
    index = np.array(points, dtype=np.int64)
    return Path(where.x[index], where.y[index])
