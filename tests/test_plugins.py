"""Solvers and views of other packages: the template, and packages that are broken."""

import os
import shutil
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
        ("import there_is_none", "a = outside:A", "cannot be loaded: No module named"),
        ("x = 1", "a = outside:A", "cannot be loaded: module 'outside' has no attribute 'A'"),
        ("def", "a = outside:A", "cannot be loaded: invalid syntax"),
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
