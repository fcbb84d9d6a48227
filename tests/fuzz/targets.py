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
from functools import cache
from pathlib import Path
from typing import Any

from ccviz import Problem, start
from ccviz.cli import main
from ccviz.data.datasets import load
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_table
from ccviz.errors import CcvizError
from ccviz.problem.rule_text import parse_rule
from ccviz.problem.sizes import read_sizes
from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run
from ccviz.runs.limits import Limits
from ccviz.solvers import make_solver, parse_setting, solver_class
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.share.address import apply_query
from ccviz.views.share.project import read_project, take_project
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
    """Import a run; take it out again if it is taken."""
    path, archive = _home() / "run.ccviz", _archive()
    path.write_bytes(attack.value)
    with _unchanged_if_refused(lambda: _content(archive)):
        run_id = import_run(archive, path)
    archive.delete(run_id)


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
    sizes, rule = about.pop("sizes"), about.pop("rule")
    with contextlib.suppress(CcvizError):
        parse_rule(rule, lambda name: [0, 0, 1])
    with contextlib.suppress(CcvizError):
        read_sizes(sizes, 5, 2)
    start(Problem(attack.value, **about), "cop-kmeans", **_RUN_LIMITS).result()


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
    "project": open_a_project,
    "address": go_to_an_address,
    "settings": set_a_solver,
    "problem": make_a_problem,
    "command": run_a_command,
}


def fingerprint(attack: Attack) -> str:
    """Return a short name of an attack, the same for the same one."""
    return hashlib.sha256(pickle.dumps((attack.kind, attack.value, attack.about))).hexdigest()[:10]
