"""The other ways to install say what `pyproject.toml` says."""

import tomllib
from pathlib import Path

import yaml

from ccviz.distribution import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_conda_recipe_needs_what_the_wheel_needs():
    recipe = yaml.safe_load(read("conda/recipe.yaml"))
    python, *needed = recipe["requirements"]["run"]
    assert python.replace(" ", "") == "python" + PROJECT["requires-python"]
    assert [each.replace(" ", "") for each in needed] == PROJECT["dependencies"]
    assert recipe["context"]["version"] == __version__
    assert recipe["package"]["name"] == PROJECT["name"]


def test_the_container_runs_as_a_user_and_looks_after_its_health():
    last = read("Containerfile").rpartition("\nFROM ")[2].splitlines()
    words = {line.split()[0]: line for line in last if line and not line.startswith(" ")}
    assert words["USER"] not in ("USER 0", "USER root")
    assert "HEALTHCHECK" in words


def test_the_workflow_tests_every_python_that_is_named():
    jobs = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]
    named = {
        each.rpartition(" :: ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each
    }
    assert named <= set(jobs["systems"]["strategy"]["matrix"]["python"])


def test_what_the_workflow_runs_is_there():
    assert all((ROOT / line).exists() for line in read("tests/core.txt").split())
