"""What is drawn of links: lines between points, broken ones told apart, and a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.draft import Draft, Kind, Link
from ccviz.views.frames.scatter import Plane


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
    names : list of str
    """

    x0: FloatArray
    y0: FloatArray
    x1: FloatArray
    y1: FloatArray
    broken: np.ndarray
    soft: np.ndarray
    names: list[str]


def lines(draft: Draft, kind: Kind, where: Plane, labels: IntArray | None = None) -> Lines:
    """Return the lines of all links of a kind.

    Parameters
    ----------
    draft : Draft
    kind : {"must", "cannot"}
    where : Plane
    labels : (n,) int, optional
        The clustering shown, -1 where a point has no cluster yet.
    """
    links = [link for link in draft.links if link.kind == kind]
    pairs = np.array([link.pair for link in links], dtype=np.int64).reshape(-1, 2)
    i, j = pairs[:, 0], pairs[:, 1]
    return Lines(
        x0=where.x[i],
        y0=where.y[i],
        x1=where.x[j],
        y1=where.y[j],
        broken=_broken(pairs, kind, labels),
        soft=np.array([not link.is_hard for link in links], dtype=bool),
        names=[str(link) for link in links],
    )


def _broken(pairs: IntArray, kind: Kind, labels: IntArray | None) -> np.ndarray:
    if labels is None:
        return np.zeros(len(pairs), dtype=bool)
    first, second = labels[pairs[:, 0]], labels[pairs[:, 1]]
    together = first == second
    return (first >= 0) & (second >= 0) & (together if kind == "cannot" else ~together)


LINKS_DRAWN = {
    "All links": "all", "Faded": "faded", "Only broken": "broken", "At the pointer": "near",
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
    if drawn == "all":
        return np.ones(len(frame.x0))
    if drawn == "faded":
        return np.full(len(frame.x0), _FADED)
    return (frame.broken if drawn == "broken" else np.zeros(len(frame.x0))).astype(np.float64)


def is_broken(link: Link, labels: IntArray | None) -> bool:
    """Whether the clustering shown breaks a link."""
    return bool(_broken(np.array([link.pair]), link.kind, labels)[0])


@dataclass(frozen=True, eq=False)
class Path:
    """Points to light up, joined in their order."""

    x: FloatArray
    y: FloatArray


def path(points: Sequence[int], where: Plane) -> Path:
    """Return a chain of points as it is lit up on the plot."""
    index = np.array(points, dtype=np.int64)
    return Path(where.x[index], where.y[index])
