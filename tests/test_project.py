"""The project as a whole: what it names, and what it pins."""

import ast
import re
import subprocess
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ccviz import __version__

ROOT = Path(__file__).parents[1]

# Where a paper, a manual or the app itself may be found. Where packages come from is the business
# of the machine's own settings, so no index is here.
WELCOME_HOSTS = {
    "127.0.0.1",
    "arxiv.org",
    "doi.org",
    "docs.jupyter.org",
    "github.com",
    "evil.example",  # reserved too: who knocks at the server in its tests
    "highs.dev",
    "holoviews.org",
    "lab.example",  # reserved for examples, RFC 2606
    "localhost",
    "numba.readthedocs.io",
    "panel.holoviz.org",
    "scikit-learn.org",
    "www.freedesktop.org",
    "www.w3.org",
}
ADDRESS = re.compile(r"https?://(?:[^\s/@'\"]*@)?(\w[\w.-]*)")
MACHINE_PATH = re.compile(r"(?<![\w.~}/])/(?:work|tmp|root|home|Users|opt)/")
INDEX_OPTION = re.compile(r"--(?:(?:extra-)?index-url|find-links|trusted-host|default-index)\b")


def tracked_files() -> list[Path]:
    """Return every file that git tracks, or skip outside a checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, so what belongs to the project is not known")
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


@cache
def tracked_lines() -> list[tuple[str, str]]:
    """Return each line of each text file as (file:line, text)."""
    texts = {path: path.read_bytes() for path in tracked_files()}
    return [
        (f"{path.relative_to(ROOT)}:{number}", line)
        for path, data in texts.items()
        if b"\0" not in data
        for number, line in enumerate(data.decode("utf-8").splitlines(), start=1)
    ]


def requirements() -> list[Requirement]:
    """Return every requirement of pyproject.toml, extras and build backend included."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    found = map(
        Requirement, settings["build-system"]["requires"] + project["dependencies"] + extras
    )
    return [requirement for requirement in found if requirement.name != "ccviz-lab"]


def pins() -> dict[str, str]:
    """Return the version of every package in the lock file."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([\w.+!]+)", lock, flags=re.MULTILINE))


def test_no_path_of_one_machine():
    assert not [place for place, line in tracked_lines() if MACHINE_PATH.search(line)]


def test_no_package_index():
    assert not [place for place, line in tracked_lines() if INDEX_OPTION.search(line)]


def test_every_address_is_a_welcome_one():
    found = {(place, host) for place, line in tracked_lines() for host in ADDRESS.findall(line)}
    assert not {(place, host) for place, host in found if host not in WELCOME_HOSTS}


def test_lock_answers_pyproject():
    pinned = pins()
    assert not [
        str(requirement)
        for requirement in requirements()
        if not requirement.specifier.contains(pinned[canonicalize_name(requirement.name)])
    ]


def entries(name: str) -> dict[str, str]:
    """Return each package of a lock with its version, condition and hashes."""
    lock = re.sub(r"^ *#.*\n", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {entry.partition("==")[0]: entry for entry in re.split(r"\n(?=\w)", lock.strip())}


def test_the_dashboards_lock_is_a_part_of_the_whole_one():
    whole, part = entries("requirements.lock"), entries("requirements-app.lock")
    assert {"numba", "panel", "uv", "hatchling", "cvxpy", "scs"} <= part.keys() < whole.keys()
    for name, entry in part.items():
        # What only some platforms need may be needed on more of them by the other packages.
        pinned, hashes = re.split(r" ; [^\\]*| (?=\\)", entry, maxsplit=1)
        assert [pinned, hashes] == re.split(r" ; [^\\]*| (?=\\)", whole[name], maxsplit=1)


def test_lock_pins_every_package_by_hash():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^(\S+?)==\S+(?: ; [^\\\n]+)? \\\n    --hash=sha256:", lock, re.MULTILINE)
    packages = [line for line in lock.splitlines() if line and line[0] not in "# "]
    assert len(packages) == len(entries) > 100


def test_environment_is_the_locked_one():
    names = ["numpy", "highspy", "numba", "panel", "pytest"]
    assert {name: version(name) for name in names} == {name: pins()[name] for name in names}


def test_types_of_colgen_have_few_fields():
    fields = {
        f"{path.stem}.{each.name}": sum(isinstance(line, ast.AnnAssign) for line in each.body)
        for path in sorted((ROOT / "ccviz" / "solvers" / "colgen").rglob("*.py"))
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.ClassDef)
    }
    assert len(fields) > 50
    assert not {name: count for name, count in fields.items() if count > 12}


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation


def test_a_change_is_one_line():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    shapes = re.compile(r"|# Changes|## .*|### (Added|Changed|Fixed)|- .*\S")
    assert [line for line in lines if len(line) > 120 or not shapes.fullmatch(line)] == []
    assert f"## {__version__} (" in "\n".join(lines)
