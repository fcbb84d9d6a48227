"""One node of the search tree: its decisions, the growth of its bound, why it was closed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import NodeBounded, NodeBranched, NodeOpened, NodePruned
from ccviz.numbers import number
from ccviz.runs.nodes import Node
from ccviz.runs.run import Run
from ccviz.views.frames.exact import Log
from ccviz.views.frames.links import Lines, ends_of
from ccviz.views.frames.scatter import Plane

# --- What a node of the tree may be, in words: for a label, for a sentence, and in full -----------


@dataclass(frozen=True)
class StateWords:
    """Words for a state of a node."""

    label: str
    because: str = ""  # Why it is closed, as the end of a sentence; empty while it is not
    # A sentence with ``{bound}`` and ``{best}``, and with the points ``{i}`` and ``{j}`` of its
    # branch.
    in_full: str = ""
    alone: str = ""  # The sentence while there is no incumbent, if that is another one
    place: str = ""  # The sentence where the branch is about a place, if that is another one


STATES: dict[str, StateWords] = {
    "open": StateWords(
        "open",
        in_full="It is open: its bound {bound} is below the best clustering so far, {best}.",
        alone="It is open: its bound {bound} is all that is known.",
    ),
    "branched": StateWords(
        "branched",
        in_full="It was split in two: its bound {bound} did not reach the cost of the best "
        "clustering so far, so points {i} and {j} are put together in one child and kept apart in "
        "the other.",
        place="It was split in two: its bound {bound} did not reach the cost of the best "
        "clustering so far, so one child has a centre near point {i} (as far as {j}), and the "
        "other has none there.",
    ),
    "bound": StateWords(
        "closed by its bound",
        "its bound is no better than the best clustering",
        "It was closed by its bound: every clustering under these decisions costs at least "
        "{bound}, so none is better than the best clustering so far ({best}) by more than the "
        "tolerance.",
    ),
    "infeasible": StateWords(
        "infeasible",
        "no clustering keeps its decisions and the links",
        "It was closed as infeasible: no clustering keeps these decisions and the links.",
    ),
    "integral": StateWords(
        "integral",
        "its relaxation is a clustering",
        "It was closed as solved: its relaxation is a clustering, so its bound {bound} is met.",
    ),
}
"""By `ccviz.runs.nodes.NodeState`."""

DECISIONS = {
    "root": "the root: nothing is decided",
    "together": "{i} and {j} together",
    "apart": "{i} and {j} apart",
    "taken": "a centre near point {i} (as far as {j})",
    "empty": "no centre near point {i} (as far as {j})",
}
"""What the branch to a node may decide about two points, or about the place that they name."""


LABELS = {
    "together": "{i}\u2013{j}\ntogether",
    "apart": "{i}\u2013{j}\napart",
    "taken": "centre\nnear {i}",
    "empty": "none\nnear {i}",
}
"""The same for the label of a branch: two short lines."""


def called(points: Iterable[int], names: Sequence[str]) -> list[str]:
    """Return what people call points: their names, where the data have any, or else their numbers.

    Given centres come after the points, and have numbers.
    """
    return [names[each] if each < len(names) else str(each) for each in points]


def decision_words(node: Node | NodeOpened, names: Sequence[str] = ()) -> str:
    """Return what the branch to a node decided, in words."""
    if node.pair is None:
        return DECISIONS["root"]
    i, j = called(node.pair, names)
    return DECISIONS[_kind(node)].format(i=i, j=j)


def branch_label(node: Node, names: Sequence[str] = ()) -> str:
    """Return the label of the branch to a node; empty at the root."""
    if node.pair is None:
        return ""
    i, j = called(node.pair, names)
    return LABELS[_kind(node)].format(i=i, j=j)


def _kind(node: Node | NodeOpened) -> str:
    yes, no = ("taken", "empty") if node.place else ("together", "apart")
    return yes if node.together else no


@dataclass(frozen=True, eq=False)
class NodeFacts:
    """What a person who clicked a node wants to know."""

    node: int
    depth: int
    state: str  # See `ccviz.runs.nodes.NodeState`
    # must_link, cannot_link, (m, 2): The pairs decided on the way from the root.
    must_link: IntArray
    cannot_link: IntArray
    # taken, empty, (m, 2): The places decided there, each by its centre and a point on its border.
    taken: IntArray
    empty: IntArray
    opened: float | None
    closed: float | None
    time_s: FloatArray  # time_s, lower_bound, (h,): How its bound rose
    lower_bound: FloatArray
    why: str
    names: Sequence[str] = ()  # Of all points


@dataclass(frozen=True, eq=False)
class Circles:
    """Places on the scatter plot."""

    x: FloatArray  # x, y, radius, (m,): On its axes
    y: FloatArray
    radius: FloatArray


class NodeLog(Log):
    """The history of every node's bound."""

    events = frozenset({NodeOpened, NodeBounded, NodeBranched, NodePruned})

    def _begin(self) -> None:
        self._of: dict[int, list[tuple[float, float]]] = {}
        self._opened: dict[int, float] = {}
        self._closed: dict[int, float] = {}

    def _take(
        self, event: NodeOpened | NodeBounded | NodeBranched | NodePruned, time_s: float
    ) -> None:
        if isinstance(event, NodeOpened):
            self._opened[event.node] = time_s
        elif isinstance(event, NodeBranched | NodePruned):
            self._closed[event.node] = time_s
        if not (isinstance(event, NodeOpened) and event.parent is None):  # nothing is known yet
            self._of.setdefault(event.node, []).append((time_s, event.lower_bound))

    def lives(self, nodes: IntArray) -> dict[str, FloatArray]:
        """Return when nodes were ``opened`` and ``closed``, (m,) seconds; NaN where not yet."""
        return {
            name: np.array([known.get(node, math.nan) for node in nodes.tolist()], dtype=np.float64)
            for name, known in (("opened", self._opened), ("closed", self._closed))
        }

    def frame(self, run: Run, node: int, names: Sequence[str] = ()) -> NodeFacts:
        """Return the frame of a node of the run."""
        at = run.tree[node]
        path = [at]
        while path[-1].parent is not None:
            path.append(run.tree[path[-1].parent])
        past = np.array(self._of.get(node, []), dtype=np.float64).reshape(-1, 2)
        past = past[np.isfinite(past[:, 1])]
        return NodeFacts(
            node=node,
            depth=at.depth,
            state=at.state,
            must_link=_decided(path, True),
            cannot_link=_decided(path, False),
            taken=_decided(path, True, place=True),
            empty=_decided(path, False, place=True),
            opened=self._opened.get(node),
            closed=self._closed.get(node),
            time_s=past[:, 0],
            lower_bound=np.maximum.accumulate(past[:, 1]) if len(past) else past[:, 1],
            why=why(run, at, names),
            names=names,
        )


def _decided(path: list[Node], together: bool, place: bool = False) -> IntArray:
    """Return what the branches of a path, given from the node up, decided, from the root down."""
    pairs = [
        node.pair
        for node in reversed(path)
        if node.pair and (node.together, node.place) == (together, place)
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def why(run: Run, at: Node, names: Sequence[str] = ()) -> str:
    """Return a node's state in words."""
    words = STATES[at.state]
    i, j = called(at.branch_pair or (), names) or ("", "")
    alone = words.alone if not math.isfinite(run.objective) else ""
    place = words.place if at.branch_place else ""
    sentence = (alone or place or words.in_full).format(
        bound=number(at.lower_bound), best=number(run.objective), i=i, j=j
    )
    return f"{sentence} {at.detail}".rstrip()


def decision_lines(pairs: IntArray, where: Plane, words: str) -> Lines:
    """Return pairs of decided points as lines on the scatter plot; given centres are not on it."""
    pairs = pairs[(pairs < len(where.x)).all(axis=1)]
    return Lines(
        *ends_of(pairs, where),
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


# --- What a node of the tree looks like, by its state: marker, colour and words -------------------


# Okabe and Ito's colours, and a shape each: neither alone has to carry the meaning.
MARKS = {
    "open": ("circle", "#56b4e9", STATES["open"].label),
    "branched": ("circle_dot", "#8a97a6", STATES["branched"].label),
    "bound": ("square", "#e69f00", STATES["bound"].label),
    "infeasible": ("x", "#d55e00", STATES["infeasible"].label),
    "integral": ("diamond", "#009e73", STATES["integral"].label),
    "incumbent": ("star", "#f0e442", "best found so far"),
    "folded": ("inverted_triangle", "#cc79a7", "folded subtree"),
}
"""Marker, colour and words of what a node may be."""
