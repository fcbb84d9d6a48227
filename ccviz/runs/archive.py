"""The archive: all runs and their events in one SQLite file, readable during writing.

The archive is also the live channel. A worker appends its records in batches; the app, the
command line and notebooks read what follows the last record they have seen. A live run and an old
one are therefore read in the same way, and a killed worker leaves everything up to its last batch.

    archive = Archive()
    for info in archive.runs(): ...
    run = archive.load(info.id)                # the state after the last record
    run = archive.load(info.id, upto=120)      # ... after record 120: Back and scrubbing
    for record in archive.records(info.id, after=run.seq): run.apply(record)

Each access to a run passes the archive's `Policy`: reads in `_visible`, writes in `_owned`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import Finished, Record, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.codec import decode_event, decode_problem, encode_event, encode_problem
from ccviz.runs.database import STUDIES, Database, Study, default_path
from ccviz.runs.info import UNRESTRICTED, Policy, RunInfo, Summary, alive, summarise
from ccviz.runs.run import FOLDED, REPLACED, Run
from ccviz.runs.stop import NO_LIMITS, Limits

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters that look like others
_RUNS = "SELECT runs.*, (SELECT max(seq) FROM records WHERE run = number) AS last_seq FROM runs"


class Archive:
    """A file of runs. Safe to use from several threads and several processes at once.

    Parameters
    ----------
    path : path, optional
        `default_path` if not given; the file and its folder are made if absent.

    Raises
    ------
    ArchiveError
        If the file cannot be opened, is no archive, or was written by a newer ccviz. Each method
        also raises it for a run that does not exist and for a file that cannot be read or written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._file = Database(Path(path) if path is not None else default_path())
        self.path = self._file.path
        self._policy: Policy = UNRESTRICTED
        self._library: Archive | None = None
        # A problem still in use is not read again: a million points take a second.
        self._problems: WeakValueDictionary[str, Problem] = WeakValueDictionary()

    def under(self, policy: Policy, library: Archive | None = None) -> Archive:
        """Return this open archive under a policy; closing either closes both.

        Parameters
        ----------
        library : Archive, optional
            An archive whose runs can be read as well; they are in no list.
        """
        restricted = copy.copy(self)
        restricted._policy, restricted._library = policy, library
        return restricted

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Writing ----------------------------------------------------------------------------

    def create(
        self,
        problem: Problem,
        solver: str,
        settings: dict[str, Any],
        *,
        seed: int = 0,
        workers: str = "1",
        limits: Limits = NO_LIMITS,
        dataset: str = "",
        name: str = "",
        owner: str = "",
        scaling: str = "",
    ) -> str:
        """Create a run without records and return its id.

        Parameters
        ----------
        problem, solver, settings, seed, workers
            The solver and its parameters by name.
        dataset, name : str
            For people; the name is the id by default.
        owner : str
            Identifier of the owner where several people share the archive.
        scaling : str
            How the features were scaled before; empty if unknown.
        """
        limits = self._policy.limits_of_new(self, problem, limits)
        data = encode_problem(problem)
        digest = hashlib.sha256(data).hexdigest()
        self._problems[digest] = problem
        now = time.time()
        with self._file.writing() as db:
            db.execute("INSERT OR IGNORE INTO problems VALUES (?, ?)", (digest, data))
            run_id = _free_id(db, solver)
            row = {
                "id": run_id,
                "name": _storable(name) or run_id,
                "created": now,
                "dataset": _storable(dataset),
                "solver": solver,
                "settings": json.dumps(settings),
                "seed": seed,
                "limits": json.dumps(limits.given),
                "workers": workers,
                "problem": digest,
                "n": problem.n_points,
                "d": problem.d,
                "k": problem.n_clusters,
                "owner": self._policy.owner_of_new(owner),
                "scaling": scaling,
                "links": len(problem.must_link) + len(problem.cannot_link),
            }
            row |= alive()
            places = ", ".join(f":{column}" for column in row)
            db.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({places})", row)
        return run_id

    def append(self, run_id: str, records: Sequence[Record], summary: Summary | None) -> None:
        """Store a batch of records with a summary, and mark the run as alive.

        Raises
        ------
        ArchiveError
            If another process also writes to the run; nothing is stored then.
        """
        encoded = [
            (record.seq, record.time_s, type(record.event).__name__, encode_event(record.event))
            for record in records
        ]
        with self._file.writing() as db:
            number = self._owned(run_id)
            try:
                db.executemany(
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
                    [(number, *row) for row in encoded],
                )
            except sqlite3.IntegrityError:
                raise ArchiveError(f"another process also writes to the run {run_id}.") from None
            _update(db, number, alive() | (asdict(summary) if summary else {}))

    def finish(self, run_id: str, termination: Termination, message: str) -> None:
        """Append `Finished` to a run whose worker ended without it, and store its score.

        A finished run is left alone.
        """
        self._owned(run_id)
        run = self.load(run_id)
        if run.finished is None:
            last = Record(
                run.seq + 1, run.time_s, Finished(termination=termination, message=message)
            )
            run.apply(last)
            self.append(run_id, [last], summarise(run))
            self.score(run_id, run)

    def score(self, run_id: str, run: Run | None = None) -> float | None:
        """Compute and store a run's adjusted Rand index, if the classes are known and not forced.

        `run`: Its final state; folded from the records if not given.
        """
        incumbent = (run or self.load(run_id)).incumbent
        ari = incumbent.free_scores.get("ari") if incumbent else None
        self._set(run_id, {"ari": ari})
        return ari

    def reopen(self, run_id: str, limits: Limits | None = None) -> None:
        """Remove a run's `Finished` so that it can be resumed, under new limits if given.

        From then on this process counts as its driver.

        Raises
        ------
        ArchiveError
            If a process drives it already.
        """
        with self._file.writing() as db:
            number = self._owned(run_id)
            info = self.info(run_id)
            if info.state == "running":
                raise ArchiveError(f"the run {run_id} is still running.")
            limits = self._policy.limits_of_resumed(self, info, limits)
            db.execute("DELETE FROM records WHERE run = ? AND kind = 'Finished'", (number,))
            again: dict[str, Any] = {"termination": None, "message": ""} | alive()
            if limits is not None:
                again["limits"] = json.dumps(limits.given)
            _update(db, number, again)

    def keep_study(self, run_id: str, study: Study, data: bytes) -> None:
        """Store what a study found out about a run, in the place of what was stored before."""
        number = self._owned(run_id)
        with self._file.writing() as db:
            db.execute(STUDIES[study])  # archives of before have no such table
            db.execute(f"INSERT OR REPLACE INTO {study} VALUES (?, ?)", (number, data))

    def rename(self, run_id: str, name: str) -> None:
        """Rename a run; its id stays.

        Raises
        ------
        ArchiveError
            If the name is empty or there is no such run.
        """
        if not name.strip():
            raise ArchiveError("a run's name cannot be empty.")
        self._set(run_id, {"name": _storable(name.strip())})

    def share(self, run_id: str, shared: bool = True) -> None:
        """Show a run to all users of the archive, or to its owner alone again."""
        self._set(run_id, {"shared": shared})

    def delete(self, run_id: str) -> None:
        """Delete a run, its records, and its problem if no other run uses it."""
        with self._file.freeing() as db:
            db.execute("DELETE FROM runs WHERE number = ?", (self._owned(run_id),))
            db.execute("DELETE FROM problems WHERE hash NOT IN (SELECT problem FROM runs)")

    def check_owned(self, run_id: str) -> None:
        """Raise `ArchiveError` if the run cannot be changed by this person."""
        self._owned(run_id)

    def check_idle(self, run_id: str) -> None:
        """Check that no process drives a run, before it is deleted.

        Raises
        ------
        ArchiveError
            If a process does.
        """
        info = self.info(run_id)
        if info.state == "running":
            raise ArchiveError(
                f"run {info.name!r} is running in process {info.pid}: stop it before deleting it."
            )

    # --- Reading ----------------------------------------------------------------------------

    def runs(self) -> list[RunInfo]:
        """Return the summaries of all visible runs, the newest first."""
        rows = self._file.read(f"{_RUNS} ORDER BY number DESC")
        return [info for row in rows if self._policy.sees(info := RunInfo.from_row(dict(row)))]

    def info(self, run_id: str) -> RunInfo:
        """Return the summary of a run."""
        return RunInfo.from_row(dict(self.home_of(run_id)._visible(run_id)))

    def size_of(self, owner: str) -> tuple[int, int]:
        """Return the number of runs of an owner and the bytes of their records and problems."""
        rows = self._file.read(
            """WITH own AS (SELECT number, problem FROM runs WHERE owner = ?)
            SELECT count(*) AS runs, (
                SELECT coalesce(sum(length(data)), 0) FROM records
                WHERE run IN (SELECT number FROM own)
            ) + (
                SELECT coalesce(sum(length(data)), 0) FROM problems
                WHERE hash IN (SELECT problem FROM own)
            ) AS bytes FROM own""",
            (owner,),
        )
        return rows[0]["runs"], rows[0]["bytes"]

    def find(self, text: str) -> str:
        """Return the id of the run named by an id, a name, the end of an id, or ``last``.

        Raises
        ------
        ArchiveError
            If no run matches, or more than one.
        """
        known = self.runs()
        if text == "last" and known:
            return known[0].id
        matches = [
            [info.id for info in known if info.id == text],
            [info.id for info in known if info.name == text],
            [info.id for info in known if text and info.id.endswith(text)],
        ]
        found = next(filter(None, matches), [])
        if len(found) > 1:
            raise ArchiveError(f"{text!r} matches the runs {', '.join(found)}.")
        if not found:
            raise ArchiveError(f"there is no run {text!r} in {self._policy.name(self.path)}.")
        return found[0]

    def problem(self, run_id: str) -> Problem:
        """Return the problem of a run.

        Raises
        ------
        ArchiveError
            If it is lost.
        """
        if (home := self.home_of(run_id)) is not self:
            return home.problem(run_id)
        digest = self._visible(run_id)["problem"]
        known = self._problems.get(digest)
        if known is None:
            rows = self._file.read("SELECT data FROM problems WHERE hash = ?", (digest,))
            if not rows:
                raise ArchiveError(f"the problem of the run {run_id} is lost.")
            known = self._problems[digest] = decode_problem(rows[0]["data"])
        return known

    def records(
        self,
        run_id: str,
        after: int = -1,
        upto: int | None = None,
        kinds: Iterable[str] = (),
        limit: int = -1,
    ) -> list[Record]:
        """Return the records of a run in order; polling with ``after`` follows it live.

        Parameters
        ----------
        after : int
            Only records with a higher number.
        upto : int, optional
            Only records with this number or a lower one.
        kinds : names of events, optional
            Only these.
        limit : int
            Largest number of records, from the first on; -1 for all.
        """
        names = json.dumps(list(kinds))
        return self._records(
            "AND (:all OR kind IN (SELECT value FROM json_each(:names)))",
            run_id,
            {"after": after, "upto": upto, "names": names, "all": names == "[]", "limit": limit},
        )

    def study(self, run_id: str, study: Study) -> bytes | None:
        """Return what a study has stored of a run; None if there is nothing."""
        if (home := self.home_of(run_id)) is not self:
            return home.study(run_id, study)
        number = self._visible(run_id)["number"]
        if not self._file.read("SELECT 1 FROM sqlite_master WHERE name = ?", (study,)):
            return None
        rows = self._file.read(f"SELECT data FROM {study} WHERE run = ?", (number,))
        return bytes(rows[0]["data"]) if rows else None

    def load(self, run_id: str, upto: int | None = None, run: Run | None = None) -> Run:
        """Return a run's state after a record, by default the last.

        Only the records that determine the state are read: of assignments and centres only the
        newest, so a jump costs far less than reading all records.

        Parameters
        ----------
        upto : int, optional
            The record.
        run : Run, optional
            The state after an earlier record, which is advanced; only later records are read.
        """
        run = Run(self.problem(run_id)) if run is None else run
        kinds = json.dumps(sorted(FOLDED - REPLACED))
        values = {"after": run.seq, "upto": upto, "kinds": kinds, "limit": -1}
        needed = """AND (kind IN (SELECT value FROM json_each(:kinds)) OR seq IN (
            SELECT max(seq) FROM records
            WHERE run = (SELECT number FROM runs WHERE id = :id)
            AND seq > :after AND seq <= :upto GROUP BY kind))"""
        for record in self._records(needed, run_id, values):
            run.apply(record)
        return run

    def _records(self, also: str, run_id: str, values: dict[str, Any]) -> list[Record]:
        if (home := self.home_of(run_id)) is not self:
            return home._records(also, run_id, values)
        self._visible(run_id)
        upto = values.pop("upto")
        rows = self._file.read(
            f"""SELECT seq, time_s, data FROM records
            WHERE run = (SELECT number FROM runs WHERE id = :id)
            AND seq > :after AND seq <= :upto {also} ORDER BY seq LIMIT :limit""",
            values | {"id": run_id, "upto": (1 << 62) if upto is None else upto},
        )
        return [Record(row["seq"], row["time_s"], decode_event(row["data"])) for row in rows]

    def _set(self, run_id: str, columns: dict[str, Any]) -> None:
        with self._file.writing() as db:
            _update(db, self._owned(run_id), columns)

    # --- Access -----------------------------------------------------------------------------

    def home_of(self, run_id: str) -> Archive:
        """Return the archive that holds a run: this one, or its library."""
        library = self._library
        return library if library is not None and library._row(run_id) else self

    def is_in_library(self, run_id: str) -> bool:
        """Return whether a run belongs to the library, whose runs cannot be changed."""
        return self.home_of(run_id) is not self

    def _row(self, run_id: str) -> sqlite3.Row | None:
        return next(iter(self._file.read(f"{_RUNS} WHERE id = ?", (run_id,))), None)

    def _visible(self, run_id: str) -> sqlite3.Row:
        """Return the row of a run, if the policy shows it."""
        row = self._row(run_id)
        if row is None or not self._policy.sees(RunInfo.from_row(dict(row))):
            raise UnknownRunError(f"there is no run {run_id!r} in {self._policy.name(self.path)}.")
        return row

    def _owned(self, run_id: str) -> int:
        """Return the number of a run, if the policy lets it be changed."""
        if self.is_in_library(run_id):
            raise ArchiveError("the example cannot be changed.")
        row = self._visible(run_id)
        if not self._policy.owns(RunInfo.from_row(dict(row))):
            raise ArchiveError(f"the run {row['name']!r} belongs to another person.")
        return int(row["number"])


def _storable(name: str) -> str:
    """Return a name as UTF-8 has it: those of files may be other bytes, each of which becomes ?."""
    return name.encode("utf-8", "replace").decode()


def _free_id(db: sqlite3.Connection, solver: str) -> str:
    while True:
        run_id = f"{solver}-{''.join(secrets.choice(_ALPHABET) for _ in range(4))}"
        if not db.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone():
            return run_id


def _update(db: sqlite3.Connection, number: int, columns: dict[str, Any]) -> None:
    assignments = ", ".join(f"{column} = :{column}" for column in columns)
    db.execute(
        f"UPDATE runs SET {assignments} WHERE number = :number", columns | {"number": number}
    )
