"""One node of the search tree: its decisions, the growth of its bound, why it was closed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Event, NodeBounded, NodeBranched, NodeOpened, NodePruned, Record
from ccviz.numbers import number
from ccviz.runs.nodes import Node
from ccviz.runs.run import Run
from ccviz.views.frames.links import Lines
from ccviz.views.frames.scatter import Plane
from ccviz.views.frames.states import STATES


@dataclass(frozen=True, eq=False)
class NodeFacts:
    """What a person who clicked a node wants to know.

    Attributes
    ----------
    node, depth : int
    state : str
        See `ccviz.runs.nodes.NodeState`.
    must_link, cannot_link : (m, 2) int64
        The pairs decided on the way from the root.
    taken, empty : (m, 2) int64
        The places decided there, each by its centre and a point on its border.
    opened, closed : float or None
        When, in seconds; None where it has not happened.
    time_s, lower_bound : (h,) float64
        How its bound rose.
    why : str
        Its state, in words.
    """

    node: int
    depth: int
    state: str
    must_link: IntArray
    cannot_link: IntArray
    taken: IntArray
    empty: IntArray
    opened: float | None
    closed: float | None
    time_s: FloatArray
    lower_bound: FloatArray
    why: str


@dataclass(frozen=True, eq=False)
class Lives:
    """When nodes were opened and closed, in seconds.

    Attributes
    ----------
    opened, closed : (m,) float64
        NaN where it has not happened.
    """

    opened: FloatArray
    closed: FloatArray


@dataclass(frozen=True, eq=False)
class Circles:
    """Places on the scatter plot.

    Attributes
    ----------
    x, y, radius : (m,) float64
        On its axes.
    """

    x: FloatArray
    y: FloatArray
    radius: FloatArray


class NodeLog:
    """The history of every node's bound."""

    events: ClassVar[frozenset[type[Event]]] = frozenset(
        {NodeOpened, NodeBounded, NodeBranched, NodePruned}
    )

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._of: dict[int, list[tuple[float, float]]] = {}
        self._opened: dict[int, float] = {}
        self._closed: dict[int, float] = {}

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            event = record.event
            if isinstance(event, NodeOpened):
                self._opened[event.node] = record.time_s
            elif isinstance(event, NodeBranched | NodePruned):
                self._closed[event.node] = record.time_s
            if isinstance(event, NodeOpened) and event.parent is None:
                continue  # nothing is known yet
            if isinstance(event, NodeOpened | NodeBounded | NodeBranched | NodePruned):
                past = self._of.setdefault(event.node, [])
                past.append((record.time_s, event.lower_bound))

    def lives(self, nodes: IntArray) -> Lives:
        """Return when nodes were opened and closed.

        Parameters
        ----------
        nodes : (m,) int64
        """
        return Lives(*(
            np.array([known.get(node, math.nan) for node in nodes.tolist()], dtype=np.float64)
            for known in (self._opened, self._closed)
        ))  # fmt: skip

    def frame(self, run: Run, node: int) -> NodeFacts:
        """Return the frame of a node of the run."""
        at = run.tree[node]
        past = np.array(self._of.get(node, []), dtype=np.float64).reshape(-1, 2)
        past = past[np.isfinite(past[:, 1])]
        return NodeFacts(
            node=node,
            depth=at.depth,
            state=at.state,
            must_link=_decided(run, at, True),
            cannot_link=_decided(run, at, False),
            taken=_decided(run, at, True, place=True),
            empty=_decided(run, at, False, place=True),
            opened=self._opened.get(node),
            closed=self._closed.get(node),
            time_s=past[:, 0],
            lower_bound=np.maximum.accumulate(past[:, 1]) if len(past) else past[:, 1],
            why=why(run, at),
        )


def _path(run: Run, at: Node) -> list[Node]:
    """Return the nodes from the root down to a node."""
    path = [at]
    while path[-1].parent is not None:
        path.append(run.tree[path[-1].parent])
    return path[::-1]


def _decided(run: Run, at: Node, together: bool, place: bool = False) -> IntArray:
    pairs = [
        node.pair
        for node in _path(run, at)
        if node.pair and (node.together, node.place) == (together, place)
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def why(run: Run, at: Node) -> str:
    """Return a node's state in words."""
    words = STATES[at.state]
    i, j = at.branch_pair or ("", "")
    alone = words.alone if not math.isfinite(run.objective) else ""
    place = words.place if at.branch_place else ""
    sentence = (alone or place or words.in_full).format(
        bound=number(at.lower_bound), best=number(run.objective), i=i, j=j
    )
    return f"{sentence} {at.detail}".rstrip()


def decision_lines(pairs: IntArray, where: Plane, words: str) -> Lines:
    """Return pairs of decided points as lines on the scatter plot; given centres are not on it."""
    pairs = pairs[(pairs < len(where.x)).all(axis=1)]
    i, j = pairs[:, 0], pairs[:, 1]
    return Lines(
        x0=where.x[i],
        y0=where.y[i],
        x1=where.x[j],
        y1=where.y[j],
        broken=np.zeros(len(pairs), dtype=bool),
        soft=np.zeros(len(pairs), dtype=bool),
        names=[f"{words} {a}-{b}" for a, b in pairs.tolist()],
        prices=np.zeros(len(pairs)),
    )


def place_circles(places: IntArray, where: Plane) -> Circles | None:
    """Return decided places as circles on the scatter plot, None where they would be none there."""
    if not where.is_whole:
        return None
    places = places[(places < len(where.x)).all(axis=1)]
    i, j = places[:, 0], places[:, 1]
    x, y = where.x[i], where.y[i]
    return Circles(x, y, np.hypot(where.x[j] - x, where.y[j] - y))
