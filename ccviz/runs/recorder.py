"""Writing a run into the archive while it goes on, without holding it up."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ccviz.errors import ArchiveError, UnsupportedError
from ccviz.events import Assigned, CentersMoved, Event, Record, RelaxationSolved, ResidualsUpdated
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import stored_run
from ccviz.runs.info import Summary, summarise
from ccviz.runs.run import Run
from ccviz.runs.stepper import Stepper, start
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver

_BATCH_S = 0.05
_BEAT_S = 5.0
_MOST_PENDING = 2000
_KEEP_RECORDS = 20_000
_KEEP_BYTES = 1 << 28
_PICTURES: frozenset[type[Event]] = frozenset(
    {Assigned, CentersMoved, ResidualsUpdated, RelaxationSolved}
)
"""Events that show a passing state: of many in one batch the newest can represent all."""


class Recorder:
    """Takes a run's records and stores them in batches, from a thread of its own.

    A batch is committed every 50 ms, so that a reader sees a record soon and a killed process
    loses no more than the last batch. A run is stored in full up to 20,000 records or 256 MiB of
    arrays; from then on the newest assignment of a batch replaces the older ones. Events of the
    tree, incumbents and bounds are never dropped. `put` waits when the disk cannot keep pace.

    Use it as a context manager: leaving it writes what is left, also when an error passes.

    `run`: The state that the records were folded into, for the summary in the list of runs.
    """

    def __init__(self, archive: Archive, run_id: str, run: Run) -> None:
        self._archive, self._run_id, self._run = archive, run_id, run
        self._pending: dict[int, Record] = {}
        self._newest: dict[type[Event], int] = {}
        self._summary: Summary | None = None
        self._records = self._bytes = 0
        self._closed = threading.Event()
        self._finished = False
        self._broken: ArchiveError | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_batches, daemon=True)

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        with self._changed:
            self._closed.set()
            self._changed.notify_all()
        self._thread.join()
        if self._broken is not None and error is None:
            raise self._broken

    def put(self, record: Record) -> None:
        """Take a record that the run was just advanced by."""
        kind = type(record.event)
        with self._changed:
            if kind in _PICTURES and (self._records > _KEEP_RECORDS or self._bytes > _KEEP_BYTES):
                self._pending.pop(self._newest.get(kind, -1), None)
            self._changed.wait_for(lambda: len(self._pending) < _MOST_PENDING or self._broken)
            if self._broken is not None:
                raise self._broken
            self._pending[record.seq] = record
            self._newest[kind] = record.seq
            self._records += 1
            self._bytes += record.event.array_bytes
            self._summary = summarise(self._run)
            self._changed.notify_all()

    def _write_batches(self) -> None:
        try:
            while not self._write_batch():
                self._closed.wait(_BATCH_S)
        except ArchiveError as broken:
            self._break_off(broken)
        finally:
            # Whatever ended this thread, `put` must not wait for it.
            self._break_off(ArchiveError("the run could not be stored."))

    def _write_batch(self) -> bool:
        """Store what is pending, and return whether that was the last batch."""
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._closed.is_set(), _BEAT_S)
            batch, self._pending = list(self._pending.values()), {}
            summary, last = self._summary, self._closed.is_set()
            self._changed.notify_all()
        self._archive.append(self._run_id, batch, summary)
        self._finished = last
        return last

    def _break_off(self, broken: ArchiveError) -> None:
        with self._changed:
            if not self._finished and self._broken is None:
                self._broken = broken
            self._changed.notify_all()


# --- Opening a stored run as a stepper, and resuming it -------------------------------------------


def open_run(
    archive: Archive,
    run_id: str,
    resume: bool = False,
    workers: int | str = 1,
    earlier: str = "",
    labels: Sequence[int] = (),
) -> Stepper:
    """Return a stepper for a stored run; a resumed one continues after its records.

    The caller chooses the workers. The stored ones are ignored: a run may come from another
    machine, and an address in it would be contacted. A new run may start from an ``earlier`` one,
    or from ``labels``.
    """
    info = archive.info(run_id)
    problem = archive.problem(run_id)
    return start(
        problem,
        make_solver(info.solver, **info.settings),
        seed=info.seed,
        workers=workers,
        history=archive.records(run_id) if resume else (),
        start=stored_run(archive, earlier) if earlier else labels or None,
        **info.limits.given,
    )


def reopen(archive: Archive, run_id: str, limits: Limits) -> None:
    """Reopen a finished run, so that `open_run` can resume it under new limits.

    `limits`: For the whole run, in place of the old ones. Raises `ArchiveError` if there is no such
    run, it is still running, or it has nothing left to do. Raises `UnsupportedError` if its solver
    cannot resume from its events.
    """
    info = archive.info(run_id)
    solver = make_solver(info.solver, **info.settings)
    if info.state == "running":
        raise ArchiveError(f"the run {run_id} is still running.")
    if info.termination in {"proved", "converged"}:
        raise ArchiveError(f"the run {run_id} has finished; nothing is left to do.")
    if not solver.supports.resume:
        raise UnsupportedError(f"{solver.name} cannot resume a run; start a new one.")
    archive.reopen(run_id, limits)
