"""A run as one file, to be read on another machine.

The file is a line that says what it is, then frames: eight bytes of length and a MessagePack
value each. The first frame is the run, every other one a record. Reading runs no code and takes
nothing on trust: the solver must be known and its settings valid, names are plain text, the state
is folded again from the records, `ccviz.runs.check` checks each of these, and what reading
allocates is bounded. On which workers a run goes on is not taken from the file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec

from ccviz.data.scaling import check_scaling, is_weighted
from ccviz.errors import ArchiveError
from ccviz.events import Record, Started
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.check import Validator
from ccviz.runs.codec import Budget, Decoder, encode_event, encode_problem
from ccviz.runs.info import summarise
from ccviz.runs.run import Run
from ccviz.runs.stepper import check_request
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver
from ccviz.system import whole_file

_MAGIC = b"ccviz run 1\n"
_MOST_FRAME_BYTES = 1 << 28
_MOST_MESSAGE_BYTES = 1 << 28
_MOST_BYTES = 1 << 32
_MOST_SECONDS = 60.0
_MOST_NAME = 200
_PAGE_ROWS = 1000
_PAGE_BYTES = 1 << 26


class _Head(msgspec.Struct):
    """What a run is of."""

    name: str
    dataset: str
    solver: str
    settings: dict[str, bool | int | float | str]
    limits: dict[str, int | float]
    seed: int
    problem: bytes
    workers: str = "1"  # required by version 0.1, and ignored
    scaling: str = ""  # 0.1 does not say


class _Line(msgspec.Struct, array_like=True):
    """A record."""

    seq: int
    time_s: float
    event: bytes


def export_run(archive: Archive, run_id: str, path: str | Path) -> None:
    """Write a run to a file; what was there before stays until the new file is whole.

    Raises `ArchiveError` if there is no such run, or the file cannot be written.
    """
    head = _head(archive, run_id)
    try:
        with whole_file(path) as file:
            write_frames(file, chain([head], _lines(archive, run_id)))
    except OSError as broken:
        raise ArchiveError(f"{path} cannot be written: {os.strerror(broken.errno or 0)}.") from None


def run_bytes(path: Path, run_id: str) -> bytes:
    """Return a run of the archive at a path as a file's content; see `export_run`."""
    with Archive(path) as archive, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.ccviz"
        export_run(archive, run_id, file)
        return file.read_bytes()


def write_frames(file: IO[bytes], values: Iterable[Any]) -> None:
    """Write a run's file.

    `values`: Content of the frames: first the description of the run, then its records.
    """
    file.write(_MAGIC)
    for value in values:
        data = msgspec.msgpack.encode(value)
        file.write(len(data).to_bytes(8, "big") + data)


def _head(archive: Archive, run_id: str) -> _Head:
    info = archive.info(run_id)
    return _Head(
        name=info.name,
        dataset=info.dataset,
        solver=info.solver,
        settings=info.settings,
        limits=info.limits.given,
        seed=info.seed,
        problem=encode_problem(archive.problem(run_id)),
        scaling=info.scaling,
    )


def _lines(archive: Archive, run_id: str) -> Iterator[_Line]:
    seq = -1
    while page := archive.records(run_id, after=seq, limit=_PAGE_ROWS):
        for record in page:
            yield _Line(record.seq, record.time_s, encode_event(record.event))
        seq = page[-1].seq


def import_run(archive: Archive, path: str | Path) -> str:
    """Read a run from a file into the archive, and return its id there.

    Raises `ArchiveError` if the file cannot be read or holds no sound run; the archive is left as
    it was.
    """
    try:
        with Path(path).open("rb") as file:
            return _import(archive, file)
    except OSError as broken:
        raise ArchiveError(f"{path} cannot be read: {os.strerror(broken.errno or 0)}.") from None
    except MemoryError:
        raise ArchiveError(f"{path} holds no sound run: it is too large.") from None
    except (msgspec.MsgspecError, ValueError, LookupError, OverflowError, RecursionError) as broken:
        raise ArchiveError(f"{path} holds no sound run: {broken}") from None


def _import(archive: Archive, file: IO[bytes]) -> str:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ArchiveError("it does not begin like one of this version.")
    decoder = Decoder(Budget(_MOST_MESSAGE_BYTES, _MOST_BYTES, _MOST_SECONDS))
    head = msgspec.msgpack.decode(_frame(file), type=_Head)
    run = Run(decoder.problem(head.problem))
    # A run could be started as the file says.
    check_request(run.problem, make_solver(head.solver, **head.settings), head.seed, "1")
    run_id = archive.create(
        run.problem,
        head.solver,
        head.settings,
        seed=head.seed,
        limits=_limits(head),
        dataset=plain(head.dataset),
        name=plain(head.name),
        scaling=_scaling(head, run.problem),
    )
    try:
        _import_records(archive, run_id, run, _read_records(file, decoder, run, head))
        archive.finish(run_id, "failed", "The run had not ended when it was exported.")
        archive.score(run_id, run)
    except BaseException:
        archive.delete(run_id)
        raise
    return run_id


def _scaling(head: _Head, problem: Problem) -> str:
    """Return how the points were scaled, weights in full."""
    if not is_weighted(head.scaling):
        return plain(head.scaling)
    check_scaling(head.scaling, problem.d)
    return head.scaling


def _limits(head: _Head) -> Limits:
    known = [each.name for each in fields(Limits)]
    if head.limits.keys() - set(known):
        raise ArchiveError(f"it has a limit that is not one of {', '.join(known)}.")
    return Limits(**head.limits)  # type: ignore[arg-type]


def plain(name: str) -> str:
    """Return a name in one short line, without what is no letter, number, sign or blank."""
    return "".join(letter if letter.isprintable() else " " for letter in name)[:_MOST_NAME].strip()


def _read_records(
    file: IO[bytes], decoder: Decoder, run: Run, head: _Head
) -> Iterator[tuple[Record, int]]:
    """Yield each record, folded into the run, and how many bytes it has in the file."""
    validator = Validator(run.problem)
    while frame := _frame(file):
        line = msgspec.msgpack.decode(frame, type=_Line)
        record = Record(line.seq, line.time_s, decoder.event(line.event))
        if isinstance(record.event, Started) and record.event.solver != head.solver:
            raise ArchiveError("its records are of another run.")
        validator.check(record)
        run.apply(record)
        yield record, len(frame)


def _import_records(
    archive: Archive, run_id: str, run: Run, records: Iterator[tuple[Record, int]]
) -> None:
    page, size = [], 0
    for record, many in records:
        page.append(record)
        size += many
        if len(page) == _PAGE_ROWS or size > _PAGE_BYTES:
            archive.append(run_id, page, summarise(run))
            page, size = [], 0
    archive.append(run_id, page, summarise(run))


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
