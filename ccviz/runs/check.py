"""Check an archive, repair what can be repaired, and name what cannot.

Runs whose driver is gone are closed, so that they can go on or be deleted. Where the file itself
is damaged, all that can still be read goes into a new file, and the damaged one stays beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ccviz.errors import ArchiveError, CcvizError
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.runs.run import Run
from ccviz.runs.validator import Validator

_TABLES = ("problems", "runs", "records")
_CLOSED = "The process that computed the run is gone."


def check_archive(path: Path) -> Iterator[str]:
    """Mend an archive; yield a sentence for each thing that was found.

    Parameters
    ----------
    path : path
        Path of an archive that no other process uses.

    Yields
    ------
    str

    Raises
    ------
    ArchiveError
        If nothing in it can be read, or nothing can be written.
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
    fresh.unlink(missing_ok=True)
    try:
        Archive(fresh).close()
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(fresh)) as new:
            for table in _TABLES:
                yield from _copy(old, new, table)
            new.commit()
            runs = new.execute("SELECT count(*) FROM runs").fetchone()[0]
            new.execute("DELETE FROM records WHERE run NOT IN (SELECT number FROM runs)")
            new.commit()
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, OSError) as broken:
        fresh.unlink(missing_ok=True)
        raise ArchiveError(f"{path} cannot be mended: {broken}; move it away.") from None
    kept = _free_name(path)
    path.rename(kept)
    for log in ("-wal", "-shm"):
        path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
    fresh.rename(path)
    yield f"what could be read, {runs} runs, is in a new file; the damaged one is {kept}."


def _free_name(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return kept


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> Iterator[str]:
    """Copy the rows of a table that can be read, from both of its ends to where it is broken."""
    names = [row[1] for row in new.execute(f"PRAGMA table_info({table})")]
    there = {row[1] for row in old.execute(f"PRAGMA table_info({table})")}
    columns = ", ".join(name for name in names if name in there)
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
