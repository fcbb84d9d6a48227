"""Sound inputs of every kind, made once: what the attacks begin with."""

from __future__ import annotations

import io
import json
import tempfile
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ccviz import Problem, start
from ccviz.data.datasets import load
from ccviz.problem.asked import AskedRule
from ccviz.problem.rules import MaxSize
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run
from ccviz.runs.recorder import Recorder
from ccviz.solvers import make_solver
from ccviz.views.lab.importing import open_or_refuse
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.sandboxed_call import encode_answer
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.share.project import save_project

_ROWS = [(i, f"w{i % 3}", 0.5 * i, -i, f"2024-01-{1 + i % 28:02}") for i in range(12)]
_NAMES = ("id", "class", "a", "b", "day")


@cache
def csv_files() -> list[bytes]:
    """Return tables as text."""
    lines = [",".join(map(str, row)) for row in (_NAMES, *_ROWS)]
    comma = [";".join(str(cell).replace(".", ",") for cell in row) for row in _ROWS]
    points = ["4 2 2", "0 1", "1 0", "5 5", "5 6"]
    return ["\n".join(each).encode() for each in (lines, comma, points)]


@cache
def npy_files() -> list[bytes]:
    """Return arrays in NumPy's format."""
    files = []
    for array in (np.arange(12.0).reshape(6, 2), np.ones((3, 4), dtype=np.int16)):
        file = io.BytesIO()
        np.save(file, array)
        files.append(file.getvalue())
    return files


def _columns() -> dict[str, list[Any]]:
    return {name: [row[at] for row in _ROWS] for at, name in enumerate(_NAMES)}


@cache
def parquet_files() -> list[bytes]:
    """Return tables in Parquet, packed in two ways."""
    import pyarrow as pa
    from pyarrow import parquet

    files = []
    for packing in ("snappy", "none"):
        file = io.BytesIO()
        parquet.write_table(pa.table(_columns()), file, compression=packing)
        files.append(file.getvalue())
    return files


@cache
def feather_files() -> list[bytes]:
    """Return tables in Arrow's own format."""
    import pyarrow as pa
    from pyarrow import feather

    file = io.BytesIO()
    feather.write_feather(pa.table(_columns()), file, compression="uncompressed")
    return [file.getvalue()]


@cache
def excel_files() -> list[bytes]:
    """Return a workbook."""
    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    for row in (_NAMES, *_ROWS):
        book.active.append(row)
    book.save(file)
    return [file.getvalue()]


def link_files() -> list[bytes]:
    """Return links as lines and as JSON."""
    return [b"ML 0 1\nCL 2 3 0.5\n# why\nML 4 5\n", b'{"ml": [[0, 1]], "cl": [[2, 3, 0.5]]}']


@cache
def run_files() -> list[bytes]:
    """Return exported runs: of a heuristic, and of an exact method with rules."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    soft = Problem(X, 3, cannot_link=[(0, 1, 2.0)], truth=[0, 1, 2] * 4)
    ruled = Problem(X, 3, must_link=[(0, 1)], rules=(MaxSize(6),))
    return [_exported(soft, "bh-kmeans"), _exported(ruled, "colgen")]


@cache
def proof_files() -> list[bytes]:
    """Return exported proofs: trees, parts, duals, of soft links, sizes and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 2))
    pairs = rng.choice(14, size=(12, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    soft = [(0, 1, 0.5), (2, 3, 0.25), (4, 5)]
    return [
        _exported(Problem(X, 3, cannot_link=pairs), "sdp"),
        _exported(Problem(X, 3, must_link=soft, cannot_link=[(1, 2, 1.0)]), "sdp"),
        _exported(Problem(X[:, :1], 4, cannot_link=pairs), "colgen"),
        _exported(Problem(X[:10], 3, sizes=[3, 3, 4], cannot_link=soft), "colgen"),
        _exported(Problem(X[:10], 3, weights=np.arange(10) / 4), "sdp"),
        _exported(Problem(X, 2), "divide"),
    ]


@cache
def archives() -> list[bytes]:
    """Return the file of an archive with two runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.sqlite"
        with Archive(path) as archive:
            for at, data in enumerate(run_files()):
                (Path(folder) / f"{at}.ccviz").write_bytes(data)
                import_run(archive, Path(folder) / f"{at}.ccviz")
        return [path.read_bytes()]


@cache
def answers() -> list[bytes]:
    """Return answers of the process that reads uploads."""
    return [encode_answer(open_or_refuse(csv_files()[at], "a.csv", None, None)) for at in (0, 2)]


def _exported(problem: Problem, solver: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        run_id = archive.create(problem, solver, {}, name="Ünïcode", dataset="made up")
        stepper = start(problem, make_solver(solver))
        with Recorder(archive, run_id, stepper.run) as recorder:
            for record in stepper:
                recorder.put(record)
        export_run(archive, run_id, Path(folder) / "run.ccviz")
        return (Path(folder) / "run.ccviz").read_bytes()


_MAGIC = b"ccviz run 1\n"


@cache
def run_frames() -> list[list[bytes]]:
    """Return the frames of the exported runs and proofs."""
    found = []
    for data in run_files() + proof_files():
        frames, at = [], len(_MAGIC)
        while at < len(data):
            length = int.from_bytes(data[at : at + 8], "big")
            frames.append(data[at + 8 : at + 8 + length])
            at += 8 + length
        found.append(frames)
    return found


def as_run_file(frames: list[bytes]) -> bytes:
    """Return frames as a file."""
    return _MAGIC + b"".join(len(each).to_bytes(8, "big") + each for each in frames)


@cache
def projects() -> list[bytes]:
    """Return a saved project with links, sizes and a run."""
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        session = Session(archive, RunQueue(), load("iris"))
        session.edits.load(load("moons", n=40), 3)
        session.edits.add_links([Link("must", 1, 2), Link("cannot", 3, 4, 2.5)])
        session.edits.set_sizes("10-20, 10-20, 5-20")
        run_id = archive.create(session.draft.problem, "bh-kmeans", {})  # which keeps no rules
        archive.finish(run_id, "interrupted", "It was stopped.")
        known = AskedRule("overlap(first)<=19", (0, 1) * 20)
        session.edits.adopt(session.draft.with_rules([AskedRule("diameter<=9"), known]))
        whole = save_project(session)
        session.close()
        return [whole]


def setting_names(solver: Any) -> list[str]:
    """Return the names of a solver's parameters."""
    return [each.name for each in fields(solver)]


def as_json(value: Any) -> str:
    """Return a value as JSON, with what JSON has no word for in Python's."""
    return json.dumps(value)
