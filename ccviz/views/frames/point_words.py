"""What tooltips say of a point besides where it is: what marks it out, and its links."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.link_table import KIND_WORDS, Link

_MOST_LINKS = 6


def marks(data: Dataset, most: int = 3) -> list[str]:
    """Return what marks each point out: the features in which it is furthest from the mean.

    Parameters
    ----------
    data : Dataset
    most : int
        Features a point.

    Returns
    -------
    list of str
        Such as ``petal length 4.7 (+1.2σ), …``; the sign says on which side.
    """
    spread = data.X.std(axis=0)
    apart = (data.X - data.X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    first = np.argsort(-np.abs(apart), axis=1, kind="stable")[:, :most]
    return [
        ", ".join(f"{data.features[j]} {point[j]:.4g} ({away[j]:+.1f}σ)" for j in order.tolist())
        for point, away, order in zip(data.X, apart, first, strict=True)
    ]


def links_of(data: Dataset, links: Iterable[Link]) -> list[str]:
    """Return which links each point has, in words.

    Parameters
    ----------
    data : Dataset
    links : iterable of Link

    Returns
    -------
    list of str
        Empty for points without links.
    """
    partners: dict[int, list[str]] = {}
    for link in links:
        for one, other in (link.pair, link.pair[::-1]):
            called = data.names[other] if data.names else str(other)
            partners.setdefault(one, []).append(f"{KIND_WORDS[link.kind]} {called}")
    words = [""] * len(data.X)
    for one, told in partners.items():
        more = f", {len(told) - _MOST_LINKS} more" if len(told) > _MOST_LINKS else ""
        words[one] = ", ".join(told[:_MOST_LINKS]) + more
    return words
