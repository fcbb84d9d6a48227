"""Check an archive, repair what can be repaired, and name what cannot.

Runs whose driver is gone are closed, so that they can go on or be deleted. Where the file itself
is damaged, all that can still be read goes into a new file, and the damaged one stays beside it.
"""

from __future__ import annotations

import math
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

import ccviz.events as events
from ccviz.errors import ArchiveError, CcvizError
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.database import STUDIES
from ccviz.runs.info import summarise
from ccviz.runs.run import Run

# --- Whether records from a file are ones that a run of the problem could have --------------------
#
# An event that is decoded has the right types, and nothing more: its labels may name clusters that
# do not exist, its arrays may have any shape, and records may be shuffled. The page, the exports
# and `Run` rely on all of this, so everything that comes from outside is checked here first: run
# files, the runs of a project, and an archive that is looked through.


class Validator:
    """Checks the records of one run in turn."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._seq, self._started, self._finished = -1, False, False
        self._events = _Events(problem)

    def check(self, record: events.Record) -> None:
        """Check the next record.

        Raises `ArchiveError` if it is out of order, or its event does not fit the problem or the
        events before it.
        """
        self._check_order(record)
        try:
            self._events.check(record.event)
        except _MisfitError as wrong:
            kind = type(record.event).__name__
            raise ArchiveError(f"record {record.seq} ({kind}) has {wrong}.") from None
        self._seq = record.seq
        self._started = True
        self._finished = isinstance(record.event, events.Finished)

    def _check_order(self, record: events.Record) -> None:
        seq, event = record.seq, record.event
        if seq <= self._seq:
            raise ArchiveError(
                f"its records are not in order: record {seq} follows record {self._seq}."
            )
        if self._finished:
            raise ArchiveError(f"its records are not in order: record {seq} follows the run's end.")
        # A worker may have ended before it began; then its only event is the last one.
        if not self._started and not isinstance(event, events.Started | events.Finished):
            raise ArchiveError(
                f"its records are not in order: record {seq} comes before the run's start."
            )
        if self._started and isinstance(event, events.Started):
            raise ArchiveError(f"its records are not in order: record {seq} is a second start.")
        if not 0 <= record.time_s < math.inf:
            raise ArchiveError(f"record {seq} has no time.")


class _MisfitError(Exception):
    """What is wrong with an event; reads on from "record 3 has"."""


class _Events:
    """Checks events by the problem, and by the nodes and parts that earlier events brought."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._parent: dict[int, int | None] = {}
        self._depth: dict[int, int] = {}
        self._parts = 0

    def check(self, event: events.Event) -> None:
        """Raise `_MisfitError` if an event does not fit."""
        handler = _CHECKS.get(type(event))
        if handler is not None:
            handler(self, event)

    def _start(self, event: events.Started) -> None:
        problem = self._problem
        _need((event.n, event.d, event.k) == (problem.n, problem.d, problem.k), "another problem")
        _need(1 <= event.n_blocks <= event.n, "a number of blocks that is not from 1 to n")
        _need(isinstance(event.settings.get("tolerance", 0.0), Real), "a tolerance of no number")

    def _assign(self, event: events.Assigned) -> None:
        _counts(event.iteration, event.moved)
        self._labels(event.labels, least=-1)

    def _move(self, event: events.CentersMoved) -> None:
        _counts(event.iteration)
        _numbers("centres", event.centers, (self._problem.k, self._problem.d))

    def _dead_end(self, event: events.DeadEnded) -> None:
        _counts(event.iteration)
        self._points([event.point])

    def _incumbent(self, event: events.IncumbentFound) -> None:
        self._labels(event.labels, least=0)
        known = event.objective is None or math.isfinite(event.objective)
        _need(known, "an objective that is not finite")

    def _labels(self, labels: np.ndarray, least: int) -> None:
        _whole("labels", labels, (self._problem.n,), least, self._problem.k - 1)

    def _points(self, points: Iterable[int]) -> None:
        n = self._problem.n
        _need(all(0 <= point < n for point in points), f"a point that is not from 0 to {n - 1}")

    def _pair(self, pair: tuple[int, int]) -> None:
        self._points(pair)
        _need(pair[0] != pair[1], "a pair of one point")

    def _open(self, event: events.NodeOpened) -> None:
        _bounds(event.lower_bound)
        node, parent = event.node, event.parent
        depth = 0
        if parent is not None:
            _need(parent in self._parent, f"a parent, node {parent}, that was never opened")
            depth = self._depth[parent] + 1
        _need(node >= 0, "a node with a negative number")
        # A node may be opened twice, as a run goes on; under another parent it could be its own.
        _need(self._parent.get(node, parent) == parent, f"node {node} under another parent")
        _need(event.depth == depth, f"a depth that is not {depth}")
        if event.pair is not None:
            self._pair(event.pair)
        self._parent[node], self._depth[node] = parent, depth

    def _node(self, event: events.NodeBounded | events.NodeBranched | events.NodePruned) -> None:
        _bounds(event.lower_bound)
        _need(event.node in self._parent, f"node {event.node}, which was never opened")

    def _branch(self, event: events.NodeBranched) -> None:
        self._node(event)
        self._pair(event.pair)

    def _cuts(self, event: events.CutsAdded) -> None:
        _bounds(event.lower_bound)
        _counts(
            event.node, event.round, event.pair, event.triangle, event.clique, event.dropped,
            event.active, event.wider, event.rows, event.separators,
        )  # fmt: skip
        self._points(event.separator)

    def _relaxation(self, event: events.RelaxationSolved) -> None:
        _counts(event.node)
        s = len(event.Z) if event.Z.ndim else 0
        _need(1 <= s <= self._problem.n, "a matrix that is not of blocks")
        _numbers("a matrix", event.Z, (s, s))
        _whole("blocks", event.block_of, (self._problem.n,), 0, s - 1)

    def _columns(self, event: events.ColumnsPriced) -> None:
        _counts(event.node, event.iteration, event.columns, event.pool)
        self._per_block("duals", event.duals)
        if event.center is not None:
            self._per_block("a centre of the duals", event.center)

    def _per_block(self, what: str, values: np.ndarray) -> None:
        _numbers(what, values, values.shape[:1])
        _need(len(values) <= self._problem.n, f"{what} for more blocks than points")

    def _residuals(self, event: events.ResidualsUpdated) -> None:
        _counts(event.iteration, event.violations)
        if event.x is not None:
            _numbers("an assignment", event.x, (self._problem.n, self._problem.k))

    def _generation(self, event: events.GenerationEnded) -> None:
        _counts(event.generation, event.local_searches, event.iterations)
        _numbers("objectives", event.objectives, event.objectives.shape[:1])
        members = len(event.objectives)
        _whole("members", event.replaced, event.replaced.shape[:1], -1, members - 1)

    def _cut(self, event: events.PartsCut) -> None:
        _counts(event.dropped)
        _need(1 <= event.parts <= self._problem.n, "a number of parts that is not from 1 to n")
        _whole("parts", event.part_of, (self._problem.n,), -1, event.parts - 1)
        self._parts = event.parts

    def _part(self, event: events.PartBounded) -> None:
        _counts(event.rounds)
        _bounds(event.lower_bound, event.upper_bound)
        _need(
            all(0 <= part < self._parts for part in event.group),
            f"a part that is not one of the {self._parts}",
        )

    def _kept(self, event: events.ProofKept) -> None:
        _counts(event.added)
        _bounds(event.lower_bound)
        n, k = self._problem.n, self._problem.k
        for links in (event.must_link, event.cannot_link):
            _whole("links", links, (len(links) if links.ndim else 0, 2), 0, n - 1)
        for sizes in (event.lower, event.upper):
            if sizes is not None:
                _whole("sizes", sizes, (k,), 0, n)
        earlier = _Events(self._problem)
        for each in event.events:
            try:
                earlier.check(each)
            except _MisfitError as wrong:
                kind = type(each).__name__
                raise _MisfitError(f"an earlier proof whose {kind} has {wrong}") from None

    def _tree(self, event: events.TreeKept) -> None:
        _counts(event.leaves, event.reopened, event.following)
        _bounds(event.lower_bound)
        for values in (event.times, event.nodes, event.upper, event.lower):
            _numbers("earlier bounds", values, event.times.shape[:1])
        _numbers("edits", event.edits, event.edits.shape[:1])

    def _reopen(self, event: events.NodeReopened | events.NodeLeft) -> None:
        _bounds(event.lower_bound)
        _need(event.node in self._parent, f"node {event.node}, which was never opened")
        if event.block_of.size:
            n = self._problem.n
            _whole("blocks", event.block_of, (n,), 0, n - 1)

    def _ask(self, event: events.QuestionAsked) -> None:
        _counts(event.number)
        self._pair(event.pair)

    def _answer(self, event: events.QuestionAnswered) -> None:
        _counts(event.implied)
        self._pair(event.pair)
        _need(0.0 <= event.confidence <= 1.0, "a confidence that is not from 0 to 1")


_CHECKS: dict[type[events.Event], Callable[[_Events, Any], None]] = {
    events.Started: _Events._start,
    events.Restarted: lambda _, event: _counts(event.restart),
    events.Assigned: _Events._assign,
    events.CentersMoved: _Events._move,
    events.DeadEnded: _Events._dead_end,
    events.IncumbentFound: _Events._incumbent,
    events.BoundImproved: lambda _, event: _bounds(event.lower_bound),
    events.InfeasibilityProved: lambda checks, event: checks._points(event.points),
    events.NodeOpened: _Events._open,
    events.NodeBounded: _Events._node,
    events.NodeBranched: _Events._branch,
    events.NodePruned: _Events._node,
    events.CutsAdded: _Events._cuts,
    events.RelaxationSolved: _Events._relaxation,
    events.ColumnsPriced: _Events._columns,
    events.ResidualsUpdated: _Events._residuals,
    events.GenerationEnded: _Events._generation,
    events.PartsCut: _Events._cut,
    events.PartBounded: _Events._part,
    events.ProofKept: _Events._kept,
    events.TreeKept: _Events._tree,
    events.NodeReopened: _Events._reopen,
    events.NodeLeft: _Events._reopen,
    events.QuestionAsked: _Events._ask,
    events.QuestionAnswered: _Events._answer,
}


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _MisfitError(otherwise)


def _counts(*values: int) -> None:
    _need(all(value >= 0 for value in values), "a negative count")


def _bounds(*values: float) -> None:
    _need(not any(map(math.isnan, values)), "a bound that is no number")


def _numbers(what: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    _need(array.dtype.kind == "f", f"{what} not made of numbers")
    _shape(what, array, shape)


def _whole(what: str, array: np.ndarray, shape: tuple[int, ...], least: int, most: int) -> None:
    _need(array.dtype.kind in "iu" or not array.size, f"{what} not made of whole numbers")
    _shape(what, array, shape)
    within = not array.size or (array.min() >= least and array.max() <= most)
    _need(within, f"{what} that are not from {least} to {most}")


def _shape(what: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    # A shape that is cut short, of an array without dimensions, fits none.
    fits = array.ndim >= 1 and array.shape == shape
    _need(fits, f"{what} of the shape {array.shape} in place of {shape}")


_TABLES = ("problems", "runs", "records")
_CLOSED = "The process that computed the run is gone."


def check_archive(path: Path) -> Iterator[str]:
    """Mend an archive; yield a sentence for each thing that was found.

    Raises `ArchiveError` if nothing in it can be read, or nothing can be written.
    """
    if not path.exists():
        return
    damage = _damage(path)
    if damage:
        yield f"the file is damaged: {damage}."
        yield from _rebuild(path)
    with Archive(path) as archive:
        for info in archive.runs():
            yield from _check_run(archive, info.id)


def _damage(path: Path) -> str:
    """Return SQLite's complaint about a file, empty if it is sound."""
    try:
        with closing(sqlite3.connect(path)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                return ""
            said = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if said != "ok":
                db.execute("REINDEX")  # often only an index is
                said = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.Error as broken:
        said = str(broken)
    return "" if said == "ok" else " ".join(said.split()).rstrip(".")


def _rebuild(path: Path) -> Iterator[str]:
    fresh = path.with_name(f"{path.name}.mended")
    try:
        with closing(sqlite3.connect(path)) as old:
            _lock(old, path)
            fresh.unlink(missing_ok=True)
            fresh.touch(mode=0o600)
            Archive(fresh).close()
            with closing(sqlite3.connect(fresh)) as new:
                yield from _copy_tables(old, new)
                runs = new.execute("SELECT count(*) FROM runs").fetchone()[0]
        fresh.chmod(stat.S_IMODE(path.stat().st_mode))
    except (sqlite3.Error, OSError) as broken:
        fresh.unlink(missing_ok=True)
        raise ArchiveError(f"{path} cannot be mended: {broken}; move it away.") from None
    kept = _free_name(path)
    path.rename(kept)
    for log in ("-wal", "-shm"):
        path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
    fresh.rename(path)
    yield f"what could be read, {runs} runs, is in a new file; the damaged one is {kept}."


def _lock(db: sqlite3.Connection, path: Path) -> None:
    """Keep others from opening a file; raises `ArchiveError` if one has it open already."""
    # It would go on writing to the damaged file, which by then has another name.
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as refused:
        if refused.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        raise ArchiveError(f"{path} is open in another process; end it first.") from None


def _free_name(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return kept


def _copy_tables(old: sqlite3.Connection, new: sqlite3.Connection) -> Iterator[str]:
    for create in STUDIES.values():
        new.execute(create)
    for table in (*_TABLES, *STUDIES):
        yield from _copy(old, new, table)
    new.commit()
    for table in ("records", *STUDIES):
        new.execute(f"DELETE FROM {table} WHERE run NOT IN (SELECT number FROM runs)")
    new.commit()
    new.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> Iterator[str]:
    """Copy the rows of a table that can be read, from both of its ends to where it is broken."""
    names = [row[1] for row in new.execute(f"PRAGMA table_info({table})")]
    there = {row[1] for row in old.execute(f"PRAGMA table_info({table})")}
    columns = ", ".join(name for name in names if name in there)
    if not columns and table in STUDIES:
        return  # none was ever stored
    places = ", ".join("?" * len(columns.split(", ")))
    put = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})"
    broken = ""
    for order in ("ASC", "DESC"):
        rows = old.execute(f"SELECT {columns} FROM {table} ORDER BY rowid {order}")
        try:
            for row in rows:
                new.execute(put, row)
        except sqlite3.DatabaseError as stopped:
            broken = str(stopped)
    if broken:
        yield f"some of the {table} are lost: {broken}."


def _check_run(archive: Archive, run_id: str) -> Iterator[str]:
    info = archive.info(run_id)
    named = info.name if info.name == run_id else f"{run_id} ({info.name})"
    try:
        run = _fold(archive, run_id)
    except (CcvizError, ValueError, LookupError) as broken:
        yield (
            f"the run {named} cannot be mended: {broken} "
            f"'ccviz runs --delete {run_id}' takes it away."
        )
        return
    if info.state == "lost" and run.finished is None:
        archive.finish(run_id, "failed", _CLOSED)
        yield f"the run {named} had lost its driver; it is closed with what it had found."
    elif run.finished is not None and info.termination is None and info.state != "running":
        archive.append(run_id, [], summarise(run))
        yield f"the run {named} had ended, and the list did not say so; now it does."


def _fold(archive: Archive, run_id: str) -> Run:
    run = Run(archive.problem(run_id))
    validator, seq = Validator(run.problem), -1
    while page := archive.records(run_id, after=seq, limit=1000):
        for record in page:
            validator.check(record)
            run.apply(record)
        seq = page[-1].seq
    return run
