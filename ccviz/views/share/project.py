"""A whole laboratory as one file: data, links, settings and runs, to be opened elsewhere.

The file is a ZIP archive with ``project.json`` (what can be read by eye), ``data.msgpack`` (the
points and their classes, see `ccviz.runs.codec`), ``table.msgpack`` (their names, and the
table that they come from) and a file for each run (see `ccviz.runs.file`).
Reading runs no code, checks every value, and changes nothing unless the whole file is sound. It is
done in a process of its own, for a small file may hold much.
"""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from ccviz.data.cells import PLAIN_CSV, CsvStyle, Delimiter
from ccviz.data.datasets import Dataset
from ccviz.data.geojson import MOST_BYTES, borders_of
from ccviz.data.link_files import short_source
from ccviz.data.scaling import check_scaling
from ccviz.data.table import FOUND, Cells, Decision, Missing, Origin, Role, Skip
from ccviz.errors import CcvizError
from ccviz.problem.asked import AskedEither, AskedRule, joined, parts_of
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.codec import decode_problem, encode_problem
from ccviz.runs.file import export_run, import_run, plain
from ccviz.solvers import make_solver
from ccviz.views.draft import ClusterName, Draft
from ccviz.views.frames.projection import check_axes
from ccviz.views.lab.personal_archive import personal_archive
from ccviz.views.link_table import Link, LinkTable
from ccviz.views.person import Person

if TYPE_CHECKING:  # a process that reads a file needs no page, which takes a second to import
    from ccviz.views.lab.session import Session

# --- Data as a CSV file that `read_data` reads back -----------------------------------------------


def csv_text(data: Dataset) -> str:
    """Return the points, a line each: features, weight and known class where there are any."""
    return PLAIN_CSV.table(_rows(data))


def _rows(data: Dataset) -> Iterator[list[Any]]:
    features, rows = list(data.features), data.X.tolist()
    if data.weights is not None:
        features.append("weight")
        rows = np.column_stack([data.X, data.weights]).tolist()
    if data.truth is None:
        yield from chain([features], rows)
        return
    yield [*features, "class"]
    for point, label in zip(rows, data.called, strict=True):
        yield [*point, label]


# --- The table behind the points as a part of a project file: its columns and their roles ---------


class _Column(msgspec.Struct):
    """Cells of a column: texts, or numbers as bytes in little-endian order."""

    column: str
    role: Role
    why: str
    kind: Literal["text", "<i8", "<f8"]
    texts: list[str] = []
    numbers: bytes = b""


class _Part(msgspec.Struct):
    """Names of the points, and the table that they come from, if there is one."""

    names: list[str]
    file: str = ""
    missing: Missing | None = None
    rows: bytes = b""
    columns: list[_Column] | None = None
    delimiter: Delimiter = ","  # 0.1 does not say
    comma: bool = False
    unknown: list[str] = []
    skip: Skip = FOUND
    shapes: list[bytes] = []


def encode_table(data: Dataset) -> bytes:
    """Return what a data set knows besides its points."""
    names, origin = list(data.names), data.origin
    if origin is None:
        return msgspec.msgpack.encode(_Part(names))
    columns = [
        _column(decision, cells)
        for decision, cells in zip(origin.decisions, origin.columns, strict=True)
    ]
    rows = origin.rows.astype("<i8").tobytes()
    shapes = list(origin.shapes) if sum(map(len, origin.shapes)) <= MOST_BYTES else []
    style = (origin.style.delimiter, origin.style.comma)
    more = (*style, list(origin.unknown), origin.skip, shapes)
    return msgspec.msgpack.encode(_Part(names, origin.file, origin.missing, rows, columns, *more))


def _column(decision: Decision, cells: Cells) -> _Column:
    about = (decision.column, decision.role, decision.why)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "if":
        kind: Literal["<i8", "<f8"] = "<i8" if cells.dtype.kind == "i" else "<f8"
        return _Column(*about, kind, numbers=cells.astype(kind).tobytes())
    return _Column(*about, "text", texts=list(map(str, cells)))


def decode_table(content: bytes, n: int) -> tuple[tuple[str, ...], Origin | None]:
    """Return the names of n points and their table."""
    part = msgspec.msgpack.decode(content, type=_Part)
    names = tuple(map(plain, part.names))
    _expect(len(names) in {0, n})
    if part.columns is None:
        return names, None
    rows = _numbers(part.rows, "<i8", n).astype(np.int64)
    _expect(bool((np.diff(rows, prepend=-1) > 0).all()))
    _expect(len({each.column for each in part.columns}) == len(part.columns))
    shapes = tuple(part.shapes)
    _expect(not shapes or rows[-1] < len(shapes))
    origin = Origin(
        columns=tuple(_cells(each, n) for each in part.columns),
        decisions=tuple(
            Decision(plain(each.column), each.role, plain(each.why)) for each in part.columns
        ),
        rows=rows,
        missing=part.missing,
        file=plain(part.file),
        style=CsvStyle(part.delimiter, part.comma),
        unknown=tuple(map(plain, part.unknown)),
        skip=part.skip,
        borders=borders_of(shapes) if shapes else None,
        shapes=shapes,
    )
    return names, origin


def _cells(column: _Column, n: int) -> Cells:
    if column.kind != "text":
        return _numbers(column.numbers, column.kind, n)
    _expect(len(column.texts) == n)
    return column.texts


def _numbers(content: bytes, kind: str, n: int) -> np.ndarray:
    _expect(len(content) == 8 * n)
    return np.frombuffer(content, dtype=kind)


def _expect(sound: bool) -> None:
    if not sound:
        raise CcvizError("its table does not fit its points.")


SUFFIX = ".ccvizlab"
_MOST_BYTES = 1 << 29
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1  # a flag of a part, in the format's own terms
_MOST_RUNS = 50
_HEAD, _DATA, _TABLE, _RUNS = "project.json", "data.msgpack", "table.msgpack", "runs/"


_Whole = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]  # as arrays hold them


class _Link(msgspec.Struct, array_like=True):
    """A link; hard without a weight."""

    kind: Literal["must", "cannot"]
    i: _Whole
    j: _Whole
    weight: float | None = None
    source: str = ""


class _Rule(msgspec.Struct, array_like=True):
    """A rule in its words, what it names, and the rules joined to it by *or*."""

    text: str
    known: list[_Whole | float] = []
    others: list[_Rule] = []


class _Name(msgspec.Struct, array_like=True):
    """What the cluster of a point is called."""

    point: _Whole
    text: str


class _Head(msgspec.Struct):
    """All but the points and the runs; the second format has rules, the third joins some."""

    format: Literal[1, 2, 3]
    name: str
    features: list[str]
    classes: list[str]
    k: int
    scaling: str
    links: list[_Link]
    lower: list[_Whole]
    upper: list[_Whole]
    x_axis: str
    y_axis: str
    solver: str
    settings: dict[str, bool | int | float | str]
    seed: int
    time_limit: float | None
    gap_limit: float | None
    node_limit: int | None
    rules: list[_Rule] = []
    cluster_names: list[_Name] = []
    outliers: _Whole = 0
    fixed_centers: list[list[float]] = []
    learned_from: list[_Link] = []
    neighbors: str = ""


def save_project(session: Session, with_runs: bool = True) -> bytes:
    """Return a session's problem and settings as a file, with its last runs on these points."""
    return write_project(*parts(session), with_runs)


def parts(session: Session) -> tuple[_Head, Draft, Path, Person]:
    """Return what `write_project` needs of a session."""
    return _head(session), session.draft, session.archive.path, session.person


def write_project(
    head: _Head, draft: Draft, path: Path, person: Person, with_runs: bool = True
) -> bytes:
    """Return a project as a file.

    `person`: Whose runs on these points go with it.
    """
    data = draft.data
    points = Problem(data.X, 1, truth=data.truth, weights=data.weights)
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as parts, Archive(path) as archive:
        parts.writestr(_HEAD, msgspec.json.format(msgspec.json.encode(head)))
        parts.writestr(_DATA, encode_problem(points))
        parts.writestr(_TABLE, encode_table(data))
        own = personal_archive(archive, person)
        # The oldest first, so that the newest is on top where they are read.
        run_ids = runs_on(own, draft)[::-1] if with_runs else []
        with tempfile.TemporaryDirectory() as folder:
            for place, run_id in enumerate(run_ids):
                exported = Path(folder) / f"{place}.ccviz"
                export_run(own, run_id, exported)
                parts.write(exported, f"{_RUNS}{place:03}.ccviz")
    return file.getvalue()


def _head(session: Session) -> _Head:
    draft = session.draft
    either = any(isinstance(rule, AskedEither) for rule in draft.rules)
    return _Head(
        format=3 if either else 2 if draft.rules else 1,
        name=draft.data.name,
        features=list(draft.data.features),
        classes=list(draft.data.classes),
        k=draft.k,
        scaling=draft.scaling,
        links=_stored(draft.links),
        lower=list(draft.lower),
        upper=list(draft.upper),
        x_axis=session.x_axis,
        y_axis=session.y_axis,
        solver=session.solver.name,
        settings=asdict(session.solver),
        seed=session.seed,
        time_limit=session.time_limit,
        gap_limit=session.gap_limit,
        node_limit=session.node_limit,
        rules=[_packed(*parts_of(rule)) for rule in draft.rules],
        cluster_names=[_Name(name.point, name.text) for name in draft.cluster_names],
        outliers=draft.outliers,
        fixed_centers=[list(row) for row in draft.fixed_centers],
        learned_from=_stored(draft.learned_from),
        neighbors=draft.neighbors,
    )  # fmt: skip


def _packed(rule: AskedRule, *others: AskedRule) -> _Rule:
    return _Rule(rule.text, list(rule.known), [_packed(each) for each in others])


def _stored(links: LinkTable) -> list[_Link]:
    return [
        _Link(link.kind, link.i, link.j, None if link.is_hard else link.weight, link.source)
        for link in links
    ]


def _table(links: list[_Link]) -> LinkTable:
    return LinkTable.of(
        Link(
            link.kind,
            link.i,
            link.j,
            inf if link.weight is None else link.weight,
            short_source(link.source),
        )
        for link in links
    )


def runs_on(archive: Archive, draft: Draft) -> list[str]:
    """Return the last finished runs on the draft's points, however they were linked."""
    same = (
        info.id
        for info in archive.runs()
        if (info.n, info.d) == draft.X.shape
        and info.state != "running"
        and np.array_equal(archive.problem(info.id).X[: draft.n], draft.X)
    )
    return list(islice(same, _MOST_RUNS))


@dataclass(frozen=True, eq=False)
class Project:
    """What a project file holds, besides its runs."""

    draft: Draft
    x_axis: str
    y_axis: str
    solver: str
    settings: dict[str, bool | int | float | str]
    seed: int
    limits: dict[str, int | float | None]


def open_project(session: Session, name: str, content: bytes) -> None:
    """Take over what a file holds, once it is read; a broken one becomes a notice only."""
    session.import_runs(name, read_project, content, then=partial(take_project, session))


def take_project(session: Session, project: Project) -> None:
    """Make a project that was read the session's."""
    draft = replace(project.draft)  # without values computed elsewhere
    solver = make_solver(project.solver, **project.settings)
    axes = (project.x_axis, project.y_axis)
    session.take_over(draft, axes, solver=solver, seed=project.seed, **project.limits)


def read_project(content: bytes, name: str, path: Path, person: Person) -> Project:
    """Read a project file, its runs into a person's part of an archive.

    Raises `CcvizError` if it is broken or refused; the archive is left as it was.
    """
    with _named(name), zipfile.ZipFile(BytesIO(content)) as file, Archive(path) as archive:
        _check_parts(file)
        head = msgspec.json.decode(file.read(_HEAD), type=_Head)
        draft = _draft(head, decode_problem(file.read(_DATA)))
        if _TABLE in file.namelist():  # files of version 0.1 have none
            names, origin = decode_table(file.read(_TABLE), draft.n)
            draft = replace(draft, data=replace(draft.data, names=names, origin=origin))
        if head.neighbors:  # whose coordinates may be columns that are no features
            draft = draft.with_neighbors(head.neighbors)
        axes = (head.x_axis, head.y_axis)
        check_axes(draft.data, *axes)
        make_solver(head.solver, **head.settings)  # raises the sentence
        limits = {each: getattr(head, each) for each in ("time_limit", "gap_limit", "node_limit")}
        person.quota.check_table(draft.n, draft.data.X.shape[1])
        person.quota.check_links(max(len(draft.links), len(draft.learned_from)))
        _import_runs(personal_archive(archive, person), file)
        return Project(draft, *axes, head.solver, head.settings, head.seed, limits)


def _check_parts(file: zipfile.ZipFile) -> None:
    """Refuse parts that no project has; sizes that are promised here are held when it is read."""
    parts = file.infolist()
    if any(part.compress_type not in _METHODS or part.flag_bits & _ENCRYPTED for part in parts):
        raise CcvizError("a part is encrypted, or compressed in an uncommon way.")
    if sum(part.file_size for part in parts) > _MOST_BYTES:
        raise CcvizError("what it holds is too large.")


_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, NotImplementedError,
    msgspec.MsgspecError, ValueError, RecursionError, MemoryError,
)  # fmt: skip
"""What damaged, nested or boundless parts make the libraries raise."""


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Begin every refusal with the name of the file."""
    try:
        yield
    except CcvizError as refused:
        raise CcvizError(f"{name} holds no sound project: {refused}") from None
    except _BROKEN as broken:
        raise CcvizError(f"{name} holds no sound project: {broken}") from None


def _draft(head: _Head, points: Problem) -> Draft:
    many = 0 if points.truth is None else int(points.truth.max()) + 1
    sound = (
        len(head.features) == points.d
        and len(head.classes) in {0, *range(many, points.n + many + 1)}
        and 0 <= head.seed < 1 << 63
        and all(limit is None or limit >= 0 for limit in (head.time_limit, head.gap_limit))
        and (head.node_limit is None or head.node_limit >= 1)
        and all(0 <= name.point < points.n for name in head.cluster_names)
    )
    if not sound:
        raise CcvizError("its parts do not fit together.")
    check_scaling(head.scaling, points.d)
    features, classes = (tuple(map(plain, names)) for names in (head.features, head.classes))
    data = Dataset(
        plain(head.name), points.X, features, points.truth, classes, weights=points.weights
    )
    draft = Draft(
        data, head.k, head.scaling,
        _table(head.links),
        tuple(head.lower), tuple(head.upper),
        rules=tuple(
            joined(AskedRule(plain(each.text), tuple(each.known)) for each in (rule, *rule.others))
            for rule in head.rules
        ),
        cluster_names=tuple(
            ClusterName(name.point, plain(name.text)) for name in head.cluster_names
        ),
        outliers=head.outliers,
        fixed_centers=tuple(map(tuple, head.fixed_centers)),
        learned_from=_table(head.learned_from),
    )  # fmt: skip
    _ = draft.problem  # raises the sentence
    return draft


def _import_runs(archive: Archive, file: zipfile.ZipFile) -> None:
    """Import every run, or none."""
    names = sorted(name for name in file.namelist() if name.startswith(_RUNS))[:_MOST_RUNS]
    imported: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ccviz"
        try:
            for name in names:
                path.write_bytes(file.read(name))
                imported.append(import_run(archive, path))
        except BaseException as broken:
            for run_id in imported:
                archive.delete(run_id)
            if isinstance(broken, CcvizError):
                raise CcvizError(f"its part {name} is broken.") from None
            raise
