"""Frames of the exact solvers: columns, cuts, parts, residuals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.bounds import relative_gap
from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    Event,
    PartBounded,
    PartsCut,
    Record,
    RelaxationSolved,
    ResidualsUpdated,
)
from ccviz.numbers import count

# --- What folds records into something to draw; each view of a solver has one ---------------------


class Log:
    """Takes a run's records in order, at a cost that does not grow with the run."""

    events: ClassVar[frozenset[type[Event]]]  # Those it takes; others may be left out

    def __init__(self) -> None:
        self.clear()

    @classmethod
    def fed(cls, records: Iterable[Record]) -> Self:
        """Return a log that has taken these records."""
        log = cls()
        log.feed(records)
        return log

    def clear(self) -> None:
        """Forget every record."""
        self._begin()

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            if type(record.event) in self.events:
                self._take(record.event, record.time_s)

    def _begin(self) -> None:
        """Set everything as it is before the first record."""
        raise NotImplementedError

    def _take(self, event: Any, time_s: float) -> None:
        """Take an event of one of these kinds."""
        raise NotImplementedError


def column(rows: Iterable[Any], name: str, kind: Any = np.float64) -> np.ndarray:
    """Return an attribute of each row as an array."""
    return np.array([getattr(row, name) for row in rows], dtype=kind)


def thinned(length: int, most: int) -> np.ndarray:
    """Return the indices of a limited number of rows, evenly spread, including the last."""
    if length <= most:
        return np.arange(length)
    return np.unique(np.linspace(0, length - 1, most).astype(np.int64))


# --------------------------------------------------------------------------------------------------
# The relaxation's matrix as a picture: grey at first, black blocks once it is a clustering.


_MOST_BYTES = 32 << 20
_MOST_PIXELS = 400


@dataclass(frozen=True, eq=False)
class Matrix:
    """Likeness of blocks, ordered so that clusters lie along the diagonal."""

    node: int
    # (m, m): 255 · Z_ij / √(Z_ii Z_jj): 255 where two blocks surely share a cluster, 0 where they
    # surely do not. Averaged down where there are more than 400 blocks.
    image: np.ndarray
    order: IntArray  # (s,): The blocks along the axes
    edges: FloatArray  # (c,): Where a cluster of the incumbent ends, in blocks
    settled: float  # How near the entries are to 0 or 1 on average: 1 for a clustering


class RelaxationLog(Log):
    """The newest matrix of each node, as many as 32 MiB hold, and of the root in any case."""

    events = frozenset({RelaxationSolved})

    def _begin(self) -> None:
        self._of: dict[int, RelaxationSolved] = {}
        self._bytes = 0

    def _take(self, event: RelaxationSolved, _: float) -> None:
        self._drop(event.node)
        self._of[event.node] = event
        self._bytes += event.Z.nbytes
        for node in list(self._of):
            if self._bytes > _MOST_BYTES and node not in (0, event.node):
                self._drop(node)

    def _drop(self, node: int) -> None:
        if node in self._of:
            self._bytes -= self._of.pop(node).Z.nbytes

    def newest(self, node: int | None = None) -> RelaxationSolved | None:
        """Return the newest matrix of a node, or of all nodes; None if there is none."""
        if node is not None:
            return self._of.get(node)
        return next(reversed(self._of.values()), None)

    def frame(self, labels: IntArray | None, node: int | None = None) -> Matrix | None:
        """Return the picture of a node's matrix, or of the newest."""
        event = self.newest(node)
        return None if event is None else matrix(event, labels)


def matrix(event: RelaxationSolved, labels: IntArray | None = None) -> Matrix:
    """Return the picture of a relaxation.

    `labels` (n,): The incumbent, by which the blocks are ordered.
    """
    share = likeness(event.Z)
    cluster = np.zeros(len(share), dtype=np.int64)
    if labels is not None:
        # A node below the incumbent's may join points that the incumbent keeps apart.
        cluster[event.block_of] = labels
    own = (share * (cluster[:, None] == cluster)).sum(axis=1)
    order = np.lexsort((-own, cluster))
    ordered = share[np.ix_(order, order)]
    return Matrix(
        node=event.node,
        image=np.round(255 * _shrunk(ordered)).astype(np.uint8),
        order=order,
        edges=(np.flatnonzero(np.diff(cluster[order])) + 1).astype(np.float64),
        settled=float(1.0 - 4.0 * (share * (1.0 - share)).mean()),
    )


def likeness(Z: FloatArray) -> FloatArray:
    """Return how surely each two blocks share a cluster: 1 surely, 0 surely not."""
    root = np.sqrt(np.maximum(np.diagonal(Z), 1e-12))
    return np.clip(Z / np.outer(root, root), 0.0, 1.0)


def _shrunk(ordered: FloatArray) -> FloatArray:
    s = len(ordered)
    if s <= _MOST_PIXELS:
        return ordered
    cuts = np.linspace(0, s, _MOST_PIXELS + 1).astype(np.int64)[:-1]
    width = np.diff([*cuts, s])
    total = np.add.reduceat(np.add.reduceat(ordered, cuts, axis=0), cuts, axis=1)
    return total / np.outer(width, width)


# --- Column generation round by round: the master, its bound, the columns, the prices -------------


_MOST_PRICINGS = 600


@dataclass(frozen=True, eq=False)
class Columns:
    """Rounds of pricing, one a row; the newest 600."""

    at: FloatArray  # (m,): Place along the axis: 1, 2, ..
    node: IntArray  # node, columns, pool, (m,): Columns added, columns in all
    columns: IntArray
    pool: IntArray
    # (m,): The best one, as an amount above 0; NaN where no column was missing.
    reduced_cost: FloatArray
    exact: np.ndarray
    master: FloatArray
    lower_bound: FloatArray


@dataclass(frozen=True, eq=False)
class Duals:
    """The prices of blocks, the dearest first."""

    block: IntArray
    price: FloatArray


class ColumnsLog(Log):
    """The pricing rounds of a run."""

    events = frozenset({ColumnsPriced})

    def _begin(self) -> None:
        self._rounds: list[ColumnsPriced] = []

    def _take(self, event: ColumnsPriced, _: float) -> None:
        self._rounds.append(event)

    def frame(self) -> Columns:
        """Return the rounds."""
        shown = self._rounds[-_MOST_PRICINGS:]
        first = len(self._rounds) - len(shown) + 1
        reduced = column(shown, "best_reduced_cost")
        master, bound = column(shown, "master_objective"), column(shown, "lower_bound")
        return Columns(
            at=np.arange(first, first + len(shown), dtype=np.float64),
            node=column(shown, "node", np.int64),
            columns=column(shown, "columns", np.int64),
            pool=column(shown, "pool", np.int64),
            reduced_cost=np.where(reduced < 0, -reduced, np.nan),
            exact=column(shown, "exact", np.bool_),
            master=np.where(np.isfinite(master), master, np.nan),
            lower_bound=np.where(np.isfinite(bound), bound, np.nan),
        )

    def duals(self) -> Duals:
        """Return the newest prices."""
        if not self._rounds:
            return Duals(np.zeros(0, dtype=np.int64), np.zeros(0))
        duals = self._rounds[-1].duals
        block = np.argsort(-duals, kind="stable")
        return Duals(block, duals[block])


# --- Violated inequalities by round: what separation found, and how many cuts are active ----------


KINDS = ("pair", "triangle", "clique", "rows")
_MOST_ROUNDS = 400


@dataclass(frozen=True, eq=False)
class Cuts:
    """Rounds of separation, one a row."""

    at: np.ndarray  # (m,): Place along the axis: 1, 2, ..
    node: np.ndarray
    round: np.ndarray
    pair: np.ndarray  # pair, triangle, clique, rows, (m,): Violated inequalities of each kind
    triangle: np.ndarray
    clique: np.ndarray
    rows: np.ndarray
    dropped: np.ndarray
    active: np.ndarray
    lower_bound: np.ndarray

    @property
    def totals(self) -> dict[str, int]:
        """Cuts of each kind in all rounds together."""
        return {kind: int(getattr(self, kind).sum()) for kind in KINDS}


class CutsLog(Log):
    """The rounds of a run, by node."""

    events = frozenset({CutsAdded})

    def _begin(self) -> None:
        self._all: list[CutsAdded] = []
        self._of: dict[int, list[CutsAdded]] = {}

    def _take(self, event: CutsAdded, _: float) -> None:
        self._all.append(event)
        self._of.setdefault(event.node, []).append(event)

    def frame(self, node: int | None = None) -> Cuts:
        """Return the rounds of a node, or the newest rounds of all nodes."""
        rounds = self._all if node is None else self._of.get(node, [])
        shown = rounds[-_MOST_ROUNDS:]
        first = len(rounds) - len(shown) + 1
        counts = {
            name: column(shown, name, np.int64)
            for name in ("node", "round", *KINDS, "dropped", "active")
        }
        return Cuts(
            at=np.arange(first, first + len(shown), dtype=np.float64),
            lower_bound=column(shown, "lower_bound"),
            **counts,
        )


# --- The parts of a divided problem as a mosaic: a tile a part, by its gap ------------------------


LEAST_GAP = 1e-6
"""Smaller gaps look the same."""


@dataclass(frozen=True, eq=False)
class Mosaic:
    """The parts of the newest cut, row by row in a square."""

    # (r, c): Relative gap of each part, at least ``LEAST_GAP``; NaN where it has no bound yet, or
    # where there is no part.
    gap: FloatArray
    parts: int
    done: int
    cuts: int
    shared: int
    # Seconds until every part has a bound, at the pace so far; NaN while nothing is known.
    to_go_s: float


class PartsLog(Log):
    """The parts of a run."""

    events = frozenset({PartsCut, PartBounded})

    def _begin(self) -> None:
        self._gap: FloatArray = np.empty(0)
        self._cuts = self._shared = 0
        self._since_s = self._now_s = 0.0

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records, of which any says how late it is."""
        for record in records:
            self._now_s = record.time_s
            super().feed([record])

    def _take(self, event: PartsCut | PartBounded, time_s: float) -> None:
        if isinstance(event, PartsCut):
            self._gap = np.full(event.parts, np.nan)
            self._cuts += 1
            self._shared = int((event.part_of < 0).sum())
            self._since_s = time_s
        elif event.part < len(self._gap):
            gap = relative_gap(event.upper_bound, event.lower_bound)
            merged = [part for part in event.merged if part < len(self._gap)]
            self._gap[[event.part, *merged]] = max(gap, LEAST_GAP)

    def frame(self) -> Mosaic | None:
        """Return the mosaic, None if the points were not cut."""
        parts = len(self._gap)
        if parts == 0:
            return None
        done = int((~np.isnan(self._gap)).sum())
        columns = math.ceil(math.sqrt(parts))
        tiles = np.full(math.ceil(parts / columns) * columns, np.nan)
        tiles[:parts] = self._gap
        pace = (self._now_s - self._since_s) / done if done else math.nan
        return Mosaic(
            gap=tiles.reshape(-1, columns),
            parts=parts,
            done=done,
            cuts=self._cuts,
            shared=self._shared,
            to_go_s=pace * (parts - done),
        )


def caption(frame: Mosaic) -> str:
    """Return in words how far the parts are."""
    words = f"{frame.done:,} of {count(frame.parts, 'part')} bounded"
    if frame.shared:
        words += f", {count(frame.shared, 'point')} in all of them"
    if frame.cuts > 1:
        words += f", cut {frame.cuts} times"
    if frame.to_go_s >= 1.0:
        words += f", about {frame.to_go_s:.0f} s to go"
    return words


# --- A splitting method at work: its residuals, and the relaxed assignment turning binary ---------


_MOST_RESIDUALS = 800


@dataclass(frozen=True, eq=False)
class Residuals:
    """Iterations, one a row; at most 800, evenly spread."""

    iteration: FloatArray  # (m,): Counted over all restarts and inner rounds of the run
    # primal, dual, (m,): Residuals; NaN where 0, which no logarithmic axis can show.
    primal: FloatArray
    dual: FloatArray
    # rho, fractional, (m,): Penalty parameter; mean distance of the entries to 0 or 1.
    rho: FloatArray
    fractional: FloatArray
    violations: np.ndarray  # (m,): Links that the rounding breaks


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The newest relaxed assignment as a picture."""

    # (r, k): 255 where a block surely belongs to a cluster. Blocks are ordered by their cluster,
    # undecided ones last; averaged down where there are more than 400.
    image: np.ndarray
    blocks: int


class ResidualsLog(Log):
    """The iterations of a run."""

    events = frozenset({ResidualsUpdated})

    def _begin(self) -> None:
        self._rows: list[ResidualsUpdated] = []
        self._x: FloatArray | None = None

    def _take(self, event: ResidualsUpdated, _: float) -> None:
        self._rows.append(event)
        self._x = self._x if event.x is None else event.x

    def frame(self) -> Residuals:
        """Return the iterations."""
        kept = thinned(len(self._rows), _MOST_RESIDUALS)
        rows = [self._rows[at] for at in kept]
        return Residuals(
            iteration=kept.astype(np.float64),
            primal=_positive(column(rows, "primal_residual")),
            dual=_positive(column(rows, "dual_residual")),
            rho=_positive(column(rows, "rho")),
            fractional=column(rows, "fractional"),
            violations=column(rows, "violations", np.int64),
        )

    def relaxed(self) -> Relaxed | None:
        """Return the newest relaxed assignment, None if none was shown."""
        if self._x is None:
            return None
        x = np.clip(self._x, 0.0, 1.0)
        rows = x[np.lexsort((-x.max(axis=1), x.argmax(axis=1)))]
        if len(rows) > _MOST_PIXELS:
            cuts = np.linspace(0, len(rows), _MOST_PIXELS + 1).astype(np.int64)[:-1]
            rows = np.add.reduceat(rows, cuts, axis=0) / np.diff([*cuts, len(rows)])[:, None]
        return Relaxed(np.round(255 * rows).astype(np.uint8), len(x))


def _positive(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, np.nan)
