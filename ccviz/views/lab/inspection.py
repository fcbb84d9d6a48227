"""What a person looks at inside a run: the solver's own views, and one node of its tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import param

from ccviz.arrays import IntArray
from ccviz.events import Event, Record, RelaxationSolved, ResidualsUpdated
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.views.frames.exact import CutsLog, Log, RelaxationLog
from ccviz.views.frames.heuristic import DescentLog
from ccviz.views.frames.links import Lines
from ccviz.views.frames.node import Circles, NodeLog, decision_lines, place_circles
from ccviz.views.frames.scatter import Plane, guess
from ccviz.views.frames.tree import Tree, TreeFrame
from ccviz.views.lab.player import Player

# --- A view of a solver's work: its title, its events, and the panel that draws them --------------


@dataclass(frozen=True)
class View:
    """A view of a solver's inner life; `ccviz.views.inside` lists them."""

    name: str
    title: str
    events: frozenset[type[Event]]
    # Makes what shows it, from a session and an inspection; its ``refresh`` draws what is new.
    panel: Callable[[Any, Any], Any]
    # What its records are folded into; ``inspection.log(kind)`` is the one of a kind.
    logs: tuple[type[Log], ...] = ()


def views_of(kinds: Collection[type[Event]], views: Iterable[View]) -> tuple[View, ...]:
    """Return those views that a run has in which these kinds of events occur."""
    return tuple(view for view in views if not view.events.isdisjoint(kinds))


_HEAVY: frozenset[type[Event]] = frozenset({RelaxationSolved, ResidualsUpdated})
_JUMP = 400
_ALWAYS: tuple[type[Log], ...] = (NodeLog, CutsLog, RelaxationLog, DescentLog)
"""Text about a clicked node, shown beside the result in any view."""

AnyLog = TypeVar("AnyLog", bound=Log)


class Inspection(param.Parameterized):
    """The logs of all views, kept in step with a player's cursor."""

    node = param.Integer(default=None, allow_None=True)
    axis = param.Selector(default="bound", objects=["bound", "depth"])  # How high a node is drawn
    views = param.Parameter(default=())
    moved = param.Integer(default=0)  # Counts the times that there was something new to draw

    def __init__(self, archive: Archive, player: Player, catalogue: Iterable[View] = ()) -> None:
        super().__init__()
        self._archive, self._player = archive, player
        self._run_id = ""
        self.run: Run | None = None
        self._catalogue = tuple(catalogue)
        kinds = dict.fromkeys(_ALWAYS + tuple(k for v in self._catalogue for k in v.logs))
        self._kept: dict[type[Log], Any] = {kind: kind() for kind in kinds}
        self.tree: Tree | None = None
        self._begin(None)
        player.param.watch(self._follow, "shot")

    @property
    def _logs(self) -> list[Log]:
        return [*self._kept.values(), *([] if self.tree is None else [self.tree])]

    def log(self, kind: type[AnyLog]) -> AnyLog:
        """Return the log of a kind, fed with every record up to the cursor."""
        log: AnyLog = self._kept[kind]
        return log

    def _begin(self, problem: Problem | None) -> None:
        self.tree = None if problem is None else Tree(problem)
        self._clear()
        self.param.update(node=None, views=())

    def _clear(self) -> None:
        self._seq = -1
        self._kinds: set[type[Event]] = set()
        for log in self._logs:
            log.clear()

    def _follow(self, _: Any) -> None:
        shot = self._player.shot
        self.run = shot.run if shot else None
        if self._player.run_id != self._run_id or shot is None:
            self._run_id = self._player.run_id
            self._begin(self.run.problem if self.run else None)
        if shot is not None:
            if shot.seq < self._seq:
                self._clear()
            # What the player has just read need not be read again.
            records = shot.fresh if shot.since == self._seq else self._records(shot.seq)
            self._kinds |= {type(record.event) for record in records}
            for log in self._logs:
                log.feed(records)
            self._seq = shot.seq
        if self.node is not None and (self.run is None or self.node not in self.run.tree):
            self.node = None
        self.param.update(views=views_of(self._kinds, self._catalogue), moved=self.moved + 1)

    def _records(self, upto: int) -> list[Record]:
        """Return the new events; after a jump only the newest of the large ones."""
        light = {kind.__name__ for log in self._logs for kind in log.events - _HEAVY}
        heavy = {kind.__name__ for kind in _HEAVY}
        late = max(self._seq, upto - _JUMP)
        if late == self._seq:
            return self._archive.records(self._run_id, self._seq, upto, light | heavy)
        old = self._archive.records(self._run_id, self._seq, late, light)
        return old + self._archive.records(self._run_id, late, upto, light | heavy)

    def tree_frame(self, names: Sequence[str] = ()) -> TreeFrame | None:
        """Return the tree to draw: its layout, and the nodes of the run up to the cursor.

        `names`: Of the points, if they have any.
        """
        if self.tree is None or self.run is None:
            return None
        return self.tree.frame(self.run.tree, self.axis, names)

    def select(self, node: int | None) -> None:
        """Look at a node; a folded one is unfolded, and the same one again let go."""
        if node is not None and self.tree is not None:
            self.tree.reveal(node)
            if self.tree.nodes[node].folded:
                self.tree.toggle(node)
        self.node = None if node == self.node else node


def node_decisions(
    at: Inspection | None, where: Plane
) -> tuple[Lines | None, Lines | None, Circles | None, Circles | None]:
    """Return what the chosen node's path decided, as it is drawn.

    Returns: Lines between points that were put together, and kept apart; places with a centre, and
    without one.
    """
    if at is None or at.node is None or at.run is None:
        return None, None, None, None
    facts = at.log(NodeLog).frame(at.run, at.node)
    return (
        decision_lines(facts.must_link, where, "together"),
        decision_lines(facts.cannot_link, where, "apart"),
        place_circles(facts.taken, where),
        place_circles(facts.empty, where),
    )


def node_labels(at: Inspection | None) -> IntArray | None:
    """Return the clustering that the chosen node's relaxation leans to, None without one."""
    if at is None or at.node is None or at.run is None:
        return None
    relaxation = at.log(RelaxationLog).newest(at.node)
    return None if relaxation is None else guess(at.run.problem, relaxation)
