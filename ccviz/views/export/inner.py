"""A solver's inner life, written ahead: its tree, cuts, columns, residuals, population, parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    Event,
    GenerationEnded,
    NodeOpened,
    PartBounded,
    PartsCut,
    Record,
    RelaxationSolved,
    ResidualsUpdated,
)
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.nodes import FOLD, Nodes
from ccviz.runs.run import Run
from ccviz.views.frames.exact import (
    KINDS,
    ColumnsLog,
    CutsLog,
    PartsLog,
    ResidualsLog,
    caption,
    matrix,
)
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.node import STATES
from ccviz.views.frames.tree import Tree

# --- The views of a solver's inner life, on exported pages and on the live one --------------------
#
# They are here without the panels of `ccviz.views.inside`: who writes a file needs none.


VIEWS: dict[str, tuple[str, frozenset[type[Event]]]] = {
    "tree": ("Tree", frozenset({NodeOpened})),
    "relaxation": ("Relaxation", frozenset({RelaxationSolved, CutsAdded})),
    "columns": ("Columns", frozenset({ColumnsPriced})),
    "residuals": ("Residuals", frozenset({ResidualsUpdated})),
    "population": ("Population", frozenset({GenerationEnded})),
    "parts": ("Parts", frozenset({PartsCut, PartBounded})),
}
"""Title of each, and the events of which one must occur."""


# --- Time series of a run, computed in advance: values with the moments of their change -----------
#
# At a moment the player shows the newest value up to it, so stepping back costs nothing. Large
# series are bounded: if one grows too long, every second entry is dropped and the newest is kept.


_MOST_BYTES = 3 << 20


class Timeline:
    """The values of one thing.

    `most_bytes`: How large all arrays together may be.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._at: list[int] = []
        self._values: list[Any] = []
        self._bytes = 0

    def put(self, at: int, value: Any) -> None:
        """Take a value that came at a moment, if it is another one than before."""
        if self._values and _same(self._values[-1], value):
            return
        if self._at and self._at[-1] == at:
            self._at.pop()
            self._bytes -= _size(self._values.pop())
        self._at.append(at)
        self._values.append(value)
        self._bytes += _size(value)
        while self._bytes > self._most_bytes and len(self._values) > 1:
            last = len(self._values) - 1
            kept = [*range(1, last, 2), last]
            self._at = [self._at[place] for place in kept]
            self._values = [self._values[place] for place in kept]
            self._bytes = sum(map(_size, self._values))

    def as_dict(self) -> dict[str, Any]:
        """Return moments and values."""
        return {"at": np.array(self._at, dtype=np.int64), "values": self._values}


def _size(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return 0


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) or isinstance(new, np.ndarray):
        return type(old) is type(new) and np.array_equal(old, new)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[name], new[name]) for name in old)
    return bool(old == new)


class Table:
    """Rows of numbers, each with the moment at which it came."""

    def __init__(self, columns: tuple[str, ...], most: int = 50_000) -> None:
        self._columns, self._most = columns, most
        self._rows: list[tuple[Any, ...]] = []

    def put(self, at: int, *values: Any) -> None:
        """Take a row."""
        self._rows.append((at, *values))
        if len(self._rows) > self._most:
            del self._rows[1:-1:2]

    def as_dict(self) -> dict[str, Any]:
        """Return the columns as arrays, the moments as ``at``."""
        names = ("moment", *self._columns)
        columns = list(zip(*self._rows, strict=True)) or [()] * len(names)
        return {name: np.array(values) for name, values in zip(names, columns, strict=True)}


_CHANGES = ("time", "row", "state", "bound", "i", "j", "place", "detail")
_CUTS = ("node", "round", *KINDS, "dropped", "active", "lower_bound")
_COLUMNS = ("node", "columns", "pool", "reduced_cost", "exact", "master", "lower_bound")
_RESIDUALS = ("iteration", "primal", "dual", "rho", "fractional", "violations")
_GENERATION = ("generation", "best", "mean", "diversity")
_MOST_ROUNDS = 5000
_ALL = 1 << 60
STATE_NAMES = tuple(STATES)
"""Of nodes, in the order of their numbers in the file."""


class Inner:
    """What the tabs *Inside the solver* show."""

    def __init__(self, problem: Problem) -> None:
        self._tree = Tree(problem, most_shown=_ALL)
        self._nodes: Nodes = {}  # of the run
        self._rows: dict[int, int] = {}
        self._opened: list[int] = []
        self._changes = Table(_CHANGES, most=_ALL)
        self._details: dict[str, int] = {"": 0}
        self._found, self._best = Timeline(), Timeline()
        self._tables = {
            "cuts": Table(_CUTS),
            "columns": Table(_COLUMNS, _MOST_ROUNDS),
            "residuals": Table(_RESIDUALS, _MOST_ROUNDS),
        }
        self._lines = {
            name: Timeline() for name in ("matrix", "relaxed", "duals", "generations", "mosaic")
        }
        self._population, self._parts = PopulationLog(), PartsLog()
        self._iterations = 0
        self._relaxation: RelaxationSolved | None = None
        self._ordered_by: Partition | None = None

    def take(self, at: int, record: Record, run: Run) -> None:
        """Take a record that was folded into the run."""
        event = record.event
        self._tree.feed([record])
        self._nodes = run.tree
        if isinstance(event, tuple(FOLD)):
            self._change(at, record)
        found = self._tree.found_at
        self._found.put(at, -1 if found is None else self._rows[found])
        self._best.put(at, run.objective if math.isfinite(run.objective) else None)
        self._take_matrix(at, record, run)
        match event:
            case CutsAdded():
                self._put_row("cuts", at, CutsLog.fed([record]).frame(), _CUTS)
            case ColumnsPriced():
                columns = ColumnsLog.fed([record])
                self._put_row("columns", at, columns.frame(), _COLUMNS)
                duals = columns.duals()
                value = {"block": duals.block, "price": duals.price.astype(np.float32)}
                self._lines["duals"].put(at, value)
            case ResidualsUpdated():
                log = ResidualsLog.fed([record])
                frame, relaxed = log.frame(), log.relaxed()
                frame.iteration[-1] = self._iterations  # counted over all restarts of the run
                self._iterations += 1
                self._put_row("residuals", at, frame, _RESIDUALS)
                if relaxed is not None:
                    drawn = {"image": relaxed.image, "blocks": relaxed.blocks}
                    self._lines["relaxed"].put(at, drawn)
            case GenerationEnded():
                self._population.feed([record])
                newest, own = self._population.newest(), len(event.objectives)
                value = {name: getattr(newest, name)[-1].item() for name in _GENERATION}
                value |= {"objectives": newest.objective[-own:], "fresh": newest.fresh[-own:]}
                self._lines["generations"].put(at, value)
            case PartsCut() | PartBounded():
                self._parts.feed([record])
                mosaic = self._parts.frame()
                if mosaic is not None:
                    self._lines["mosaic"].put(at, {"gap": mosaic.gap, "caption": caption(mosaic)})

    def _put_row(self, name: str, at: int, frame: Any, columns: tuple[str, ...]) -> None:
        self._tables[name].put(at, *(getattr(frame, column)[-1].item() for column in columns))

    def _change(self, at: int, record: Record) -> None:
        """Write down what a node has become."""
        event: Any = record.event
        node = self._nodes[event.node]
        row = self._rows.setdefault(node.node, len(self._rows))
        if row == len(self._opened):
            self._opened.append(at)
        # A root opens without a bound, and no node's bound is reported before the node opens.
        knows = not isinstance(event, NodeOpened) or node.parent is not None
        i, j = node.branch_pair or (-1, -1)
        detail = self._details.setdefault(node.detail, len(self._details))
        state = STATE_NAMES.index(node.state)
        time = record.time_s if knows else math.nan
        self._changes.put(at, time, row, state, node.lower_bound, i, j, node.branch_place, detail)

    def _take_matrix(self, at: int, record: Record, run: Run) -> None:
        event = record.event
        if isinstance(event, RelaxationSolved):
            self._relaxation = event
        elif self._relaxation is None or run.incumbent is self._ordered_by:
            return
        self._ordered_by = run.incumbent
        frame = matrix(self._relaxation, run.incumbent.labels if run.incumbent else None)
        value = {
            "node": frame.node, "image": frame.image, "edges": frame.edges,
            "settled": frame.settled, "blocks": len(frame.order),
        }  # fmt: skip
        self._lines["matrix"].put(at, value)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it."""
        tables = {name: table.as_dict() for name, table in self._tables.items()}
        lines = {name: line.as_dict() for name, line in self._lines.items()}
        return {"tree": self._tree_data(), **tables, **lines}

    def _tree_data(self) -> dict[str, Any] | None:
        nodes = list(self._nodes.values())
        if not nodes:
            return None
        pairs = np.array([node.pair or (-1, -1) for node in nodes], dtype=np.int64)
        parents = [-1 if node.parent is None else self._rows[node.parent] for node in nodes]
        return {
            "node": np.array([node.node for node in nodes]),
            "parent": np.array(parents),
            "opened": np.array(self._opened),
            "depth": np.array([node.depth for node in nodes]),
            "pair": pairs,
            "together": np.array([node.together for node in nodes]),
            "place": np.array([node.place for node in nodes]),
            "x": self._tree.frame(self._nodes, "depth").x,
            "changes": self._changes.as_dict(),
            "details": list(self._details),
            "found": self._found.as_dict(),
            "best": self._best.as_dict(),
        }
