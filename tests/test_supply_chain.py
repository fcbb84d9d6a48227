"""The bill of materials lists the lock, and the audit never calls unknown packages safe."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "tools" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SAFE = {"name": "safe", "version": "1", "vulns": []}
BAD = {"name": "bad", "version": "2", "vulns": [{"id": "CVE-0", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "unknown", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([SAFE], 0, "All 1 packages were looked up."),
        ([SAFE, BAD], 1, "bad 2: CVE-0, mended in 3"),
        ([BAD, UNKNOWN], 1, "1 of 2 packages were not looked up: unknown."),
        ([SAFE, UNKNOWN], 2, "1 of 2 packages were not looked up: unknown."),
        ([UNKNOWN], 2, "The index has no advisory database: no package was looked up."),
        (None, 2, "No advisory database can be reached: no package was looked up."),
    ],
)
def test_an_audit_says_what_was_not_looked_up(audit, packages, code, words):
    found, sentences = audit.report(packages)
    assert found == code
    assert words in sentences


def test_an_audit_without_an_answer_is_none(audit, tmp_path):
    assert audit.looked_up(str(tmp_path / "missing.lock")) is None


@pytest.mark.slow
def test_the_bill_of_materials_has_the_packages_and_hashes_of_the_lock(tmp_path):
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    ready = Path(sys.prefix)  # the environment that `make env` has built
    old = [f"--assume-old={ready / '.ready'}"]  # nothing is installed again
    made = subprocess.run(
        ["make", "sbom", f"VENV={ready}", *old], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    bill = json.loads((tmp_path / "dist" / "sbom.json").read_text(encoding="utf-8"))
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    packages = {(each["name"], each["version"]) for each in bill["components"]}
    assert packages == set(re.findall(r"^([\w.-]+)==([\w.+!]+)", lock, re.MULTILINE))
    hashes = {
        each["content"]
        for component in bill["components"]
        for reference in component["externalReferences"]
        for each in reference["hashes"]
    }
    assert hashes == set(re.findall(r"sha256:(\w{64})", lock))
    assert bill["metadata"]["component"]["name"] == "ccviz-lab"
