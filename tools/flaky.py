"""Run the tests of the page many times in a row, idle and beside busy processes: `make flaky`.

Each run adds a row to a table that is kept: twenty take hours, and what was stopped goes on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))  # for tables that grow a row at a time

from _runner import append_row, read_rows  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
ROWS, TABLE = RESULTS / "browser_tests.csv", RESULTS / "browser_tests.md"


@dataclass(frozen=True)
class Outcome:
    """One run of the tests."""

    version: str
    busy: int  # Busy processes a core beside it
    tests: int
    failed: tuple[str, ...]
    seconds: float

    @property
    def row(self) -> dict[str, Any]:
        """As it stands in the table that is kept."""
        failed, seconds = " ".join(self.failed), f"{self.seconds:.0f}"
        return asdict(self) | {"failed": failed, "seconds": seconds}


def kept() -> list[Outcome]:
    """Return the runs that were done already."""
    return [
        Outcome(
            row["version"], int(row["busy"]), int(row["tests"]), tuple(row["failed"].split()),
            float(row["seconds"]),
        )
        for row in read_rows(ROWS)
    ]  # fmt: skip


@contextmanager
def beside(many: int) -> Iterator[None]:
    """Keep a number of processes busy for a while."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(many)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(busy: int, workers: int, more: list[str]) -> Outcome:
    """Run the tests once."""
    with tempfile.TemporaryDirectory() as folder, beside(busy * (os.cpu_count() or 1)):
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "browser", "-n", str(workers)]
        version = subprocess.check_output(
            ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True
        )
        subprocess.run([*command, f"--junitxml={report}", *more], cwd=ROOT, check=False)
        suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    failed = [
        f"{case.get('classname')}.{case.get('name')}"
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    tests, seconds = int(suite.get("tests", 0)), float(suite.get("time", 0))
    return Outcome(version.strip(), busy, tests, tuple(failed), seconds)


def table(outcomes: list[Outcome], workers: int) -> str:
    """Return what happened as a page in Markdown."""
    lines = [
        "# The tests of the page, many times in a row",
        "",
        f"{workers} processes of tests on {os.cpu_count()} cores; no test is tried again.",
        "",
        "| Run | Version | Busy processes a core | Tests | Failed | Seconds |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {number} | {each.version} | {each.busy} | {each.tests} | {len(each.failed)} "
        f"| {each.seconds:.0f} |"
        for number, each in enumerate(outcomes, start=1)
    ]
    failures = [name for each in outcomes for name in each.failed]
    lines += ["", "Failed, and how often:" if failures else "No test failed."]
    lines += [f"- {name}: {failures.count(name)}" for name in sorted(set(failures))]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run all of it, write the table after each run, and return 1 if a test failed."""
    options = _options()
    failed = False
    for busy in options.busy:
        for _ in range(options.runs):
            outcome = run(busy, options.workers, options.pytest)
            append_row(ROWS, outcome.row)
            TABLE.write_text(table(kept(), options.workers), encoding="utf-8")
            failed = failed or bool(outcome.failed)
    sys.stdout.write(TABLE.read_text(encoding="utf-8"))
    return int(failed)


def _options() -> Namespace:
    parser = ArgumentParser("tools/flaky.py", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="for each number of busy processes")
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 3], help="processes a core")
    parser.add_argument("--workers", type=int, default=2, help="processes of tests")
    parser.add_argument("pytest", nargs="*", help="more for pytest, after --")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
