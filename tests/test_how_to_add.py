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
    """Put the new lines behind each line named, or in its place."""
    text = path.read_text(encoding="utf-8").splitlines()
    for hunk in re.findall(r"^[ -].*\n(?:^\+.*\n?)+", diff, re.MULTILINE):
        old, *new = hunk.splitlines()
        assert text.count(old[1:]) == 1, f"{path.name} has not one line {old[1:]!r}"
        at = text.index(old[1:])
        kept = [old[1:]] if old[0] == " " else []
        text[at : at + 1] = kept + [line[1:] for line in new]
    path.write_text("\n".join([*text, ""]), encoding="utf-8")


# The tests of each kind, which take what they test from the tuples that the page adds to.
TESTS = (
    "tests/test_readme.py",
    "tests/data/test_datasets.py",
    "tests/problem/test_rule_kinds.py",
    "tests/solvers/test_contract.py",
    "tests/views/inside/test_catalogue.py",
    "tests/views/lessons/test_catalogue.py",
)
ADDED = "first-come or table_ or range or moved or drawn or (come and from) or stripes"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Copy the package, with what numba has compiled for it, and follow every recipe."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("ccviz", "tests"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("README.md", "docs/choose.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for kind, caption, text in BLOCK.findall(PAGE):
        path = folder / caption
        if kind == "diff":
            amend(path, text)
        else:
            above = path.read_text(encoding="utf-8") + "\n\n" if path.exists() else ""
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(above + text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_every_recipe_brings_what_it_says(copy):
    """The tests of each kind see what was added: the contract of solvers, the lessons …"""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    run = subprocess.run(
        [*command, "--rootdir", str(copy), "--import-mode=importlib", *TESTS, "-k", ADDED],
        cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(re.search(r"(\d+) passed", run.stdout).group(1)) >= 20


def test_the_recipes_are_in_the_projects_style(copy):
    names = [caption for kind, caption, _ in BLOCK.findall(PAGE) if caption.endswith(".py")]
    command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml")]
    run = subprocess.run(
        [*command, *sorted({*names})],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
