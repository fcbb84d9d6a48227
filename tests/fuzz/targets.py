"""What reads an attack, and what must be as it was when the attack is refused.

Each target returns whether the input was taken. It raises `CcvizError` for a refusal, and
`HalfDoneError` where a refusal left something changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from ccviz import Problem, start
from ccviz.cli import main
from ccviz.data.datasets import load
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_table
from ccviz.errors import CcvizError
from ccviz.problem.asked import parse_rule
from ccviz.problem.sizes import read_sizes
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver, parse_setting, solver_class
from ccviz.views.lab.download import FileKind, answer_download
from ccviz.views.lab.importing import open_or_refuse
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.sandboxed_call import decode_answer, returned_by
from ccviz.views.lab.session import Session
from ccviz.views.panels.share import page_download, tree_download
from ccviz.views.share.address import apply_query
from ccviz.views.share.project import read_project, save_project, take_project
from tests.fuzz import sound
from tests.fuzz.inputs import Attack

EXIT_CODES = range(6)


class HalfDoneError(AssertionError):
    """A refused input left something changed, or ended in no sentence."""


def read_data_file(attack: Attack) -> None:
    """Read a table, and make a problem of it."""
    read_table(attack.value, **attack.about)


def read_link_file(attack: Attack) -> None:
    """Read links between ten points."""
    read_links_file(attack.value, 10, **attack.about)


@cache
def _home() -> Path:
    return Path(tempfile.mkdtemp(prefix="ccviz-fuzz-"))


@cache
def _archive() -> Archive:
    return Archive(_home() / "runs.sqlite")


def _content(archive: Archive) -> list[Any]:
    """Return all that an archive holds, but for how long ago."""
    tables = ("problems", "runs", "records")
    return [tuple(row) for table in tables for row in archive._file.read(f"SELECT * FROM {table}")]


@contextlib.contextmanager
def _unchanged_if_refused(look: Callable[[], Any]) -> Iterator[None]:
    before = look()
    try:
        yield
    except CcvizError as refused:
        if look() != before:
            raise HalfDoneError(f"refused, and something is changed: {refused}") from None
        raise


def import_a_run(attack: Attack) -> None:
    """Import a run and use it; take it out again."""
    path, archive = _home() / "run.ccviz", _archive()
    path.write_bytes(attack.value)
    with _unchanged_if_refused(lambda: _content(archive)):
        run_id = import_run(archive, path)
    try:
        use_a_run(archive, run_id)
    finally:
        archive.delete(run_id)


def use_a_run(archive: Archive, run_id: str) -> None:
    """Show a run that was taken on the page, press the buttons of its files, verify its proof.

    Raises `HalfDoneError` if the page refuses to show it: what can be imported can be used.
    """
    session = Session(archive, RunQueue(), load("iris"))
    session.open_run(run_id)
    if session.notice is not None and session.notice.kind == "error":
        raise HalfDoneError(f"taken, but it is not shown: {session.notice.text}")
    session.player.end()
    for button in (
        *(partial(answer_download, what=what) for what in get_args(FileKind)),
        *(partial(tree_download, suffix=suffix) for suffix in (".dot", ".tex")),
        lambda session: page_download(session, lambda: None),
    ):
        with contextlib.suppress(CcvizError):  # such as a run without an answer
            request = button(session)
            request.work(*request.args)
    export_run(archive, run_id, _home() / "again.ccviz")
    archive.delete(import_run(archive, _home() / "again.ccviz"))
    events = [record.event for record in archive.records(run_id)]
    verify(archive.problem(run_id), events, work=0.05)
    session.close()


def check_a_proof(attack: Attack) -> None:
    """Give a run file to the second checker, which answers whatever it is given."""
    path = _home() / "proof.ccviz"
    path.write_bytes(attack.value)
    check = _second_checker()
    proved, sentence = check.judge(path, 1e-4, budget=check.Budget(seconds=5.0, looks=3e6))
    if not proved:
        raise CcvizError(sentence)


@cache
def _second_checker() -> Any:
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
    try:
        return import_module("check_proof")
    finally:
        sys.path.pop(0)


def open_an_archive(attack: Attack) -> None:
    """Open an archive, and read all runs in it."""
    path = _home() / "damaged.sqlite"
    for old in _home().glob("damaged.sqlite*"):
        old.unlink(missing_ok=True)  # SQLite removes the others with the first
    path.write_bytes(attack.value)
    with Archive(path) as archive:
        for info in archive.runs():
            archive.problem(info.id)
            archive.load(info.id)


def take_an_answer(attack: Attack) -> None:
    """Take the answer of a process that reads an upload."""
    decode_answer(attack.value, returned_by(open_or_refuse))


def _state(session: Session) -> tuple[Any, ...]:
    names = ("x_axis", "y_axis", "seed", "time_limit", "gap_limit", "node_limit", "solver")
    return (id(session.draft), *(getattr(session, name) for name in names))


def open_a_project(attack: Attack) -> None:
    """Open a project in a session, as the page does when it is read."""
    archive = _archive()
    session = Session(archive, RunQueue(), load("iris"))
    with _unchanged_if_refused(lambda: (_state(session), _content(archive))):
        project = read_project(attack.value, "a.ccvizlab", archive.path, session.person)
        take_project(session, project)
        if session.notice is not None and session.notice.kind == "error":
            raise HalfDoneError(f"taken, but with a notice: {session.notice.text}")
    try:
        for info in archive.runs():
            use_a_run(archive, info.id)
        read_project(save_project(session), "b.ccvizlab", archive.path, session.person)
    finally:
        for info in archive.runs():
            archive.delete(info.id)


def go_to_an_address(attack: Attack) -> None:
    """Set a session up as an address says."""
    session = Session(_archive(), RunQueue(), load("iris"))
    before = _state(session)
    apply_query(session, attack.value)
    if session.notice is not None and session.notice.kind == "error":
        if _state(session) != before:
            raise HalfDoneError(f"refused, and something is changed: {session.notice.text}")
        raise CcvizError(session.notice.text)


_SMALL = [[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0], [9.0, 0.0]]
_RUN_LIMITS = {"time_limit": 0.05}


def set_a_solver(attack: Attack) -> None:
    """Make a solver with settings; let it run for a moment if it is made."""
    kind = solver_class(attack.about["solver"])
    for name, text in attack.about["texts"].items():
        with contextlib.suppress(CcvizError):
            parse_setting(kind, name, text)
    given = dict(attack.value)
    known = {each.name for each in fields(Limits)}
    Limits(**{name: given.pop(name) for name in known & given.keys()})
    seed = given.pop("seed", 0)
    solver = make_solver(kind.name, **given)
    start(Problem(_SMALL, 2), solver, seed=seed, **_RUN_LIMITS).result()


def make_a_problem(attack: Attack) -> None:
    """Make a problem, and solve it for a moment if it is one."""
    about = dict(attack.about)
    sizes, rule, first = (about.pop(name) for name in ("sizes", "rule", "start"))
    with contextlib.suppress(CcvizError):
        parse_rule(rule, lambda name: [0, 0, 1])
    with contextlib.suppress(CcvizError):
        read_sizes(sizes, 5, 2)
    start(Problem(attack.value, **about), "cop-kmeans", start=first, **_RUN_LIMITS).result()


@cache
def _desk() -> Path:
    """Return a folder with files for the command line, and a run in its archive."""
    folder = _home() / "desk"
    (folder / "folder").mkdir(parents=True)
    (folder / "good.csv").write_bytes(sound.csv_files()[0])
    (folder / "bad.csv").write_bytes(b"a,b\n1,2\n3\n")
    (folder / "links.txt").write_bytes(sound.link_files()[0])
    (folder / "run.ccviz").write_bytes(sound.run_files()[0])
    return folder


def run_a_command(attack: Attack) -> None:
    """Give a command line, in this process, and look at how it ends."""
    os.environ["CCVIZ_HOME"] = str(_home() / "archive")
    before = Path.cwd(), sys.argv, sys.stdin
    said, told = _Stream(), _Stream()
    os.chdir(_desk())
    sys.argv, sys.stdin = ["ccviz", *attack.value], io.StringIO("y\nn\n")
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            main()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        os.chdir(before[0])
        sys.argv, sys.stdin = before[1:]
        for path in _desk().iterdir():
            if path.name not in ("good.csv", "bad.csv", "links.txt", "run.ccviz", "folder"):
                path.unlink()
    if code not in EXIT_CODES:
        raise HalfDoneError(f"the exit code is {code}")
    if code == 2:
        raise CcvizError(told.getvalue() or "usage")


class _Stream(io.TextIOWrapper):
    """A stream in memory that has bytes below, as the real ones do."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def getvalue(self) -> str:
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


TARGETS: dict[str, Callable[[Attack], None]] = {
    "data": read_data_file,
    "links": read_link_file,
    "run": import_a_run,
    "proof": check_a_proof,
    "archive": open_an_archive,
    "answer": take_an_answer,
    "project": open_a_project,
    "address": go_to_an_address,
    "settings": set_a_solver,
    "problem": make_a_problem,
    "command": run_a_command,
}


def fingerprint(attack: Attack) -> str:
    """Return a short name of an attack, the same for the same one."""
    return hashlib.sha256(pickle.dumps((attack.kind, attack.value, attack.about))).hexdigest()[:10]
