"""Run the tests of the page many times in a row, idle and beside busy processes: `make flaky`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "results" / "browser_tests.md"


@dataclass(frozen=True)
class Outcome:
    """One run of the tests.

    Attributes
    ----------
    busy : int
        Busy processes a core beside it.
    tests : int
    failed : tuple of str
        Names of the tests that failed.
    seconds : float
        On the clock.
    """

    busy: int
    tests: int
    failed: tuple[str, ...]
    seconds: float


@contextmanager
def beside(many: int) -> Iterator[None]:
    """Keep so many processes busy for a while."""
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
        subprocess.run([*command, f"--junitxml={report}", *more], cwd=ROOT, check=False)
        suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    failed = [
        f"{case.get('classname')}.{case.get('name')}"
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return Outcome(busy, int(suite.get("tests", 0)), tuple(failed), float(suite.get("time", 0)))


def table(outcomes: list[Outcome], workers: int) -> str:
    """Return what happened as a page in Markdown."""
    lines = [
        "# The tests of the page, many times in a row",
        "",
        f"{workers} processes of tests on {os.cpu_count()} cores; no test is tried again.",
        "",
        "| Busy processes a core | Run | Tests | Failed | Seconds |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {each.busy} | {number} | {each.tests} | {len(each.failed)} | {each.seconds:.0f} |"
        for number, each in enumerate(outcomes, start=1)
    ]
    failures = [name for each in outcomes for name in each.failed]
    lines += ["", "Failed, and how often:" if failures else "No test failed."]
    lines += [f"- {name}: {failures.count(name)}" for name in sorted(set(failures))]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run all of it, write the table after each run, and return 1 if a test failed."""
    options = _options()
    outcomes: list[Outcome] = []
    for busy in options.busy:
        for _ in range(options.runs):
            outcomes.append(run(busy, options.workers, options.pytest))
            TABLE.write_text(table(outcomes, options.workers), encoding="utf-8")
    sys.stdout.write(TABLE.read_text(encoding="utf-8"))
    return int(any(each.failed for each in outcomes))


def _options() -> Namespace:
    parser = ArgumentParser("tools/flaky.py", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="for each number of busy processes")
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 3], help="processes a core")
    parser.add_argument("--workers", type=int, default=2, help="processes of tests")
    parser.add_argument("pytest", nargs="*", help="more for pytest, after --")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
