"""The SQLite file of an archive: opening it, its tables, and its transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote as quote_path

import platformdirs

from ccviz.errors import ArchiveError
from ccviz.runs.schema import ADDED, SCHEMA, VERSION

_BUSY_S = 60.0
"""Seconds to wait for another process that writes."""


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


class Database:
    """An open SQLite file. Safe to use from several threads and several processes at once.

    Parameters
    ----------
    path : path
        The file and its folder are made if absent.

    Attributes
    ----------
    path : path

    Raises
    ------
    ArchiveError
        If the file cannot be opened, is no archive, or was written by a newer ccviz; later, if it
        cannot be read or written.
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
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError:  # SQLite's own message quotes bytes of a damaged file
            raise ArchiveError(f"the archive {self.path} cannot be used: it is damaged.") from None
        except (sqlite3.Error, OSError) as broken:
            reason = broken.strerror if isinstance(broken, OSError) else broken
            raise ArchiveError(f"the archive {self.path} cannot be used: {reason}.") from None
