"""The SQLite file of an archive: opening it, its tables, and its transactions."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote as quote_path

import platformdirs

from ccviz.errors import ArchiveError

# --- The tables of the archive --------------------------------------------------------------------


VERSION = 1
"""Of the tables; stored in the file, and checked when it is opened."""

SCHEMA = """
CREATE TABLE problems (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created REAL NOT NULL,
    dataset TEXT NOT NULL,
    solver TEXT NOT NULL,
    settings TEXT NOT NULL,
    seed INTEGER NOT NULL,
    limits TEXT NOT NULL,
    workers TEXT NOT NULL,
    problem TEXT NOT NULL REFERENCES problems (hash),
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    k INTEGER NOT NULL,
    beat REAL NOT NULL,
    pid INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'unknown',
    termination TEXT,
    message TEXT NOT NULL DEFAULT '',
    objective REAL,
    lower_bound REAL,
    gap REAL,
    nodes INTEGER NOT NULL DEFAULT 0,
    time_s REAL NOT NULL DEFAULT 0,
    violations INTEGER,
    ari REAL
);
CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    time_s REAL NOT NULL,
    kind TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run, seq)
);
"""
Study = Literal["prices", "margins"]
"""What is found out about a run after it: its links' prices, its points' margins."""

STUDIES: dict[Study, str] = {
    study: f"""
CREATE TABLE IF NOT EXISTS {study} (
    run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
    data BLOB NOT NULL
)
"""
    for study in get_args(Study)
}
"""A table for each study, made when the first result of its kind is stored."""
ADDED = {
    "owner": "TEXT NOT NULL DEFAULT ''", "shared": "INTEGER NOT NULL DEFAULT 0",
    "boot": "TEXT NOT NULL DEFAULT ''", "tick": "REAL NOT NULL DEFAULT 0",
    "scaling": "TEXT NOT NULL DEFAULT ''", "links": "INTEGER",
}  # fmt: skip
"""Columns of runs that version 0.1 did not have, and does not miss."""


_ROOM = 1 << 18
"""Bytes that the files beside an archive take at least, with some to spare."""


_BUSY_S = 60.0
"""Seconds to wait for another process that writes."""


def default_path() -> Path:
    """Return where the archive is: in ``CCVIZ_HOME`` if set, else in the user's data folder."""
    home = os.environ.get("CCVIZ_HOME")
    folder = Path(home) if home else platformdirs.user_data_path("ccviz", appauthor=False)
    return folder / "runs.sqlite"


def is_read_only(path: Path) -> bool:
    """Return whether an archive is there that this process may read and not write."""
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return path.is_file() and not may_write


def _is_full(path: Path) -> bool:
    """Return whether the disk of an archive has no room for SQLite's files beside it."""
    return path.is_file() and shutil.disk_usage(path).free < _ROOM


def _is_shared(path: Path) -> bool:
    """Return whether there is the file by which several processes share an archive."""
    shared = path.with_name(f"{path.name}-shm")
    return shared.exists() and shared.stat().st_size >= 1 << 15


def _address(path: Path) -> str:
    """Return the archive's address for SQLite, which cannot lock what it cannot write."""
    # Names of files are bytes, and what two slashes begin is a host.
    plain = f"file:{quote_path(os.fsencode(path.absolute())).replace('//', '/', 1)}"
    if not is_read_only(path):
        return plain
    log = path.with_name(f"{path.name}-wal")
    still = "&immutable=1" if not log.exists() or not log.stat().st_size else ""
    return f"{plain}?mode=ro{still}"


class Database:
    """An open SQLite file. Safe to use from several threads and several processes at once.

    `path`: The file and its folder are made if absent. Raises `ArchiveError` if the file cannot be
    opened, is no archive, or was written by a newer ccviz; later, if it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._in_words():
            if not is_read_only(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                _address(path), timeout=_BUSY_S, isolation_level=None,
                check_same_thread=False, uri=True,
            )  # fmt: skip
            if _is_full(path) and not _is_shared(path):
                self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._prepare()

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if not self._is_ready():
            with self.writing() as db:
                self._make_tables(db)
        if not is_read_only(self.path):
            self._db.execute("PRAGMA journal_mode = WAL")

    def _is_ready(self) -> bool:
        """Return whether the tables are complete."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION and is_read_only(self.path) and (lacking := self._lacking()):
            # In the place of a table that cannot be changed is a view with the columns.
            initial = {each: ADDED[each].partition("DEFAULT ")[2] or "NULL" for each in lacking}
            columns = ", ".join(f"{value} AS {each}" for each, value in initial.items())
            self._db.execute("PRAGMA temp_store = MEMORY")
            self._db.execute(f"CREATE TEMP VIEW runs AS SELECT *, {columns} FROM main.runs")
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

    def read(self, query: str, values: Any = ()) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        with self._lock, self._in_words():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction; an error takes it back."""
        # IMMEDIATE: a transaction that turns into a writer half-way can fail without waiting.
        with self._lock, self._in_words():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # on a full disk SQLite has rolled it back already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def freeing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that only deletes; it succeeds on a full disk, too."""
        with self._lock:
            if is_full := _is_full(self.path):
                # What takes a transaction back is then in memory: a crash within these milliseconds
                # would damage the file. SQLite refuses it while others have the archive open.
                self._db.execute("PRAGMA busy_timeout = 0")
                with suppress(sqlite3.OperationalError):
                    self._db.execute("PRAGMA journal_mode = MEMORY")
                self._db.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_S:.0f}")
            with self.writing() as db:
                yield db
            if is_full:
                with self._in_words():
                    self._db.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError:  # SQLite's own message quotes bytes of a damaged file
            raise ArchiveError(f"the archive {self.path} cannot be used: it is damaged.") from None
        except (sqlite3.Error, OSError) as broken:
            reason = broken.strerror if isinstance(broken, OSError) else broken
            raise ArchiveError(f"the archive {self.path} cannot be used: {reason}.") from None
