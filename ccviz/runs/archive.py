"""The archive: every run and its events in one SQLite file, readable while they are written.

The archive is also the live channel. A worker appends its records in batches; the app, the
command line and notebooks ask for what came after the last record they have seen. So a live run
and an old one are read in the same way, and a killed worker leaves everything up to its last
batch.

    archive = Archive()
    for info in archive.runs(): ...
    run = archive.load(info.id)                # the state after the last record
    run = archive.load(info.id, upto=120)      # ... after record 120: Back and scrubbing
    for record in archive.records(info.id, after=run.seq): run.apply(record)
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote as quote_path
from weakref import WeakValueDictionary

import platformdirs

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import Finished, Record, Termination
from ccviz.problem.problem import Problem
from ccviz.runs.codec import decode_event, decode_problem, encode_event, encode_problem
from ccviz.runs.info import RunInfo, Summary, alive, summarise
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.runs.run import FOLDED, REPLACED, Run
from ccviz.runs.schema import ADDED, SCHEMA, VERSION

_BUSY_S = 60.0
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no letter that is read as another


def default_path() -> Path:
    """Return where the archive is: in ``CCVIZ_HOME`` if set, else in the user's data folder."""
    home = os.environ.get("CCVIZ_HOME")
    folder = Path(home) if home else platformdirs.user_data_path("ccviz", appauthor=False)
    return folder / "runs.sqlite"


def is_read_only(path: Path) -> bool:
    """Return whether an archive is there that this process may read and not write.

    Parameters
    ----------
    path : path

    Returns
    -------
    bool
    """
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return path.is_file() and not may_write


def _address(path: Path) -> str:
    """Return the archive's address for SQLite, which cannot lock what it cannot write."""
    plain = f"file:{quote_path(str(path.absolute()))}"
    if not is_read_only(path):
        return plain
    log = path.with_name(f"{path.name}-wal")
    still = "&immutable=1" if not log.exists() or not log.stat().st_size else ""
    return f"{plain}?mode=ro{still}"


class Archive:
    """A file of runs. Safe to use from several threads and several processes at once.

    Parameters
    ----------
    path : path, optional
        `default_path` if not given; the file and its folder are made if absent.

    Raises
    ------
    ArchiveError
        If the file cannot be opened, is no archive, or was written by a newer ccviz. Every method
        raises it, too, for a run that is not there and for a file that cannot be read or written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._lock = threading.RLock()
        # A problem that somebody still has is not read again: a million points take a second.
        self._problems: WeakValueDictionary[str, Problem] = WeakValueDictionary()
        with self._in_words():
            if not is_read_only(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                _address(self.path), timeout=_BUSY_S, isolation_level=None,
                check_same_thread=False, uri=True,
            )  # fmt: skip
            self._prepare()

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if not self._is_ready():
            with self._writing() as db:
                self._make_tables(db)
        if not is_read_only(self.path):
            self._db.execute("PRAGMA journal_mode = WAL")

    def _is_ready(self) -> bool:
        """Whether nothing need be written before the archive can be read."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        return version == VERSION and not self._lacking()

    def _make_tables(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            for statement in SCHEMA.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
        elif version != VERSION:
            raise ArchiveError(
                f"{self.path} has version {version} of the archive's format, "
                f"but this ccviz reads version {VERSION}."
            )
        for column in self._lacking():
            db.execute(f"ALTER TABLE runs ADD COLUMN {column} {ADDED[column]}")

    def _lacking(self) -> list[str]:
        there = {row["name"] for row in self._db.execute("PRAGMA table_info(runs)")}
        return sorted(ADDED.keys() - there)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

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
        """Enter a run that has no records yet, and return its id.

        Parameters
        ----------
        problem, solver, settings, seed, workers
            What it is a run of: the solver by name, its parameters by name.
        limits : Limits
        dataset, name : str
            For people; a run without a name is called by its id.
        owner : str
            Whose it is where several people share the archive.
        scaling : str
            How the features were scaled before; for people, and empty where nobody knows.
        """
        data = encode_problem(problem)
        digest = hashlib.sha256(data).hexdigest()
        self._problems[digest] = problem
        now = time.time()
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO problems VALUES (?, ?)", (digest, data))
            run_id = self._free_id(solver)
            row = {
                "id": run_id,
                "name": name or run_id,
                "created": now,
                "dataset": dataset,
                "solver": solver,
                "settings": json.dumps(settings),
                "seed": seed,
                "limits": json.dumps(limits.given),
                "workers": workers,
                "problem": digest,
                "n": problem.n,
                "d": problem.d,
                "k": problem.k,
                "owner": owner,
                "scaling": scaling,
                "links": len(problem.must_link) + len(problem.cannot_link),
            }
            self._insert(row | alive())
        return run_id

    def _insert(self, row: dict[str, Any]) -> None:
        places = ", ".join(f":{column}" for column in row)
        self._db.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({places})", row)

    def _free_id(self, solver: str) -> str:
        while True:
            run_id = f"{solver}-{''.join(secrets.choice(_ALPHABET) for _ in range(4))}"
            if not self._db.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone():
                return run_id

    def append(self, run_id: str, records: Sequence[Record], summary: Summary | None) -> None:
        """Store a batch of records and what the run has come to, and say that it is alive.

        Raises
        ------
        ArchiveError
            If another process writes to the run, too; nothing of the batch is stored then.
        """
        encoded = [
            (record.seq, record.time_s, type(record.event).__name__, encode_event(record.event))
            for record in records
        ]
        with self._writing() as db:
            number = self._number(run_id)
            try:
                db.executemany(
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
                    [(number, *row) for row in encoded],
                )
            except sqlite3.IntegrityError:
                raise ArchiveError(f"another process writes to the run {run_id}, too.") from None
            self._update(number, alive() | (summary.columns() if summary else {}))

    def _update(self, number: int, columns: dict[str, Any]) -> None:
        assignments = ", ".join(f"{column} = :{column}" for column in columns)
        self._db.execute(
            f"UPDATE runs SET {assignments} WHERE number = :number", columns | {"number": number}
        )

    def finish(self, run_id: str, termination: Termination, message: str) -> None:
        """Close a run whose worker left without a last word; does nothing to a finished run."""
        run = self.load(run_id)
        if run.finished is None:
            last = Record(
                run.seq + 1, run.time_s, Finished(termination=termination, message=message)
            )
            run.apply(last)
            self.append(run_id, [last], summarise(run))

    def score(self, run_id: str, run: Run | None = None) -> float | None:
        """Compute a run's adjusted Rand index, where the truth is known, and store it.

        Parameters
        ----------
        run_id : str
        run : Run, optional
            Its state at its end, where it is at hand; folded from the records if not.
        """
        incumbent = (run or self.load(run_id)).incumbent
        ari = incumbent.scores.get("ari") if incumbent else None
        with self._writing():
            self._update(self._number(run_id), {"ari": ari})
        return ari

    def reopen(self, run_id: str, limits: Limits | None = None) -> None:
        """Take back a run's end so that it can go on, under other limits where they are given.

        From then on this process counts as its driver.

        Raises
        ------
        ArchiveError
            If somebody drives it already.
        """
        with self._writing() as db:
            number = self._number(run_id)
            if self.info(run_id).state == "running":
                raise ArchiveError(f"the run {run_id} still goes on.")
            db.execute("DELETE FROM records WHERE run = ? AND kind = 'Finished'", (number,))
            again: dict[str, Any] = {"termination": None, "message": ""} | alive()
            if limits is not None:
                again["limits"] = json.dumps(limits.given)
            self._update(number, again)

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name; its id stays.

        Raises
        ------
        ArchiveError
            If the name is empty or there is no such run.
        """
        if not name.strip():
            raise ArchiveError("a run's name cannot be empty.")
        with self._writing():
            self._update(self._number(run_id), {"name": name.strip()})

    def share(self, run_id: str, shared: bool = True) -> None:
        """Show a run to everybody who shares the archive, or to its owner alone again."""
        with self._writing():
            self._update(self._number(run_id), {"shared": shared})

    def delete(self, run_id: str) -> None:
        """Remove a run, its records, and its problem if no other run has it."""
        with self._writing() as db:
            db.execute("DELETE FROM runs WHERE number = ?", (self._number(run_id),))
            db.execute("DELETE FROM problems WHERE hash NOT IN (SELECT problem FROM runs)")

    def check_idle(self, run_id: str) -> None:
        """Check that nobody drives a run: ask before it is deleted under somebody's hands.

        Raises
        ------
        ArchiveError
            If a process does.
        """
        info = self.info(run_id)
        if info.state == "running":
            raise ArchiveError(
                f"run {info.name!r} goes on in process {info.pid}: stop it before it is deleted."
            )

    # --- Reading ----------------------------------------------------------------------------

    def runs(self) -> list[RunInfo]:
        """Return what is known about every run, the newest first."""
        return [RunInfo.from_row(dict(row)) for row in self._read(f"{_RUNS} ORDER BY number DESC")]

    def info(self, run_id: str) -> RunInfo:
        """Return what is known about a run."""
        return RunInfo.from_row(dict(self._run_row(run_id)))

    def size_of(self, owner: str) -> tuple[int, int]:
        """Return how many runs somebody has, and how many bytes their records take."""
        rows = self._read(
            """SELECT count(DISTINCT number) AS runs, coalesce(sum(length(data)), 0) AS bytes
            FROM runs LEFT JOIN records ON run = number WHERE owner = ?""",
            (owner,),
        )
        return rows[0]["runs"], rows[0]["bytes"]

    def find(self, text: str) -> str:
        """Return the id of the run that people mean: an id, a name, the end of an id, or ``last``.

        Raises
        ------
        ArchiveError
            If there is none, or more than one.
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
            raise ArchiveError(f"{text!r} may be any of the runs {', '.join(found)}.")
        if not found:
            raise ArchiveError(f"there is no run {text!r} in {self.path}.")
        return found[0]

    def problem(self, run_id: str) -> Problem:
        """Return the problem that a run is about."""
        digest = self._run_row(run_id)["problem"]
        known = self._problems.get(digest)
        if known is None:
            rows = self._read("SELECT data FROM problems WHERE hash = ?", (digest,))
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
        run_id : str
        after : int
            Only records with a higher number.
        upto : int, optional
            Only records with this number or a lower one.
        kinds : names of events, optional
            Only these.
        limit : int
            At most so many, the first ones; -1 for all.
        """
        names = json.dumps(list(kinds))
        return self._records(
            "AND (:all OR kind IN (SELECT value FROM json_each(:names)))",
            run_id,
            {"after": after, "upto": upto, "names": names, "all": names == "[]", "limit": limit},
        )

    def load(self, run_id: str, upto: int | None = None) -> Run:
        """Return a run's state after a record, by default the last.

        Only the records that the state depends on are read: of assignments and centres the
        newest is enough, so a jump costs far less than the whole history.
        """
        run = Run(self.problem(run_id))
        kinds = json.dumps(sorted(FOLDED - REPLACED))
        values = {"after": -1, "upto": upto, "kinds": kinds, "limit": -1}
        needed = """AND (kind IN (SELECT value FROM json_each(:kinds)) OR seq IN (
            SELECT max(seq) FROM records
            WHERE run = (SELECT number FROM runs WHERE id = :id) AND seq <= :upto GROUP BY kind))"""
        for record in self._records(needed, run_id, values):
            run.apply(record)
        return run

    def _records(self, also: str, run_id: str, values: dict[str, Any]) -> list[Record]:
        self._run_row(run_id)
        upto = values.pop("upto")
        rows = self._read(
            f"""SELECT seq, time_s, data FROM records
            WHERE run = (SELECT number FROM runs WHERE id = :id)
            AND seq > :after AND seq <= :upto {also} ORDER BY seq LIMIT :limit""",
            values | {"id": run_id, "upto": (1 << 62) if upto is None else upto},
        )
        return [Record(row["seq"], row["time_s"], decode_event(row["data"])) for row in rows]

    # --- Plumbing ---------------------------------------------------------------------------

    def _run_row(self, run_id: str) -> sqlite3.Row:
        rows = self._read(f"{_RUNS} WHERE id = ?", (run_id,))
        if not rows:
            raise UnknownRunError(f"there is no run {run_id!r} in {self.path}.")
        return rows[0]

    def _number(self, run_id: str) -> int:
        return int(self._run_row(run_id)["number"])

    def _read(self, query: str, values: Any = ()) -> list[sqlite3.Row]:
        with self._lock, self._in_words():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        # IMMEDIATE: a transaction that turns into a writer half-way can fail without waiting.
        with self._lock, self._in_words():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # of a full disk SQLite takes it back by itself
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as broken:
            reason = broken.strerror if isinstance(broken, OSError) else broken
            raise ArchiveError(f"the archive {self.path} cannot be used: {reason}.") from None


_RUNS = "SELECT runs.*, (SELECT max(seq) FROM records WHERE run = number) AS last_seq FROM runs"
