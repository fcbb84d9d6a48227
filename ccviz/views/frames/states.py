"""What a node of the tree may be, in words: for a label, for a sentence, and in full."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.events import NodeOpened
from ccviz.runs.nodes import Node


@dataclass(frozen=True)
class StateWords:
    """Words for a state of a node.

    Attributes
    ----------
    label : str
        What it is.
    because : str
        Why it is closed, as the end of a sentence; empty while it is not.
    in_full : str
        A sentence with ``{bound}`` and ``{best}``, and with the points ``{i}`` and ``{j}`` of its
        branch.
    alone : str
        The sentence while there is no incumbent, if that is another one.
    place : str
        The sentence where the branch is about a place, if that is another one.
    """

    label: str
    because: str = ""
    in_full: str = ""
    alone: str = ""
    place: str = ""


STATES: dict[str, StateWords] = {
    "open": StateWords(
        "open",
        in_full="It is open: its bound {bound} is below the incumbent {best}.",
        alone="It is open: its bound {bound} is all that is known.",
    ),
    "branched": StateWords(
        "branched",
        in_full="It was split in two: its bound {bound} did not reach the incumbent, so points "
        "{i} and {j} are put together in one child and kept apart in the other.",
        place="It was split in two: its bound {bound} did not reach the incumbent, so one child "
        "has a centre near point {i} (as far as {j}), and the other has none there.",
    ),
    "bound": StateWords(
        "closed by its bound",
        "its bound is no better than the best clustering",
        "It was closed by its bound: every clustering under these decisions costs at least "
        "{bound}, so none is better than the incumbent ({best}) by more than the tolerance.",
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


def decision_words(node: Node | NodeOpened) -> str:
    """Return what the branch to a node decided, in words."""
    if node.pair is None:
        return DECISIONS["root"]
    i, j = node.pair
    return DECISIONS[_kind(node)].format(i=i, j=j)


def branch_label(node: Node) -> str:
    """Return the label of the branch to a node; empty at the root."""
    if node.pair is None:
        return ""
    i, j = node.pair
    return LABELS[_kind(node)].format(i=i, j=j)


def _kind(node: Node | NodeOpened) -> str:
    yes, no = ("taken", "empty") if node.place else ("together", "apart")
    return yes if node.together else no
