"""A run as one file, to be read on another machine.

The file is a line that says what it is, then frames: eight bytes of length and a MessagePack
value each. The first frame is the run, every other one a record. Reading runs no code, takes no
number on trust (the state is folded again from the records) and bounds what it allocates.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO

import msgspec

from ccviz.errors import ArchiveError
from ccviz.events import Record, Started
from ccviz.runs.archive import Archive
from ccviz.runs.codec import decode_event, decode_problem, encode_event, encode_problem
from ccviz.runs.info import summarise
from ccviz.runs.limits import Limits
from ccviz.runs.run import Run
from ccviz.wholefile import whole_file

_MAGIC = b"ccviz run 1\n"
_MOST_FRAME_BYTES = 1 << 30
_PAGE = 1000


class _Head(msgspec.Struct):
    """What a run is of."""

    name: str
    dataset: str
    solver: str
    settings: dict[str, bool | int | float | str]
    limits: Limits
    seed: int
    workers: str
    problem: bytes


class _Line(msgspec.Struct, array_like=True):
    """A record."""

    seq: int
    time_s: float
    event: bytes


def export_run(archive: Archive, run_id: str, path: str | Path) -> None:
    """Write a run to a file; what was there before stays until the new file is whole.

    Raises
    ------
    ArchiveError
        If there is no such run, or the file cannot be written.
    """
    head = _head(archive, run_id)
    try:
        with whole_file(path) as file:
            file.write(_MAGIC)
            for frame in chain([head], _lines(archive, run_id)):
                data = msgspec.msgpack.encode(frame)
                file.write(len(data).to_bytes(8, "big") + data)
    except OSError as broken:
        raise ArchiveError(f"{path} cannot be written: {os.strerror(broken.errno or 0)}.") from None


def _head(archive: Archive, run_id: str) -> _Head:
    info = archive.info(run_id)
    return _Head(
        name=info.name,
        dataset=info.dataset,
        solver=info.solver,
        settings=info.settings,
        limits=info.limits,
        seed=info.seed,
        workers=info.workers,
        problem=encode_problem(archive.problem(run_id)),
    )


def _lines(archive: Archive, run_id: str) -> Iterator[_Line]:
    seq = -1
    while page := archive.records(run_id, after=seq, limit=_PAGE):
        for record in page:
            yield _Line(record.seq, record.time_s, encode_event(record.event))
        seq = page[-1].seq


def import_run(archive: Archive, path: str | Path) -> str:
    """Read a run from a file into the archive, and return its id there.

    Raises
    ------
    ArchiveError
        If the file cannot be read or holds no sound run; the archive is left as it was.
    """
    try:
        with Path(path).open("rb") as file:
            return _import(archive, file)
    except OSError as broken:
        raise ArchiveError(f"{path} cannot be read: {os.strerror(broken.errno or 0)}.") from None
    except (msgspec.MsgspecError, ValueError, LookupError, OverflowError) as broken:
        raise ArchiveError(f"{path} holds no sound run: {broken}") from None


def _import(archive: Archive, file: IO[bytes]) -> str:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ArchiveError("it does not begin like one of this version.")
    head = msgspec.msgpack.decode(_frame(file), type=_Head)
    run = Run(decode_problem(head.problem))
    run_id = archive.create(
        run.problem,
        head.solver,
        head.settings,
        seed=head.seed,
        workers=head.workers,
        limits=head.limits,
        dataset=head.dataset,
        name=head.name,
    )
    try:
        _import_records(archive, run_id, run, file)
    except BaseException:
        archive.delete(run_id)
        raise
    archive.finish(run_id, "failed", "The run had not ended when it was exported.")
    archive.score(run_id, run)
    return run_id


def _import_records(archive: Archive, run_id: str, run: Run, file: IO[bytes]) -> None:
    page = []
    while frame := _frame(file):
        page.append(_read_record(frame, run))
        if len(page) == _PAGE:
            archive.append(run_id, page, summarise(run))
            page = []
    archive.append(run_id, page, summarise(run))


def _read_record(frame: bytes, run: Run) -> Record:
    line = msgspec.msgpack.decode(frame, type=_Line)
    record = Record(line.seq, line.time_s, decode_event(line.event))
    if run.finished or isinstance(record.event, Started) != (run.seq < 0) or line.seq <= run.seq:
        raise ArchiveError(f"record {line.seq} is out of place.")
    run.apply(record)
    return record


def _frame(file: IO[bytes]) -> bytes:
    """Return the next frame, empty at the end of the file."""
    length = int.from_bytes(prefix := file.read(8), "big")
    if not prefix:
        return b""
    if length > _MOST_FRAME_BYTES:
        raise ArchiveError("a part of it is too large.")
    data = file.read(length)
    if len(prefix) < 8 or len(data) < length:
        raise ArchiveError("it breaks off in the middle.")
    return data
