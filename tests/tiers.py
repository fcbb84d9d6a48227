"""Two tiers of tests: what each test takes, and which of the long ones lack the mark `slow`.

`make test` leaves out what is marked `slow`; `make test-slow` runs it, `make test-all` both. A test
is long above `LONG_S` seconds, one that drives a browser above `LONG_IN_BROWSER_S`.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

LONG_S = 5.0
LONG_IN_BROWSER_S = 15.0

LISTED = os.environ.get("CCVIZ_TEST_TIMES")
"""A file that grows by a line of JSON a test, with its seconds."""


def processor_seconds() -> float:
    """Return the processor time of this process and all that descend from it, ended or not."""
    own = os.times()
    total = own.user + own.system + own.children_user + own.children_system
    return total + sum(taken_below(child) for child in _children(os.getpid()))


def taken_below(pid: int) -> float:
    """Return the processor seconds of a process and all that descend from it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # ended just now, or no such file system
        return 0.0
    ticks = sum(map(int, fields[11:15]))  # utime, stime, and those of the children waited for
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(taken_below, _children(pid)))


def _children(pid: int) -> list[int]:
    found = []
    # A process may end at any step: between its name and its list of threads as well.
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, thread.read_text().split())
    return found


class Stopwatch:
    """The seconds on the clock and of the processors since it was started."""

    def __init__(self) -> None:
        self._from = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), processor_seconds()

    def taken(self) -> tuple[float, float]:
        """Return the seconds on the clock and of the processors."""
        now = self._now()
        return now[0] - self._from[0], now[1] - self._from[1]


class Tiers:
    """The pytest plugin that times each test with its fixtures and names the unmarked long ones."""

    def __init__(self, config: pytest.Config) -> None:
        self._collects = not hasattr(config, "workerinput")  # a process of pytest-xdist only times
        self._shared = [0.0, 0.0]
        self._tests: list[dict] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """Keep the time of what the whole session shares apart: the first user does not owe it."""
        if fixturedef.scope != "session":
            return (yield)
        watch, before = Stopwatch(), list(self._shared)
        result = yield
        self._shared = [old + more for old, more in zip(before, watch.taken(), strict=True)]
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        """Start the watch of a test before its fixtures."""
        self._shared = [0.0, 0.0]
        item.stash[WATCH] = Stopwatch()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        """Report the seconds of a test and its fixtures, but for those that the session shares."""
        try:
            return (yield)
        finally:
            taken = item.stash[WATCH].taken()
            own = [all_ - shared for all_, shared in zip(taken, self._shared, strict=True)]
            item.user_properties.append(("seconds", own))

    def pytest_runtest_logreport(self, report):
        """Collect what the processes of a run report."""
        if not self._collects or report.when != "teardown":
            return
        clock, of_processors = dict(report.user_properties).get("seconds", (0.0, 0.0))
        marks = [mark for mark in ("slow", "browser") if mark in report.keywords]
        test = {"test": report.nodeid, "clock": clock, "processor": of_processors, "marks": marks}
        self._tests.append(test)
        if LISTED:
            with Path(LISTED).open("a", encoding="utf-8") as file:
                file.write(json.dumps(test) + "\n")

    def pytest_terminal_summary(self, terminalreporter):
        """Name the long tests that lack the mark, longest first, and say what the others take."""
        unmarked = [test for test in self._tests if "slow" not in test["marks"]]
        long = sorted(filter(is_long, unmarked), key=seconds, reverse=True)
        if long:
            terminalreporter.section("long tests without the mark 'slow'")
        for test in long:
            terminalreporter.write_line(f"{seconds(test):6.1f} s  {test['test']}")
        if self._tests:
            terminalreporter.write_line(
                f"{len(self._tests)} tests, {processor(self._tests):.0f} processor seconds; "
                f"{len(unmarked)} of them quick, {processor(unmarked):.0f} seconds"
            )


WATCH = pytest.StashKey[Stopwatch]()


def seconds(test: dict) -> float:
    """Return how long a test takes on an idle machine.

    Other processes lengthen the time on the clock only, and a test that computes in several of its
    own lengthens the time of the processors only.
    """
    return min(test["clock"], test["processor"])


def is_long(test: dict) -> bool:
    """Return whether a test should be marked `slow`."""
    return seconds(test) > (LONG_IN_BROWSER_S if "browser" in test["marks"] else LONG_S)


def processor(tests: list[dict]) -> float:
    """Return the time of the processors that tests take together."""
    return sum(test["processor"] for test in tests)
