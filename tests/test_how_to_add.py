"""The recipes of the page "How to add …" work as they stand there, in a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to-add.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"^```\{code-block\} (\w+)\n:caption: (\S+)\n\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


def amend(path: Path, diff: str) -> None:
    """Put the new lines behind the line named, or in its place."""
    lines = diff.splitlines()
    (old,) = [line for line in lines if line[0] != "+"]
    new = [line[1:] for line in lines if line[0] == "+" or line[0] == " "]
    before = path.read_text(encoding="utf-8").splitlines()
    assert before.count(old[1:]) == 1, f"{path.name} has not one line {old[1:]!r}"
    at = before.index(old[1:])
    path.write_text("\n".join([*before[:at], *new, *before[at + 1 :], ""]), encoding="utf-8")


# What looks through the tuples that the page adds to, and the table that goes with one of them.
COPIED = (
    "README.md",
    "docs/choose.md",
    "tests/test_readme.py",
    "tests/solvers/test_contract.py",
    "tests/views/inside/test_catalogue.py",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Copy the package, with what numba has compiled for it, and follow every recipe."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "ccviz", folder / "ccviz")
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for kind, caption, text in BLOCK.findall(PAGE):
        path = folder / caption
        if kind == "diff":
            amend(path, text)
        else:
            assert not path.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_every_recipe_brings_what_it_says(copy):
    """The tests of the page, the contract of the new solvers, and the table of solvers."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    run = subprocess.run(
        [*command, "--rootdir", str(copy), "--import-mode=importlib", "tests",
         "-k", "lloyd or first or table_ or not (contract or readme)"],
        cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(re.search(r"(\d+) passed", run.stdout).group(1)) >= 10


def test_the_recipes_are_in_the_projects_style(copy):
    names = [caption for kind, caption, _ in BLOCK.findall(PAGE) if caption.endswith(".py")]
    command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml")]
    run = subprocess.run(
        [*command, *sorted({*names})],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
