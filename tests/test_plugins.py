"""Solvers and views of other packages: the template, and packages that are broken."""

import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ccviz.plugins import Registry
from ccviz.solvers.base import Solver
from ccviz.solvers.kmeans import KMeans

ROOT = Path(__file__).parents[1]


def install(folder, code, *points, group="ccviz.solvers"):
    """Write a package `outside` as an installer would, and the entry points that it has."""
    (folder / "outside.py").write_text(code, encoding="utf-8")
    info = folder / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *points]), encoding="utf-8")


def refuse(added):
    return "" if isinstance(added, type) and issubclass(added, Solver) else "it is no solver class"


@pytest.mark.parametrize(
    ("code", "point", "sentence"),
    [
        ("import there_is_none", "a = outside:A", "ModuleNotFoundError: No module named"),
        ("x = 1", "a = outside:A", "AttributeError: module 'outside' has no attribute 'A'"),
        ("def", "a = outside:A", "SyntaxError: invalid syntax"),
        ("A = 5", "a = outside:A", "it is no solver class"),
        ("from ccviz.solvers.kmeans import KMeans", "a = outside:KMeans", "'k-means' is taken"),
    ],
)
def test_a_broken_package_is_left_out_with_a_warning(tmp_path, monkeypatch, code, point, sentence):
    install(tmp_path, code, point)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "outside", raising=False)
    with pytest.warns(RuntimeWarning, match=sentence) as warned:
        assert list(Registry("ccviz.solvers", [KMeans], refuse)) == [KMeans]
    assert "of outside is left out" in str(warned[0].message)


def test_two_packages_cannot_bring_the_same_name(tmp_path, monkeypatch):
    code = "from ccviz.solvers.kmeans import KMeans"
    install(tmp_path, code, "a = outside:KMeans", "b = outside:KMeans")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "outside", raising=False)
    with pytest.warns(RuntimeWarning, match="'k-means' is taken"):
        assert list(Registry("ccviz.solvers", [], refuse)) == [KMeans]


TEXT = "class A(Exception):\n    def __str__(self): raise self\nraise A"
META = """
from ccviz.solvers.base import Solver

class M(type):
    def __getattribute__(self, name):
        1 / 0

class A(Solver, metaclass=M):
    pass
"""
MODULES = {  # what a module does while it is imported, and the words with which it is left out
    "exit": ("raise SystemExit", "SystemExit"),
    "exit-3": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "exit-words": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "runtime": ("raise RuntimeError('no licence.')", "RuntimeError: no licence."),
    "zero": ("1 / 0", "ZeroDivisionError: division by zero."),
    "library": ("import ctypes; ctypes.CDLL('libnone.so')", "OSError: libnone.so"),
    "pipe": ("raise BrokenPipeError", "BrokenPipeError."),
    "memory": ("raise MemoryError", "MemoryError."),
    "recursion": ("def f(): f()\nf()", "RecursionError: maximum recursion depth"),
    "generator": ("raise GeneratorExit", "GeneratorExit."),
    "base": ("class B(BaseException): pass\nraise B('x')", "B: x."),
    "lines": (r"raise ValueError('a\nb\x1b[31m')", r"ValueError: a b\x1b[31m."),
    "long": ("raise ValueError('word ' * 9999)", "ValueError: word word"),
    "text": (TEXT, "plugin_text.A: <exception str() failed>."),
    "click": ("import click; raise click.UsageError('use')", "UsageError: use."),
    "ours": ("from ccviz.errors import CcvizError as E; raise E('ours')", "CcvizError: ours."),
    "key": ("{}['x']", "KeyError: 'x'."),
    "meta": (META, "ZeroDivisionError: division by zero."),
    "number": ("A = 5", "it is no solver class."),
}
SOLVER = """
from dataclasses import dataclass
from ccviz.solvers.base import Solver, Supports, setting

@dataclass(frozen=True)
class A(Solver):
    name, title, paper, supports = {name!r}, "Title", "Paper", Supports()

    def steps(self, problem, context):
        yield

    {line}
"""
SOLVERS = {  # a line of a solver that is else right
    "name-number": ("name = 5", "its name is 5."),
    "name-words": ("name = 'two words'", "its name is 'two words', not of letters"),
    "name-list": ("name = [1]", "its name is [1]."),
    "name-taken": ("name = 'sdp'", "the name 'sdp' is taken."),
    "title": ("title = None", "its title is None."),
    "supports": ("supports = 'all'", "its supports is 'all'."),
    "support": ("supports = Supports(hard='x')", "what it supports is not true or false."),
    "group": ("group = 'Best'", "its group 'Best' is not one of Quick"),
    "blocks": ("most_blocks = 'many'", "its most_blocks is 'many'."),
    "steps": ("steps = Solver.steps", "it has no steps."),
    "setting": ("x: int = 5", "TypeError: setting: the parameter x is not declared"),
    "missing": ("x: int", "TypeError: A.__init__() missing 1 required"),
    "low": ("x: int = setting(5, 'X.', low='a')", "TypeError: '>=' not supported"),
}
POINTS = {  # what an entry point names
    "point-module": ("plugin_point_module", "it is no solver class."),
    "point-colons": ("::", "it cannot be loaded: "),
    "point-dots": ("..:A", "it cannot be loaded: "),
    "point-deep": ("os:path.join.none", "AttributeError: "),
}


@pytest.fixture
def bad_plugins(tmp_path, monkeypatch):
    """Install each of them, and one that is right."""
    for name, (code, _) in MODULES.items():
        write_plugin(tmp_path, name, code)
    for name, (line, _) in [*SOLVERS.items(), ("right", ("", ""))]:
        write_plugin(tmp_path, name, SOLVER.format(name=name, line=line))
    for name, (value, _) in POINTS.items():
        write_plugin(tmp_path, name, "", value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path / "home"))


def write_plugin(folder, name, code, value=None):
    module = name.replace("-", "_")
    (folder / f"plugin_{module}.py").write_text(code, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    point = f"{name} = {value or f'plugin_{module}:A'}"
    (info / "entry_points.txt").write_text(f"[ccviz.solvers]\n{point}\n", encoding="utf-8")


@pytest.mark.parametrize("words", ["solvers", "solve iris -k 3 --solver k-means --no-archive"])
def test_no_plugin_ends_a_command(bad_plugins, words):
    command = [sys.executable, "-m", "ccviz", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "is left out: " in line]
    for name, (_, reason) in (MODULES | SOLVERS | POINTS).items():
        (line,) = (each for each in said if f" of {name} is left out: " in each)
        assert line.startswith("ccviz: ccviz.solvers: ")
        assert reason in line
        assert len(line) < 600
    assert "Traceback" not in done.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", done.stderr)
    if words == "solvers":
        assert "right" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_workers_do_not_say_it_again(bad_plugins):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    with theirs:
        done = subprocess.run(
            [sys.executable, "-m", "ccviz.runs.fork_server", str(theirs.fileno()), "right"],
            pass_fds=[theirs.fileno()], capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_metadata_that_cannot_be_read_end_no_command(tmp_path, monkeypatch):
    write_plugin(tmp_path, "broken", "A = 5")
    (tmp_path / "broken-1.0.dist-info" / "METADATA").unlink()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(RuntimeWarning, match="of a package is left out: it is no solver class"):
        assert list(Registry("ccviz.solvers", [KMeans], refuse)) == [KMeans]
    (tmp_path / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"[ccviz.solvers]\n\xff")
    with pytest.warns(RuntimeWarning, match="cannot be listed: UnicodeDecodeError"):
        assert list(Registry("ccviz.solvers", [KMeans], refuse)) == [KMeans]


def test_a_person_may_end_the_import_of_a_plugin(tmp_path, monkeypatch):
    write_plugin(tmp_path, "slow", "raise KeyboardInterrupt")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        list(Registry("ccviz.solvers", [KMeans], refuse))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Build the template of the docs, unpack its wheel, and return that folder."""
    folder = tmp_path_factory.mktemp("template")
    shutil.copytree(ROOT / "docs" / "plugin", folder / "source")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=folder / "source", check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder


def in_template(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder / "source", capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(folder / "site"), "CCVIZ_HOME": str(folder / "home")},
    )  # fmt: skip


@pytest.mark.slow
def test_the_template_passes_its_own_tests(template):
    (template / "source" / "ccviz_farthest.py").unlink()  # what is tested is the wheel
    run = in_template(template, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
def test_the_commands_know_the_solver_of_the_template(template):
    run = in_template(template, "-m", "ccviz", "solve", "iris", "-k", "3", "--solver", "farthest")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "farthest" in run.stdout
