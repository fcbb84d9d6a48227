"""The nodes of a search tree, and how events change them: the one fold for runs and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ccviz.errors import ArchiveError
from ccviz.events import Event, NodeBounded, NodeBranched, NodeOpened, NodePruned, NodeReopened

NodeState = Literal["open", "branched", "bound", "infeasible", "integral"]


@dataclass
class Node:
    """What is known about a node of the search tree."""

    node: int
    parent: int | None
    depth: int
    lower_bound: float
    # (int, int): The two points that the branch is about; None at the root.
    pair: tuple[int, int] | None = None
    together: bool = False  # Whether it puts them together or keeps them apart
    # Whether it is about the disc around the first that reaches to the second instead; then
    # ``together`` says whether some cluster has its mean there or none has.
    place: bool = False
    state: NodeState = "open"
    detail: str = ""  # Why it was closed, in words
    branch_pair: tuple[int, int] | None = None  # (int, int): The pair that its children are about
    branch_place: bool = False  # Whether they are about the disc that the pair names
    children: list[int] = field(default_factory=list)
    is_reopened: bool = False  # Whether it was closed in an earlier run, and is open again


Nodes = dict[int, Node]


def _known(nodes: Nodes, number: int) -> Node:
    """Return a node of the tree; raises `ArchiveError` if the record that opened it is lost."""
    if number not in nodes:
        raise ArchiveError(f"node {number} was never opened: a record of the run is lost.")
    return nodes[number]


def _open(nodes: Nodes, event: NodeOpened) -> None:
    nodes[event.node] = Node(
        event.node,
        event.parent,
        event.depth,
        event.lower_bound,
        event.pair,
        event.together,
        event.place,
    )
    if event.parent is not None:
        _known(nodes, event.parent).children.append(event.node)


def _bound(nodes: Nodes, event: NodeBounded | NodeBranched | NodePruned) -> None:
    node = _known(nodes, event.node)
    node.lower_bound = max(node.lower_bound, event.lower_bound)


def _branch(nodes: Nodes, event: NodeBranched) -> None:
    _bound(nodes, event)
    node = _known(nodes, event.node)
    node.state, node.branch_pair, node.branch_place = "branched", event.pair, event.place


def _prune(nodes: Nodes, event: NodePruned) -> None:
    _bound(nodes, event)
    node = _known(nodes, event.node)
    node.state, node.detail = event.reason, event.detail


def _reopen(nodes: Nodes, event: NodeReopened) -> None:
    node = _known(nodes, event.node)
    node.is_reopened, node.lower_bound = True, max(node.lower_bound, event.lower_bound)


FOLD: dict[type[Event], Callable[[Nodes, Any], None]] = {
    NodeOpened: _open,
    NodeBounded: _bound,
    NodeBranched: _branch,
    NodePruned: _prune,
    NodeReopened: _reopen,
}
"""What an event of each kind does to the nodes."""
