"""The layout of a search tree: placed, folded, a few hundred glyphs at most.

What is known of the nodes is in the run's own tree, `ccviz.runs.run.Run.tree`.

`Tree` takes records one by one, at a cost of the node's depth each, whatever the tree's size. Of a
large tree it folds subtrees away, finished and small ones first, so that a frame never holds many
more nodes than `Tree.most_shown`. A leaf keeps its place until a neighbour needs room for a child;
then the shorter side moves by one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, Literal

import numpy as np

from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
    RelaxationSolved,
)
from ccviz.problem.problem import Problem
from ccviz.runs.nodes import Nodes
from ccviz.runs.run import WORST, Run, judged, rank_of
from ccviz.views.frames.exact import Log, column
from ccviz.views.frames.node import branch_label, decision_words

Axis = Literal["bound", "depth"]

_HANGS_BELOW = 0.06
"""Distance of a child without a bound of its own below its parent, as a share of the axis."""


@dataclass(eq=False)
class TreeNode:
    """A node in its place."""

    number: int  # Of the node in the run's tree, which holds what is known of it
    parent: TreeNode | None
    children: list[TreeNode] = field(default_factory=list)
    size: int = 1  # size, open: Nodes in its subtree, itself included; how many of them are open
    open: int = 1
    folded: bool = False  # Whether its subtree is hidden behind it
    slot: float = 0.0  # Place among the leaves, while it is one
    x: float = 0.0

    @property
    def is_tip(self) -> bool:
        """Whether nothing is drawn beneath it."""
        return self.folded or not self.children

    def ancestors(self) -> Iterator[TreeNode]:
        """Yield the node, its parent and so on up to the root."""
        node: TreeNode | None = self
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True, eq=False)
class TreeFrame:
    """The nodes that are shown, in the order in which they were opened."""

    node: np.ndarray  # node, parent, (m,): Numbers; -1 for the root's parent
    parent: np.ndarray
    # x, y, parent_x, parent_y, (m,): ``y`` is the lower bound, clipped a little above the
    # incumbent, or the depth. A child with no bound of its own yet hangs a little below its parent,
    # whose bound it has.
    x: np.ndarray
    y: np.ndarray
    parent_x: np.ndarray
    parent_y: np.ndarray
    lower_bound: np.ndarray
    depth: np.ndarray
    # (m,): `ccviz.runs.nodes.NodeState`, or ``"incumbent"`` where the incumbent was found.
    state: np.ndarray
    # decision, detail, (m,): What the branch to the node decided, and why the node was closed.
    decision: np.ndarray
    detail: np.ndarray
    branch: np.ndarray  # (m,): The label of the branch to the node, empty at the root
    # hidden, hidden_open, (m,): Nodes folded away beneath it, and how many of those are open.
    hidden: np.ndarray
    hidden_open: np.ndarray
    reopened: np.ndarray  # (m,): Which were closed in an earlier run, and were opened again
    upper_bound: float  # Objective of the incumbent; inf without one
    total: int
    axis: Axis


class Tree(Log):
    """The tree that records add up to; `clear` keeps which nodes a person unfolded.

    `most_shown`: About how many nodes a frame may hold.
    """

    events = frozenset({
        NodeOpened, NodeBranched, NodePruned, IncumbentFound, CutsAdded, RelaxationSolved,
        ColumnsPriced,
    })  # fmt: skip

    def __init__(self, problem: Problem, most_shown: int = 500) -> None:
        self.problem, self.most_shown = problem, most_shown
        self.kept: set[int] = set()
        super().__init__()

    @classmethod
    def of(cls, run: Run, most_shown: int = 500) -> Tree:
        """Return the tree of a run's state."""
        tree = cls(run.problem, most_shown)
        for node in run.tree.values():
            tree._hang(node.node, node.parent)
        for node in run.tree.values():
            if node.state != "open":
                tree._close(tree.nodes[node.node])
        tree.upper_bound = run.objective
        tree._fold_surplus()
        return tree

    def _begin(self) -> None:
        self.nodes: dict[int, TreeNode] = {}
        self.upper_bound = math.inf
        self._rank = WORST
        self.found_at: int | None = None
        self._at: int | None = None
        self._shown: list[TreeNode] = []
        self._tips: list[TreeNode] = []

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        super().feed(records)
        self._fold_surplus()

    def toggle(self, number: int) -> None:
        """Unfold a folded node, or fold one that is not."""
        node = self.nodes[number]
        if not node.children:
            return
        node.folded = not node.folded
        (self.kept.discard if node.folded else self.kept.add)(number)
        self._lay_out()
        self._fold_surplus()

    def reveal(self, number: int) -> None:
        """Unfold the subtrees that hide a node."""
        hiding = [up for up in self.nodes[number].ancestors() if up.folded and up.number != number]
        for node in hiding:
            node.folded = False
            self.kept.add(node.number)
        if hiding:
            self._lay_out()
            self._fold_surplus()

    # --- Taking events ----------------------------------------------------------------------

    def _take(self, event: Any, _: float) -> None:
        match event:
            case NodeOpened():
                self._hang(event.node, event.parent)
            case NodeBranched() | NodePruned():
                self._close(self.nodes[event.node])
            case IncumbentFound():
                rank = rank_of(judged(self.problem, event), event)
                if rank < self._rank:
                    self._rank, self.found_at = rank, self._at
                    self.upper_bound = rank[1]
            case _:  # a solver reports its work at a node before the result
                self._at = event.node

    def _hang(self, number: int, parent_number: int | None) -> None:
        parent = None if parent_number is None else self.nodes[parent_number]
        node = TreeNode(number, parent)
        self.nodes[number] = node
        if parent is None:
            self._at = number  # events before its first round belong to the root, too
            self._shown.append(node)
            self._tips.append(node)
            return
        if not any(above.folded for above in parent.ancestors()):
            self._place(node, parent)
        parent.children.append(node)
        for ancestor in parent.ancestors():
            ancestor.size += 1
            ancestor.open += 1

    def _close(self, node: TreeNode) -> None:
        for ancestor in node.ancestors():
            ancestor.open -= 1

    # --- Placing ----------------------------------------------------------------------------

    def _place(self, node: TreeNode, parent: TreeNode) -> None:
        self._shown.append(node)
        if not parent.children:
            at = self._position(parent)
            node.slot = parent.slot
            self._tips[at] = node
            return
        tip = parent.children[-1]
        while not tip.is_tip:
            tip = tip.children[-1]
        self._insert_after(self._position(tip), node)

    def _position(self, tip: TreeNode) -> int:
        return bisect_left(self._tips, tip.slot, key=attrgetter("slot"))

    def _insert_after(self, at: int, node: TreeNode) -> None:
        left, right = self._tips[: at + 1], self._tips[at + 1 :]
        if right and right[0].slot - left[-1].slot >= 2:
            node.slot = left[-1].slot + 1
        elif len(right) <= len(left):
            node.slot = left[-1].slot + 1
            for tip in right:
                tip.slot += 1
        else:
            node.slot = left[-1].slot
            for tip in left:
                tip.slot -= 1
        self._tips.insert(at + 1, node)

    def _lay_out(self) -> None:
        """Lay out the shown nodes again; the root stays where it is."""
        if not self.nodes:
            return
        root = self.nodes[next(iter(self.nodes))]
        before = root.x
        self._shown, self._tips = [], []
        stack = [root]
        while stack:
            node = stack.pop()
            self._shown.append(node)
            if node.is_tip:
                node.slot = float(len(self._tips))
                self._tips.append(node)
            else:
                stack += reversed(node.children)
        self._shown.sort(key=attrgetter("number"))
        self._center()
        shift = round(before - root.x)
        for tip in self._tips:
            tip.slot += shift

    def _center(self) -> None:
        """Set x: a tip on its slot, any other node amid its children."""
        for node in reversed(self._shown):
            if node.is_tip:
                node.x = node.slot
            else:
                node.x = (node.children[0].x + node.children[-1].x) / 2

    # --- Folding ----------------------------------------------------------------------------

    def _fold_surplus(self) -> None:
        if len(self._shown) <= self.most_shown:
            return
        marked = {number for number in self.kept if number in self.nodes}
        kept = {up.number for number in marked for up in self.nodes[number].ancestors()}
        if self.found_at is not None:
            path = self.nodes[self.found_at].ancestors()
            kept |= {up.number for up in path if up.number != self.found_at}
        surplus = len(self._shown) - int(0.8 * self.most_shown)
        ready = [_weight(node) for node in self._shown if _is_twig(node)]
        heapify(ready)
        while surplus > 0 and ready:
            node = self.nodes[heappop(ready)[-1]]
            if node.number in kept:
                continue
            node.folded = True
            surplus -= len(node.children)
            if node.parent is not None and _is_twig(node.parent):
                heappush(ready, _weight(node.parent))
        self._lay_out()

    # --- The frame --------------------------------------------------------------------------

    def frame(self, nodes: Nodes, axis: Axis = "bound", names: Sequence[str] = ()) -> TreeFrame:
        """Return the nodes and edges to draw.

        `nodes`: The tree of the run that the records are of, folded up to the same record. `names`:
        Of the points, if they have any.
        """
        self._center()
        shown = self._shown
        parents = [node.parent or node for node in shown]
        facts = [nodes[node.number] for node in shown]
        lower_bound = column(facts, "lower_bound", float)
        depth = column(facts, "depth", np.int64)
        row = {node.number: at for at, node in enumerate(shown)}
        parent_row = np.array([row[parent.number] for parent in parents], dtype=np.int64)
        states = column(facts, "state", object)
        states[column(shown, "number", object) == self.found_at] = "incumbent"
        if axis == "depth":
            y = depth.astype(float)
        elif len(facts) == 1 and facts[0].state == "open" and not facts[0].lower_bound > 0.0:
            y = np.full(1, np.nan)  # a root opens at 0, which is no bound of the solver's
        else:
            unbounded = (states == "open") & (lower_bound == lower_bound[parent_row]) & (depth > 0)
            y = self._heights(lower_bound, unbounded)
        x = column(shown, "x", float)
        folded = np.array([node.folded for node in shown], dtype=bool)
        return TreeFrame(
            node=column(shown, "number", np.int64),
            parent=np.array([n.parent.number if n.parent else -1 for n in shown], dtype=np.int64),
            x=x,
            y=y,
            parent_x=x[parent_row],
            parent_y=y[parent_row],
            lower_bound=lower_bound,
            depth=depth,
            state=states,
            decision=np.array([decision_words(each, names) for each in facts], dtype=object),
            detail=column(facts, "detail", object),
            branch=np.array([branch_label(each, names) for each in facts], dtype=object),
            hidden=np.where(folded, column(shown, "size", np.int64) - 1, 0),
            hidden_open=np.where(folded, column(shown, "open", np.int64), 0),
            reopened=column(facts, "is_reopened", bool),
            upper_bound=self.upper_bound,
            total=len(self.nodes),
            axis=axis,
        )

    def _heights(self, lower_bound: np.ndarray, unbounded: np.ndarray) -> np.ndarray:
        known = lower_bound[np.isfinite(lower_bound)]
        if not len(known):
            return np.zeros(len(lower_bound))
        top = known.max()
        if math.isfinite(self.upper_bound):
            # What lies far above the incumbent is closed: how far does not matter.
            top = self.upper_bound + 0.08 * max(self.upper_bound - known.min(), 0.0)
        heights = np.clip(lower_bound, known.min(), top)
        below = _HANGS_BELOW * (top - known.min() or abs(top))
        return np.where(unbounded, np.minimum(heights + below, (heights + top) / 2), heights)


def _is_twig(node: TreeNode) -> bool:
    """Whether a node is shown with nothing but tips beneath it."""
    return not node.is_tip and all(child.is_tip for child in node.children)


def _weight(node: TreeNode) -> tuple[bool, int, int]:
    """Return the order of folding: finished, then small, then old subtrees."""
    return node.open > 0, node.size, node.number
