"""States of a run kept on the way, so that going back does not mean starting over."""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from dataclasses import replace

from ccviz.runs.nodes import Node
from ccviz.runs.run import Run

_SPACING = 200
_MOST = 32


class Checkpoints:
    """Copies of a run at growing record numbers, thinned out when there are many."""

    def __init__(self) -> None:
        self._spacing = _SPACING
        self._runs: list[Run] = []

    def keep(self, run: Run) -> None:
        """Keep a copy if the last one is far enough back."""
        # A copy costs as much as the tree has nodes: the more there are, the rarer it is.
        spacing = max(self._spacing, len(run.tree))
        if run.seq < (self._runs[-1].seq if self._runs else -1) + spacing:
            return
        self._runs.append(copy_run(run))
        if len(self._runs) > _MOST:
            del self._runs[::2]
            self._spacing *= 2

    def before(self, seq: int) -> Run | None:
        """Return a copy of the last state kept at a record or before it, None without one."""
        place = bisect_right(self._runs, seq, key=lambda run: run.seq)
        return copy_run(self._runs[place - 1]) if place else None


def copy_run(run: Run) -> Run:
    """Return a copy that can be advanced alone; arrays are shared, since they are read-only."""
    return replace(
        run,
        tree={number: _copy_node(node) for number, node in run.tree.items()},
        history=list(run.history),
        notes=list(run.notes),
    )


def _copy_node(node: Node) -> Node:
    twin = copy(node)
    twin.children = list(node.children)
    return twin
